"""The rows of a diff: which lines they show, folded and wrapped, unified or side by side."""

from array import array
from collections.abc import Callable, Iterator
from enum import IntEnum
from itertools import islice
from typing import NamedTuple

from acp_tui.edits.line_diff import DiffBlock, DiffBlocks
from acp_tui.protocol.content import Diff
from acp_tui.protocol.file_events import EditLooked
from acp_tui.text import is_blank
from acp_tui.ui.diff.side import DiffSide
from acp_tui.ui.lines.cells import code_breaks, width_of

CONTEXT = 3
"""Unchanged lines shown around changes."""
MOST_EMPTY = 4
"""Most consecutive empty lines that are shown; more are only counted."""
ROWS_AT_ONCE = 64
"""Lines wrapped between two checks of the time."""


class RowKind(IntEnum):
    """The kind of a row."""

    SAME = 0
    REMOVED = 1
    ADDED = 2
    PAIR = 3  # side by side
    FOLD = 4  # `old` is the number of folded lines
    NO_NEWLINE = 5
    EMPTY = 6  # `pair` is the number of empty lines


class DiffRow(NamedTuple):
    """A row: the line of each side, or -1, and which row of a wrapped line this is (`part`).

    `pair` is the other side's line with which words are compared, or -1.
    """

    kind: RowKind
    old: int
    new: int
    part: int
    pair: int


class DiffRows:
    """Rows, stored compactly: there may be a hundred thousand."""

    def __init__(self) -> None:
        self.has_folds = False
        self._kinds = array("B")
        self._values = array("i")

    def __len__(self) -> int:
        return len(self._kinds)

    def __getitem__(self, index: int) -> DiffRow:
        old, new, part, pair = self._values[4 * index : 4 * index + 4]
        return DiffRow(RowKind(self._kinds[index]), old, new, part, pair)

    def add(self, kind: RowKind, old: int, new: int, parts: int = 1, pair: int = -1) -> None:
        """Add a line that takes `parts` rows."""
        self.has_folds = self.has_folds or kind in (RowKind.FOLD, RowKind.EMPTY)
        for part in range(parts):
            self._kinds.append(kind)
            self._values.extend((old, new, part, pair))


class DiffStart(NamedTuple):
    """The numbers in the file of the first line of each side, and whether the sides are only `part`
    of the file.
    """

    old: int = 1
    new: int = 1
    part: bool = False


WHOLE = DiffStart()


def lead_for(lines: int) -> int:
    """Return the lead that shows `lines` lines before the first change, and doesn't count the
    others.
    """
    return -lines - 1


def split_lead(size: int, most: int) -> tuple[int, int]:
    """Return how many of the `size` lines before the first change are counted, and how many are
    shown.

    Shows `most` lines, or one more if otherwise only one were counted. A lead of `lead_for` leaves
    the others out uncounted.
    """
    if most < 0:
        return 0, min(size, -most - 1)
    left = size - most
    return (left, most) if left > 1 else (0, size)


class DiffColumns(NamedTuple):
    """The cells for the text of a line, and for each line number."""

    text: int
    number: int
    both: bool  # whether each row of a unified diff has room for both numbers


def divide_width(width: int, split: bool, most: int) -> DiffColumns:
    """Return how to divide `width` cells for lines numbered up to `most`; 0 for lines without
    numbers.
    """
    number = len(str(most)) if most else 0
    if split:
        half = (width - 3) // 2
        number = number if half >= 20 + number else 0
        return DiffColumns(max(1, half - 2 - (number + 1 if number else 0)), number, False)
    if number and width >= 60:
        return DiffColumns(width - 2 * (number + 1) - 2, number, True)
    number = number if width >= 20 + number else 0
    return DiffColumns(max(1, width - 2 - (number + 1 if number else 0)), number, False)


def wrap_code_line(text: str, width: int) -> list[tuple[int, int]]:
    """Return the start and end of each row of a wrapped line; continuation rows are indented like
    the first.
    """
    if width_of(text) <= width:
        return [(0, len(text))]
    first, *others = code_breaks(text, width)
    begun = measure_indent(text, width)
    if begun:
        begin = first[1]
        others = [
            (begin + start, begin + end) for start, end in code_breaks(text[begin:], width - begun)
        ]
    return [first, *others]


