"""The window as those see it who change its colors."""

from typing import Protocol

from acp_tui.ui.window import Window


class ThemedWindow(Window, Protocol):
    """Is drawn in the colors of a theme."""

    theme: str
    """The name of the theme in use."""

    def use_theme(self, name: str | None) -> None:
        """Draw in the colors of a theme; without a name, in the default. Raises ConfigError."""
