"""Restores the sessions of an agent after a restart (ACP: Session Setup)."""

from collections import deque

from acp_tui.client.core import Core
from acp_tui.client.sessions import Sessions
from acp_tui.protocol.jsonrpc import ErrorCode
from acp_tui.protocol.setup import OpenSessionParams
from acp_tui.protocol.wire_events import Requested, Responded

WAYS = ("session/resume", "session/load", "session/new")
"""Methods that restore a session, best first. The last always works, but the agent forgets the
session.
"""


class SessionRecovery:
    """Restores lost sessions one after another, each by the first method that works.

    A method during which the agent died twice, or that timed out, isn't tried again: every restart
    would end the same way.
    """

    def __init__(self, core: Core, sessions: Sessions) -> None:
        self._core = core
        self._sessions = sessions
        self._lost: deque[str] = deque()
        self._methods: deque[str] = deque()
        self._excluded: set[tuple[str, str]] = set()
        self._died: set[tuple[str, str]] = set()
        core.register(responses=dict.fromkeys(WAYS, self._answered))

    def begin(self) -> bool:
        """Start restoring sessions after a restart; return False if none are lost."""
        if self._methods:
            # Retry a method after one death, which may be chance: the next method may lose the
            # history.
            way = (self._lost[0], self._methods[0])
            (self._excluded if way in self._died else self._died).add(way)
        sessions = self._core.state.sessions.values()
        self._lost = deque(one.session_id for one in sessions if one.lost)
        self._restore_next()
        return bool(self._lost)

    def _answered(self, event: Responded) -> None:
        """Continue with the next session, or after an error with the next method.

        A request that was refused for lack of authentication is repeated after the sign-in.
        """
        if not self._concerns(event.request):
            return
        if event.error is not None and event.error.code == ErrorCode.AUTH_REQUIRED:
            return
        self._methods.popleft()
        if event.result is not None:
            self._excluded = {one for one in self._excluded if one[0] != self._lost[0]}
            self._died = {one for one in self._died if one[0] != self._lost[0]}
        if event.result is None and self._methods:
            self._sessions.reopen(self._lost[0], self._methods[0])
        else:
            self._lost.popleft()
            self._restore_next()

    def unanswered(self, call: Requested) -> None:
        """Give up on the session whose request timed out, and continue with the next."""
        if self._concerns(call):
            self._excluded.add((self._lost[0], self._methods[0]))
            self._lost.popleft()
            self._restore_next()

    def _concerns(self, call: Requested) -> bool:
        if not self._methods or call.call != self._methods[0]:
            return False
        params = call.params
        return not isinstance(params, OpenSessionParams) or params.session_id == self._lost[0]

    def _restore_next(self) -> None:
        """Start restoring the next session that is still lost."""
        while self._lost and not self._is_lost(self._lost[0]):
            self._lost.popleft()
        if not self._lost:
            self._methods.clear()
            return
        session_id = self._lost[0]
        said = bool(self._core.state.sessions[session_id].entries)
        self._methods = deque(
            way
            for way in (WAYS[:-1] if said else ())
            if self._core.state.peer.offers(way) and (session_id, way) not in self._excluded
        )
        self._methods.append(WAYS[-1])
        self._sessions.reopen(session_id, self._methods[0])

    def _is_lost(self, session_id: str) -> bool:
        session = self._core.state.sessions.get(session_id)
        return session is not None and session.lost
