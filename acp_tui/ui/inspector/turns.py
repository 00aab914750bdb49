"""The turn that a frame belongs to."""

from time import perf_counter

from acp_tui.wire.anatomy import Anatomy, Dissection
from acp_tui.wire.log import Log

SLICE = 64
"""Records read between two looks at the clock."""


class Turn:
    """The records of a turn, taken apart in slices."""

    def __init__(self, log: Log, prompt: int) -> None:
        row = log[prompt]
        self._log = log
        self._first = self._at = prompt
        self._last = len(log) - 1 if row.partner is None else row.partner
        self._dissection = Dissection(row.session, row.at)

    @property
    def share(self) -> float:
        """How much of it is read."""
        return (self._at - self._first) / (self._last + 1 - self._first)

    def work(self, until: float) -> Anatomy | None:
        """Read on until the time (perf_counter) is over; the turn, if all of it is read."""
        while self._at <= self._last:
            self._dissection.take(self._log.records[self._at])
            self._at += 1
            if self._at % SLICE == 0 and perf_counter() > until:
                return None
        return self._dissection.finish(self._log.times[self._last])


def turn_at(log: Log, index: int) -> Turn | None:
    """The turn that runs at a record, in its session if it has one; else the one before it."""
    prompt = log.prompt_before(index, log[index].session)
    return None if prompt is None else Turn(log, prompt)
