"""Which version of the protocol an agent is asked in, and what is done when it doesn't know that one."""

from acp_tui.client.core import Core
from acp_tui.client.restarts import Restarts
from acp_tui.protocol.events import Event, Negotiating
from acp_tui.state.changes import Change


class Negotiation:
    """Asks in version 2 first, where that is wanted, and in version 1 after a failure.

    An agent is never asked twice by one process: many take only one `initialize`.
    """

    def __init__(self, core: Core, restarts: Restarts) -> None:
        self._core = core
        self._restarts = restarts
        core.listen(self._follow)

    def begin(self) -> None:
        """Note, before `initialize` is asked, that there is another version to fall back on."""
        if self._core.version != 1 and self._core.launch.protocol == "auto":
            self._core.emit(Negotiating(self._core.clock(), self._core.version))

    def _follow(self, _: Event, changes: list[Change]) -> None:
        """Leave a process that can't be spoken to."""
        if changes and self._core.state.peer.fallback:
            self._restarts.over.set()

    def fall_back(self) -> str | None:
        """Go on in version 1 if the process that has ended came to nothing in another; return why."""
        peer = self._core.state.peer
        if not peer.fallback or peer.initialized is not None:
            return None
        self._core.speaks = 1
        return peer.fallback
