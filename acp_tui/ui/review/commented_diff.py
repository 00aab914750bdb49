"""Diffs under review: comments below their lines, authors above their changes, and the lookup of
the line in each row.
"""

from collections.abc import Collection, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from textual.strip import Strip

from acp_tui.edits.authors import HunkAuthors
from acp_tui.edits.comments import Comment, CommentedLine, Subject, format_line_numbers
from acp_tui.edits.hunks import LineHunk
from acp_tui.edits.line_diff import DiffBlock
from acp_tui.formatting import counted
from acp_tui.protocol.content import Diff
from acp_tui.text import clean_line
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.diff.header import is_binary
from acp_tui.ui.diff.rows import DiffPlace
from acp_tui.ui.lines.lines import measure
from acp_tui.ui.lines.stack import Stack, StackPart
from acp_tui.ui.lines.text_lines import TextLines

if TYPE_CHECKING:
    from acp_tui.ui.diff.diff_lines import DiffLines

COMMENT_SIGN = "╰ "
"""The mark before a comment's text."""
STYLE = "warning"
"""The style of a comment, which sets it off from code."""
UNKNOWN = "author unknown"
"""The author of a change that no tool call and no write explains."""


def commented_line(place: DiffPlace) -> CommentedLine:
    """Convert a line of a diff into the form that comments refer to."""
    return CommentedLine(place.sign, place.line, place.text)


class _Rows:
    """Some rows of a laid-out diff."""

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


class CommentedDiff(Stack):
    """A diff with its comments, which are placed once the diff is laid out.

    A comment on a folded line is below the fold; comments on lines that aren't in the diff are
    `left`. If the changes have different `authors`, each change is below their names.
    """

    def __init__(self, diff: "DiffLines", authors: HunkAuthors | None = None) -> None:
        super().__init__()
        self._diff = diff
        self._authors = authors
        self._comments: Sequence[Comment] = ()
        self._is_placed = False
        self.left: list[Comment] = []

    @property
    def split(self) -> bool:
        """Whether both sides are shown side by side."""
        return self._diff.split

    @property
    def has_sides(self) -> bool:
        """Whether both sides have lines."""
        return self._diff.has_sides

    @property
    def changes(self) -> list[DiffBlock]:
        """The changes found so far, while the comparison may still be running."""
        return self._diff.changes

    def comment(self, comments: Sequence[Comment]) -> None:
        """Show these comments."""
        self._comments, self._is_placed = comments, False

    def arrange(self, split: bool | None) -> None:
        """Show the diff side by side or in one column; None lets the width decide."""
        self._diff.arrange(split, whole=False)
        self._is_placed = False

    def places_at(self, y: int) -> tuple[DiffPlace, ...]:
        """Return the file's lines shown in a row, the new side last."""
        found = self.find(y) if 0 <= y < self.height else None
        if found is None or not isinstance(found[0].lines, _Rows):
            return ()
        return self._diff.places_at(found[0].lines.first + found[1])

    def is_comment(self, y: int) -> bool:
        """Return whether a row belongs to a comment."""
        found = self.find(y) if 0 <= y < self.height else None
        return found is not None and not isinstance(found[0].lines, _Rows)

    def change_rows(self) -> list[int]:
        """Return the first row of each change that is laid out so far."""
        tops = []
        top = 0
        for part in self.parts:
            if isinstance(part.lines, _Rows):
                tops.append((part.lines.first, top))
            top += part.lines.height
        rows = []
        for first, _ in self._diff.change_rows():
            begin, top = next((one for one in reversed(tops) if one[0] <= first), (0, 0))
            rows.append(top + first - begin)
        return rows

    # As lines

    def lay_out(self, width: int, until: float) -> bool:
        if measure.form(width) != self._form:
            self._is_placed = False
        if not self._is_placed:
            self._is_placed = self._diff.lay_out(width, until)
            self.replace(self._place_parts() if self._is_placed else [self._rows(0)])
        return super().lay_out(width, until) and self._is_placed

    # Placing the comments

    def _place_parts(self) -> list[StackPart]:
        """Return the diff in parts, with each comment below its last line, and authors above the
        first row of their change.
        """
        found = self._find_rows()
        self.left = [one for at, one in enumerate(self._comments) if at not in found]
        comment_parts = [
            (
                row + 1,
                StackPart(
                    TextLines(self._words(self._comments[at], row), STYLE, mark=COMMENT_SIGN)
                ),
            )
            for row, at in sorted((row, at) for at, row in found.items())
        ]
        parts = []
        begin = 0
        for row, part in sorted([*comment_parts, *self._author_parts()], key=itemgetter(0)):
            if row > begin:
                parts.append(self._rows(begin, row))
                begin = row
            parts.append(part)
        return [*parts, self._rows(begin)]

    def _author_parts(self) -> list[tuple[int, StackPart]]:
        """Return the first row and the authors of each change; nothing if all changes have the same
        authors.
        """
        if self._authors is None:
            return []
        authors = [self._authors.authors_of(LineHunk(*one[1:])) for one in self._diff.changes]
        if all(one == authors[0] and None not in one for one in authors):
            return []
        words = [
            ", ".join(UNKNOWN if name is None else name or "the session" for name in names)
            for names in authors
        ]
        rows = (first for first, _ in self._diff.change_rows())
        return [
            (row, StackPart(TextLines(one, "accent", mark="↪ ")))
            for row, one in zip(rows, words, strict=False)
        ]

    def _rows(self, first: int, end: int | None = None) -> StackPart:
        return StackPart(_Rows(self._diff, first, self._diff.height if end is None else end))

    def _find_rows(self) -> dict[int, int]:
        """Return the row of each comment, by its index in the list."""
        shown: dict[int, int] = {}
        folded: dict[int, int] = {}
        for row in range(self._diff.height) if self._comments else ():
            there = {commented_line(one).subject for one in self._diff.places_at(row)}
            for at, comment in enumerate(self._comments):
                if not there.isdisjoint(one.subject for one in comment.lines):
                    shown[at] = row
                elif not there and self._is_folded(row, comment.lines[-1]):
                    folded[at] = row
        return {**folded, **shown}

    def _is_folded(self, row: int, line: CommentedLine) -> bool:
        place = self._diff.folded_at(row, line.number)
        return place is not None and commented_line(place).subject == line.subject

    def _words(self, comment: Comment, row: int) -> str:
        """Return a comment's text, with its lines unless they are just the one above."""
        lines = [commented_line(one).subject for one in self._diff.places_at(row)]
        is_clear = lines == [one.subject for one in comment.lines]
        return format_comment(comment, "" if is_clear else f" on {place_of_comment(comment)}")


