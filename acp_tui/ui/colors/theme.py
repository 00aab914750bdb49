"""Loads theme files as Textual themes."""

from typing import Any

from rich.errors import StyleSyntaxError
from rich.style import Style
from textual.app import App
from textual.color import Color, ColorParseError
from textual.theme import Theme

from acp_tui.config.settings import DEFAULT_THEME, FEW_COLORS_THEME
from acp_tui.config.themes import ThemeFile, load_theme, place_in_theme
from acp_tui.config.toml_files import ConfigError

DEFAULTS = {"muted": "ansi_default"}
"""Our own variables, for themes that don't set them."""


_OWN_STYLE = "transcript-"
"""The prefix of variables whose value is a Rich style rather than a color."""
_TEXT_STYLES = {
    "bold",
    "dim",
    "italic",
    "underline",
    "strike",
    "reverse",
    "none",
    "not",
    "b",
    "i",
    "u",
}


def default_theme(color_system: str | None) -> str:
    """Return the theme for users who chose none, on a terminal with these colors."""
    return FEW_COLORS_THEME if color_system in ("standard", "256") else DEFAULT_THEME


def use_theme(app: App[Any], name: str) -> None:
    """Switch an app to a theme; an empty name is the default theme. Raises ConfigError."""
    name = name or default_theme(app.console.color_system)
    app.register_theme(theme_called(name))
    app.theme = name


def theme_called(name: str) -> Theme:
    """Load a theme as a Textual theme.

    Raises:
        ConfigError: there is no such theme, or its file can't be used.
    """
    file = load_theme(name)
    for variable, value in file.variables.items():
        if wrong := _fault(variable, value):
            place = place_in_theme(name, "variables", variable)
            raise ConfigError(f"{place}: variables.{variable}: {value!r} {wrong}")
    return to_textual(name, file)


def _fault(variable: str, value: str) -> str:
    """Return what is wrong with the value of a variable; "" if nothing is."""
    if variable.startswith(_OWN_STYLE):
        try:
            Style.parse(value)
        except StyleSyntaxError:
            return "is no style, such as: bold #ffd479 on #202020"
        return ""
    if variable.endswith(("-style", "-style-hover")):
        is_style = value.split() and _TEXT_STYLES.issuperset(value.split())
        return "" if is_style else "is no style of text, such as: bold, underline, none"
    color, _, share = value.partition(" ")
    if share and not (share.endswith("%") and share[:-1].isdecimal()):
        return "is no color with a share, such as: #ffd479 35%"
    if color in ("auto", "initial"):
        return ""
    try:
        Color.parse(color)
    except ColorParseError:
        return "is no color, such as #ffd479 or ansi_blue"
    return ""


def to_textual(name: str, theme: ThemeFile) -> Theme:
    """Convert a theme file to a Textual theme; derive the colors of selections and scroll bars."""
    return Theme(
        name=name,
        dark=theme.dark,
        ansi=theme.ansi,
        background=theme.background,
        surface=theme.surface,
        panel=theme.panel,
        foreground=theme.foreground,
        primary=theme.primary,
        secondary=theme.secondary,
        accent=theme.accent,
        success=theme.success,
        warning=theme.warning,
        error=theme.error,
        variables=_variables(theme) | theme.variables,
    )


def _variables(theme: ThemeFile) -> dict[str, str]:
    """Return the variables for which Textual itself would derive colors that are too bright."""
    variables = {"muted": theme.muted}
    if theme.ansi:
        black, white = "ansi_black", "ansi_white"
        ends = (black, white) if theme.dark else (white, black)
        return variables | {"ansi-background": ends[0], "ansi-foreground": ends[1]}
    return variables | {
        "text": theme.foreground,
        "text-muted": theme.muted,
        "border": theme.primary,
        "border-blurred": theme.panel,
        "scrollbar": theme.muted,
        "scrollbar-hover": theme.primary,
        "scrollbar-active": theme.primary,
        "scrollbar-background": theme.background,
        "scrollbar-background-hover": theme.background,
        "scrollbar-background-active": theme.background,
        "scrollbar-corner-color": theme.background,
        "input-cursor-background": theme.foreground,
        "input-cursor-foreground": theme.background,
        "input-selection-background": f"{theme.primary} 35%",
        "screen-selection-background": f"{theme.primary} 35%",
    }
