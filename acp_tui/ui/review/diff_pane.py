"""The diff of a file under review: a line of it is marked, and the change that it belongs to."""

from collections.abc import Sequence
from functools import lru_cache

from rich.style import Style
from textual import events
from textual.message import Message

from acp_tui.edits.comments import Comment, CommentedLine, Subject
from acp_tui.state.changed_files import ChangedFile
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.lines.stack import Stack
from acp_tui.ui.review.commented_diff import FoundLine, ShownDiffs, commented_line
from acp_tui.ui.review.file_parts import diff_lines_of, parts_of_file

COMMENTED = "●"
"""Before a line with a comment."""
SIDES = 96
"""How many cells a diff needs side by side."""
_KINDS = ("diff.added", "diff.removed")


class DiffPane(LinesView):
    """What happened to one file; the first cell of each line is kept for the mark."""

    class LineClicked(Message):
        """A line was marked by the mouse."""

    class MarkMoved(Message):
        """Another line is marked, or it is known by now how many changes there are."""

    def __init__(self, split: bool | None) -> None:
        """`split` puts the sides beside each other; None: the width decides."""
        super().__init__()
        self._shown = ShownDiffs(Stack())
        self._split = split
        self._other_end: int | None = None
        """Where the marked lines begin or end, if there are several; the other end is the mark."""
        self._stays: list[FoundLine] = []
        """The ends of what is marked, while all is laid out again: they may stand in other rows then."""
        self._drags = False
        self._grounded = range(0)
        """The rows that have a ground of their own."""
        self._commented: frozenset[Subject] = frozenset()
        """What the comments are about."""

    def show_file(self, file: ChangedFile | None, cwd: str, comments: Sequence[Comment]) -> None:
        """Show a file, from its top."""
        diffs = diff_lines_of(file, cwd) if file is not None else []
        lines = [one for _, one in diffs]
        stack = Stack(parts_of_file(file, lines, comments) if file is not None else [])
        self._shown = ShownDiffs(stack, diffs)
        self.mark = self._other_end = None
        self._stays = []
        self._grounded = range(0)
        self._mark_commented(comments)
        self.show(stack)

    def show_comments(self, file: ChangedFile, comments: Sequence[Comment]) -> None:
        """Show other comments; the mark stays."""
        self._shown.stack.replace(parts_of_file(file, self._shown.lines, comments))
        self._mark_commented(comments)
        self.show_again()

    def _mark_commented(self, comments: Sequence[Comment]) -> None:
        self._commented = frozenset(line.subject for one in comments for line in one.lines)

    @property
    def has_diff(self) -> bool:
        """Whether there are lines that can be marked."""
        return self._shown.has_diff

    # The sides

    @property
    def has_sides(self) -> bool:
        """Whether any diff has two sides."""
        return self._shown.has_sides

    def needs_more(self, width: int) -> bool:
        """Return whether the diff is wanted side by side, and `width` cells are too few for that."""
        return bool(self._split) and self.has_sides and width < SIDES

    @property
    def is_split(self) -> bool:
        """Whether the diff is shown side by side."""
        return any(lines.split for lines in self._shown.lines)

    def split(self) -> bool:
        """Show the diff side by side, or in one column again; return which. Nothing is marked then."""
        self._split = not self.is_split
        self.move_mark(None)
        self.show_again()
        return self._split

    def _lay_out(self) -> None:
        if not self._stays:
            ends = (
                self._shown.find(one) for one in (self.mark, self._other_end) if one is not None
            )
            self._stays = list(filter(None, ends))
        split = self._split and not self.needs_more(self.size.width)
        for lines in self._shown.lines:
            lines.arrange(split)
        self._shown.stack.touch(0)
        super()._lay_out()

    def laid_out(self) -> None:
        """Mark the same lines as before, and tell that it is known how many changes there are."""
        rows = [self._shown.row_of(one) for one in self._stays]
        self._stays = []
        if self.mark is not None and rows and rows[0] is not None:
            super().move_mark(rows[0])
            self._other_end = rows[1] if len(rows) > 1 else None
            self._show_said()
        self.post_message(self.MarkMoved())

    # What is marked

    @property
    def change(self) -> tuple[int, int]:
        """Which change is marked, from 1, and how many there are; 0 outside of them."""
        return self._shown.change(self.mark)

    @property
    def marked(self) -> FoundLine | None:
        """The marked line of a diff."""
        return self._shown.find(self.mark) if self.mark is not None else None

    @property
    def is_range(self) -> bool:
        """Whether several lines are marked."""
        return self._other_end is not None

    @property
    def marked_lines(self) -> tuple[CommentedLine, ...]:
        """All lines that are marked, for a comment."""
        found = (self._shown.find(row) for row in self._marked_rows)
        places = [one.place for one in filter(None, found)]
        return tuple(dict.fromkeys(map(commented_line, places)))  # a wrapped line has several rows

    @property
    def _marked_rows(self) -> range:
        """The rows of all lines that are marked."""
        if self.mark is None:
            return range(0)
        end = self._other_end if self._other_end is not None else self.mark
        first, last = (
            self._shown.rows_of(min(self.mark, end)),
            self._shown.rows_of(max(self.mark, end)),
        )
        return range(first.start, last.stop)

    def sign_at(self, line: int) -> str:
        """Return the sign of marked lines, and of those with a comment."""
        if line in self._marked_rows:
            return "▌"
        found = self._shown.find(line) if self._commented else None
        if found is None or not found.has(self._commented):
            return ""
        return COMMENTED if self._shown.find(line - 1) != found else ""

    def palette_at(self, line: int) -> Palette:
        """Return the styles of a line: those that are marked together stand on a ground of their own."""
        palette = super().palette_at(line)
        return chosen_styles(palette) if line in self._grounded else palette

    def move_mark(self, line: int | None) -> None:
        """Mark a line alone, or none."""
        self._other_end = None
        self._move_to(line)

    def _move_to(self, line: int | None) -> None:
        self._stays = []
        super().move_mark(line)
        self._show_said()
        self.post_message(self.MarkMoved())

    def _show_said(self) -> None:
        """Scroll until the comments on the marked line are seen, too, if there is room for both."""
        if self.mark is None:
            return
        end = self._shown.said_below(self._shown.rows_of(self.mark).stop - 1).stop
        top, height = self.scroll_offset.y, max(1, self.size.height)
        if end > top + height:
            self.scroll_to(y=min(self.mark, end - height), animate=False)

    def ground(self) -> None:
        """Give the lines that are marked together their ground."""
        rows = self._marked_rows if self.is_range else range(0)
        if rows != self._grounded:
            self._grounded = rows
            self.refresh()

    def step(self, step: int) -> None:
        """Mark the next line of a diff, or the one before; what is folded is passed."""
        row = self._shown.next_row(self.mark, step)
        if row is not None:
            self.move_mark(row)

    def extend(self, step: int) -> None:
        """Mark one more line of the same diff, or one less."""
        row = self._shown.next_row(self.mark, step)
        if row is not None:
            self._extend_to(row)

    def mark_one(self) -> None:
        """Mark only the line at which one is."""
        self.move_mark(self.mark)

    def mark_lines(self, lines: Sequence[CommentedLine]) -> bool:
        """Mark these lines; false if they aren't here."""
        subjects = {one.subject for one in lines}
        found = map(self._shown.find, range(self._shown.stack.height))
        rows = [row for row, one in enumerate(found) if one is not None and one.has(subjects)]
        if rows:
            self.move_mark(rows[0])
            self._extend_to(rows[-1])
        return bool(rows)

    def _extend_to(self, row: int) -> None:
        """Mark all from where the marked lines begin to a row of the same diff."""
        begin = self._other_end if self._other_end is not None else self.mark
        ends = (self._shown.find(begin) if begin is not None else None), self._shown.find(row)
        if ends[0] is None or ends[1] is None:
            self.move_mark(row)
        elif ends[0].lines is ends[1].lines:
            self._move_to(row)
            self._other_end = begin if ends[0] != ends[1] else None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Mark the line that is clicked on; with Shift all up to there."""
        row = self._row_at(event)
        if event.button == 1 and self._shown.find(row) is not None:
            event.stop()
            if event.shift:
                self._extend_to(row)
            else:
                self.move_mark(row)
            self._drags = True
            self.capture_mouse()
            self.post_message(self.LineClicked())

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Mark the lines that the mouse is drawn over."""
        row = self._row_at(event)
        if self._drags and row != self.mark and self._shown.find(row) is not None:
            self._extend_to(row)
            self.post_message(self.LineClicked())

    def _row_at(self, event: events.MouseEvent) -> int:
        return event.y - self.gutter.top + self.scroll_offset.y

    def on_mouse_up(self) -> None:
        """Release the mouse."""
        self._drags = False
        self.release_mouse()

    def mark_near(self, line: int) -> None:
        """Mark the change at a line, or the one nearest to it: what stood there may be another one."""
        rows = self._shown.change_rows()
        self.move_mark(min(rows, key=lambda row: abs(row - line)) if rows else None)

    def step_change(self, step: int) -> bool:
        """Mark the first line of the next change, or of the one before; false if there is none."""
        at = self.mark if self.mark is not None else (-1 if step > 0 else self._shown.stack.height)
        rows = [row for row in self._shown.change_rows() if (row > at if step > 0 else row < at)]
        if rows:
            self.move_mark(rows[0] if step > 0 else rows[-1])
        return bool(rows)

    def mark_change(self, number: int) -> None:
        """Mark the first line of a change, from 1."""
        rows = self._shown.change_rows()
        self.move_mark(rows[number - 1] if 0 < number <= len(rows) else None)


@lru_cache(maxsize=8)
def chosen_styles(palette: Palette) -> Palette:
    """Return the styles of chosen lines. No token has a color of its own there: all of them can be
    read, and a line takes few bytes.
    """
    row = palette["row.shown"]
    styles = {name: row for name in palette.styles if not name.startswith("token")}
    styles["list.marker"] = row + palette["list.marker"]
    for kind in _KINDS:
        styles[kind] = styles[f"{kind}.word"] = palette[f"{kind}.shown"]
        styles[f"{kind}.word"] += Style(bold=True)
    return Palette(styles, palette.dark, palette.ansi)
