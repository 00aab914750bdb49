"""Serves one connection to the agent, and adapts it to the `Wire` that a gate controls."""

from collections.abc import Callable

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.connection.link import AgentLink, RecordFrame
from acp_tui.client.connection.transport import Carrier, Transport, WireGate
from acp_tui.client.core import Core
from acp_tui.client.files.history import FileHistory
from acp_tui.client.permissions.policy import Permissions
from acp_tui.client.services import Services
from acp_tui.protocol.events import LocalEvent
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import Failure, Message, Request, Response
from acp_tui.protocol.requests import CancelRequestParams
from acp_tui.protocol.wire_events import Notified, Requested, Responded, Unreadable, WireEvent

PROMPT = "session/prompt"


class AgentConnection:
    """Serves the agent over a transport until `close`.

    Each frame is passed to `record`, which calls `react` with the events of the agent's frames.
    """

    def __init__(
        self,
        core: Core,
        tasks: TaskGroup,
        transport: Transport,
        record: RecordFrame,
        permissions: Permissions,
        history: FileHistory,
    ) -> None:
        self._core = core
        self.link = core.requests.link = AgentLink(transport, record, core.clock)
        self.services = Services(core, tasks, permissions, history)

    def react(self, event: WireEvent) -> None:
        """Serve a request from the agent, or call the handlers of a response."""
        match event:
            case Requested():
                self.services.serve(event)
            case Notified(method="$/cancel_request", params=CancelRequestParams() as params):
                self.services.on_agent_cancelled(params)
            case Responded(request=request):
                # Responses to prompts are followed whoever sent them: other prompts wait for the
                # turn's end.
                if request.by is None or request.method == PROMPT:
                    for go_on in self._core.responses.get(request.call, ()):
                        go_on(event)
            case Unreadable(wants_answer=True):
                self._core.requests.send(Failure(None, event.error))

    def yield_to_other_answer(self, request: Requested) -> None:
        """Stop serving a request that the user, or a fault, has already answered in the client's
        place.
        """
        self.services.stop(request)
        self._core.requests.send_ready(request.id)

    async def stop_serving(self) -> None:
        """End the terminals; nothing is sent to the agent afterward."""
        await self.services.terminals.close_all()
        self._core.requests.link = None  # before its writer ends, so that nothing is queued in vain

    async def close(self) -> None:
        """Stop serving, and drop unsent messages. Waits for nothing but the terminals' end."""
        await self.stop_serving()
        self.link.close()


class ClientWire:
    """Adapts a client's link to the `Wire` that a gate controls.

    An incoming frame takes effect when it is recorded; an outgoing one is queued until the agent
    reads it.
    """

    in_pieces = frozenset((Direction.OUT,))

    def __init__(
        self, core: Core, record: RecordFrame, link: AgentLink, carrier: Carrier, tasks: TaskGroup
    ) -> None:
        self.record = record
        self._core = core
        self._link = link
        self._carrier = carrier
        self._tasks = tasks
        if core.launch.remote is not None:
            self.in_pieces = frozenset()

    def use(self, gate: WireGate) -> None:
        """Pass each frame through `gate` from now on."""
        self._link.gate = gate

    def pass_on(self, direction: Direction, raw: bytes, cuts: tuple[int, ...] = ()) -> None:
        """Send a line to the agent. Does nothing with the agent's lines: they took effect when
        recorded.
        """
        if direction is Direction.OUT:
            self._link.pass_on(raw, cuts)

    def emit(self, event: LocalEvent) -> None:
        """Record an event."""
        self._core.emit(event)

    def after(self, seconds: float, then: Callable[[], None]) -> None:
        """Call `then` after `seconds`, unless the connection ends first."""
        self._tasks.start_soon(call_later, seconds, then)

    def lost(self, direction: Direction, message: Message, why: str) -> None:
        """Fail a request of ours if it, or its response, never arrives."""
        mine = isinstance(message, Request) == (direction is Direction.OUT)
        if not mine or not isinstance(message, Request | Response | Failure):
            return
        what = "the request" if direction is Direction.OUT else "the answer"
        if any(call.id == message.id for call in self._core.state.calls.values()):
            self._core.fail_unsent(message.id, f"{what} was lost on purpose, {why}")

    def stall(self, direction: Direction, seconds: float) -> None:
        """Stop reading from the agent, or writing to it, for `seconds`."""
        self._link.stalled[direction] = self._core.clock() + seconds

    def kill(self) -> None:
        """Kill the agent."""
        self._carrier.kill_now()


async def call_later(seconds: float, then: Callable[[], None]) -> None:
    """Call `then` after `seconds`."""
    await anyio.sleep(seconds)
    then()
