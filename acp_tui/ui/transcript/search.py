"""Incremental search in a document, in time slices, and a cursor on its matches."""

import re
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from acp_tui.ui.transcript.document import Document, LinePlace
from acp_tui.ui.transcript.entries.context import Fold
from acp_tui.ui.transcript.entry_cursor import EntryCursor
from acp_tui.ui.transcript.full_text import full_text
from acp_tui.ui.transcript.ports import Viewport
from acp_tui.ui.transcript.row_text import Piece, RowText

if TYPE_CHECKING:
    from acp_tui.ui.transcript.entries.entry_view import EntryView

SLICE_CHARACTERS = 8 * 1024
SLICE_LINES = 32
"""Lines read between two checks of the clock."""
MOST_READ = 32 * 1024 * 1024
"""Most characters cached for the next keystroke: a long session must not be in memory twice."""


class TextMatch(NamedTuple):
    """A match: characters `start` to `end` of a line, possibly continued in the lines below it.

    A line below the entry's last one stands for folded text.
    """

    entry: int
    line: int
    start: int
    end: int


class ReadCache:
    """Caches the text that a search has read from entries, until they change."""

    def __init__(self) -> None:
        self._rows: dict[int, tuple[int, RowText]] = {}
        self._unfinished: tuple[int, int, RowText] | None = None
        self._size = 0

    def find(self, index: int, version: int) -> RowText:
        """Return what was read so far of an entry's text in this version."""
        cached = self._rows.get(index)
        if cached is not None and cached[0] == version:
            return cached[1]
        if self._unfinished is None or self._unfinished[:2] != (index, version):
            self._unfinished = (index, version, RowText())
        return self._unfinished[2]

    def add(self, index: int, version: int, rows: RowText) -> None:
        """Cache an entry's text that was read to its end, if there is room."""
        old = self._rows.pop(index, None)
        self._size -= old[1].size if old is not None else 0
        if self._size + rows.size <= MOST_READ:
            self._rows[index] = (version, rows)
            self._size += rows.size


class EntryMatches:
    """The matches in one entry, in order, and the pieces of them that continue in later lines."""

    def __init__(self) -> None:
        self.matches: list[TextMatch] = []
        self._below: list[tuple[Piece, TextMatch]] = []

    def add(self, match: TextMatch, below: Iterable[Piece] = ()) -> None:
        """Append a match, and its pieces in the lines below."""
        self.matches.append(match)
        self._below.extend((piece, match) for piece in below)

    def in_line(self, line: int) -> list[tuple[int, int, TextMatch]]:
        """Return the start, end and match of each match, or piece of one, in a line."""
        first = bisect_left(self.matches, line, key=_line)
        last = bisect_left(self.matches, line + 1, key=_line)
        at = bisect_left(self._below, line, key=_row)
        end = bisect_left(self._below, line + 1, key=_row)
        above = [(piece.start, piece.end, match) for piece, match in self._below[at:end]]
        return above + [(match.start, match.end, match) for match in self.matches[first:last]]


def _line(match: TextMatch) -> int:
    return match.line


def _row(below: tuple[Piece, TextMatch]) -> int:
    return below[0].row


