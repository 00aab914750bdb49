"""The seam between what is said to an agent and what carries it: a process's pipes, or a network.

A `Transport` carries messages, each a line, whatever is around them on the way. A `Carrier` makes
one, tells by events what becomes of it, and ends it.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import anyio
from anyio.abc import TaskGroup

from acp_tui.protocol.frames import Line
from acp_tui.protocol.jsonrpc import Id


class Outgoing(NamedTuple):
    """A message of ours on its way: its line, and what a transport may send it by.

    A response has no `method`, a notification no `id`. `session_id` is what a call names itself. At
    the `cuts` the line is taken apart on purpose, where there are lines.
    """

    raw: bytes
    method: str | None = None
    id: Id | None = None
    session_id: str | None = None
    cuts: tuple[int, ...] = ()


class Transport(Protocol):
    """Carries messages to one agent and back. One task sends, and one receives."""

    async def receive(self) -> Sequence[Line]:
        """Return the agent's next lines, byte for byte as they came; none when no more will come."""

    async def send(self, message: Outgoing) -> None:
        """Send a message; return when it is on its way, or never will be."""


class CarriedWire(Protocol):
    """The loop both ways, which a carrier runs and watches."""

    waiting: int
    writing_since: float | None

    async def read(self) -> None:
        """Read until the agent says no more."""

    async def write(self) -> None:
        """Write one message after the other."""


class Carrier(Protocol):
    """Reaches one agent, once. Every start that succeeded is followed by one stop."""

    @property
    def transport(self) -> Transport:
        """What carries the messages, after the start."""

    async def start(self) -> bool:
        """Start, and emit that; false, with an event that says why, where it can't be done."""

    def watch(self, tasks: TaskGroup, wire: CarriedWire, over: anyio.Event) -> None:
        """Start the tasks that read, write and watch; `over` is set once the agent has gone."""

    async def stop(self) -> None:
        """End what is left, and emit how it ended, unless that was emitted already.

        Completes under cancellation.
        """

    def kill_now(self) -> None:
        """End all at once, without waiting: the last resort."""
