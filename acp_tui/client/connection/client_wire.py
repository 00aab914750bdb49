"""The client's own connection, as a gate sees it."""

from collections.abc import Callable

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.connection.link import AgentLink, RecordFrame
from acp_tui.client.connection.transport import Carrier
from acp_tui.client.connection.wire import WireGate
from acp_tui.client.core import Core
from acp_tui.protocol.events import LocalEvent
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import Failure, Message, Request, Response


class ClientWire:
    """Adapts a client's link to the `Wire` that a gate controls.

    An incoming frame takes effect when it is recorded; an outgoing one is queued until the agent
    reads it.
    """

    in_pieces = frozenset((Direction.OUT,))

    def __init__(
        self, core: Core, take: RecordFrame, link: AgentLink, carrier: Carrier, tasks: TaskGroup
    ) -> None:
        self.record = take
        self._core = core
        self._link = link
        self._carrier = carrier
        self._tasks = tasks
        if core.launch.remote is not None:
            self.in_pieces = frozenset()

    def use(self, gate: WireGate) -> None:
        """Let `gate` decide on each frame from now on."""
        self._link.gate = gate

    def pass_on(self, direction: Direction, raw: bytes, cuts: tuple[int, ...] = ()) -> None:
        """Send a line to the agent. A line from the agent already took effect when it was recorded."""
        if direction is Direction.OUT:
            self._link.pass_on(raw, cuts)

    def emit(self, event: LocalEvent) -> None:
        """Record an event."""
        self._core.emit(event)

    def after(self, seconds: float, then: Callable[[], None]) -> None:
        """Call `then` after `seconds`, unless the connection ends first."""
        self._tasks.start_soon(later, seconds, then)

    def lost(self, direction: Direction, message: Message, why: str) -> None:
        """Fail a request of ours that never arrives, or whose response never does."""
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


async def later(seconds: float, then: Callable[[], None]) -> None:
    """Call `then` after `seconds`."""
    await anyio.sleep(seconds)
    then()
