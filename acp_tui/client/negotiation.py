"""Asks for version 2 first, and starts an agent that doesn't know it again for version 1."""

from acp_tui.client.core import Core
from acp_tui.client.restarts import Restarts
from acp_tui.protocol.events import Event
from acp_tui.protocol.process_events import Negotiating
from acp_tui.state.changes import Change


class Negotiation:
    """Asks for version 2 first, if configured, and for version 1 after a failure.

    One process is never asked twice: many agents accept only one `initialize`.
    """

    def __init__(self, core: Core, restarts: Restarts) -> None:
        self._core = core
        self._restarts = restarts
        core.listen(self._follow_fallback)

    def begin(self) -> None:
        """Record, before `initialize` is sent, that there is a version to fall back to."""
        if self._core.version != 1 and self._core.launch.protocol == "auto":
            self._core.emit(Negotiating(self._core.clock(), self._core.version))

    def _follow_fallback(self, _: Event, changes: list[Change]) -> None:
        """End a process with which no version can be negotiated."""
        if changes and self._core.state.peer.fallback:
            self._restarts.over.set()

    def fall_back(self) -> str | None:
        """Switch to version 1 if the ended process failed in another version; return why."""
        peer = self._core.state.peer
        if not peer.fallback or peer.initialized is not None:
            return None
        self._core.speaks = 1
        return peer.fallback
