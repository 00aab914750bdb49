"""A person's settings, from `settings.toml`."""

from pathlib import Path

from acp_tui.config.errors import read_toml
from acp_tui.structs import Struct

DEFAULT_THEME = "night"
FEW_COLORS_THEME = "terminal"
"""The default where a terminal has 16 colors: other themes' colors would lose their meaning."""


class Settings(Struct):
    """All settings with their defaults; an unknown key is an error, as it is likely a typo."""

    theme: str | None = None  # depends on the terminal


def load_settings(path: Path) -> Settings:
    """The settings in a file; the defaults if there is none.

    Raises:
        ConfigError: the file is there but can't be used.
    """
    return read_toml(path, Settings) if path.exists() else Settings()
