"""Applies changed settings at once, wherever they have an effect."""

from pathlib import Path
from typing import Any, Protocol

from acp_tui.config.settings import Settings
from acp_tui.host.agent import Agent
from acp_tui.state.commands import UseSetting
from acp_tui.ui.feature import SettingsChanged
from acp_tui.ui.window import Window

OF_AGENTS = ("files.", "restart.", "limits.", "recordings.gigabytes", "otel")
"""Prefixes of the names of settings that are applied by each agent's client."""


class ThemedWindow(Window, Protocol):
    """A window that is drawn in the colors of a theme."""

    theme: str
    """The name of the current theme."""

    def use_theme(self, name: str | None) -> None:
        """Switch to a theme; None is the default theme. Raises ConfigError."""


class SettingsWindow(ThemedWindow, Protocol):
    """A window whose drawing and keys follow the settings."""

    def use_keys(self) -> None:
        """Bind the keys that are in the tables now, and update their names."""

    def use_icons(self) -> None:
        """Apply the `icons` setting. Raises ConfigError."""


class FollowedSettings:
    """Applies only changed settings, so that command line options hold until theirs change."""

    known: Settings | None = None
    """The settings in the file when it was last read."""
    indexing_enabled = True
    """Whether the index of recordings is updated while the user is idle."""

    def __init__(self, window: SettingsWindow) -> None:
        self._window = window
        self._changed: dict[str, Any] = {}
        """The settings applied by clients that changed during this run."""
        self._updated: set[Agent] = set()
        """The agents whose clients have all of these changes."""

    def follow(self, settings: Settings, file: Path) -> list[str]:
        """Apply the settings that changed; return their names.

        Raises ConfigError if one can't be used; then the keys stay as they were.
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
        self._use_settings(settings)
        for name in names:
            self._apply_setting(name, settings)
        self._window.refresh_view()
        return names

    def start(self, settings: Settings) -> None:
        """Apply settings at the start."""
        self.known = settings
        self._use_settings(settings)

    def _use_settings(self, settings: Settings) -> None:
        """Apply the settings that are cached, here and in features, at the start and later."""
        self.indexing_enabled = settings.index
        self._window.emit(SettingsChanged(settings))

    def _apply_setting(self, name: str, settings: Settings) -> None:
        """Apply a changed setting that needs an action. Raises ConfigError."""
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
            for agent in self._updated:
                _update_client(agent, name, value)

    def _use_width(self, cells: int) -> None:
        """Lay out all prose again, at another width."""
        from acp_tui.ui.lines.lines import measure
        from acp_tui.ui.lines.lines_view import LinesView
        from acp_tui.ui.transcript.document_view import DocumentView

        measure.cells = cells
        for screen in self._window.screens:
            for transcript in screen.query(DocumentView):
                transcript.rewrap()
            for view in screen.query(LinesView):
                view.update_lines()

    def update_clients(self) -> None:
        """Send earlier changes to the clients of newer agents."""
        for agent in self._window.tabs.agents:
            if self._changed and agent not in self._updated:
                self._updated.add(agent)
                for name, value in self._changed.items():
                    _update_client(agent, name, value)

    def forget(self, agent: Agent) -> None:
        """Forget an agent that was closed."""
        self._updated.discard(agent)


def file_state(file: Path) -> tuple[int, int, int] | None:
    """Return mtime, size and inode of a file, which change on a write; None without a file."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _update_client(agent: Agent, name: str, value: Any) -> None:
    table, _, key = name.partition(".")
    if table == "limits":
        agent.limits = agent.limits.model_copy(update={key: value})
    agent.do(UseSetting(name, value))
