"""Themes: going from one to the next."""

from acp_tui.config.errors import ConfigError
from acp_tui.config.paths import settings_file
from acp_tui.config.themes import theme_files
from acp_tui.ui.controllers.controller import Controller
from acp_tui.ui.window import Window
from acp_tui.ui.words import from_home


class ThemeController(Controller):
    """What is chosen holds for this run."""

    name = "themes"

    def __init__(self, window: Window) -> None:
        self._window = window

    def next(self) -> None:
        """Use the next theme, and say how to keep it."""
        names, current = list(theme_files()), self._window.theme
        at = names.index(current) + 1 if current in names else 0
        name = names[at % len(names)]
        try:
            self._window.use_theme(name)
        except ConfigError as error:
            self._window.notify(str(error), severity="error", markup=False)
        else:
            self._window.say(f'theme = "{name}"; to keep it: {from_home(str(settings_file()))}')
