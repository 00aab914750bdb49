"""The diffs of a file as they stand below each other: which line of which of them is in a row."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from acp_tui.edits.comments import Subject
from acp_tui.edits.hunks import LineHunk
from acp_tui.protocol.content import Diff
from acp_tui.ui.diff.header import is_binary
from acp_tui.ui.diff.rows import DiffPlace
from acp_tui.ui.lines.stack import Stack
from acp_tui.ui.review.commented_diff import CommentedDiff, commented


class FoundLine(NamedTuple):
    """The line of a diff in a row; where two stand beside each other, both."""

    diff: Diff
    lines: CommentedDiff
    places: tuple[DiffPlace, ...]

    @property
    def place(self) -> DiffPlace:
        """The line, on the new side if it has one."""
        return self.places[-1]

    def has(self, subjects: Collection[Subject]) -> bool:
        """Return whether one of them is what some comments are about."""
        return any(commented(one).subject in subjects for one in self.places)

    @property
    def hunk(self) -> LineHunk | None:
        """The change that the line belongs to; None outside of one."""
        changes = (LineHunk(*one[1:]) for one in self.lines.changes if self.place.is_in(one))
        return next(changes, None)


class ShownDiffs:
    """What stands in the rows of a stack, which may have other parts, too."""

    def __init__(self, stack: Stack, diffs: Sequence[tuple[Diff, CommentedDiff]] = ()) -> None:
        self.stack = stack
        self.lines = [lines for _, lines in diffs]
        self._diffs = diffs

    @property
    def has_diff(self) -> bool:
        """Whether there are lines that can be marked."""
        return any(not is_binary(diff) for diff, _ in self._diffs)

    @property
    def has_sides(self) -> bool:
        """Whether there are two sides that could be put beside each other."""
        return any(lines.has_sides for lines in self.lines)

    def find(self, row: int) -> FoundLine | None:
        """Return which line of a diff stands in a row."""
        found = self.stack.find(row) if 0 <= row < self.stack.height else None
        for diff, lines in self._diffs:
            if found is not None and found[0].lines is lines:
                places = lines.places_at(found[1])
                return FoundLine(diff, lines, places) if places else None
        return None

    def row_of(self, line: FoundLine) -> int | None:
        """Return the first row in which a line stands that was found before all was laid out again."""
        for row in range(self.stack.height):
            found = self.find(row)
            same = found is not None and found.lines is line.lines
            if found is not None and same and line.place.at in (one.at for one in found.places):
                return row
        return None

    def said_below(self, row: int) -> range:
        """Return the rows below a line in which something is said about it."""
        found, end = self.find(row), row + 1
        while found is not None and end < self.stack.height and self._is_said(end, found.lines):
            end += 1
        return range(row + 1, end)

    def _is_said(self, row: int, lines: CommentedDiff) -> bool:
        found = self.stack.find(row)
        return found is not None and found[0].lines is lines and lines.is_said(found[1])

    def rows_of(self, row: int) -> range:
        """Return the rows of the line that stands in a row, too, as far as it wraps."""
        found, first, last = self.find(row), row, row
        while found is not None and self.find(first - 1) == found:
            first -= 1
        while found is not None and self.find(last + 1) == found:
            last += 1
        return range(first, last + 1)

    def next_row(self, row: int | None, step: int) -> int | None:
        """Return the first row of the next line, or of the one before; without a row of the first line,
        or the last one.
        """
        rows = self.rows_of(row) if row is not None else None
        at = self.stack.height if step < 0 else -1
        if rows is not None:
            at = rows.start if step < 0 else rows.stop - 1
        while 0 <= at + step < self.stack.height:
            at += step
            if self.find(at) is not None:
                return self.rows_of(at).start
        return None

    def change(self, row: int | None) -> tuple[int, int]:
        """Return which change a row belongs to, from 1, and how many there are; 0 outside of them."""
        found = self.find(row) if row is not None else None
        at = count = 0
        for lines in self.lines:
            for change in lines.changes:
                count += 1
                if found is not None and found.lines is lines and found.place.is_in(change):
                    at = count
        return at, count

    def change_rows(self) -> list[int]:
        """Return the first row of each change, as far as they are laid out by now."""
        rows = []
        top = 0
        for part in self.stack.parts:
            top += part.gap
            for lines in (one for one in self.lines if one is part.lines):
                rows += [top + first for first in lines.change_rows()]
            top += part.lines.height
        return rows
