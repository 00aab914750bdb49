"""Drawn rows joined into the text from which they were wrapped."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from acp_tui.ui.lines.lines import LineColumn
from acp_tui.ui.lines.stack import wrap_at


class Piece(NamedTuple):
    """A range of characters in a row, `end` excluded."""

    row: int
    start: int
    end: int


class RowText:
    """The text from which rows were wrapped, starting at row `first`, with each row's position in
    it.

    Rows are read in portions.
    """

    def __init__(self, first: int = 0) -> None:
        self.size = 0
        """Number of characters read so far."""
        self._first = first
        self._texts: list[str] = []
        self._text_starts = array("I")
        self._starts = array("I")  # offset of each row in the text
        self._columns = array("I")  # column at which each row's own text begins

    @property
    def stop(self) -> int:
        """The row after the last one that was read."""
        return self._first + len(self._starts)

    def read(self, lines: LineColumn, count: int) -> bool:
        """Read the next `count` rows; return False if there are none left."""
        rows = range(self.stop, min(lines.height, self.stop + count))
        parts: list[str] = []
        self._text_starts.append(self.size)
        for y in rows:
            row, wrap = lines.plain(y), wrap_at(lines, y) if y > self._first else None
            column, between = (0, "\n" if y > self._first else "") if wrap is None else wrap
            text = row[column:].rstrip()
            parts += (between, text)
            self._starts.append(self.size + len(between))
            self._columns.append(column)
            self.size += len(between) + len(text)
        self._texts.append("".join(parts))
        return bool(rows)

    def text(self, start: int, end: int) -> str:
        """Return the characters from `start` to `end`."""
        first = bisect_right(self._text_starts, start) - 1
        last = bisect_left(self._text_starts, end)
        skip = self._text_starts[first]
        return "".join(self._texts[first:last])[start - skip : end - skip]

    def pieces(self, start: int, end: int) -> Iterator[Piece]:
        """Yield the row ranges that make up characters `start` to `end` of the text."""
        row = bisect_right(self._starts, start) - 1
        while start < end:
            last = row + 1 == len(self._starts)
            stop = end if last else min(end, self._starts[row + 1])
            shift = self._columns[row] - self._starts[row]
            yield Piece(self._first + row, start + shift, stop + shift)
            start, row = stop, row + 1
