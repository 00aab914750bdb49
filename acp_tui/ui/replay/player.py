"""The player of recordings, which decides when each record is due by a given clock."""

from collections.abc import Callable, Sequence
from time import perf_counter

from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Frame
from acp_tui.recordings.records import time_of
from acp_tui.state.changes import Change
from acp_tui.ui.inspector.history import History, StateCheckpoints

LONGEST_PAUSE = 2.0
"""Longest pause between records, in seconds at normal speed."""
WITHOUT_TIMES = 0.05
"""Seconds between records if the recording has no times."""
SPEEDS = (0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0, 1000.0)
BUDGET = 0.01
"""Seconds of work in one slice."""


class ReplayPlayer:
    """Plays a recording: its position moves with the clock whenever `play` is called."""

    def __init__(
        self, records: Sequence[Record], clock: Callable[[], float], speed: float = 1.0
    ) -> None:
        self.records = records
        self.checkpoints = StateCheckpoints()
        self.history = History(records, self.checkpoints)
        self.speed = speed
        self.paused = False
        self.goal: int | None = None
        """The target of an unfinished seek."""
        self._clock = clock
        self._since = clock()
        self._timed = bool(records) and time_of(records, -1) > time_of(records, 0)

    @property
    def position(self) -> int:
        """The number of records played so far."""
        return self.history.position

    @property
    def frame(self) -> int:
        """The number of the last played frame; 0 before the first."""
        return _frame_before(self.records, self.position)

    @property
    def last_frame(self) -> int:
        """The number of the last frame."""
        return _frame_before(self.records, len(self.records))

    @property
    def at_end(self) -> bool:
        """Whether all records were played."""
        return self.position == len(self.records)

    @property
    def elapsed(self) -> float:
        """Seconds of the recording that were played."""
        return self._last - time_of(self.records, 0) if self.position else 0.0

    @property
    def length(self) -> float:
        """The length of the recording in seconds."""
        return time_of(self.records, -1) - time_of(self.records, 0) if self.records else 0.0

    @property
    def _last(self) -> float:
        return time_of(self.records, self.position - 1) if self.position else 0.0

    def time(self) -> float:
        """Return the recording's time, which stops during a pause, and never passes the next
        record.
        """
        if self.paused or self.at_end or not self.position:
            return self._last
        gap = time_of(self.records, self.position) - self._last
        return self._last + min(gap, (self._clock() - self._since) * self.speed)

    def wait(self) -> float | None:
        """Return the seconds until the next record is due; None if the user has to resume."""
        if self.goal is not None:
            return 0.0
        if self.paused or self.at_end:
            return None
        return max(0.0, self._since + self._gap() - self._clock())

    def _gap(self) -> float:
        if not self.position:
            return 0.0
        gap = time_of(self.records, self.position) - self._last if self._timed else WITHOUT_TIMES
        return min(max(gap, 0.0), LONGEST_PAUSE) / self.speed

    def play(self) -> list[Change] | None:
        """Play the records that are due. Return the changes, or None if the state was replaced.

        A seek returns no changes until it is done.
        """
        until = perf_counter() + BUDGET
        if self.goal is not None:
            self._since = self._clock()
            if not self.history.seek(self.goal, until):
                return []
            self.goal = None
        while self.wait() == 0.0 and perf_counter() < until:
            gap = self._gap()
            if not self.history.seek(self.position + 1, until):
                break
            self._since += gap
            if self._clock() - self._since > LONGEST_PAUSE:
                self._since = self._clock()  # the program was busy: don't speed up to catch up
        return self.history.moved()

    def pause(self) -> None:
        """Pause or resume; at the end, start over. An unfinished seek stops where it is."""
        if self.goal is not None:
            self.goal, self.paused = None, True
        elif self.at_end and not self.paused:
            self.seek(0)
        else:
            self.paused = not self.paused
        self._since = self._clock()

    def faster(self) -> None:
        """Switch to the next higher speed."""
        self.speed = next((one for one in SPEEDS if one > self.speed), SPEEDS[-1])

    def slower(self) -> None:
        """Switch to the next lower speed."""
        self.speed = next((one for one in reversed(SPEEDS) if one < self.speed), SPEEDS[0])

    def seek(self, position: int) -> None:
        """Go to the position after `position` records; `play` does the work, in slices."""
        self.goal = min(max(position, 0), len(self.records))

    def step(self, by: int) -> None:
        """Pause, and go one record forward (`by` 1) or back (-1)."""
        self.paused = True
        self.seek(self.position + by)


def _frame_before(records: Sequence[Record], position: int) -> int:
    """Return the number of the last frame among the first `position` records; local events have
    none.
    """
    for at in range(position - 1, -1, -1):
        record = records[at]
        if isinstance(record, Frame):
            return record.number
    return 0
