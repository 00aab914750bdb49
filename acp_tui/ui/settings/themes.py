"""Themes: choosing one, and applying changes of the person's own theme while it is edited."""

from typing import TYPE_CHECKING, ClassVar

import anyio
from anyio import to_thread

from acp_tui.config.paths import own_themes
from acp_tui.config.themes import load_theme, theme_files
from acp_tui.config.toml_files import ConfigError
from acp_tui.ui.events import AppReady, ViewRefreshed
from acp_tui.ui.feature import Feature
from acp_tui.ui.settings.followed import ThemedWindow, file_state

if TYPE_CHECKING:
    from acp_tui.ui.settings.feature import SettingsFeature

PERIOD = 0.5
"""Seconds between two checks of the file."""


class ThemesFeature(Feature):
    """Lists the themes, previews the marked one, and stores the choice in the settings."""

    name = "themes"
    hears: ClassVar = {AppReady: "follow_file", ViewRefreshed: "follow_file"}

    def __init__(self, window: ThemedWindow, settings: "SettingsFeature") -> None:
        self._window = window
        self._settings = settings
        self._checked = ""
        """The theme that was last checked for a file of the person's own."""
        self._follows = False

    def follow_file(self, _: AppReady | ViewRefreshed) -> None:
        """Watch the theme's file if it is the user's own."""
        self._watch_own_theme()

    def open(self) -> None:
        """List the themes; if they are listed already, mark the next one. Another box has to be closed first."""
        from acp_tui.ui.settings.theme_picker import ThemePicker

        front = self._window.screens[-1]
        if isinstance(front, ThemePicker):
            front.action_move(1)
        elif not front.is_modal:
            themes = {name: _description(name) for name in theme_files()}
            picker = ThemePicker(themes, self._window.theme, self._preview, self._choose_theme)
            self._window.push(picker)

    def _preview(self, name: str) -> str | None:
        """Draw in the colors of a theme; return why it can't be used, or None."""
        try:
            self._window.use_theme(name)
        except ConfigError as error:
            return str(error)
        return None

    def _choose_theme(self, name: str) -> None:
        self._settings.change("theme", name)
        self._watch_own_theme()

    def _watch_own_theme(self) -> None:
        name = self._window.theme
        if self._follows or name == self._checked:
            return
        self._checked = name
        state = file_state(own_themes() / f"{name}.toml")
        if state is not None:
            self._follows = True
            self._window.spawn(self._watch_file((name, state)))

    async def _watch_file(self, seen: tuple[str, object]) -> None:
        """Apply the theme's file whenever it changes; report a mistake in it with its place."""
        while True:
            name = self._window.theme
            now = name, await to_thread.run_sync(file_state, own_themes() / f"{name}.toml")
            if now[0] == seen[0] and now[1] not in (None, seen[1]):
                try:
                    self._window.use_theme(name)
                except ConfigError as error:
                    self._window.notify(str(error), severity="error")
            seen = now
            await anyio.sleep(PERIOD)


def _description(name: str) -> str:
    """Return a theme's own description, or that it has a mistake."""
    try:
        return load_theme(name).description
    except ConfigError:
        return "can't be used: there is a mistake in it"
