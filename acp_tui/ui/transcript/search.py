"""Search in a document: in its lines as they read, however they are wrapped; in slices."""

import re
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Any, NamedTuple

from acp_tui.ui.transcript.bodies import body
from acp_tui.ui.transcript.document import Document, Place
from acp_tui.ui.transcript.entry_view import EntryView, Fold
from acp_tui.ui.transcript.rows import Piece, Rows

CHARACTERS_AT_ONCE = 8 * 1024
LINES_AT_ONCE = 32
"""How many lines are read between two looks at the clock."""
MOST_READ = 32 * 1024 * 1024
"""Characters that are kept to be searched again, for the next letter that is typed."""


class Match(NamedTuple):
    """Where a match is: characters `start` to before `end` of a line, or on into those below.

    A line below the last one stands for what is folded away.
    """

    entry: int
    line: int
    start: int
    end: int


class Read:
    """The lines of entries as they were read for a search, while they are the same."""

    def __init__(self) -> None:
        self._rows: dict[int, tuple[int, Rows]] = {}
        self._size = 0

    def find(self, index: int, version: int) -> Rows | None:
        """The lines of an entry, if they were read in this version."""
        kept = self._rows.get(index)
        return kept[1] if kept is not None and kept[0] == version else None

    def keep(self, index: int, version: int, rows: Rows) -> None:
        """Keep the lines of an entry, if there is room for more."""
        old = self._rows.pop(index, None)
        self._size -= len(old[1].text) if old is not None else 0
        if self._size + len(rows.text) <= MOST_READ:
            self._rows[index] = (version, rows)
            self._size += len(rows.text)


class Search:
    """The matches of a text, upper and lower case alike, kept up as entries change."""

    def __init__(self, text: str, document: Document, before: "Search | None" = None) -> None:
        self.text = text
        self.count = 0
        self.current: Match | None = None
        self.read: Read = before.read if before is not None else Read()
        self._document = document
        self._pattern = re.compile(re.escape(text), re.IGNORECASE)
        self._pending = dict.fromkeys(range(len(document)))
        self._found: dict[int, list[Match]] = {}
        self._order: list[int] = []
        self._below: dict[int, list[tuple[Piece, Match]]] = {}  # where matches go on, by entry
        self._scan: tuple[int, Iterator[None]] | None = None

    @property
    def is_complete(self) -> bool:
        return not self._pending

    def changed(self, indexes: Iterable[int]) -> None:
        """Search these entries again."""
        for index in indexes:
            self._pending[index] = None
            if self._scan is not None and self._scan[0] == index:
                self._scan = None

    def run(self, until: float) -> bool:
        """Go on searching; False if time ran out or entries are not laid out yet."""
        waiting = []
        while self._pending and perf_counter() < until:
            index = next(reversed(self._pending))
            if self._document.is_pending(index):
                waiting.append(index)
                del self._pending[index]
            elif self._search(index, until):
                del self._pending[index]
        self.changed(waiting)
        return not self._pending

    def _search(self, index: int, until: float) -> bool:
        """Search one entry; False if time ran out within it."""
        if self._scan is None or self._scan[0] != index:
            self._scan = (index, self._steps(index))
        for _ in self._scan[1]:
            if perf_counter() > until:
                return False
        self._scan = None
        return True

    def _steps(self, index: int) -> Iterator[None]:
        """Search an entry: first what is shown of it, then what is folded away."""
        old = self._found.pop(index, None)
        if old is not None:
            self.count -= len(old)
            del self._order[bisect_left(self._order, index)]
        self._below.pop(index, None)
        view, version = self._document.view(index), self._document.version(index)
        rows = self.read.find(index, version)
        if rows is None:
            rows = Rows()
            yield from rows.read(view, LINES_AT_ONCE)
            self.read.keep(index, version, rows)
        yield from self._search_rows(index, rows)
        if view.fold is Fold.FOLDED or (view.fold is Fold.OPEN and view.has_more):
            yield from self._search_body(index, view)

    def _search_body(self, index: int, view: EntryView[Any]) -> Iterator[None]:
        """Note one match below the last line if there is more than what is shown has."""
        shown = 0 if view.fold is Fold.FOLDED else len(self._found.get(index, ()))
        for text in body(view.entry, self._document.context.state):
            for start in range(0, len(text), CHARACTERS_AT_ONCE):
                end = start + CHARACTERS_AT_ONCE + len(self.text) - 1
                for _ in self._pattern.finditer(text[start:end]):
                    shown -= 1
                    if shown < 0:
                        self._note(Match(index, view.height, 0, 0))
                        return
                yield

    def _search_rows(self, index: int, rows: Rows) -> Iterator[None]:
        at = 0
        for start in range(0, len(rows.text), CHARACTERS_AT_ONCE):
            end = start + CHARACTERS_AT_ONCE + len(self.text) - 1
            for found in self._pattern.finditer(rows.text, max(at, start), end):
                at = found.end()
                first, *others = rows.pieces(*found.span())
                match = Match(index, first.row, first.start, first.end)
                self._note(match)
                if others:
                    self._below.setdefault(index, []).extend((one, match) for one in others)
            yield

    def _note(self, match: Match) -> None:
        if match.entry not in self._found:
            self._found[match.entry] = []
            insort(self._order, match.entry)
        self._found[match.entry].append(match)
        self.count += 1

    @property
    def number(self) -> int | None:
        """Which of the matches is the current one, counted from 1."""
        if self.current is None or self.current.entry not in self._found:
            return None
        above = self._order[: bisect_left(self._order, self.current.entry)]
        before = bisect_left(self._found[self.current.entry], self.current)
        return sum(len(self._found[index]) for index in above) + before + 1

    def is_hidden(self, match: Match) -> bool:
        """Whether the entry has to be opened to see the match."""
        return match.line >= self._document.view(match.entry).height

    def in_line(self, place: Place) -> list[tuple[int, int, Match]]:
        """From where to where matches reach in one line, and which matches."""
        matches = self._found.get(place.entry, [])
        first = bisect_left(matches, (place.entry, place.line))
        last = bisect_left(matches, (place.entry, place.line + 1))
        below = self._below.get(place.entry, [])
        at = bisect_left(below, place.line, key=lambda one: one[0].row)
        end = bisect_left(below, place.line + 1, key=lambda one: one[0].row)
        above = [(one.start, one.end, match) for one, match in below[at:end]]
        return above + [(match.start, match.end, match) for match in matches[first:last]]

    def next_from(self, place: Place, step: int) -> Match | None:
        """The match after the current one (`step` 1) or before it (-1), round at the ends.

        Without a current match it is the nearest from `place` on.
        """
        if not self._order:
            return None
        at = self.current or Match(place.entry, place.line, -1, -1)
        matches = self._found.get(at.entry, [])
        position = bisect_left(matches, at)
        if step > 0:
            position += position < len(matches) and matches[position] == at
        else:
            position -= 1
        if not 0 <= position < len(matches):
            matches = self._found[self._neighbor(at.entry, step)]
            position = 0 if step > 0 else -1
        self.current = matches[position]
        return self.current

    def _neighbor(self, index: int, step: int) -> int:
        position = bisect_left(self._order, index)
        if step < 0:
            return self._order[position - 1]
        position += position < len(self._order) and self._order[position] == index
        return self._order[position % len(self._order)]
