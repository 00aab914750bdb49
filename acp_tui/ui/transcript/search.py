"""Search in a document, line by line, in slices."""

import re
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Any, NamedTuple

from acp_tui.ui.transcript.bodies import body
from acp_tui.ui.transcript.document import Document, Place
from acp_tui.ui.transcript.entry_view import EntryView, Fold

CHARACTERS_AT_ONCE = 64 * 1024
LINES_AT_ONCE = 32
"""How many lines are searched between two looks at the clock."""


class Match(NamedTuple):
    """Where a match is: characters `start` to before `end` of a line.

    A line below the last one stands for what is folded away.
    """

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
        view = self._document.view(index)
        for line in range(0, view.height, LINES_AT_ONCE):
            for at in range(line, min(line + LINES_AT_ONCE, view.height)):
                self._search_line(index, at)
            yield
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

    def _search_line(self, index: int, line: int) -> None:
        for match in self._pattern.finditer(self._document.plain(Place(index, line))):
            self._note(Match(index, line, *match.span()))

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
