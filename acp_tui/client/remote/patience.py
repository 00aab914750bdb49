"""What transports over a network need of their carrier, and how long they wait for what."""

from collections.abc import Callable
from typing import Protocol

from acp_tui.client.connection.transport import Outgoing

CONNECTING = 20.0
"""Seconds until a server must have taken the connection."""
QUIET = 60.0
"""Seconds without a byte, after which a server that should have said something has gone."""


class Watcher(Protocol):
    """Hears what transports have to tell."""

    limit: int
    clock: Callable[[], float]

    def tell(self, what: str) -> None:
        """Put a fact into the log."""

    def refused(self, message: Outgoing, why: str) -> None:
        """A message was refused on its way; the connection goes on."""
