"""The times of a turn, read in slices while keys are answered: a turn may have a million records."""

from collections.abc import Sequence
from time import perf_counter

from acp_tui.debug.turn_times import TurnTimer, TurnTimes
from acp_tui.protocol.events import Record

SLICE = 64
"""Records read between two looks at the clock."""


class TurnReader:
    """Reads the records at `places`, which are a turn's; it began at `start` and ended at `end`."""

    def __init__(
        self, records: Sequence[Record], places: range, session_id: str, start: float, end: float
    ) -> None:
        self._records = records
        self._places = places
        self._end = end
        self._at = places.start
        self._timer = TurnTimer(session_id, start)

    @property
    def share(self) -> float:
        """How much of the turn is read, from 0 to 1."""
        return (self._at - self._places.start) / max(1, len(self._places))

    def work(self, until: float, now: float | None = None) -> TurnTimes | None:
        """Read until the time `until` (perf_counter); return the times once everything is read. Of
        a turn that goes on, `now` is the end so far.
        """
        while self._at < self._places.stop:
            self._timer.add_record(self._records[self._at])
            self._at += 1
            if self._at % SLICE == 0 and perf_counter() > until:
                return None
        return self._timer.finish(self._end if now is None else max(now, self._end))
