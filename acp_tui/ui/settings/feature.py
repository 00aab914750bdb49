"""The settings and themes features: list settings, change them, write the user's file."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import anyio
from anyio import to_thread

from acp_tui.config.layers import SettingValue, load_settings, parse_setting_text, setting_values
from acp_tui.config.paths import own_themes, settings_file
from acp_tui.config.settings import Settings
from acp_tui.config.themes import load_theme, theme_files
from acp_tui.config.toml_files import ConfigError
from acp_tui.text import clean_line
from acp_tui.ui.ask import ask_for_line
from acp_tui.ui.feature import AgentClosed, AppReady, Feature, ViewRefreshed
from acp_tui.ui.settings.followed import FollowedSettings, ThemedWindow, file_state
from acp_tui.ui.toolkit.shortened import crop_text, from_home
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.settings.picker import SettingsScreen

LONGEST_VALUE = 20
"""Most characters of a value in the note about its change."""
PERIOD = 1.0
"""Seconds between two checks of the settings file."""


class SettingsFeature(Feature):
    """Writes changes one after the other; an error is reported, and changes nothing.

    A change of the file by any program is applied as soon as it is noticed.
    """

    name = "settings"
    handlers: ClassVar = {AppReady: "watch", ViewRefreshed: "update_clients", AgentClosed: "forget"}
    file: Path | None = None
    """The file that changes are written to; None if they aren't stored."""

    def __init__(self, window: Window, followed: FollowedSettings) -> None:
        self._window = window
        self.followed = followed
        self._writing = anyio.Lock()
        self._screen: SettingsScreen | None = None
        self._is_opening = False

    def watch(self, _: AppReady) -> None:
        """Watch the settings file."""
        if self.file is not None:
            self._window.spawn(self._watch_file(self.file))

    async def _watch_file(self, file: Path) -> None:
        """Apply changes of the file while the program runs; report errors with their place."""
        known: object = "unknown"  # it may have changed since it was read at the start
        while True:
            await anyio.sleep(PERIOD)
            now = await to_thread.run_sync(file_state, file)
            if now == known:
                continue
            known = now
            try:
                async with self._writing:
                    names = await self._follow_file(file)
                if names:
                    self._window.show_note(f"changed in {file.name}: {', '.join(names)}")
                    found = await _read_values(file)
                    if self._screen is not None and self._screen in self._window.screens:
                        self._screen.show_values(found)
            except (ConfigError, OSError) as error:
                self._report_error(error)

    async def _follow_file(self, file: Path) -> list[str]:
        """Apply the file's settings; return the names of those that changed. Raises ConfigError."""
        return self.followed.follow(await to_thread.run_sync(load_settings, file), file)

    def open(self) -> None:
        """Open the settings screen."""
        if not self._is_opening:
            self._is_opening = True
            self._window.spawn(self._open_screen())

    async def _open_screen(self) -> None:
        from acp_tui.ui.settings.picker import SettingsScreen

        front = self._window.screens[-1]
        try:
            values = await _read_values(self.file or settings_file())
        except (ConfigError, OSError) as error:
            self._report_error(error)
        else:
            self._screen = SettingsScreen(values, self)
            self._window.push(self._screen, over=front)
        finally:
            self._is_opening = False

    def ask(self, one: SettingValue, text: str, wrong: str = "") -> None:
        """Ask for a value as a line of text; `wrong` is what was wrong with the previous answer."""

        def written(line: str | None) -> None:
            if line is None:
                return
            try:
                value = parse_setting_text(one.setting.name, line, "settings")
            except ConfigError as error:
                self.ask(one, line, str(error))
            else:
                self.change(one.setting.name, value)

        setting = one.setting
        kind = f"{setting.expected}; default {setting.formatted(setting.default)}"
        facts = list(filter(None, [setting.sentence, kind, wrong]))
        ask_for_line(self._window, setting.name, facts, text, written, enter_label="save")

    def change(self, name: str, value: Any) -> None:
        """Write a value to the file, and apply it."""
        from acp_tui.config.settings_text import save_setting

        self._write_value(
            name, value, lambda file: save_setting(file, tuple(name.split(".")), value)
        )

    def reset(self, one: SettingValue) -> None:
        """Remove a value from the file, and apply its default."""
        from acp_tui.config.settings_text import remove_setting

        keys = one.setting.keys
        self._write_value(
            one.setting.name, one.setting.default, lambda file: remove_setting(file, keys)
        )

    def _write_value(self, name: str, value: Any, write: Callable[[Path], None]) -> None:
        if self.file is None:
            self._window.refuse("settings are not kept here")
        else:
            self._window.spawn(self._change_value(self.file, name, value, write))

    async def _change_value(
        self, file: Path, name: str, value: Any, write: Callable[[Path], None]
    ) -> None:
        try:
            async with self._writing:
                if self.followed.known is None:  # for comparison with the change
                    self.followed.known = await to_thread.run_sync(load_settings, file)
                await to_thread.run_sync(self._check, file, name, value)
                await to_thread.run_sync(write, file)
                await self._follow_file(file)
            found = await _read_values(file)
        except (ConfigError, OSError) as error:
            self._report_error(error)
            return
        [now] = [one for one in found if one.setting.name == name]
        if self._screen is not None and self._screen in self._window.screens:
            self._screen.show_values(found)
            self._screen.show_message(_describe_change(now, file.name))
        else:
            self._window.show_note(_describe_change(now, from_home(str(file))))

    def _check(self, file: Path, name: str, value: Any) -> None:
        """Check that a preset doesn't conflict with the user's own keys. Raises ConfigError."""
        if name == "key_preset":
            from acp_tui.ui.keymap import check_keys

            check_keys(load_settings(file).model_copy(update={name: value}), file)

    def start(self, settings: Settings, file: Path) -> None:
        """Apply the settings of a file at the start, as if they had just changed."""
        self.file = file
        self.followed.start(settings)

    def update_clients(self, _: ViewRefreshed) -> None:
        """Send earlier changes to the clients of newer agents."""
        self.followed.update_clients()

    def forget(self, event: AgentClosed) -> None:
        """Forget an agent that was closed."""
        self.followed.forget(event.agent)

    def _report_error(self, error: Exception) -> None:
        """Report an error on the settings screen if that is open, else in a toast."""
        words = " ".join(str(error).replace(str(Path.home()), "~").split())
        if self._screen is not None and self._screen in self._window.screens:
            self._screen.show_message(clean_line(words))
        else:
            self._window.notify(words, severity="error")


