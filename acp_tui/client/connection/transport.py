"""The interfaces between the client and what carries its messages: a process's pipes or a network.

A `Transport` carries messages, one per line, in whatever framing. A `Carrier` creates a transport,
emits events about its state, and ends it.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import anyio
from anyio.abc import TaskGroup

from acp_tui.protocol.frames import Line
from acp_tui.protocol.jsonrpc import Id


class Outgoing(NamedTuple):
    """An outgoing message: its line, and the fields by which a transport may route it.

    A response has no `method`, a notification no `id`. `session_id` is the one in the params. A
    fault splits the line at the `cuts`, on a transport that has lines.
    """

    raw: bytes
    method: str | None = None
    id: Id | None = None
    session_id: str | None = None
    cuts: tuple[int, ...] = ()


class Transport(Protocol):
    """Carries messages to one agent and back. One task sends, and one receives."""

    async def receive(self) -> Sequence[Line]:
        """Return the agent's next lines, byte for byte; none after EOF."""

    async def send(self, message: Outgoing) -> None:
        """Send a message; return when it is sent or can't be."""


class CarriedWire(Protocol):
    """The loops in both directions, which a carrier runs and watches."""

    waiting: int
    writing_since: float | None

    async def read(self) -> None:
        """Read until EOF."""

    async def write(self) -> None:
        """Write the queued messages in order."""


class Carrier(Protocol):
    """Connects to one agent, once. Every successful start is followed by one stop."""

    @property
    def transport(self) -> Transport:
        """The transport of the messages, once started."""

    async def start(self) -> bool:
        """Start and emit an event; return False, with an event that explains it, on failure."""

    def watch(self, tasks: TaskGroup, wire: CarriedWire, over: anyio.Event) -> None:
        """Start the tasks that read, write and watch; they set `over` once the agent is gone."""

    async def stop(self) -> None:
        """End what still runs, and emit how it ended unless that was emitted already.

        Completes under cancellation.
        """

    def kill_now(self) -> None:
        """Kill everything without waiting: the last resort."""
