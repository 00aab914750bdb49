"""A diff with the comments on it: each stands below its line."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from textual.strip import Strip

from acp_tui.edits.comments import Comment, CommentedLine, numbers
from acp_tui.formatting import counted
from acp_tui.text import clean_line
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.lines.measure import measure
from acp_tui.ui.lines.stack import Stack, StackPart
from acp_tui.ui.lines.text_lines import TextLines

if TYPE_CHECKING:
    from acp_tui.edits.line_diff import DiffBlock
    from acp_tui.ui.diff.diff_lines import DiffLines
    from acp_tui.ui.diff.rows import DiffPlace

SAID = "╰ "
"""Before the words about a line."""
STYLE = "warning"
"""What is said stands out from code."""


def commented(place: "DiffPlace") -> CommentedLine:
    """Return a line of a diff as comments know it."""
    return CommentedLine(place.sign, place.line, place.text)


class _Rows:
    """Some rows of a diff that is laid out."""

    def __init__(self, diff: "DiffLines", first: int, end: int) -> None:
        self._diff = diff
        self.first = first
        self.height = end - first

    def lay_out(self, width: int, until: float) -> bool:  # noqa: ARG002
        return True

    def strip(self, y: int, palette: Palette) -> Strip:
        return self._diff.strip(self.first + y, palette)

    def plain(self, y: int) -> str:
        return self._diff.plain(self.first + y)

    def source(self, first: int, last: int) -> str:
        return self._diff.source(self.first + first, self.first + last)


class CommentedDiff:
    """Once the diff is laid out, it is known where the comments stand. What is about a line that is folded
    stands below the fold; what is about a line that isn't there at all is `left`.
    """

    def __init__(self, diff: "DiffLines") -> None:
        self._diff = diff
        self._comments: Sequence[Comment] = ()
        self._stack = Stack()
        self._form = measure.form(0)
        self._is_placed = False
        self.left: list[Comment] = []

    @property
    def split(self) -> bool:
        """Whether the sides stand beside each other."""
        return self._diff.split

    @property
    def has_sides(self) -> bool:
        """Whether there are lines on both sides."""
        return self._diff.has_sides

    @property
    def changes(self) -> "list[DiffBlock]":
        """What was changed, as far as it is known by now."""
        return self._diff.changes

    def comment(self, comments: Sequence[Comment]) -> None:
        """Show these comments."""
        self._comments, self._is_placed = comments, False

    def arrange(self, split: bool | None) -> None:
        """Put the sides beside each other, or not; if it is None, the width decides."""
        self._diff.arrange(split, whole=False)
        self._is_placed = False

    def places_at(self, y: int) -> "tuple[DiffPlace, ...]":
        """Return which lines of the diff stand in a row, that of the new side last."""
        found = self._stack.find(y) if 0 <= y < self.height else None
        if found is None or not isinstance(found[0].lines, _Rows):
            return ()
        return self._diff.places_at(found[0].lines.first + found[1])

    def is_said(self, y: int) -> bool:
        """Return whether a comment stands in a row."""
        found = self._stack.find(y) if 0 <= y < self.height else None
        return found is not None and not isinstance(found[0].lines, _Rows)

    def change_rows(self) -> list[int]:
        """Return the first row of each change, as far as it is laid out by now."""
        tops = []
        top = 0
        for part in self._stack.parts:
            if isinstance(part.lines, _Rows):
                tops.append((part.lines.first, top))
            top += part.lines.height
        rows = []
        for first, _ in self._diff.change_rows():
            begin, top = next((one for one in reversed(tops) if one[0] <= first), (0, 0))
            rows.append(top + first - begin)
        return rows

    # As lines

    @property
    def height(self) -> int:
        return self._stack.height

    def lay_out(self, width: int, until: float) -> bool:
        if measure.form(width) != self._form:
            self._form, self._is_placed = measure.form(width), False
        if not self._is_placed:
            self._is_placed = self._diff.lay_out(width, until)
            self._stack = Stack(self._parts() if self._is_placed else [self._rows(0)])
        return self._stack.lay_out(width, until) and self._is_placed

    def strip(self, y: int, palette: Palette) -> Strip:
        return self._stack.strip(y, palette)

    def plain(self, y: int) -> str:
        return self._stack.plain(y)

    def source(self, first: int, last: int) -> str:
        return self._stack.source(first, last)

    # Where the comments stand

    def _parts(self) -> list[StackPart]:
        """Put each comment below the last row of its lines."""
        found = self._find()
        self.left = [one for at, one in enumerate(self._comments) if at not in found]
        parts = []
        begin = 0
        for row, at in sorted((row, at) for at, row in found.items()):
            if row >= begin:
                parts.append(self._rows(begin, row + 1))
                begin = row + 1
            parts.append(
                StackPart(TextLines(self._words(self._comments[at], row), STYLE, mark=SAID))
            )
        return [*parts, self._rows(begin)]

    def _rows(self, first: int, end: int | None = None) -> StackPart:
        return StackPart(_Rows(self._diff, first, self._diff.height if end is None else end))

    def _find(self) -> dict[int, int]:
        """Return the rows of the comments, by their places in the list."""
        shown: dict[int, int] = {}
        folded: dict[int, int] = {}
        for row in range(self._diff.height) if self._comments else ():
            there = {commented(one).subject for one in self._diff.places_at(row)}
            for at, comment in enumerate(self._comments):
                if not there.isdisjoint(one.subject for one in comment.lines):
                    shown[at] = row
                elif not there and self._is_folded(row, comment.lines[-1]):
                    folded[at] = row
        return {**folded, **shown}

    def _is_folded(self, row: int, line: CommentedLine) -> bool:
        place = self._diff.folded_at(row, line.number)
        return place is not None and commented(place).subject == line.subject

    def _words(self, comment: Comment, row: int) -> str:
        """Say which lines it is about, where that isn't the one above."""
        lines = [commented(one).subject for one in self._diff.places_at(row)]
        is_clear = lines == [one.subject for one in comment.lines]
        return told(comment, "" if is_clear else f" on {place_of(comment)}")


