"""Themes as Textual wants them."""

from textual.theme import Theme

from acp_tui.config.themes import ThemeFile

DEFAULTS = {"muted": "ansi_default"}
"""Variables of ours, for themes that do not set them."""


def to_textual(name: str, theme: ThemeFile) -> Theme:
    """Return a theme file as a Textual theme; colors of selections and scroll bars are derived from
    it.
    """
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
    """Return the variables for which Textual would derive colors that are too bright."""
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
