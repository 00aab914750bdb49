"""The wire that a gate controls, a client's or a tap's, and the client's interface to gates."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from acp_tui.protocol.events import LocalEvent
from acp_tui.protocol.frames import Direction, Frame, FrameMark, Line
from acp_tui.protocol.jsonrpc import Message
from acp_tui.state.commands import Command


class WireGate(Protocol):
    """Decides for each frame of a wire whether, when and how it is passed on."""

    def feed(self, direction: Direction, line: Line, message: Message | None = None) -> None:
        """Accept the next frame of one side; never waits."""

    def release_all(self, direction: Direction | None = None) -> None:
        """Pass on all held frames, of one side or of both."""


class Wire(Protocol):
    """The operations that a gate has on a wire."""

    in_pieces: frozenset[Direction]
    """The directions in which a line can arrive in pieces."""

    def use(self, gate: WireGate) -> None:
        """Pass each frame through `gate` from now on."""

    def record(
        self, direction: Direction, line: Line, message: Message | None, mark: FrameMark
    ) -> int:
        """Record a frame, let our side act on it if addressed to us, and return its number."""

    def pass_on(self, direction: Direction, raw: bytes, cuts: tuple[int, ...] = ()) -> None:
        """Send a line to its recipient, split at the cuts."""

    def emit(self, event: LocalEvent) -> None:
        """Record an event."""

    def after(self, seconds: float, then: Callable[[], None]) -> None:
        """Call `then` after `seconds`, unless the connection ends first."""

    def lost(self, direction: Direction, message: Message, why: str) -> None:
        """Report that a request or its response never arrives."""

    def stall(self, direction: Direction, seconds: float) -> None:
        """Pass nothing on for `seconds`."""

    def kill(self) -> None:
        """Kill the agent."""


class Gatekeeper(Protocol):
    """Puts a gate on each wire of a client while the user holds frames or injects faults."""

    commands: Mapping[type[Command], Callable[[Any], None]]
    """Handlers of the commands that set breakpoints and faults, or release frames."""

    def connect(self, way: Callable[[], Wire], waiting: Callable[[], list[Frame]]) -> None:
        """Start a connection: `way` makes the wire for a gate, `waiting` lists unanswered requests."""

    def disconnect(self) -> None:
        """End with the connection; frames that are still held are never passed on."""


MakeGatekeeper = Callable[
    [Callable[[], float], Callable[[LocalEvent], None], Callable[[str, str], None], int], Gatekeeper
]
"""Makes a gatekeeper from a clock, an event recorder, an error reporter and a seed."""
