"""All entries of a session as one column of lines, laid out in time slices."""

from array import array
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from acp_tui.state.entries import Entry, SubagentEntry, TerminalEntry, ToolCallEntry
from acp_tui.state.session import Session
from acp_tui.ui.lines.lines import SPLIT_WIDTH, Heights, measure
from acp_tui.ui.transcript.entries.context import Context, Fold

if TYPE_CHECKING:
    from acp_tui.ui.transcript.entries.entry_view import EntryView, ViewOf

GUTTER = 2
"""Cells to the left of every line: a mark and a space."""
DIFF_INDENT = 2
"""Cells before the diffs of a tool call."""
GUESS = 2
"""The height assumed for an entry that was never laid out."""


class LinePlace(NamedTuple):
    """A line of an entry; a negative line is in the gap above it."""

    entry: int
    line: int


class Document:
    """The views of a session's entries, their positions, and which of them must be laid out again.

    A view is created when its entry is laid out for the first time. After a change of the width, an
    entry keeps its old height until it is laid out again.
    """

    def __init__(self, context: Context, view_of: "ViewOf") -> None:
        """Create a document; `view_of` returns the view of an entry."""
        self.context = context
        self._view_of = view_of
        self.unsettled: set[int] = set()
        self.touched: set[int] = set()
        """Entries that were laid out since this set was last cleared."""
        self._views: list[EntryView[Any] | None] = []
        self._heights = Heights()
        self._gaps = array("B")
        self._versions = array("Q")
        self._pending: dict[int, None] = {}
        self._shown: dict[str, set[int]] = {}
        self._width = 0
        self._form = measure.form(0)

    def of_session(self, session: Session) -> "Document":
        """Return a document of another session with the same settings."""
        return Document(replace(self.context, session=session), self._view_of)

    @property
    def entries(self) -> list[Entry]:
        return self.context.session.entries

    @property
    def height(self) -> int:
        return self._heights.total

    def __len__(self) -> int:
        return len(self._views)

    def grow(self) -> None:
        """Add the session's new entries."""
        for index in range(len(self._views), len(self.entries)):
            self._views.append(None)
            self._gaps.append(0)
            self._versions.append(0)
            self._heights.append(GUESS)
            self._pending[index] = None

    def view(self, index: int) -> "EntryView[Any]":
        """Return the view of an entry, creating it if needed."""
        view = self._views[index]
        if view is None:
            view = self._views[index] = self._view_of(self.entries[index], self.context)
        return view

    def mark(self, index: int) -> None:
        """Mark an entry as changed."""
        view = self._views[index] if index < len(self._views) else None
        if view is not None:
            view.changed()
            self._pending[index] = None

    def showing(self, terminal_id: str) -> set[int]:
        """Return the entries that show a terminal."""
        return self._shown.get(terminal_id, set())

    def neighbor(self, index: int, step: int) -> int | None:
        """Return the nearest entry with lines above (`step` -1) or below (1)."""
        index += step
        while 0 <= index < len(self._views):
            if self._heights[index]:
                return index
            index += step
        return None

    def is_laid_out_for(self, width: int) -> bool:
        """Return whether lines are, or will be, wrapped for this width and prose width."""
        return measure.form(width) == self._form

    def resize(self, width: int) -> bool:
        """Lay out all again if the width or the prose width has changed; return whether it has."""
        if self.is_laid_out_for(width):
            return False
        self._width, self._form = width, measure.form(width)
        self._pending = dict.fromkeys(range(len(self._views)))
        return True

    def split_diffs(self) -> bool:
        """Toggle between side-by-side diffs and one column; return whether they are now split."""
        now = self.context.split
        self.context.split = not (self._width - DIFF_INDENT >= SPLIT_WIDTH if now is None else now)
        for index, entry in enumerate(self.entries):
            if isinstance(entry, ToolCallEntry):
                self.mark(index)
        return self.context.split

    def fold_all(self, kind: str, fold: Fold) -> None:
        """Fold or open all entries of a kind, including future ones."""
        self.context.folds[kind] = fold
        for index, view in enumerate(self._views):
            if view is not None and view.kind == kind:
                view.choose(None)
                self.mark(index)

    def between(self, first: int, last: int) -> range:
        """Return the entries that have lines from `first` to `last`."""
        if not self.height:
            return range(0)
        first, last = (max(0, min(y, self.height - 1)) for y in (first, last))
        return range(self._heights.locate(first)[0], self._heights.locate(last)[0] + 1)

    def is_pending_in(self, first: int, last: int) -> bool:
        """Return whether any entry with lines from `first` to `last` must be laid out."""
        return any(index in self._pending for index in self.between(first, last))

    def lay_out_lines(self, first: int, last: int, until: float) -> bool:
        """Lay out the entries with lines from `first` to `last`; return False if time ran out."""
        for index in self.between(first, last):
            if index not in self._pending:
                continue
            if not self._lay_out(index, until) or perf_counter() > until:
                return False
        return True

    def lay_out(self, until: float) -> bool:
        """Lay out the pending entries, newest first; return False if time ran out."""
        while self._pending and perf_counter() < until:
            self._lay_out(next(reversed(self._pending)), until)
        return not self._pending

    def _lay_out(self, index: int, until: float) -> bool:
        view = self.view(index)
        known = self._versions[index] > 0
        done = view.lay_out(self._width, until)
        height = view.height
        if not done and known:
            height = max(height, self._heights[index] - self._gaps[index])
        self._gaps[index] = self._gap(index) if height else 0
        self._heights[index] = height + self._gaps[index]
        self._versions[index] += 1
        self._note(index, view)
        if done:
            del self._pending[index]
        return done

    def _note(self, index: int, view: "EntryView[Any]") -> None:
        """Record an entry's terminals and whether it is settled; update the gap below it."""
        self.touched.add(index)
        (self.unsettled.discard if view.is_final else self.unsettled.add)(index)
        for terminal_id in view.terminals:
            self._shown.setdefault(terminal_id, set()).add(index)
        following = index + 1
        if isinstance(view.entry, TerminalEntry | SubagentEntry) and following < len(self._views):
            gap = self._gap(following)
            if self._heights[following] and self._versions[following]:
                self._heights[following] += gap - self._gaps[following]
                self._gaps[following] = gap

    def _gap(self, index: int) -> int:
        """Return the number of blank lines above an entry: none between tool calls."""
        above = index - 1
        while above >= 0:
            entry = self.entries[above]
            if not (isinstance(entry, TerminalEntry | SubagentEntry) and entry.embedded):
                break
            above -= 1  # an embedded entry has no lines of its own
        if above < 0:
            return 0
        pair = (self.entries[above], self.entries[index])
        close = ToolCallEntry | SubagentEntry
        return 0 if all(isinstance(entry, close) for entry in pair) else 1

    def has_gap(self, index: int) -> bool:
        """Return whether a blank line is above an entry."""
        return self._gaps[index] > 0

    def is_pending(self, index: int) -> bool:
        return index in self._pending

    def version(self, index: int) -> int:
        """Return a number that differs after each layout of an entry."""
        return self._versions[index]

    def locate(self, y: int) -> LinePlace:
        """Return the place of line `y`, which must be less than the height."""
        index, line = self._heights.locate(y)
        return LinePlace(index, line - self._gaps[index])

    def offset(self, place: LinePlace) -> int:
        """Return the current line of a place; the entry's last line if it has become shorter."""
        line = min(place.line + self._gaps[place.entry], self._heights[place.entry] - 1)
        return self._heights.offset(place.entry) + max(0, line)

    def plain(self, place: LinePlace) -> str:
        """Return the text of a line; "" in gaps and where nothing is laid out yet."""
        view = self._views[place.entry]
        return view.plain(place.line) if view and 0 <= place.line < view.height else ""
