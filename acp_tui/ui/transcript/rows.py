"""Rows that belong together: what is one line of text, however it is wrapped."""

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple, Protocol, runtime_checkable

from acp_tui.ui.transcript.lines import Lines, Wrap
from acp_tui.ui.transcript.stack import Shortened, Stack


@runtime_checkable
class HasWraps(Protocol):
    def wrap_at(self, y: int) -> Wrap | None: ...


def wrap_at(lines: object, y: int, indent: int = 0) -> Wrap | None:
    """How row `y` of some lines goes on from the one above, if it does."""
    if isinstance(lines, HasWraps):
        wrap = lines.wrap_at(y)
        return Wrap(wrap.start + indent, wrap.glue) if wrap is not None else None
    if isinstance(lines, Shortened):
        return wrap_at(lines.lines, y, indent) if y < lines.limit else None
    found = lines.find(y) if isinstance(lines, Stack) else None
    return wrap_at(found[0].lines, found[1], indent + found[0].indent) if found else None


class Piece(NamedTuple):
    """Characters `start` to before `end` of a row."""

    row: int
    start: int
    end: int


class Rows:
    """The rows of an entry as the text that they were made of, and where each is in that."""

    def __init__(self) -> None:
        self.text = ""
        self._starts = array("I")  # of the rows, in the text
        self._columns = array("I")  # where in its row a row's text begins

    def read(self, lines: Lines, at_once: int) -> Iterator[None]:
        """Take over all rows, with a pause after every few."""
        parts: list[str] = []
        size = 0
        for y in range(lines.height):
            row, wrap = lines.plain(y), wrap_at(lines, y) if y else None
            column, between = (0, "\n") if wrap is None else wrap
            text = row[column:].rstrip()
            parts += (between, text) if y else (text,)
            size += len(between) if y else 0
            self._starts.append(size)
            self._columns.append(column)
            size += len(text)
            if y % at_once == at_once - 1:
                yield
        self.text = "".join(parts)

    def pieces(self, start: int, end: int) -> Iterator[Piece]:
        """Where a part of the text stands."""
        row = bisect_right(self._starts, start) - 1
        while start < end:
            last = row + 1 == len(self._starts)
            stop = end if last else min(end, self._starts[row + 1])
            shift = self._columns[row] - self._starts[row]
            yield Piece(row, start + shift, stop + shift)
            start, row = stop, row + 1