def measure_indent(text: str, width: int) -> int:
    """Return the indent of a line in blanks, at most a third of `width`."""
    return min(len(text) - len(text.lstrip(" ")), width // 3)


class RowFiller:
    """Adds the blocks of a diff to the rows, in slices."""

    def __init__(
        self,
        rows: DiffRows,
        old: DiffSide,
        new: DiffSide,
        width: int,
        *,
        split: bool,
        whole: bool,
        lead: int = CONTEXT,
    ) -> None:
        """`lead` is the number of unchanged lines before the first change, see `split_lead`."""
        self._rows = rows
        self._old = old
        self._new = new
        self._width = width
        self._split = split
        self._whole = whole
        self._lead = lead

    def fill(self, blocks: DiffBlocks) -> Iterator[None]:
        """Add the rows of all blocks; yields every few lines."""
        for at, block in enumerate(blocks):
            if block.same:
                steps = self._unchanged(block, at == 0, at == len(blocks) - 1)
            elif self._split:
                steps = self._pairs(block)
            else:
                steps = self._add_changed(block)
            for done, _ in enumerate(steps):
                if done % ROWS_AT_ONCE == 0:
                    yield
        yield

    def _unchanged(self, block: DiffBlock, first: bool, last: bool) -> Iterator[None]:
        size = block.old_end - block.old_start
        head = 0 if first else min(CONTEXT, size)
        tail = 0 if last else min(CONTEXT, size - head)
        hidden = size - head - tail
        if first and not last and not self._whole:
            hidden, tail = split_lead(size, self._lead)
        elif hidden < 2 or self._whole:
            head, hidden = size - tail, 0
        for at in range(head):
            self._same(block.old_start + at, block.new_start + at)
            yield
        if hidden:
            self._rows.add(RowKind.FOLD, hidden, block.new_start + head)
        for at in range(size - tail, size):
            self._same(block.old_start + at, block.new_start + at)
            yield

    def _same(self, old: int, new: int) -> None:
        height = self._height(self._new, new)
        self._rows.add(RowKind.SAME, old, new, height)
        self._end_line(self._new, new, old, new)

    def _add_changed(self, block: DiffBlock) -> Iterator[None]:
        shift = block.new_start - block.old_start
        removed = range(block.old_start, block.old_end)
        for old, many in self._lines(removed, lambda at: self._is_empty(self._old, at)):
            pair = old + shift if old + shift < block.new_end else -1
            if many > 1:
                self._rows.add(RowKind.EMPTY, old, -1, pair=many)
            elif many:
                self._rows.add(RowKind.REMOVED, old, -1, self._height(self._old, old), pair)
                self._end_line(self._old, old, old, -1)
            yield
        added = range(block.new_start, block.new_end)
        for new, many in self._lines(added, lambda at: self._is_empty(self._new, at)):
            pair = new - shift if new - shift < block.old_end else -1
            if many > 1:
                self._rows.add(RowKind.EMPTY, -1, new, pair=many)
            elif many:
                self._rows.add(RowKind.ADDED, -1, new, self._height(self._new, new), pair)
                self._end_line(self._new, new, -1, new)
            yield

    def _pairs(self, block: DiffBlock) -> Iterator[None]:
        def pair(at: int) -> tuple[int, int]:
            old, new = block.old_start + at, block.new_start + at
            return (old if old < block.old_end else -1), (new if new < block.new_end else -1)

        def is_empty(at: int) -> bool:
            old, new = pair(at)
            return self._is_empty(self._old, old) and self._is_empty(self._new, new)

        pairs = range(max(block.old_end - block.old_start, block.new_end - block.new_start))
        for at, many in self._lines(pairs, is_empty):
            old, new = pair(at)
            if many > 1:
                self._rows.add(RowKind.EMPTY, old, new, pair=many)
            elif many:
                self._pair(old, new)
            yield

    def _pair(self, old: int, new: int) -> None:
        height = max(self._height(self._old, old), self._height(self._new, new))
        self._rows.add(RowKind.PAIR, old, new, height)
        ends = (self._ends_open(self._old, old), self._ends_open(self._new, new))
        if any(ends):
            self._rows.add(RowKind.NO_NEWLINE, old if ends[0] else -1, new if ends[1] else -1)

    def _lines(self, lines: range, is_empty: Callable[[int], bool]) -> Iterator[tuple[int, int]]:
        """Yield each line with 1, but the first of many empty lines with their number.

        Yields 0 every few lines while counting long runs of empty lines.
        """
        at = lines.start
        while at < lines.stop:
            end = at
            while not self._whole and end < lines.stop and is_empty(end):
                end += 1
                if (end - at) % ROWS_AT_ONCE == 0:
                    yield at, 0
            many = end - at > MOST_EMPTY
            yield at, end - at if many else 1
            at = end if many else at + 1

    def _is_empty(self, side: DiffSide, line: int) -> bool:
        return line < 0 or (is_blank(side.lines[line]) and not self._ends_open(side, line))

    def rows_before(self, blocks: DiffBlocks, lead: int) -> int | None:
        """Return the number of rows before the first change; None if there is no change."""
        first, *changed = islice(blocks, 2)
        if not first.same:
            return 0
        if not changed:
            return None
        size = first.old_end
        hidden, shown = split_lead(size, lead)
        lines = range(size - shown, size)
        return bool(hidden) + sum(self._height(self._new, line) for line in lines)

    def _height(self, side: DiffSide, line: int) -> int:
        return len(wrap_code_line(side.shown(line), self._width)) if line >= 0 else 1

    def _end_line(self, side: DiffSide, line: int, old: int, new: int) -> None:
        if self._ends_open(side, line):
            self._rows.add(RowKind.NO_NEWLINE, old, new)

    def _ends_open(self, side: DiffSide, line: int) -> bool:
        """Return whether a row should note that a last line has no newline.

        Only if the sides differ in that: agents send fragments of files as often as whole ones.
        """
        differ = self._old.ended != self._new.ended
        return differ and line == len(side.lines) - 1 and not side.ended


def start_at(place: EditLooked | None, diff: Diff, *, is_compared: bool = True) -> DiffStart | None:
    """Return the lines at which a diff starts in its file, as looked up; None if unknown.

    A file that couldn't be compared may or may not be new.
    """
    if place is None or not place.line:
        return None if diff.old_text else DiffStart(part=not is_compared)
    return DiffStart(place.line, place.new_line, part=not place.whole)


class DiffPlace(NamedTuple):
    """A line of a diff: its sign, its index on each side (-1 for none), its number in the file (0
    if unknown), and its text.
    """

    sign: str
    old: int
    new: int
    line: int
    text: str

    @property
    def at(self) -> tuple[bool, int]:
        """Whether the line is on the new side, and its index there, or else on the old side."""
        return self.sign != "-", self.old if self.sign == "-" else self.new

    def is_in(self, change: DiffBlock) -> bool:
        """Return whether the line is part of a change."""
        if self.sign == " ":
            return False
        in_old = change.old_start <= self.old < change.old_end
        return in_old or change.new_start <= self.new < change.new_end


def find_places(
    row: DiffRow, old: DiffSide, new: DiffSide, start: DiffStart | None
) -> tuple[DiffPlace, ...]:
    """Return the lines in a row, the new side last; none for folded or counted lines."""
    if row.kind in (RowKind.FOLD, RowKind.EMPTY, RowKind.NO_NEWLINE):
        return ()
    places = []
    if row.old >= 0 and row.kind is not RowKind.SAME:
        line = row.old + start.old if start is not None else 0
        places.append(DiffPlace("-", row.old, row.new, line, old.shown(row.old)))
    if row.new >= 0:
        sign = " " if row.kind is RowKind.SAME else "+"
        line = row.new + start.new if start is not None else 0
        places.append(DiffPlace(sign, row.old, row.new, line, new.shown(row.new)))
    return tuple(places)


def find_folded(
    row: DiffRow, new: DiffSide, start: DiffStart | None, line: int
) -> DiffPlace | None:
    """Return the unchanged line with that number in the file, if it is folded in this row."""
    at = line - start.new if start is not None else -1
    if row.kind is not RowKind.FOLD or not row.new <= at < row.new + row.old:
        return None
    return DiffPlace(" ", -1, at, line, new.shown(at))