async def _read_values(file: Path) -> list[SettingValue]:
    """Read all settings that have a single value. Raises ConfigError or OSError."""
    found = await to_thread.run_sync(setting_values, file, os.environ)
    return [one for one in found if one.setting.variable]


def _describe_change(now: SettingValue, where: str) -> str:
    """Describe a changed setting: its value, or what overrides it."""
    name = now.setting.name
    if now.origin == "default":
        return f"{name}: {crop_text(now.setting.formatted(now.value), LONGEST_VALUE)} {now.setting.takes_effect}, the default"
    if now.origin != "user":
        return f"{name} is kept, but {now.place} says otherwise now"
    value = crop_text(clean_line(now.setting.formatted(now.value)), LONGEST_VALUE)
    return f"{name}: {value} {now.setting.takes_effect}, kept in {where}"


THEME_PERIOD = 0.5
"""Seconds between two checks of the theme's file."""


class ThemesFeature(Feature):
    """Lists the themes, previews the marked one, and stores the choice in the settings."""

    name = "themes"
    handlers: ClassVar = {AppReady: "follow_file", ViewRefreshed: "follow_file"}

    def __init__(self, window: ThemedWindow, settings: "SettingsFeature") -> None:
        self._window = window
        self._settings = settings
        self._checked = ""
        """The last theme for which a file of the user's own was looked for."""
        self._follows = False

    def follow_file(self, _: AppReady | ViewRefreshed) -> None:
        """Watch the current theme's file if it is the user's own."""
        self._watch_own_theme()

    def open(self) -> None:
        """List the themes, or mark the next one in an open list. Another dialog must be closed."""
        from acp_tui.ui.settings.theme_picker import ThemePicker

        front = self._window.screens[-1]
        if isinstance(front, ThemePicker):
            front.action_move(1)
        elif not front.is_modal:
            themes = {name: _description(name) for name in theme_files()}
            picker = ThemePicker(themes, self._window.theme, self._preview, self._choose_theme)
            self._window.push(picker)

    def _preview(self, name: str) -> str | None:
        """Switch to a theme; return why it can't be used, or None."""
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

    async def _watch_file(self, known: tuple[str, object]) -> None:
        """Apply the theme's file whenever it changes; report an error in it with its place."""
        while True:
            name = self._window.theme
            now = name, await to_thread.run_sync(file_state, own_themes() / f"{name}.toml")
            if now[0] == known[0] and now[1] not in (None, known[1]):
                try:
                    self._window.use_theme(name)
                except ConfigError as error:
                    self._window.notify(str(error), severity="error")
            known = now
            await anyio.sleep(THEME_PERIOD)


def _description(name: str) -> str:
    """Return a theme's own description, or that it has an error."""
    try:
        return load_theme(name).description
    except ConfigError:
        return "can't be used: there is a mistake in it"
