"""The carrier's interface for network transports, and their time limits."""

from collections.abc import Callable
from typing import Protocol

from acp_tui.client.connection.transport import Outgoing

CONNECTING = 20.0
"""Seconds for connecting to a server."""
QUIET = 60.0
"""Seconds without a byte after which a server that should have responded counts as gone."""


class Watcher(Protocol):
    """Receives the reports of transports."""

    limit: int
    clock: Callable[[], float]

    def record_fact(self, what: str) -> None:
        """Record a fact about the transport."""

    def refused(self, message: Outgoing, why: str) -> None:
        """Report a message that was refused on its way; the connection continues."""
