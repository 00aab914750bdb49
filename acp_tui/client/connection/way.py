"""The wire that a gate stands in: a client's, or a tap's."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from acp_tui.protocol.events import LocalEvent
from acp_tui.protocol.frames import Direction, Line, Mark
from acp_tui.protocol.jsonrpc import Message

if TYPE_CHECKING:
    from acp_tui.client.connection.gate import Gate


class Way(Protocol):
    """What a gate does to the wire."""

    in_pieces: frozenset[Direction]
    """The directions in which a line can arrive in pieces."""

    def use(self, gate: "Gate") -> None:
        """Have a gate decide on each frame from now on."""

    def record(self, direction: Direction, line: Line, message: Message | None, mark: Mark) -> int:
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
