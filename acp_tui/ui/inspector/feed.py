"""The log that the inspector shows, read in slices so that keys are answered in between."""

from collections.abc import Sequence
from time import perf_counter

from acp_tui.wire.filters import Predicate, compile_filter
from acp_tui.wire.linter import Linter
from acp_tui.wire.log import Log
from acp_tui.wire.recording import Record
from acp_tui.wire.view import View

SLICE = 64
"""Records read between two looks at the clock."""
_LATE = ("status", "latency", "finding")
"""What of a row may change after it was judged."""
_JUDGED_AGAIN = 20_000
"""Rows up to which all are judged again for that, at each news."""


class Feed:
    """A log over records that may grow, and a view of what passes the filter."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.log = Log(records, Linter())
        self.filter = ""
        self.only: frozenset[int] | None = None
        """The records that alone are shown, whatever the filter says."""
        self.view = View(self.log)

    def work(self, until: float) -> bool:
        """Read on until the time (perf_counter) is over; tell whether all is read."""
        seen = len(self.log)
        done = False
        while not done:
            read = self.log.catch_up(SLICE)
            done = self.view.catch_up(8 * SLICE) and read
            if perf_counter() > until:
                break
        if done and len(self.log) > seen and self._is_late():
            self.view.again()
            self.view.catch_up()
        return done

    def _is_late(self) -> bool:
        few = len(self.log) <= _JUDGED_AGAIN
        return few and any(field in self.filter for field in _LATE)

    def choose(self, text: str) -> None:
        """Filter from now on by this text. Raises FilterError."""
        passes = compile_filter(text)
        self.filter = text
        self.only = None
        self.view = View(self.log, passes if text.strip() else None)

    def choose_only(self, indexes: frozenset[int] | None) -> None:
        """Show these records alone, each in a row; None shows again what passes the filter."""
        if indexes is None:
            self.choose(self.filter)
            return
        self.only = indexes
        passes: Predicate = lambda row: row.index in indexes  # noqa: E731
        self.view = View(self.log, passes, fold=False)

    @property
    def share(self) -> float:
        """How much of the records is read."""
        return len(self.log) / max(1, len(self.log.records))
