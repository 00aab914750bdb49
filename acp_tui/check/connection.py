"""A probe's connection to the agent, with the client's own files, terminals and permissions."""

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.agent_connection import AgentConnection
from acp_tui.client.connection.link import AgentLink
from acp_tui.client.connection.transport import Carrier, LineTransport, Outgoing, Transport
from acp_tui.client.core import Core
from acp_tui.client.files.history import FileHistory
from acp_tui.client.launch import Launch
from acp_tui.client.permissions.policy import Permissions
from acp_tui.client.process.carrier import ProcessCarrier, carriers_of
from acp_tui.client.process.orphans import orphans
from acp_tui.errors import AcpTuiError
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Event, Record
from acp_tui.protocol.file_events import AccessAsked
from acp_tui.protocol.frames import UNMARKED, Direction, Flaw, FrameMark, Line
from acp_tui.protocol.json_decoder import LONGEST_LINE, may_be_cut
from acp_tui.protocol.jsonrpc import Malformed, Message
from acp_tui.protocol.wire_events import Requested, WireEvent
from acp_tui.state.changes import Change
from acp_tui.state.commands import AnswerPermission
from acp_tui.state.request_facts import paths_outside, permission_facts
from acp_tui.state.state import State

MOST_NOISE = 1000
"""Most lines that aren't messages, of one connection, that are kept: an agent may log without end."""
LAST_MOMENT = 3.0
"""Seconds that a process's children have to exit after it."""
_CHECK_INTERVAL = 0.1
"""Seconds between checks whether these children have exited."""


class NoiseLimitedTransport:
    """Forwards the agent's lines, but drops lines that aren't messages beyond the first
    `MOST_NOISE`.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._noise = 0

    @property
    def dropped_lines(self) -> int:
        """The number of lines that were dropped."""
        return max(0, self._noise - MOST_NOISE)

    async def receive(self) -> Sequence[Line]:
        """Return the next lines, without excess noise; none at EOF."""
        while lines := await self._transport.receive():
            if forwarded := [line for line in lines if self._should_forward(line.raw)]:
                return forwarded
        return ()

    async def send(self, message: Outgoing) -> None:
        """Send a message to the agent."""
        await self._transport.send(message)

    def _should_forward(self, raw: bytes) -> bool:
        """Return whether to keep a line: a message, a line too long to parse, or one of the first
        others.
        """
        if len(raw) > LONGEST_LINE:
            return True
        if b"{" in raw and not isinstance(jsonrpc.parse(raw), Malformed):
            return True
        self._noise += 1
        return self._noise <= MOST_NOISE


class CannotStart(AcpTuiError):  # noqa: N818  a fact about the agent, not an error of ours
    """The agent's command can't be started, or its address can't be reached."""


class ProcessEnd(NamedTuple):
    """How a process ended after its stdin was closed.

    `by_itself` if it wasn't killed; `orphans` are the processes that it left running.
    """

    by_itself: bool
    seconds: float
    orphans: tuple[str, ...]


