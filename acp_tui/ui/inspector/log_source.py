"""The log behind the inspector, read in slices so that keys are handled in between."""

from collections.abc import Sequence
from time import perf_counter

from acp_tui.debug.filters.predicates import Predicate, compile_filter
from acp_tui.debug.log import Log
from acp_tui.debug.view import LogView
from acp_tui.extensions import extensions
from acp_tui.protocol.events import Record
from acp_tui.ui.inspector.history import StateCheckpoints

SLICE = 128
"""Records read between two checks of the time."""
SLICE_SIZE = 256 * 1024
"""Bytes of records after which the time is checked: a single record may be megabytes long."""


class LogSource:
    """Reads a log that may grow, and maintains a filtered view of it."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.log = Log(records, extensions.linter())
        self.filter = ""
        self.only: frozenset[int] | None = None
        """The indexes of the only records shown, regardless of the filter; None if the filter
        decides.
        """
        self.view = LogView(self.log)
        self.checkpoints = StateCheckpoints()

    def work(self, until: float) -> bool:
        """Read until the time `until` (perf_counter); return whether everything is read."""
        done = False
        while not done:
            read = self.log.catch_up(SLICE, SLICE_SIZE)
            done = self.view.catch_up(8 * SLICE, SLICE_SIZE) and read
            if perf_counter() > until:
                break
        return done

    def read_to(self, goal: int, until: float) -> bool:
        """Read up to `goal` records until the time `until` (perf_counter); return whether they are
        read.

        The view is not updated: `work` does that once the inspector is open.
        """
        while len(self.log) < goal and perf_counter() < until:
            self.log.catch_up(min(SLICE, goal - len(self.log)), SLICE_SIZE)
        return len(self.log) >= goal

    def choose(self, text: str) -> None:
        """Apply a filter. Raises FilterError if it is invalid."""
        passes = compile_filter(text)
        self.filter = text
        self.only = None
        self.view = LogView(self.log, passes if text.strip() else None)

    @property
    def filters_findings(self) -> bool:
        """Whether the filter asks for findings."""
        return "finding:" in self.filter

    def choose_only(self, indexes: frozenset[int] | None) -> None:
        """Show only these records, each in its own row; None applies the filter again."""
        if indexes is None:
            self.choose(self.filter)
            return
        self.only = indexes
        passes: Predicate = lambda row: row.index in indexes  # noqa: E731
        self.view = LogView(self.log, passes, fold=False)

    @property
    def share(self) -> float:
        """The fraction of the records that was read and filtered."""
        return self.view.seen / max(1, len(self.log.records))
