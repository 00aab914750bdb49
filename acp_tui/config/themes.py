"""Loads themes, each a TOML file: shipped ones and the user's own."""

import os
from pathlib import Path
from typing import Annotated

from pydantic import Field

from acp_tui.config.layers import load_settings, setting_values
from acp_tui.config.paths import own_themes, shipped_themes
from acp_tui.config.toml_files import ConfigError, ConfigModel, place_of_setting, read_toml

_OF_TERMINAL = "(bright_)?(black|red|green|yellow|blue|magenta|cyan|white)|default"
Color = Annotated[str, Field(pattern=rf"^(#[0-9a-fA-F]{{6}}|ansi_({_OF_TERMINAL}))$")]
"""`#rrggbb`, or one of the terminal's own colors, such as `ansi_bright_blue`."""


class ThemeFile(ConfigModel):
    """A theme. `muted` is for less important text; `variables` set any other style of Textual's.

    With `ansi`, only the terminal's own 16 colors are used.
    """

    description: str
    dark: bool
    ansi: bool = False
    background: Color
    surface: Color
    panel: Color
    foreground: Color
    muted: Color
    primary: Color
    secondary: Color
    accent: Color
    success: Color
    warning: Color
    error: Color
    variables: dict[str, str] = {}


def theme_files() -> dict[str, Path]:
    """Return the files of all themes by name, sorted; the user's own win over shipped ones."""
    found = {
        path.stem: path
        for folder in (shipped_themes(), own_themes())
        for path in sorted(folder.glob("*.toml"))
    }
    return dict(sorted(found.items()))


def load_theme(name: str) -> ThemeFile:
    """Load a theme by name.

    Raises:
        ConfigError: there is none, or its file is invalid.
    """
    return read_toml(_file_of(name), ThemeFile)


def place_in_theme(name: str, *keys: str) -> str:
    """Return the position of a key in a theme's file, for display. Raises ConfigError."""
    path = _file_of(name)
    line, column = place_of_setting(path.read_text(encoding="utf-8"), keys)
    return f"{path}:{line}:{column}"


def _file_of(name: str) -> Path:
    for folder in (own_themes(), shipped_themes()):
        path = folder / f"{name}.toml"
        if path.is_file():
            return path
    raise ConfigError(_no_theme(name))


def theme_in_settings(path: Path) -> str | None:
    """Return the theme that the settings name, or None.

    Raises:
        ConfigError: the file is invalid, or there is no such theme.
    """
    name = load_settings(path).theme
    if name is not None and name not in theme_files():
        [one] = [one for one in setting_values(path, os.environ) if one.setting.name == "theme"]
        raise ConfigError(f"{one.place}: theme: {_no_theme(name)}")
    return name


def _no_theme(name: str) -> str:
    return f"there is no theme {name!r}; there are: {', '.join(theme_files())}"
