"""Ends what is not answered: by the agent in time, or after a person took it back; by a person in
time, if that is limited.
"""

import anyio

from acp_tui.client.connection.replies import Replies
from acp_tui.client.core import Core
from acp_tui.client.session_recovery import SessionRecovery
from acp_tui.config.limits import Limits
from acp_tui.protocol.events import Abandoned, Requested, TimedOut
from acp_tui.state.state import PendingElicitation, Permission

PATIENCE = 3.0
"""Seconds that an agent gets to answer a request that was cancelled."""
PERIOD = 0.5
"""Seconds between two looks, if no limit is shorter than some of them."""


class Deadlines:
    """Watches the clocks of our requests to the agent, and of its questions to a person. They stand
    still while a frame is held at a breakpoint.
    """

    def __init__(self, core: Core, replies: Replies, recovery: SessionRecovery) -> None:
        self._core = core
        self._replies = replies
        self._recovery = recovery
        self._late: set[int] = set()
        self._still: dict[int, float] = {}
        """For how many seconds the clocks of requests stood still, by their frames."""

    @property
    def _limits(self) -> Limits:
        return self._core.launch.limits

    async def watch(self) -> None:
        """Look at the clocks now and then, until cancelled."""
        while True:
            limits = [limit for limit in vars(self._limits).values() if limit is not None]
            period = min(PERIOD, PATIENCE / 4, min(limits) / 4)
            before = self._core.clock()
            await anyio.sleep(period)
            if self._core.state.holding.frames:
                self._stand_still(self._core.clock() - before)
                continue
            for call in list(self._core.state.calls.values()):
                self._look(call)
            if self._limits.question is not None:
                self._look_at_questions(self._limits.question)

    def _stand_still(self, seconds: float) -> None:
        state = self._core.state
        numbers = [*state.calls, *(one.number for one in self._asked())]
        self._still = {number: self._still.get(number, 0.0) + seconds for number in numbers}

    def _asked(self) -> list[Permission | PendingElicitation]:
        state = self._core.state
        return [*state.waiting_permissions(), *state.elicitations]

    def _look(self, call: Requested) -> None:
        now = self._core.clock() - self._still.get(call.number, 0.0)
        limit = self._limits.of(call.call)
        cancelled = self._core.state.cancelled_calls.get(call.number)
        if cancelled is not None and now - cancelled > PATIENCE:
            self._core.emit(Abandoned(self._core.clock(), call.id))
        elif limit is not None and now - call.at > limit:
            self._core.emit(TimedOut(self._core.clock(), call.id, limit))
        else:
            return
        self._recovery.unanswered(call)

    def _look_at_questions(self, limit: float) -> None:
        for question in self._asked():
            now = self._core.clock() - self._still.get(question.number, 0.0)
            late = now - question.at > limit
            if late and question.number not in self._late:
                self._late.add(question.number)
                self._replies.cancel_late(question, limit)
