"""Ends what is not answered: by the agent in time, or after a person took it back; by a person in
time, if that is limited.
"""

import anyio

from acp_tui.client.connection.replies import Replies
from acp_tui.client.core import Core
from acp_tui.client.session_recovery import SessionRecovery
from acp_tui.protocol.events import Abandoned, Requested, TimedOut
from acp_tui.session.state import Elicitation, Permission

PATIENCE = 3.0
"""Seconds that an agent gets to answer a request that was cancelled."""
PERIOD = 0.5
"""Seconds between two looks, if no limit is shorter than some of them."""


class Deadlines:
    """Watches the clocks of our requests to the agent, and of its questions to a person."""

    def __init__(self, core: Core, replies: Replies, recovery: SessionRecovery) -> None:
        self._core = core
        self._replies = replies
        self._recovery = recovery
        self._limits = core.launch.limits
        self._late: set[int] = set()

    async def watch(self) -> None:
        """Look at the clocks now and then, until cancelled."""
        limits = [limit for limit in vars(self._limits).values() if limit is not None]
        period = min(PERIOD, PATIENCE / 4, min(limits) / 4)
        while True:
            await anyio.sleep(period)
            for call in list(self._core.state.calls.values()):
                self._look(call)
            if self._limits.question is not None:
                self._look_at_questions(self._limits.question)

    def _look(self, call: Requested) -> None:
        now, limit = self._core.clock(), self._limits.of(call.method)
        cancelled = self._core.state.cancelled_calls.get(call.number)
        if cancelled is not None and now - cancelled > PATIENCE:
            self._core.emit(Abandoned(now, call.id))
        elif limit is not None and now - call.at > limit:
            self._core.emit(TimedOut(now, call.id, limit))
        else:
            return
        self._recovery.unanswered(call)

    def _look_at_questions(self, limit: float) -> None:
        state = self._core.state
        asked: list[Permission | Elicitation] = [*state.waiting_permissions(), *state.elicitations]
        for question in asked:
            late = self._core.clock() - question.at > limit
            if late and question.number not in self._late:
                self._late.add(question.number)
                self._replies.cancel_late(question, limit)
