"""Reads the agents' logs in the background, so that findings are counted before anyone opens the
inspector.
"""

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

from anyio import to_thread
from textual.timer import Timer

from acp_tui.host.agent import Agent
from acp_tui.protocol.frames import Direction
from acp_tui.state.peer import Phase
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.inspector.log_source import LogSource

READER = "looks for findings"
STARTING = 2.0
"""Seconds that an agent gets for starting before its frames are read anyway.

Reading loads the rules, which would delay the first prompt of an agent that starts faster.
"""
STARTS = (Phase.STARTING, Phase.INITIALIZING)
SOON = 0.1
"""Seconds before new records are read."""
BUDGET = 0.004
PAUSE = 0.02
"""Seconds of reading in one slice (BUDGET), and for other tasks between slices (PAUSE)."""


class StatusWindow(Window, Protocol):
    """A window that can show the number of findings."""

    def refresh_status(self) -> None:
        """Update only the status line."""


class LogReader:
    """Reads the log of the shown agent in slices; each agent has one log."""

    record_count: Callable[[], int]
    """Returns the number of records that the shown agent has by now."""

    def __init__(self, window: StatusWindow, load_screen: Callable[[], object]) -> None:
        """`load_screen` imports the inspector's screen before it is needed."""
        self.record_count = lambda: len(window.tabs.agent.records)
        self._window = window
        self._load_screen = load_screen
        self._sources: dict[Agent, LogSource] = {}
        self._is_reading = False
        self._first: Timer | None = None

    def source(self, agent: Agent) -> "LogSource":
        """Return an agent's log source; create it if needed."""
        from acp_tui.ui.inspector.log_source import LogSource

        if agent not in self._sources:
            self._sources[agent] = LogSource(agent.records)
            self._read_at_once()
        return self._sources[agent]

    def read_soon(self, seconds: float = SOON) -> None:
        """Schedule the reading of new records for findings."""
        agent = self._window.tabs.agent
        source, is_starting = self._sources.get(agent), agent.state.peer.phase in STARTS
        if self._first is not None and not is_starting:
            self._stop_waiting()
        if not self._is_reading and self.record_count() > (
            0 if source is None else len(source.log)
        ):
            self._is_reading = True
            if source is None and is_starting:
                self._first = self._window.set_timer(STARTING, self._read_on)
            else:
                self._window.set_timer(seconds, self._read_on)

    def _read_at_once(self) -> None:
        """Start reading without waiting for the agent to start: the user has opened the inspector."""
        if self._first is not None:
            self._stop_waiting()
            self.read_soon()

    def _stop_waiting(self) -> None:
        assert self._first is not None
        self._first.stop()
        self._first, self._is_reading = None, False

    def _read_on(self) -> None:
        self._first = None
        agent = self._window.tabs.agent
        if agent not in self._sources:
            self._window.spawn(self._load_and_read(agent), name=READER)
            return
        self._is_reading = False
        self.read_slice()
        self.read_soon(PAUSE)

    def read_slice(self) -> None:
        """Read a slice of the shown agent's log, and count its findings."""
        from acp_tui.protocol.findings import Severity

        agent = self._window.tabs.agent
        source = self.source(agent)
        source.read_to(self.record_count(), perf_counter() + BUDGET)
        found = source.log.findings.severities
        if agent.found != (counts := (found[Severity.ERROR], found[Severity.WARNING])):
            agent.found = counts
            self._window.refresh_status()

    async def _load_and_read(self, agent: Agent) -> None:
        """Import the modules that read frames outside the event loop, as that takes a while."""
        await to_thread.run_sync(self._load_modules, abandon_on_cancel=True)
        if agent in self._window.tabs.agents:
            self.source(agent)
        self._is_reading = False
        self.read_soon(PAUSE)

    def _load_modules(self) -> None:
        """Import the modules that read and show frames, and extensions; compile the schema of
        `session/update`, the most frequent message.
        """
        from acp_tui.extensions import RULES, VIEWS, extensions
        from acp_tui.protocol import validation
        from acp_tui.ui.inspector import log_source

        assert log_source
        self._load_screen()
        for group in (RULES, VIEWS):
            extensions.of(group)
        validation.check_message(Direction.IN, {"method": "session/update", "params": {}})

    def forget(self, agent: Agent) -> None:
        """Discard the log source of a closed agent."""
        self._sources.pop(agent, None)
