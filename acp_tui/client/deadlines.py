"""Ends what the agent doesn't answer: in time, or after a person took it back."""

from collections.abc import Callable

import anyio

from acp_tui.config.limits import Limits
from acp_tui.protocol.events import Abandoned, LocalEvent, Requested, TimedOut
from acp_tui.session.state import State

PATIENCE = 3.0
"""Seconds that an agent gets to answer a request that was cancelled."""
PERIOD = 0.5
"""Seconds between two looks, if no limit is shorter than some of them."""


class Deadlines:
    """The clocks of our requests. `ended` is told of each that is waited for no longer."""

    def __init__(
        self,
        state: State,
        limits: Limits,
        clock: Callable[[], float],
        *,
        happened: Callable[[LocalEvent], None],
        ended: Callable[[Requested], None],
    ) -> None:
        self._state = state
        self._limits = limits
        self._clock = clock
        self._happened = happened
        self._ended = ended

    async def watch(self) -> None:
        """Look at the clocks now and then, until cancelled."""
        period = min(PERIOD, PATIENCE / 4, min(vars(self._limits).values()) / 4)
        while True:
            await anyio.sleep(period)
            for call in list(self._state.calls.values()):
                self._look(call)

    def _look(self, call: Requested) -> None:
        now, limit = self._clock(), self._limits.of(call.method)
        cancelled = self._state.cancelled_calls.get(call.number)
        if cancelled is not None and now - cancelled > PATIENCE:
            self._happened(Abandoned(now, call.id))
        elif limit is not None and now - call.at > limit:
            self._happened(TimedOut(now, call.id, limit))
        else:
            return
        self._ended(call)