class Search:
    """Finds a text in all entries, ignoring case, and searches changed entries again."""

    def __init__(self, text: str, document: Document, before: "Search | None" = None) -> None:
        self.text = text
        self.count = 0
        self.current: TextMatch | None = None
        self.read: ReadCache = before.read if before is not None else ReadCache()
        self._document = document
        self._pattern = re.compile(re.escape(text), re.IGNORECASE)
        self._pending = dict.fromkeys(range(len(document)))
        self._found: dict[int, EntryMatches] = {}
        self._order: list[int] = []
        self._visible: dict[int, EntryMatches] = {}  # on screen, in entries not fully read yet
        self._scan: tuple[int, Iterator[None]] | None = None

    @property
    def is_complete(self) -> bool:
        return not self._pending

    def changed(self, indexes: Iterable[int]) -> None:
        """Search these entries again."""
        for index in indexes:
            self._pending[index] = None
            self._visible.pop(index, None)
            if self._scan is not None and self._scan[0] == index:
                self._scan = None

    def run(self, until: float) -> bool:
        """Search until `perf_counter` reaches `until`; return False if anything is left."""
        waiting = []
        while self._pending and perf_counter() < until:
            index = next(reversed(self._pending))
            if self._document.is_pending(index):
                waiting.append(index)
                del self._pending[index]
            elif self._search_entry(index, until):
                del self._pending[index]
                self._visible.pop(index, None)
        self.changed(waiting)
        return not self._pending

    def _search_entry(self, index: int, until: float) -> bool:
        """Search one entry; return False if time ran out before its end."""
        if self._scan is None or self._scan[0] != index:
            self._scan = (index, self._steps(index))
        for _ in self._scan[1]:
            if perf_counter() > until:
                return False
        self._scan = None
        return True

    def _steps(self, index: int) -> Iterator[None]:
        """Search an entry, first its lines, then its folded text; yield between slices."""
        old = self._found.pop(index, None)
        if old is not None:
            self.count -= len(old.matches)
            del self._order[bisect_left(self._order, index)]
        view, version = self._document.view(index), self._document.version(index)
        rows, searched, at = self.read.find(index, version), 0, 0
        while searched < rows.size or rows.read(view, SLICE_LINES):
            start = max(at, searched - len(self.text) + 1)
            searched = min(rows.size, searched + SLICE_CHARACTERS)
            for match, below, end in self._matches(index, rows, start, searched):
                self._add_match(match, below)
                at = end
            yield
        self.read.add(index, version, rows)
        if view.fold is Fold.FOLDED or (view.fold is Fold.OPEN and view.has_more):
            yield from self._search_body(index, view)

    def _search_body(self, index: int, view: "EntryView[Any]") -> Iterator[None]:
        """Add one match below the last line if folded text has matches that visible lines lack."""
        found = self._found.get(index)
        shown = len(found.matches) if found is not None and view.fold is not Fold.FOLDED else 0
        for text in full_text(view.entry, self._document.context.state):
            for start in range(0, len(text), SLICE_CHARACTERS):
                end = start + SLICE_CHARACTERS + len(self.text) - 1
                for _ in self._pattern.finditer(text[start:end]):
                    shown -= 1
                    if shown < 0:
                        self._add_match(TextMatch(index, view.height, 0, 0))
                        return
                yield

    def _matches(
        self, index: int, rows: RowText, start: int, end: int
    ) -> Iterator[tuple[TextMatch, list[Piece], int]]:
        """Yield each match in a part of an entry's rows, its pieces in rows below, and its end."""
        for found in self._pattern.finditer(rows.text(start, end)):
            first, *below = rows.pieces(start + found.start(), start + found.end())
            yield TextMatch(index, first.row, first.start, first.end), below, start + found.end()

    def _add_match(self, match: TextMatch, below: Iterable[Piece] = ()) -> None:
        if match.entry not in self._found:
            self._found[match.entry] = EntryMatches()
            insort(self._order, match.entry)
        self._found[match.entry].add(match, below)
        self.count += 1

    def first_on_screen(self, first: int, last: int) -> TextMatch | None:
        """Return the first match from line `first` to `last`; None if a line isn't laid out."""
        for index in self._document.between(first, last):
            top = max(0, first - self._document.offset(LinePlace(index, 0)))
            if index not in self._pending:
                found = self._found.get(index, EntryMatches())
            elif self._document.is_pending(index):
                return None
            else:
                found = self._visible[index] = self._search_rows(index, top, last - first + 1)
            at = bisect_left(found.matches, top, key=_line)
            if at < len(found.matches):
                return found.matches[at]
        return None

    def _search_rows(self, index: int, top: int, count: int) -> EntryMatches:
        """Search `count` rows of an entry, starting at row `top`."""
        rows, found = RowText(top), EntryMatches()
        rows.read(self._document.view(index), count)
        for match, below, _ in self._matches(index, rows, 0, rows.size):
            found.add(match, below)
        return found

    @property
    def number(self) -> int | None:
        """The number of the current match, from 1; None until all entries above it are searched."""
        if self.current is None or self.current.entry not in self._found:
            return None
        if any(index <= self.current.entry for index in self._pending):
            return None
        above = self._order[: bisect_left(self._order, self.current.entry)]
        before = bisect_left(self._found[self.current.entry].matches, self.current)
        return sum(len(self._found[index].matches) for index in above) + before + 1

    def is_hidden(self, match: TextMatch) -> bool:
        """Return whether the match is folded away, so that its entry has to be opened."""
        return match.line >= self._document.view(match.entry).height

    def in_line(self, place: LinePlace) -> list[tuple[int, int, bool]]:
        """Return the start and end of each match in a line, and whether it is the current one."""
        both = (self._visible.get(place.entry), self._found.get(place.entry))
        return [
            (start, end, match == self.current)
            for found in both
            if found is not None
            for start, end, match in found.in_line(place.line)
        ]

    def next_from(self, place: LinePlace, step: int) -> TextMatch | None:
        """Make the next match (`step` 1) or the previous one (-1) the current one, wrapping around;
        return it.

        If there is no current match, start at `place`.
        """
        if not self._order:
            return None
        at = self.current or TextMatch(place.entry, place.line, -1, -1)
        found = self._found.get(at.entry)
        matches = found.matches if found is not None else []
        position = bisect_left(matches, at)
        if step > 0:
            position += position < len(matches) and matches[position] == at
        else:
            position -= 1
        if not 0 <= position < len(matches):
            matches = self._found[self._neighbor(at.entry, step)].matches
            position = 0 if step > 0 else -1
        self.current = matches[position]
        return self.current

    def _neighbor(self, index: int, step: int) -> int:
        position = bisect_left(self._order, index)
        if step < 0:
            return self._order[position - 1]
        position += position < len(self._order) and self._order[position] == index
        return self._order[position % len(self._order)]


