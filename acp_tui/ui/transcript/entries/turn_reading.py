"""A turn taken apart while keys are answered: it may have a million records."""

from collections.abc import Sequence
from time import perf_counter

from acp_tui.wire.recording import Record
from acp_tui.wire.turn_times import TurnTimer, TurnTimes

SLICE = 64
"""Records read between two looks at the clock."""


class TurnReading:
    """The records at `places`, which are a turn's; it began at `start` and ended at `end`."""

    def __init__(
        self, records: Sequence[Record], places: range, session_id: str, start: float, end: float
    ) -> None:
        self._records = records
        self._places = places
        self._end = end
        self._at = places.start
        self._dissection = TurnTimer(session_id, start)

    @property
    def share(self) -> float:
        """How much of it is read."""
        return (self._at - self._places.start) / max(1, len(self._places))

    def work(self, until: float) -> TurnTimes | None:
        """Read on until the time (perf_counter) is over; the turn, if all of it is read."""
        while self._at < self._places.stop:
            self._dissection.take(self._records[self._at])
            self._at += 1
            if self._at % SLICE == 0 and perf_counter() > until:
                return None
        return self._dissection.finish(self._end)
