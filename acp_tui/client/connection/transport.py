"""Interfaces for transports, carriers and gates, and ACP's stdio transport.

A `Transport` carries messages, one per line, in any framing; `LineTransport` uses two byte streams.
A `Carrier` creates a transport, emits events about its state, and ends it. A gate controls a
`Wire`, which a client or a tap provides.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import anyio
from anyio.abc import TaskGroup

from acp_tui.protocol.events import LocalEvent
from acp_tui.protocol.frames import DEFAULT_LIMIT, Direction, Frame, FrameMark, Framer, Line
from acp_tui.protocol.jsonrpc import Id, Message
from acp_tui.state.commands import Command

SPLIT_DELAY = 0.005
"""Seconds between the pieces of a line that a fault splits."""


class Outgoing(NamedTuple):
    """An outgoing message: its line, and the fields by which a transport may route it.

    A response has no `method`, a notification no `id`. `session_id` is the one in the params. A
    fault splits the line at the `cuts`, if the transport has lines.
    """

    raw: bytes
    method: str | None = None
    id: Id | None = None
    session_id: str | None = None
    cuts: tuple[int, ...] = ()


class Transport(Protocol):
    """Carries messages to one agent and back. One task sends, another receives."""

    async def receive(self) -> Sequence[Line]:
        """Return the agent's next lines, byte for byte; nothing after EOF."""

    async def send(self, message: Outgoing) -> None:
        """Send a message; return when it was sent or can't be."""


class CarriedWire(Protocol):
    """The read and write loops, which a carrier runs and watches."""

    waiting: int
    writing_since: float | None

    async def read(self) -> None:
        """Read until EOF."""

    async def write(self) -> None:
        """Write the queued messages in order."""


class Carrier(Protocol):
    """Connects to one agent, once. A successful start requires exactly one stop."""

    @property
    def transport(self) -> Transport:
        """The transport of the messages, once started."""

    async def start(self) -> bool:
        """Start and emit an event; on failure, return False after an event that explains it."""

    def watch(self, tasks: TaskGroup, wire: CarriedWire, over: anyio.Event) -> None:
        """Start the tasks that read, write and watch; they set `over` once the agent is gone."""

    async def stop(self) -> None:
        """End the agent, and emit how it ended unless that was emitted already.

        Completes under cancellation.
        """

    def kill_now(self) -> None:
        """Kill everything without waiting, as a last resort."""


class Pipes(Protocol):
    """Reads and writes an agent's byte streams."""

    async def receive(self) -> bytes:
        """Return the agent's next bytes, or b"" after EOF."""

    async def send(self, data: bytes) -> bool:
        """Write all bytes; return False as soon as the agent has closed its input."""


class LineTransport:
    """Splits incoming bytes into lines and ends each outgoing line with a newline."""

    def __init__(self, pipes: Pipes, limit: int = DEFAULT_LIMIT) -> None:
        self._pipes = pipes
        self._framer = Framer(limit)

    async def receive(self) -> Sequence[Line]:
        """Return the lines that the next bytes complete; at EOF, the unfinished one."""
        while data := await self._pipes.receive():
            if lines := self._framer.feed(data):
                return lines
        return self._framer.end()

    def unfinished_line(self, size: int) -> bytes:
        """Return up to `size` bytes of the line that is still unfinished."""
        return self._framer.unfinished_line(size)

    def rest(self) -> Sequence[Line]:
        """Return the unfinished line; call it after the last `receive`."""
        return self._framer.end()

    async def send(self, message: Outgoing) -> None:
        """Write a line, however slowly the agent reads; drop it if the agent closed its input."""
        data, start = message.raw + b"\n", 0
        for cut in message.cuts:
            await self._pipes.send(data[start:cut])
            await anyio.sleep(SPLIT_DELAY)  # without a pause, one read would return all pieces
            start = cut
        await self._pipes.send(data[start:] if start else data)


class WireGate(Protocol):
    """Decides for each frame of a wire whether, when and how it is passed on."""

    def feed(self, direction: Direction, line: Line, message: Message | None = None) -> None:
        """Handle the next frame from one side; never waits."""

    def release_all(self, direction: Direction | None = None) -> None:
        """Pass on all held frames, in one direction or in both."""


class Wire(Protocol):
    """A wire as a gate controls it."""

    in_pieces: frozenset[Direction]
    """Directions in which a line can be sent in pieces."""

    def use(self, gate: WireGate) -> None:
        """Pass each frame through `gate` from now on."""

    def record(
        self, direction: Direction, line: Line, message: Message | None, mark: FrameMark
    ) -> int:
        """Record a frame, make our side act on it if we receive it, and return its number."""

    def pass_on(self, direction: Direction, raw: bytes, cuts: tuple[int, ...] = ()) -> None:
        """Send a line to its recipient, split at the cuts."""

    def emit(self, event: LocalEvent) -> None:
        """Record an event."""

    def after(self, seconds: float, then: Callable[[], None]) -> None:
        """Call `then` after `seconds`, unless the connection ends first."""

    def lost(self, direction: Direction, message: Message, why: str) -> None:
        """Fail a request that never arrives, or whose response never arrives."""

    def stall(self, direction: Direction, seconds: float) -> None:
        """Carry nothing in this direction for `seconds`."""

    def kill(self) -> None:
        """Kill the agent."""


class Gatekeeper(Protocol):
    """Puts a gate on each of a client's wires while the user holds frames or injects faults."""

    commands: Mapping[type[Command], Callable[[Any], None]]
    """Handlers of the commands that set breakpoints and faults, or release frames."""

    def connect(self, make_wire: Callable[[], Wire], waiting: Callable[[], list[Frame]]) -> None:
        """Start a connection: `make_wire` returns its wire for a gate, `waiting` the pending
        requests.
        """

    def disconnect(self) -> None:
        """Disconnect from an ended connection; frames that are still held are never passed on."""


MakeGatekeeper = Callable[
    [Callable[[], float], Callable[[LocalEvent], None], Callable[[str, str], None], int], Gatekeeper
]
"""Makes a gatekeeper from a clock, an event recorder, a function that reports problems, and a seed
for faults.
"""