class LeftComments(Stack):
    """The comments on a file whose lines are in none of its diffs, each with its line's text."""

    def __init__(self, diffs: Sequence[CommentedDiff], comments: Sequence[Comment]) -> None:
        super().__init__()
        self._diffs = diffs
        self._comments = comments
        self._shown: list[Comment] = []

    def lay_out(self, width: int, until: float) -> bool:
        left = [one for one in self._comments if all(one in diff.left for diff in self._diffs)]
        if left != self._shown:
            self._shown = left
            self.replace([StackPart(TextLines(words, STYLE)) for words in self._words()])
        return super().lay_out(width, until)

    def _words(self) -> Iterator[str]:
        for one in self._shown:
            text = clean_line(one.lines[-1].text).strip()
            stood = f" “{text}”" if text else ""
            why = "gone by now" if one.is_gone else "not shown here"
            yield format_comment(one, f" on {place_of_comment(one)},{stood}, which is {why}")


def format_comment(comment: Comment, about: str) -> str:
    """Format a comment; `about` describes its lines."""
    return f"Your comment{about}: {clean_line(comment.words)}"


def place_of_comment(comment: Comment) -> str:
    """Describe the lines of a comment, with the line numbers that are known."""
    known = format_line_numbers(comment.lines)
    removed = "removed " if all(one.is_removed for one in comment.lines) else ""
    if len(comment.lines) == 1 and known:
        return f"{removed}line {known}"
    if "-" in known:
        return f"{removed}lines {known}"
    at = f" at {known}" if known else ""
    return f"{counted(len(comment.lines), f'{removed}line')}{at}"


class FoundLine(NamedTuple):
    """The line of a diff in a row; side by side, the lines of both sides."""

    diff: Diff
    lines: CommentedDiff
    places: tuple[DiffPlace, ...]

    @property
    def place(self) -> DiffPlace:
        """The line, on the new side if there is one."""
        return self.places[-1]

    def has(self, subjects: Collection[Subject]) -> bool:
        """Return whether a comment is about one of the lines; `subjects` are those of the comments."""
        return any(commented_line(one).subject in subjects for one in self.places)

    @property
    def hunk(self) -> LineHunk | None:
        """The change that contains the line; None outside of changes."""
        changes = (LineHunk(*one[1:]) for one in self.lines.changes if self.place.is_in(one))
        return next(changes, None)


class ShownDiffs:
    """Finds the diff lines in the rows of a stack, which may have other parts, too."""

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
        """Whether any diff has two sides."""
        return any(lines.has_sides for lines in self.lines)

    def find(self, row: int) -> FoundLine | None:
        """Return the line in a row, and its diff."""
        found = self.stack.find(row) if 0 <= row < self.stack.height else None
        for diff, lines in self._diffs:
            if found is not None and found[0].lines is lines:
                places = lines.places_at(found[1])
                return FoundLine(diff, lines, places) if places else None
        return None

    def row_of(self, line: FoundLine) -> int | None:
        """Return the first row of a line that was found before the stack was laid out again."""
        for row in range(self.stack.height):
            found = self.find(row)
            same = found is not None and found.lines is line.lines
            if found is not None and same and line.place.at in (one.at for one in found.places):
                return row
        return None

    def comment_rows_below(self, row: int) -> range:
        """Return the rows of the comments below the line in a row."""
        found, end = self.find(row), row + 1
        while found is not None and end < self.stack.height and self._is_comment(end, found.lines):
            end += 1
        return range(row + 1, end)

    def _is_comment(self, row: int, lines: CommentedDiff) -> bool:
        found = self.stack.find(row)
        return found is not None and found[0].lines is lines and lines.is_comment(found[1])

    def rows_of(self, row: int) -> range:
        """Return all rows of the line in a row: a wrapped line has several."""
        found, first, last = self.find(row), row, row
        while found is not None and self.find(first - 1) == found:
            first -= 1
        while found is not None and self.find(last + 1) == found:
            last += 1
        return range(first, last + 1)

    def next_row(self, row: int | None, step: int) -> int | None:
        """Return the first row of the next or previous line; without a `row`, of the first or last
        one.
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
        """Return the number of a row's change, from 1, or 0 outside of changes, and the number of
        changes.
        """
        found = self.find(row) if row is not None else None
        at = count = 0
        for lines in self.lines:
            for change in lines.changes:
                count += 1
                if found is not None and found.lines is lines and found.place.is_in(change):
                    at = count
        return at, count

    def change_rows(self) -> list[int]:
        """Return the first row of each change that is laid out so far."""
        rows = []
        top = 0
        for part in self.stack.parts:
            top += part.gap
            for lines in (one for one in self.lines if one is part.lines):
                rows += [top + first for first in lines.change_rows()]
            top += part.lines.height
        return rows
