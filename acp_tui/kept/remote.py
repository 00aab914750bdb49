"""A kept run's agents on the side of a screen: receives their records, folds them into states, and
sends commands.
"""

from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from itertools import count
from time import perf_counter
from typing import Any, Protocol

import anyio
from anyio.lowlevel import checkpoint

from acp_tui.client.programs import program_runner
from acp_tui.config.limits import Limits
from acp_tui.config.settings import AgentSettings
from acp_tui.host.agent import Agent
from acp_tui.kept.messages import (
    MessageError,
    SocketConnection,
    format_hello,
    format_message,
    read_message,
    read_record,
    write_command,
)
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import DEFAULT_LIMIT
from acp_tui.recordings.recording import Interpreter
from acp_tui.recordings.records import PackedLog
from acp_tui.state.changes import Change
from acp_tui.state.commands import Command, ForkSession, OpenSession
from acp_tui.state.fold import apply_event
from acp_tui.state.state import State

BUDGET = 0.008
"""Seconds of reading before other tasks run."""
LONGEST_RECORD_LINE = 7 * DEFAULT_LIMIT
"""Longest line with a record, in bytes: a byte of a frame may take six."""
WRITE_TIMEOUT = 1.0
"""Seconds to send the user's last commands before the screen ends."""


class AgentViewer(Protocol):
    """The view that shows the agents."""

    def changed(self, agent: Agent, changes: list[Change]) -> None:
        """Handle changes in an agent's state."""

    def appeared(self, agent: Agent) -> None:
        """Show an agent that another screen has started."""

    def vanished(self, agent: Agent) -> None:
        """Remove an agent that another screen has ended."""

    def show_message(self, words: str) -> None:
        """Show a message about other screens."""


class _Follower:
    """Folds an agent's records into its state, as a replay does.

    `missing` is the number of records that existed when the agent was announced, and haven't
    arrived yet.
    """

    def __init__(self, agent: Agent, log: PackedLog) -> None:
        self.agent = agent
        self.missing = 0
        self._log = log
        self._interpreter = Interpreter()

    def apply_record(self, record: Record) -> list[Change]:
        """Apply the next record; return what changed."""
        self.missing -= 1
        self._log.append(record)
        return apply_event(self.agent.state, self._interpreter.event(record))