ReportMatches = Callable[[int, bool, int | None], object]
"""Called with the matches so far, whether all are found, and the current one's number."""


class SearchCursor:
    """Steps through the matches of a search, and opens the entry that hides the current one."""

    def __init__(self, view: Viewport, cursor: EntryCursor, report: ReportMatches) -> None:
        self.search: Search | None = None
        self._view = view
        self._cursor = cursor
        self._report_matches = report
        self._reported: tuple[int, bool, int | None] | None = None
        self._is_seeking = False
        """Whether to go to the first match once everything is searched."""

    def start(self, text: str) -> None:
        """Start a search for a text; an empty one ends the search."""
        self.search = Search(text, self._view.document, self.search) if text else None
        self._reported = None
        self._is_seeking = True
        if self.search is None:
            self._view.refresh()
            return
        self._view.frame()
        if self._is_seeking:
            self._go_to_visible(self.search)

    def run(self, touched: Iterable[int], until: float) -> bool:
        """Continue the search, also in the `touched` entries; return False if anything is left.

        Once everything is searched, go to the first match if none was found on screen.
        """
        if self.search is None:
            return True
        self.search.changed(touched)
        done = self.search.run(until)
        if self.search.is_complete and self._is_seeking:
            self._is_seeking = False
            match = self._next(self.search, 1)
            if match is not None:
                self._show_match(self.search, match)
        self._report_news(self.search)
        return done

    def _go_to_visible(self, search: Search) -> None:
        """Make the first match on screen the current one, so later ones don't move the view."""
        search.current = search.first_on_screen(
            self._view.top, self._view.top + self._view.rows - 1
        )
        self._is_seeking = search.current is None
        self._view.refresh()
        self._report_news(search)

    def open_current(self) -> None:
        """Put the cursor on the entry of the current match, and open it if it hides the match."""
        if self.search is not None and self.search.current is not None:
            self._cursor.index = self.search.current.entry
            if self.search.is_hidden(self.search.current):
                self.go_to_next(1)

    def go_to_next(self, step: int) -> TextMatch | None:
        """Go to the next match (`step` 1) or the previous one (-1), and open the entry that hides
        it.

        If the current match itself is still hidden, because it was found while typing, open that
        one first.
        """
        search = self.search
        if search is None:
            return None
        match = search.current
        if match is None or not search.is_hidden(match):
            match = self._next(search, step)
        if match is None:
            return None
        self._cursor.index = match.entry
        if search.is_hidden(match):
            search.current = TextMatch(match.entry, -1, 0, 0)
            self._is_seeking = True
            self._view.document.view(match.entry).choose(Fold.FULL)
            self._view.pin_entry(match.entry)
            return search.current
        self._show_match(search, match)
        return match

    def _next(self, search: Search, step: int) -> TextMatch | None:
        document = self._view.document
        if not document.height:
            return None
        return search.next_from(document.locate(min(self._view.top, document.height - 1)), step)

    def _show_match(self, search: Search, match: TextMatch) -> None:
        """Scroll to a match, or to the first line of the entry that hides it."""
        self._view.reveal(LinePlace(match.entry, 0 if search.is_hidden(match) else match.line))
        self._report_news(search)
        self._view.refresh()

    def _report_news(self, search: Search) -> None:
        news = (search.count, search.is_complete, search.number)
        if news != self._reported:
            self._reported = news
            self._report_matches(*news)
