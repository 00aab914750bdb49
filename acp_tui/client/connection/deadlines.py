"""Time limits for the agent's responses, for canceled requests, and for questions to the user."""

import anyio

from acp_tui.client.connection.replies import Replies
from acp_tui.client.core import Core
from acp_tui.client.session_recovery import SessionRecovery
from acp_tui.config.limits import Limits
from acp_tui.protocol.events import Abandoned, TimedOut
from acp_tui.protocol.wire_events import Requested
from acp_tui.state.open_questions import PendingElicitation, Permission

CANCEL_TIMEOUT = 3.0
"""Seconds in which the agent must respond to a canceled request."""
PERIOD = 0.5
"""Seconds between checks; less if a limit is short."""


class Deadlines:
    """Enforces time limits on requests to the agent and on questions to the user.

    The clocks stop while a frame is held at a breakpoint: then the user causes the delay, not the
    agent.
    """

    def __init__(self, core: Core, replies: Replies, recovery: SessionRecovery) -> None:
        self._core = core
        self._replies = replies
        self._recovery = recovery
        self._overdue: set[int] = set()
        self._paused: dict[int, float] = {}
        """Seconds for which each request's clock was paused, by frame number."""

    @property
    def _limits(self) -> Limits:
        return self._core.launch.limits

    async def watch(self) -> None:
        """Check all limits periodically, until canceled."""
        while True:
            limits = [limit for limit in vars(self._limits).values() if limit is not None]
            period = min(PERIOD, CANCEL_TIMEOUT / 4, min(limits) / 4)
            before = self._core.clock()
            await anyio.sleep(period)
            if self._core.state.holding.frames:
                self._pause_clocks(self._core.clock() - before)
                continue
            for call in list(self._core.state.calls.values()):
                self._check_call(call)
            if self._limits.question is not None:
                self._check_questions(self._limits.question)

    def _pause_clocks(self, seconds: float) -> None:
        state = self._core.state
        numbers = [*state.calls, *(one.number for one in self._open_questions())]
        self._paused = {number: self._paused.get(number, 0.0) + seconds for number in numbers}

    def _open_questions(self) -> list[Permission | PendingElicitation]:
        state = self._core.state
        return [*state.waiting_permissions(), *state.elicitations]

    def _check_call(self, call: Requested) -> None:
        now = self._core.clock() - self._paused.get(call.number, 0.0)
        limit = self._limits.of(call.call)
        cancelled = self._core.state.cancelled_calls.get(call.number)
        if cancelled is not None and now - cancelled > CANCEL_TIMEOUT:
            self._core.emit(Abandoned(self._core.clock(), call.id))
        elif limit is not None and now - call.at > limit:
            self._core.emit(TimedOut(self._core.clock(), call.id, limit))
        else:
            return
        self._recovery.unanswered(call)

    def _check_questions(self, limit: float) -> None:
        for question in self._open_questions():
            now = self._core.clock() - self._paused.get(question.number, 0.0)
            late = now - question.at > limit
            if late and question.number not in self._overdue:
                self._overdue.add(question.number)
                self._replies.cancel_late(question, limit)
