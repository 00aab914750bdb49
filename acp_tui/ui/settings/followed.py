"""Settings as this run goes by them: what changes in the file is followed at once by whoever goes by it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from acp_tui.host.agent import Agent
from acp_tui.state.commands import UseSetting
from acp_tui.ui.events import SettingsChanged
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.config.settings import Settings

OF_AGENTS = ("files.", "restart.", "limits.", "recordings.gigabytes", "otel")
"""How the names begin of those that the client of each agent follows."""


class ThemedWindow(Window, Protocol):
    """The window, drawn in the colors of a theme."""

    theme: str
    """The name of the theme in use."""

    def use_theme(self, name: str | None) -> None:
        """Draw in the colors of a theme; without a name, in the default. Raises ConfigError."""


class SettingsWindow(ThemedWindow, Protocol):
    """A window whose drawing and keys follow the settings."""

    def use_keys(self) -> None:
        """Hear and name the keys that stand in the tables now."""

    def use_icons(self) -> None:
        """Draw with the characters that the settings want. Raises ConfigError."""


class FollowedSettings:
    """Only what differs from what was known is used: options of this run hold until their setting changes."""

    known: "Settings | None" = None
    """What the file said when it was last looked at."""

    indexing_enabled = True
    """Whether the index of recordings is updated while nobody types."""

    def __init__(self, window: SettingsWindow) -> None:
        self._window = window
        self._changed: dict[str, Any] = {}
        """What was changed in this run of the settings that clients follow."""
        self._told: set[Agent] = set()
        """The agents whose clients know of all of that."""

    def follow(self, settings: "Settings", file: Path) -> list[str]:
        """Use what differs from what was known; return the names of that. Raises ConfigError: something
        can't be used; keys then stay as they were.
        """
        from acp_tui.config.settings_table import settings_by_name

        before = self.known
        if before is None or before == settings:
            self.known = settings
            return []
        names = [
            name for name, one in settings_by_name().items() if one.of(settings) != one.of(before)
        ]
        if settings.keys != before.keys:
            names.append("keys")
        if {"keys", "key_preset"} & {*names}:
            from acp_tui.ui.keymap import move_keys

            move_keys(settings, file)
            self._window.use_keys()
        self.known = settings
        self._use(settings)
        for name in names:
            self._use_one(name, settings)
        self._window.refresh_view()
        return names

    def begin(self, settings: "Settings") -> None:
        """Use settings from the start."""
        self.known = settings
        self._use(settings)

    def _use(self, settings: "Settings") -> None:
        """Apply the settings that aren't read on use: here and in each feature, at the start and after a change."""
        self.indexing_enabled = settings.index
        self._window.emit(SettingsChanged(settings))

    def _use_one(self, name: str, settings: "Settings") -> None:
        """Use one that has to be done something for. Raises ConfigError."""
        if name == "theme":
            if settings.theme != self._window.theme:
                self._window.use_theme(settings.theme)
        elif name == "icons":
            self._window.use_icons()
        elif name == "prose_width":
            self._use_width(settings.prose_width)
        elif name.startswith(OF_AGENTS):
            from acp_tui.config.settings_table import settings_by_name

            value = self._changed[name] = settings_by_name()[name].of(settings)
            for agent in self._told:
                _tell_client(agent, name, value)

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

    def tell_clients(self) -> None:
        """Tell the clients of agents that came later what was changed before."""
        for agent in self._window.tabs.agents:
            if self._changed and agent not in self._told:
                self._told.add(agent)
                for name, value in self._changed.items():
                    _tell_client(agent, name, value)

    def forget(self, agent: Agent) -> None:
        """Forget an agent that was closed."""
        self._told.discard(agent)


def _tell_client(agent: Agent, name: str, value: Any) -> None:
    table, _, key = name.partition(".")
    if table == "limits":
        agent.limits = agent.limits.model_copy(update={key: value})
    agent.do(UseSetting(name, value))
