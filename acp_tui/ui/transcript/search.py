"""Search in a document, line by line, in slices."""

import re
from bisect import bisect_left, insort
from collections.abc import Iterable
from time import perf_counter
from typing import NamedTuple

from acp_tui.ui.transcript.document import Document, Place

LINES_AT_ONCE = 32
"""How many lines are searched between two looks at the clock."""


class Match(NamedTuple):
    """Where a match is: characters `start` to before `end` of a line."""

    entry: int
    line: int
    start: int
    end: int


class Search:
    """The matches of a text, upper and lower case alike, kept up as entries change."""

    def __init__(self, text: str, document: Document) -> None:
        self.text = text
        self.count = 0
        self.current: Match | None = None
        self._document = document
        self._pattern = re.compile(re.escape(text), re.IGNORECASE)
        self._pending = dict.fromkeys(range(len(document)))
        self._found: dict[int, list[Match]] = {}
        self._order: list[int] = []
        self._scan: tuple[int, int] | None = None

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
        line = self._begin(index)
        height = self._document.view(index).height
        while line < height:
            for at in range(line, min(line + LINES_AT_ONCE, height)):
                self._search_line(index, at)
            line += LINES_AT_ONCE
            if perf_counter() > until:
                break
        self._scan = (index, line) if line < height else None
        return self._scan is None

    def _begin(self, index: int) -> int:
        if self._scan is not None and self._scan[0] == index:
            return self._scan[1]
        old = self._found.pop(index, None)
        if old is not None:
            self.count -= len(old)
            del self._order[bisect_left(self._order, index)]
        return 0

    def _search_line(self, index: int, line: int) -> None:
        for match in self._pattern.finditer(self._document.plain(Place(index, line))):
            if index not in self._found:
                self._found[index] = []
                insort(self._order, index)
            self._found[index].append(Match(index, line, *match.span()))
            self.count += 1

    def in_line(self, place: Place) -> list[Match]:
        """The matches of one line."""
        matches = self._found.get(place.entry, [])
        first = bisect_left(matches, (place.entry, place.line))
        last = bisect_left(matches, (place.entry, place.line + 1))
        return matches[first:last]

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
