"""Times a turn in slices, so that keys are handled in between: a turn may have a million records."""

from collections.abc import Sequence
from time import perf_counter

from acp_tui.debug.turn_times import TurnTimer, TurnTimes
from acp_tui.protocol.events import Record

SLICE = 64
"""Records read between two checks of the time."""


class TurnReader:
    """Times a turn from its records at `places`. The turn began at `start` and ended at `end`."""

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
        """The fraction of the turn that was read, from 0 to 1."""
        return (self._at - self._places.start) / max(1, len(self._places))

    def work(self, until: float, now: float | None = None) -> TurnTimes | None:
        """Read until the time `until` (perf_counter); return the times once everything is read.
        `now` is the end so far of a running turn.
        """
        while self._at < self._places.stop:
            self._timer.add_record(self._records[self._at])
            self._at += 1
            if self._at % SLICE == 0 and perf_counter() > until:
                return None
        return self._timer.finish(self._end if now is None else max(now, self._end))
