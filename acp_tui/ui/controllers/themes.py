"""Themes: going from one to the next, and following one of the person's own as it is edited."""

from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from acp_tui.config.errors import ConfigError
from acp_tui.config.paths import own_themes
from acp_tui.config.themes import theme_files
from acp_tui.ui.controllers.controller import Controller
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.controllers.settings import SettingController

PERIOD = 0.5
"""Seconds between two looks at the file."""


class ThemeController(Controller):
    """What is chosen is kept in the settings."""

    name = "themes"

    def __init__(self, window: Window, settings: "SettingController") -> None:
        self._window = window
        self._settings = settings
        self._follows = False

    def ready(self) -> None:
        """Follow the theme's file, where the person can change it."""
        self._follow()

    def next(self) -> None:
        """Use the next theme, and keep it."""
        names, current = list(theme_files()), self._window.theme
        at = names.index(current) + 1 if current in names else 0
        name = names[at % len(names)]
        try:
            self._window.use_theme(name)
        except ConfigError as error:
            self._window.notify(str(error), severity="error", markup=False)
            return
        self._window.say(f'theme = "{name}"')
        self._settings.keep_theme(name)
        self._follow()

    def _follow(self) -> None:
        if not self._follows and (own_themes() / f"{self._window.theme}.toml").is_file():
            self._follows = True
            self._window.spawn(self._watch())

    async def _watch(self) -> None:
        """Draw again in the colors of a file that changes; with a mistake in it, say where."""
        seen = None
        while True:
            name = self._window.theme
            now = name, await to_thread.run_sync(_state, own_themes() / f"{name}.toml")
            if seen is not None and now[0] == seen[0] and now[1] not in (None, seen[1]):
                try:
                    self._window.use_theme(name)
                except ConfigError as error:
                    self._window.notify(str(error), severity="error", markup=False)
            seen = now
            await anyio.sleep(PERIOD)


def _state(file: Path) -> tuple[int, int, int] | None:
    """What differs once a file was written; None without one."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
