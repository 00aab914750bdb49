"""The diff of a file under review: a line of it is marked, and the change that it belongs to."""

from collections.abc import Sequence

from textual import events
from textual.message import Message

from acp_tui.lazy_named_tuple import NamedTuple
from acp_tui.protocol.content import Diff
from acp_tui.review.comments import Comment, CommentedLine
from acp_tui.review.hunks import Hunk
from acp_tui.session.changed_files import ChangedFile
from acp_tui.ui.diff.diff_lines import DiffLines, DiffPlace
from acp_tui.ui.diff.header import is_binary
from acp_tui.ui.diff.line_diff import DiffBlock
from acp_tui.ui.diff.shown_lines import chosen
from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.lines.stack import Stack
from acp_tui.ui.palette import Palette
from acp_tui.ui.review.file_parts import diffs_of, parts_of

COMMENTED = "●"
"""Before a line with a comment."""
SIDES = 96
"""How many cells both sides of a diff need beside each other."""


class MarkedLine(NamedTuple):
    """The line that is marked, and its change; `hunk` is None outside of one."""

    diff: Diff
    place: DiffPlace
    hunk: Hunk | None


class DiffPane(LinesView):
    """What happened to one file; the first cell of each line is kept for the mark."""

    class Clicked(Message):
        """A line was marked by the mouse."""

    class Moved(Message):
        """Another line is marked, or it is known by now how many changes there are."""

    def __init__(self, split: bool | None) -> None:
        """`split` puts the sides beside each other; None: the width decides."""
        super().__init__()
        self._stack = Stack()
        self._diffs: list[tuple[Diff, DiffLines]] = []
        self._split = split
        self._other_end: int | None = None
        """Where the marked lines begin or end, if there are several; the other end is the mark."""
        self._drags = False
        self._grounded = range(0)
        """The rows that have a ground of their own."""
        self._commented: frozenset[CommentedLine] = frozenset()

    def show_file(self, file: ChangedFile | None, cwd: str, comments: Sequence[Comment]) -> None:
        """Show a file, from its top."""
        self._diffs = diffs_of(file, cwd) if file is not None else []
        lines = [one for _, one in self._diffs]
        self._stack = Stack(parts_of(file, lines, comments) if file is not None else [])
        self.mark = self._other_end = None
        self._grounded = range(0)
        self._mark_commented(comments)
        self.show(self._stack)

    def show_comments(self, file: ChangedFile, comments: Sequence[Comment]) -> None:
        """Show other comments; the mark stays."""
        self._stack.replace(parts_of(file, [one for _, one in self._diffs], comments))
        self._mark_commented(comments)
        self.show_again()

    def _mark_commented(self, comments: Sequence[Comment]) -> None:
        self._commented = frozenset(line for one in comments for line in one.lines)

    @property
    def has_diff(self) -> bool:
        """Whether there are lines that can be marked."""
        return any(not is_binary(diff) for diff, _ in self._diffs)

    # The sides

    @property
    def has_sides(self) -> bool:
        """Whether there are two sides that could be put beside each other."""
        return any(lines.has_sides for _, lines in self._diffs)

    def needs_more(self, width: int) -> bool:
        """Return whether the sides are wanted beside each other, and so many cells are too few."""
        return bool(self._split) and self.has_sides and width < SIDES

    def split(self) -> bool:
        """Put the sides beside each other, or no longer; return which. Nothing is marked then."""
        self._split = not any(lines.split for _, lines in self._diffs)
        self.move_mark(None)
        self.show_again()
        return self._split

    def _lay_out(self) -> None:
        split = self._split and not self.needs_more(self.size.width)
        for _, lines in self._diffs:
            lines.arrange(split, whole=False)
        self._stack.touch(0)
        super()._lay_out()

    def laid_out(self) -> None:
        """Tell that it is known how many changes there are."""
        self.post_message(self.Moved())

    # What is marked

    @property
    def change(self) -> tuple[int, int]:
        """Which change is marked, from 1, and how many there are; 0 outside of them."""
        found = self._find(self.mark) if self.mark is not None else None
        at = count = 0
        for _, lines in self._diffs:
            for change in lines.changes:
                count += 1
                if found is not None and found[1] is lines and found[2].is_in(change):
                    at = count
        return at, count

    @property
    def marked(self) -> MarkedLine | None:
        """The marked line of a diff."""
        found = self._find(self.mark) if self.mark is not None else None
        if found is None:
            return None
        diff, lines, place = found
        changes = (_hunk(one) for one in lines.changes if place.is_in(one))
        return MarkedLine(diff, place, next(changes, None))

    @property
    def is_range(self) -> bool:
        """Whether several lines are marked."""
        return self._other_end is not None

    @property
    def marked_lines(self) -> tuple[CommentedLine, ...]:
        """All lines that are marked, for a comment."""
        found = (self._find(row) for row in self._marked_rows)
        places = [place for _, _, place in filter(None, found)]
        return tuple(dict.fromkeys(map(_commented, places)))  # a wrapped line has several rows

    @property
    def _marked_rows(self) -> range:
        """The rows of all lines that are marked."""
        if self.mark is None:
            return range(0)
        end = self._other_end if self._other_end is not None else self.mark
        first, last = self._rows_of(min(self.mark, end)), self._rows_of(max(self.mark, end))
        return range(first.start, last.stop)

    def _find(self, row: int) -> tuple[Diff, DiffLines, DiffPlace] | None:
        """Return which line of a diff stands in a row."""
        found = self._stack.find(row) if 0 <= row < self._stack.height else None
        for diff, lines in self._diffs:
            if found is not None and found[0].lines is lines:
                place = lines.place_at(found[1])
                return (diff, lines, place) if place is not None else None
        return None

    def _rows_of(self, row: int) -> range:
        """Return the rows of the line that stands in a row, too, as far as it wraps."""
        found, first, last = self._find(row), row, row
        while found is not None and self._find(first - 1) == found:
            first -= 1
        while found is not None and self._find(last + 1) == found:
            last += 1
        return range(first, last + 1)

    def sign_at(self, line: int) -> str:
        """Return the sign of marked lines, and of those with a comment."""
        if line in self._marked_rows:
            return "▌"
        found = self._find(line) if self._commented else None
        if found is None or _commented(found[2]) not in self._commented:
            return ""
        return COMMENTED if self._find(line - 1) != found else ""

    def palette_at(self, line: int) -> Palette:
        """Return the styles of a line: those that are marked together stand on a ground of their own."""
        palette = super().palette_at(line)
        return chosen(palette) if line in self._grounded else palette

    def move_mark(self, line: int | None) -> None:
        """Mark a line alone, or none."""
        self._other_end = None
        self._move(line)

    def _move(self, line: int | None) -> None:
        super().move_mark(line)
        self.post_message(self.Moved())

    def ground(self) -> None:
        """Give the lines that are marked together their ground."""
        rows = self._marked_rows if self.is_range else range(0)
        if rows != self._grounded:
            self._grounded = rows
            self.refresh()

    def step(self, step: int) -> None:
        """Mark the next line of a diff, or the one before; what is folded is passed."""
        row = self._next_row(step)
        if row is not None:
            self.move_mark(row)

    def extend(self, step: int) -> None:
        """Mark one more line of the same diff, or one less."""
        row = self._next_row(step)
        if row is not None:
            self._extend_to(row)

    def mark_one(self) -> None:
        """Mark only the line at which one is."""
        self.move_mark(self.mark)

    def mark_lines(self, lines: Sequence[CommentedLine]) -> bool:
        """Mark these lines; false if they aren't here."""
        rows = [row for row in range(self._stack.height) if self._is_one_of(row, lines)]
        if rows:
            self.move_mark(rows[0])
            self._extend_to(rows[-1])
        return bool(rows)

    def _is_one_of(self, row: int, lines: Sequence[CommentedLine]) -> bool:
        found = self._find(row)
        return found is not None and _commented(found[2]) in lines

    def _next_row(self, step: int) -> int | None:
        """Return the first row of the next line, or of the one before."""
        rows = self._rows_of(self.mark) if self.mark is not None else None
        at = self._stack.height if step < 0 else -1
        if rows is not None:
            at = rows.start if step < 0 else rows.stop - 1
        while 0 <= at + step < self._stack.height:
            at += step
            if self._find(at) is not None:
                return self._rows_of(at).start
        return None

    def _extend_to(self, row: int) -> None:
        """Mark all from where the marked lines begin to a row of the same diff."""
        begin = self._other_end if self._other_end is not None else self.mark
        ends = (self._find(begin) if begin is not None else None), self._find(row)
        if ends[0] is None or ends[1] is None:
            self.move_mark(row)
        elif ends[0][1] is ends[1][1]:
            self._move(row)
            self._other_end = begin if ends[0] != ends[1] else None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Mark the line that is clicked on; with Shift all up to there."""
        row = self._row_at(event)
        if event.button == 1 and self._find(row) is not None:
            event.stop()
            if event.shift:
                self._extend_to(row)
            else:
                self.move_mark(row)
            self._drags = True
            self.capture_mouse()
            self.post_message(self.Clicked())

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Mark the lines that the mouse is drawn over."""
        row = self._row_at(event)
        if self._drags and row != self.mark and self._find(row) is not None:
            self._extend_to(row)
            self.post_message(self.Clicked())

    def _row_at(self, event: events.MouseEvent) -> int:
        return event.y - self.gutter.top + self.scroll_offset.y

    def on_mouse_up(self) -> None:
        """Let the mouse go."""
        self._drags = False
        self.release_mouse()

    def mark_near(self, line: int) -> None:
        """Mark the change at a line, or the one nearest to it: what stood there may be another one."""
        rows = self._change_rows()
        self.move_mark(min(rows, key=lambda row: abs(row - line)) if rows else None)

    def step_change(self, step: int) -> bool:
        """Mark the first line of the next change, or of the one before; false if there is none."""
        at = self.mark if self.mark is not None else (-1 if step > 0 else self._stack.height)
        rows = [row for row in self._change_rows() if (row > at if step > 0 else row < at)]
        if rows:
            self.move_mark(rows[0] if step > 0 else rows[-1])
        return bool(rows)

    def mark_change(self, number: int) -> None:
        """Mark the first line of a change, from 1."""
        rows = self._change_rows()
        self.move_mark(rows[number - 1] if 0 < number <= len(rows) else None)

    def _change_rows(self) -> list[int]:
        """Return the first row of each change, as far as they are laid out by now."""
        rows = []
        top = 0
        for part in self._stack.parts:
            top += part.gap
            for lines in (one for _, one in self._diffs if one is part.lines):
                rows += [top + first for first, _ in lines.change_rows()]
            top += part.lines.height
        return rows


def _commented(place: DiffPlace) -> CommentedLine:
    return CommentedLine(place.sign, place.line, place.text)


def _hunk(block: DiffBlock) -> Hunk:
    return Hunk(*block[1:])