class RemoteHosts:
    """Agents that are hosted by another process. Commands are sent there without waiting for a
    result.
    """

    kept_by_default = True

    def __init__(self, connection: SocketConnection, known: Mapping[str, AgentSettings]) -> None:
        self.known = known
        self.view: AgentViewer | None = None
        self.agents: list[Agent] = []
        self.name = ""
        self.end_reason = ""
        """Why the run has ended; "" until it announces that."""
        self.is_first = False
        """Whether this is the first screen that attached."""
        self.is_disconnected = False
        """Whether the connection has ended, for any reason."""
        self._connection = connection
        self._followers: dict[int, _Follower] = {}
        self._requested: dict[str, _Follower] = {}
        self._refs = count(1)
        self._closed: set[str] = set()
        """References of agents that were closed before they had a number."""
        self._has_all_records = False
        self._outbox: deque[bytes] = deque()
        self._news = anyio.Event()
        self._lines = connection.lines(LONGEST_RECORD_LINE)

    def open(self, settings: AgentSettings, called: str = "") -> Agent:
        """Request another agent; its state shows the progress."""
        ref = f"r{next(self._refs)}"
        facts = {"called": called, "settings": dict(vars(settings))}
        follower = self._requested[ref] = self._follower(facts)
        self.agents.append(follower.agent)
        self._post_message(open=facts["settings"], called=called, ref=ref)
        return follower.agent

    def close(self, agent: Agent) -> None:
        """Request the end of an agent, and of everything that it started."""
        self.agents.remove(agent)
        number = self._number(agent)
        if number is not None:
            del self._followers[number]
            self._post_message(close=number)
        self._closed |= {ref for ref, one in self._requested.items() if one.agent is agent}

    def keep(self) -> None:
        """Do nothing: the run continues without this screen anyway."""

    def stop(self) -> None:
        """End the run."""
        self._post_message(stop=True)

    def _number(self, agent: Agent) -> int | None:
        return next((n for n, one in self._followers.items() if one.agent is agent), None)

    def _follower(self, facts: Mapping[str, Any]) -> _Follower:
        log = PackedLog()
        settings = facts["settings"]
        agent = Agent(
            State(),
            lambda command: self._send_command(agent, command),
            records=log,
            settings=None if settings is None else AgentSettings.model_validate(settings),
            called=str(facts["called"]),
            openings=0,
        )
        _apply_facts(agent, facts)
        return _Follower(agent, log)

    def _send_command(self, agent: Agent, command: Command) -> None:
        number = self._number(agent)
        if number is not None:
            if isinstance(command, OpenSession | ForkSession):
                agent.openings = (agent.openings or 0) + 1
            self._post_message(do=number, **write_command(command))

    def _post_message(self, **body: Any) -> None:
        self._outbox.append(format_message(**body))
        self._news.set()

    async def begin(self, screen: str) -> None:
        """Send the hello, and read until all existing records have arrived.

        Raises MessageError, OSError and EOFError.
        """
        await self._connection.send(format_hello("attach", screen))
        async for _ in self._read_lines():
            if self._has_all_records and all(one.missing <= 0 for one in self._followers.values()):
                return
        raise EOFError

    async def follow(self) -> None:
        """Follow the run until it ends, or announces its end. Raises MessageError and OSError."""
        async for _ in self._read_lines():
            if self.end_reason:
                return

    async def write(self) -> None:
        """Send the user's commands until canceled. Raises OSError."""
        while True:
            self._news = anyio.Event()
            while self._outbox:
                await self._connection.send(self._outbox[0])
                self._outbox.popleft()
            await self._news.wait()

    async def wait_until_sent(self) -> None:
        """Wait until all commands have been sent, but no longer than WRITE_TIMEOUT."""
        with anyio.move_on_after(WRITE_TIMEOUT):
            while self._outbox and not self.is_disconnected:  # noqa: ASYNC110  at most WRITE_TIMEOUT seconds
                await anyio.sleep(0.005)

    async def _read_lines(self) -> AsyncIterator[None]:
        """Read line by line, and let other tasks run from time to time."""
        until = perf_counter() + BUDGET
        async for line in self._lines:
            self._receive_line(line)
            yield
            if perf_counter() > until:
                await checkpoint()
                until = perf_counter() + BUDGET

    def _receive_line(self, line: bytes) -> None:
        if not line.startswith(b"{"):
            number, record = read_record(line)
            follower = self._followers.get(number)
            if follower is not None:
                changes = follower.apply_record(record)
                self._notify_view(lambda view: view.changed(follower.agent, changes))
            return
        body = read_message(line)
        match body:
            case {"agent": int(number)}:
                self._add_agent(number, body)
            case {"gone": int(number)}:
                self._remove_agent(number)
            case {"said": str(words)}:
                self._notify_view(lambda view: view.show_message(words))
            case {"bye": str(words)}:
                self.end_reason = words
            case {"name": str(name), "first": bool(first)}:
                self.name, self.is_first = name, first
            case {"told": "all"}:
                self._has_all_records = True
            case {"error": str(words)}:
                raise MessageError(words)

    def _add_agent(self, number: int, body: Mapping[str, Any]) -> None:
        ref = str(body.get("ref", ""))
        own = self._requested.pop(ref, None)
        if ref in self._closed:
            self._post_message(close=number)
            return
        follower = own or self._follower(body)
        follower.missing = int(body["records"])
        self._followers[number] = follower
        if own is not None:
            _apply_facts(own.agent, body)
        else:
            self.agents.append(follower.agent)
            self._notify_view(lambda view: view.appeared(follower.agent))

    def _remove_agent(self, number: int) -> None:
        follower = self._followers.pop(number, None)
        if follower is not None:
            self.agents.remove(follower.agent)
            self._notify_view(lambda view: view.vanished(follower.agent))

    def _notify_view(self, notify: Callable[[AgentViewer], None]) -> None:
        if self.view is not None:
            notify(self.view)


def _apply_facts(agent: Agent, facts: Mapping[str, Any]) -> None:
    """Set those facts about an agent that only the run knows."""
    agent.limits = Limits.model_validate(facts.get("limits", {}))
    program_facts = facts.get("program_facts")
    agent.run_program = program_runner(program_facts) if program_facts else None
    agent.place = tuple(facts.get("place", ()))
    agent.resumed = str(facts.get("resumed", ""))
    agent.choosing_options = facts.get("choosing_options") is True
