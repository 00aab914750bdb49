"""Brings back, after a restart, the sessions that were open (ACP: Session Setup)."""

from collections import deque
from collections.abc import Callable

from acp_tui.protocol.events import Requested, Responded
from acp_tui.protocol.jsonrpc import ErrorCode
from acp_tui.protocol.sessions import OpenSessionParams
from acp_tui.session.state import State

WAYS = ("session/resume", "session/load", "session/new")
"""From the best: the last always works, but the agent remembers nothing then."""


class Recovery:
    """One session after the other, each by the first way that works.

    `reopen` is given a session's id and the method to call.
    """

    def __init__(self, state: State, reopen: Callable[[str, str], None]) -> None:
        self._state = state
        self._reopen = reopen
        self._lost: deque[str] = deque()
        self._ways: deque[str] = deque()

    def begin(self) -> bool:
        """After a start: false if there is nothing to bring back."""
        sessions = self._state.sessions.values()
        self._lost = deque(one.session_id for one in sessions if one.lost)
        self._next()
        return bool(self._lost)

    def answered(self, event: Responded) -> None:
        """Go on with the next session; after a failure, with the next way.

        What is refused for want of a sign-in is asked again after that.
        """
        if not self._concerns(event.request):
            return
        if event.error is not None and event.error.code == ErrorCode.AUTH_REQUIRED:
            return
        self._ways.popleft()
        if event.result is None and self._ways:
            self._reopen(self._lost[0], self._ways[0])
        else:
            self._lost.popleft()
            self._next()

    def unanswered(self, call: Requested) -> None:
        """A request is waited for no longer: leave its session, and go on with the next."""
        if self._concerns(call):
            self._lost.popleft()
            self._next()

    def _concerns(self, call: Requested) -> bool:
        if not self._ways or call.method != self._ways[0]:
            return False
        params = call.params
        return not isinstance(params, OpenSessionParams) or params.session_id == self._lost[0]

    def _next(self) -> None:
        """Ask for the next session that nobody has brought back or closed meanwhile."""
        while self._lost and not self._is_lost(self._lost[0]):
            self._lost.popleft()
        if not self._lost:
            self._ways.clear()
            return
        said = bool(self._state.sessions[self._lost[0]].entries)
        ways = WAYS if said else WAYS[-1:]
        self._ways = deque(way for way in ways if self._state.peer.offers(way))
        self._reopen(self._lost[0], self._ways[0])

    def _is_lost(self, session_id: str) -> bool:
        session = self._state.sessions.get(session_id)
        return session is not None and session.lost