class CheckWire:
    """Connects to one agent, and serves its requests as the client does.

    `receive_frame` gets each frame as an event, and returns whether it has answered a request.
    `permission` is the kind of option that answers permission requests; None cancels them.
    `changed` is called after each event.
    """

    def __init__(
        self,
        launch: Launch,
        record: Callable[[Record], None],
        receive_frame: Callable[[WireEvent, bytes], bool],
        changed: Callable[[], None],
    ) -> None:
        self.permission: str | None = "reject_once"
        self._receive_frame = receive_frame
        self._changed = changed
        self.dropped_lines = 0
        """The number of dropped lines that weren't messages, known once the connection has closed."""
        self.endless = 0
        """The frame number of a last line without a newline; 0 if there is none."""
        self._core = Core(launch, record, time.monotonic)
        self._core.listen(self._follow_event)
        self._permissions = Permissions(self._core)
        self._history = FileHistory(self._core)
        self._connection: AgentConnection | None = None
        self._carrier: Carrier | None = None

    @property
    def link(self) -> AgentLink:
        """The link to the connected agent."""
        assert self._connection is not None
        return self._connection.link

    @property
    def state(self) -> State:
        """The agent's state."""
        return self._core.state

    @property
    def folder(self) -> str:
        """The agent's folder, as the agent sees it."""
        return self._core.folder

    @property
    def is_elsewhere(self) -> bool:
        """Whether the agent's file system isn't this machine's."""
        return self._core.launch.remote is not None or self._core.place.elsewhere

    @asynccontextmanager
    async def connected(self, tasks: TaskGroup) -> AsyncIterator[None]:
        """Connect to the agent until the block ends. Raises CannotStart."""
        core = self._core
        core.tasks = tasks
        await self._permissions.rules.begin()
        carrier = self._carrier = carriers_of(core)()
        if not await carrier.start():
            raise CannotStart(core.state.peer.trouble or "the agent can't be started")
        transport = carrier.transport
        limited = NoiseLimitedTransport(transport)
        connection = self._connection = AgentConnection(
            core, tasks, limited, self._record_frame, self._permissions, self._history
        )
        try:
            async with anyio.create_task_group() as inner:
                carrier.watch(inner, connection.link, anyio.Event())
                yield
                await connection.stop_serving()
                inner.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await connection.close()
                self.dropped_lines = limited.dropped_lines
                if isinstance(transport, LineTransport):
                    self._record_rest(transport.rest())
                await carrier.stop()
                self._history.close()

    def _record_rest(self, rest: Sequence[Line]) -> None:
        """Record a last line without a newline, unless it may be a message that closing the
        connection cut off.
        """
        for line in rest:
            if line.flaw is Flaw.OVERSIZED or not may_be_cut(line.raw):
                event = self._core.record_frame(Direction.IN, line, None, UNMARKED)
                self._receive_frame(event, line.raw)
                self.endless = event.number

    async def hang_up(self, within: float) -> ProcessEnd | None:
        """Close the agent's stdin, wait for its process to end, and return how it ended.

        Return None if it isn't a process of this machine.
        """
        if not isinstance(self._carrier, ProcessCarrier):
            return None
        process = self._carrier.process
        began = time.monotonic()
        process.close_stdin()
        with anyio.move_on_after(within) as patience:
            await process.wait()
        seconds = time.monotonic() - began
        left = await orphans.members(process.pid)
        with anyio.move_on_after(LAST_MOMENT):
            while left and not patience.cancelled_caught:
                await anyio.sleep(_CHECK_INTERVAL)
                left = await orphans.members(process.pid)
        names = tuple(f"process {one.pid}" for one in left)
        return ProcessEnd(not patience.cancelled_caught, seconds, names)

    def _record_frame(
        self, direction: Direction, line: Line, message: Message | None, mark: FrameMark
    ) -> int:
        event = self._core.record_frame(direction, line, message, mark)
        answered = self._receive_frame(event, line.raw)
        if direction is Direction.IN and not answered:
            assert self._connection is not None
            self._connection.react(event)
            if isinstance(event, Requested):
                self._answer_permissions()
        self._changed()
        return event.number

    def _follow_event(self, event: Event, _: list[Change]) -> None:
        if isinstance(event, AccessAsked):

            async def decide() -> None:
                self._answer_permissions()

            # in a task: answering emits events, and this one is still being handled
            self._core.spawn(decide)
        self._changed()

    def _answer_permissions(self) -> None:
        """Answer the pending permission requests; one for a path outside the folder is rejected."""
        state = self._core.state
        for waiting in state.waiting_permissions():
            session = state.session(waiting.session_id)
            leaves = paths_outside(session, permission_facts(session, waiting).paths)
            kind = "reject_once" if waiting.access or leaves else self.permission
            kinds = [kind, (kind or "").replace("_once", "_always")]
            option = next((one for one in waiting.options if one.kind in kinds), None)
            chosen = None if option is None else option.option_id
            self._core.commands[AnswerPermission](
                AnswerPermission(waiting.number, chosen, by="the check")
            )
