"""Settings: seen with where they come from, changed, and kept in the person's file."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from anyio import to_thread

from acp_tui.config.errors import ConfigError
from acp_tui.session.commands import UseSetting
from acp_tui.ui.controllers.ask import ask_line
from acp_tui.ui.controllers.controller import Controller
from acp_tui.ui.sessions.agent import Agent
from acp_tui.ui.window import Window
from acp_tui.ui.words import from_home

if TYPE_CHECKING:
    from acp_tui.config.layers import Value
    from acp_tui.config.settings import Settings
    from acp_tui.ui.controllers.checkpoints import CheckpointController
    from acp_tui.ui.controllers.notifications import NotificationController
    from acp_tui.ui.controllers.recall import RecallController
    from acp_tui.ui.controllers.tips import TipController
    from acp_tui.ui.dialogs.settings import SettingsScreen

OF_AGENTS = ("files", "restart", "limits")
"""The tables whose settings the client of each agent follows."""


class SettingController(Controller):
    """Changes are written one after the other; what is wrong is told, and changes nothing."""

    name = "settings"
    file: Path | None = None
    """Where changes are kept, if anywhere."""

    def __init__(
        self,
        window: Window,
        notifications: "NotificationController",
        checkpoints: "CheckpointController",
        tips: "TipController",
        recall: "RecallController",
    ) -> None:
        self._window = window
        self._notifications = notifications
        self._checkpoints = checkpoints
        self._tips = tips
        self._recall = recall
        self._changed: dict[str, Any] = {}
        """What was changed in this run of the settings that clients follow."""
        self._told: set[Agent] = set()
        """The agents whose clients know of all of that."""
        self._writing = anyio.Lock()
        self._screen: SettingsScreen | None = None
        self._is_opening = False

    def open(self) -> None:
        """Show all settings."""
        if not self._is_opening:
            self._is_opening = True
            self._window.spawn(self._open())

    async def _open(self) -> None:
        from acp_tui.ui.dialogs.settings import SettingsScreen

        values = await self._values()
        self._is_opening = False
        if values is not None:
            self._screen = SettingsScreen(values, self)
            self._window.push(self._screen)

    async def _values(self) -> "list[Value] | None":
        """Read all that have one value; None if that can't be, which is told."""
        from acp_tui.config.layers import values
        from acp_tui.config.paths import settings_file
        from acp_tui.config.settings import PROJECT_FILE

        try:
            file = self.file or settings_file()
            found = await to_thread.run_sync(values, file, PROJECT_FILE, os.environ)
        except (ConfigError, OSError) as error:
            self._tell(error)
            return None
        return [one for one in found if one.setting.variable]

    def ask(self, one: "Value", text: str, wrong: str = "") -> None:
        """Ask for a value that is written."""
        from acp_tui.config.layers import check_given

        def written(line: str | None) -> None:
            if line is None:
                return
            try:
                value = check_given(one.setting.name, line, "settings")
            except ConfigError as error:
                self.ask(one, line, str(error))
            else:
                self.change(one.setting.name, value)

        setting = one.setting
        unit = f" ({setting.unit})" if setting.unit else ""
        kind = f"{setting.kind}{unit}; default {setting.told(setting.default)}"
        facts = [setting.words.replace("`", ""), kind, wrong]
        ask_line(self._window, one.setting.name, list(filter(None, facts)), text, written)

    def change(self, name: str, value: Any) -> None:
        """Keep a value, and use it at once if that can be."""
        self._window.spawn(self._change(name, value))

    async def _change(self, name: str, value: Any) -> None:
        from acp_tui.config.layers import values
        from acp_tui.config.saved_settings import save_setting
        from acp_tui.config.settings import PROJECT_FILE, load_settings

        if self.file is None:
            self._window.say("settings are not kept here")
            return
        try:
            if name == "key_preset":
                from acp_tui.ui.keymap import check_keys

                settings = await to_thread.run_sync(load_settings, self.file)
                check_keys(settings.model_copy(update={name: value}), self.file)
            async with self._writing:
                await to_thread.run_sync(save_setting, self.file, tuple(name.split(".")), value)
            settings = await to_thread.run_sync(load_settings, self.file)
            found = await to_thread.run_sync(values, self.file, PROJECT_FILE, os.environ)
            self._use(name, settings)
        except (ConfigError, OSError) as error:
            self._tell(error)
            return
        if self._screen is not None:
            self._screen.take([one for one in found if one.setting.variable])
        [now] = [one for one in found if one.setting.name == name]
        self._say(now)

    def keep_theme(self, name: str) -> None:
        """Keep the theme that is in use, where choices are kept."""
        if self.file is not None:
            self._window.spawn(self._keep_theme(self.file, name))

    async def _keep_theme(self, file: Path, name: str) -> None:
        from acp_tui.config.saved_settings import save_setting

        async with self._writing:
            if name != self._window.theme:
                return  # another one was chosen meanwhile
            try:
                await to_thread.run_sync(save_setting, file, ("theme",), name)
            except (ConfigError, OSError) as error:
                self._tell(error)

    def _use(self, name: str, settings: "Settings") -> None:
        """Have it followed by whoever can do so now. Raises ConfigError."""
        if name == "theme" and settings.theme is not None:
            self._window.use_theme(settings.theme)
        self._window.rings = settings.bell
        self._notifications.settings = settings.notify
        self._checkpoints.where = settings.checkpoints.where
        self._window.conversation.prompt.use_settings(settings)
        self._tips.wanted = settings.hints
        self._recall.wanted = settings.history
        if name == "icons":
            self._window.use_icons()
        elif name == "prose_width":
            self._use_width(settings.prose_width)
        elif name.partition(".")[0] in OF_AGENTS:
            from acp_tui.config.settings_table import settings_by_name

            value = settings_by_name()[name].of(settings)
            self._changed[name] = value
            for agent in self._told:
                _tell_client(agent, name, value)
            self.refresh()

    def _use_width(self, cells: int) -> None:
        """Lay out all prose again."""
        from acp_tui.ui.lines.lines_view import LinesView
        from acp_tui.ui.lines.measure import measure
        from acp_tui.ui.transcript.document_view import DocumentView

        measure.cells = cells
        for screen in self._window.screens:
            for transcript in screen.query(DocumentView):
                transcript.rewrap()
            for view in screen.query(LinesView):
                view.show_again()

    def refresh(self) -> None:
        """Tell the clients of agents that came later what was changed before."""
        for agent in self._window.tabs.agents:
            if self._changed and agent not in self._told:
                self._told.add(agent)
                for name, value in self._changed.items():
                    _tell_client(agent, name, value)

    def forget(self, agent: Agent) -> None:
        self._told.discard(agent)

    def _say(self, now: "Value") -> None:
        name = now.setting.name
        if now.origin != "user":
            words = f"{name} is kept, but {now.place} says otherwise now"
        elif now.setting.is_live:
            words = f"{name}: kept in {from_home(str(self.file))}"
        else:
            words = f"{name}: kept; used from the next start on"
        self._window.notify(words, markup=False)

    def _tell(self, error: Exception) -> None:
        self._window.notify(str(error), severity="error", markup=False)


def _tell_client(agent: Agent, name: str, value: Any) -> None:
    table, _, key = name.partition(".")
    if table == "limits":
        agent.limits = agent.limits.model_copy(update={key: value})
    agent.do(UseSetting(name, value))
