"""The wire that a gate stands in, a client's or a tap's, and what a client knows of gates."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from acp_tui.protocol.events import LocalEvent
from acp_tui.protocol.frames import Direction, Frame, FrameMark, Line
from acp_tui.protocol.jsonrpc import Message
from acp_tui.state.commands import Command


class WireGate(Protocol):
    """Decides on each frame of a wire: whether, when and how it is passed on."""

    def feed(self, direction: Direction, line: Line, message: Message | None = None) -> None:
        """Receive the next frame of one side; never wait."""

    def release_all(self, direction: Direction | None = None) -> None:
        """Pass on all that is held, of one side or of both."""


class Wire(Protocol):
    """What a gate does to the wire."""

    in_pieces: frozenset[Direction]
    """The directions in which a line can arrive in pieces."""

    def use(self, gate: WireGate) -> None:
        """Have a gate decide on each frame from now on."""

    def record(
        self, direction: Direction, line: Line, message: Message | None, mark: FrameMark
    ) -> int:
        """Record a frame, and let our side act on it if it is meant to; return its number."""

    def pass_on(self, direction: Direction, raw: bytes, cuts: tuple[int, ...] = ()) -> None:
        """Give a line to whom it is for, taken apart at the cuts."""

    def emit(self, event: LocalEvent) -> None:
        """Record a fact."""

    def after(self, seconds: float, then: Callable[[], None]) -> None:
        """Call something later, unless the connection ends before."""

    def lost(self, direction: Direction, message: Message, why: str) -> None:
        """Note that a request, or the answer to one, never arrives."""

    def stall(self, direction: Direction, seconds: float) -> None:
        """Pass nothing on for a while."""

    def kill(self) -> None:
        """Kill the agent."""


class Gatekeeper(Protocol):
    """Puts a gate on each wire of a client while a person holds frames or injects faults."""

    commands: Mapping[type[Command], Callable[[Any], None]]
    """Handlers of the commands that set breakpoints and faults, or release frames."""

    def connect(self, way: Callable[[], Wire], waiting: Callable[[], list[Frame]]) -> None:
        """Begin with a connection: `way` makes the wire for a gate, `waiting` lists unanswered requests."""

    def disconnect(self) -> None:
        """End with the connection; frames that are still held are never passed on."""


MakeGatekeeper = Callable[
    [Callable[[], float], Callable[[LocalEvent], None], Callable[[str, str], None], int], Gatekeeper
]
"""Makes a gatekeeper of a clock, what records events, what complains to the person, and a seed."""
