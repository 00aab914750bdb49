"""Ends what is not answered: by the agent in time, or after a person took it back; by a person in
time, if that is limited.
"""

from collections.abc import Callable

import anyio

from acp_tui.config.limits import Limits
from acp_tui.protocol.events import Abandoned, LocalEvent, Requested, TimedOut
from acp_tui.session.state import Elicitation, Permission, State

PATIENCE = 3.0
"""Seconds that an agent gets to answer a request that was cancelled."""
PERIOD = 0.5
"""Seconds between two looks, if no limit is shorter than some of them."""


class Deadlines:
    """The clocks of requests. `ended` is told of each of ours that is waited for no longer, `late`
    of each question that no person has answered in time.
    """

    def __init__(
        self,
        state: State,
        limits: Limits,
        clock: Callable[[], float],
        *,
        emit: Callable[[LocalEvent], None],
        ended: Callable[[Requested], None],
        late: Callable[[Permission | Elicitation, float], None],
    ) -> None:
        self._state = state
        self._limits = limits
        self._clock = clock
        self._emit = emit
        self._ended = ended
        self._late = late
        self._told: set[int] = set()

    async def watch(self) -> None:
        """Look at the clocks now and then, until cancelled."""
        limits = [limit for limit in vars(self._limits).values() if limit is not None]
        period = min(PERIOD, PATIENCE / 4, min(limits) / 4)
        while True:
            await anyio.sleep(period)
            for call in list(self._state.calls.values()):
                self._look(call)
            if self._limits.question is not None:
                self._look_at_questions(self._limits.question)

    def _look(self, call: Requested) -> None:
        now, limit = self._clock(), self._limits.of(call.method)
        cancelled = self._state.cancelled_calls.get(call.number)
        if cancelled is not None and now - cancelled > PATIENCE:
            self._emit(Abandoned(now, call.id))
        elif limit is not None and now - call.at > limit:
            self._emit(TimedOut(now, call.id, limit))
        else:
            return
        self._ended(call)

    def _look_at_questions(self, limit: float) -> None:
        asked: list[Permission | Elicitation] = [*self._state.waiting_permissions()]
        asked += self._state.elicitations
        for question in asked:
            if self._clock() - question.at > limit and question.number not in self._told:
                self._told.add(question.number)
                self._late(question, limit)