class LeftComments:
    """The comments on a file whose lines are in none of its diffs, with what stood there."""

    def __init__(self, diffs: Sequence[CommentedDiff], comments: Sequence[Comment]) -> None:
        self._diffs = diffs
        self._comments = comments
        self._shown: list[Comment] = []
        self._stack = Stack()

    @property
    def height(self) -> int:
        return self._stack.height

    def lay_out(self, width: int, until: float) -> bool:
        left = [one for one in self._comments if all(one in diff.left for diff in self._diffs)]
        if left != self._shown:
            self._shown = left
            self._stack = Stack(StackPart(TextLines(words, STYLE)) for words in self._words())
        return self._stack.lay_out(width, until)

    def _words(self) -> Iterator[str]:
        for one in self._shown:
            text = clean_line(one.lines[-1].text).strip()
            stood = f" “{text}”" if text else ""
            why = "gone by now" if one.is_gone else "not shown here"
            yield told(one, f" on {place_of(one)},{stood}, which is {why}")

    def strip(self, y: int, palette: Palette) -> Strip:
        return self._stack.strip(y, palette)

    def plain(self, y: int) -> str:
        return self._stack.plain(y)

    def source(self, first: int, last: int) -> str:
        return self._stack.source(first, last)


def told(comment: Comment, about: str) -> str:
    """Return what was said, and about what."""
    return f"Your comment{about}: {clean_line(comment.words)}"


def place_of(comment: Comment) -> str:
    """Name its lines: by their numbers, as far as these are known."""
    known = numbers(comment.lines)
    removed = "removed " if all(one.is_removed for one in comment.lines) else ""
    if len(comment.lines) == 1 and known:
        return f"{removed}line {known}"
    if "-" in known:
        return f"{removed}lines {known}"
    at = f" at {known}" if known else ""
    return f"{counted(len(comment.lines), f'{removed}line')}{at}"
