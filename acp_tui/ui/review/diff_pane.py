"""The diff of a file under review, with a marked line and the change that contains it."""

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
"""The sign before a line with a comment."""
SIDES = 96
"""Fewest cells for a diff side by side."""
_KINDS = ("diff.added", "diff.removed")


class DiffPane(LinesView):
    """The changes of one file; the first cell of each line is for the mark."""

    class LineClicked(Message):
        """The user marked a line with the mouse."""

    class MarkMoved(Message):
        """The mark has moved, or the number of changes is known now."""

    def __init__(self, split: bool | None) -> None:
        """`split` is whether the diff is side by side; None lets the width decide."""
        super().__init__()
        self._shown = ShownDiffs(Stack())
        self._split = split
        self._other_end: int | None = None
        """The row at the other end of several marked lines; None if only one is marked."""
        self._marked_ends: list[FoundLine] = []
        """The ends of the marked lines during a new layout, which may move them to other rows."""
        self._drags = False
        self._grounded = range(0)
        """The rows with a background of their own."""
        self._commented: frozenset[Subject] = frozenset()
        """The lines that have comments."""

    def show_file(self, file: ChangedFile | None, cwd: str, comments: Sequence[Comment]) -> None:
        """Show a file, from its top."""
        diffs = diff_lines_of(file, cwd) if file is not None else []
        lines = [one for _, one in diffs]
        stack = Stack(parts_of_file(file, lines, comments) if file is not None else [])
        self._shown = ShownDiffs(stack, diffs)
        self.mark = self._other_end = None
        self._marked_ends = []
        self._grounded = range(0)
        self._mark_commented(comments)
        self.show(stack)

    def show_comments(self, file: ChangedFile, comments: Sequence[Comment]) -> None:
        """Update the comments; the mark stays."""
        self._shown.stack.replace(parts_of_file(file, self._shown.lines, comments))
        self._mark_commented(comments)
        self.update_lines()

    def _mark_commented(self, comments: Sequence[Comment]) -> None:
        self._commented = frozenset(line.subject for one in comments for line in one.lines)

    @property
    def has_diff(self) -> bool:
        """Whether there are lines that can be marked."""
        return self._shown.has_diff

    # Side by side

    @property
    def has_sides(self) -> bool:
        """Whether any diff has two sides."""
        return self._shown.has_sides

    def needs_more(self, width: int) -> bool:
        """Return whether the user wants the diff side by side, but `width` cells are too few."""
        return bool(self._split) and self.has_sides and width < SIDES

    @property
    def is_split(self) -> bool:
        """Whether the diff is shown side by side."""
        return any(lines.split for lines in self._shown.lines)

    def split(self) -> bool:
        """Toggle between side by side and one column; return whether it is side by side. Removes
        the mark.
        """
        self._split = not self.is_split
        self.move_mark(None)
        self.update_lines()
        return self._split

    def _lay_out(self) -> None:
        if not self._marked_ends:
            ends = (
                self._shown.find(one) for one in (self.mark, self._other_end) if one is not None
            )
            self._marked_ends = list(filter(None, ends))
        split = self._split and not self.needs_more(self.size.width)
        for lines in self._shown.lines:
            lines.arrange(split)
        self._shown.stack.touch(0)
        super()._lay_out()

    def laid_out(self) -> None:
        """Mark the same lines as before the layout; report that the number of changes is known."""
        rows = [self._shown.row_of(one) for one in self._marked_ends]
        self._marked_ends = []
        if self.mark is not None and rows and rows[0] is not None:
            super().move_mark(rows[0])
            self._other_end = rows[1] if len(rows) > 1 else None
            self._show_comments()
        self.post_message(self.MarkMoved())

    # The mark

    @property
    def change(self) -> tuple[int, int]:
        """The number of the marked change, from 1, or 0 outside of changes, and the number of
        changes.
        """
        return self._shown.change(self.mark)

    @property
    def marked(self) -> FoundLine | None:
        """The marked line."""
        return self._shown.find(self.mark) if self.mark is not None else None

    @property
    def is_range(self) -> bool:
        """Whether several lines are marked."""
        return self._other_end is not None

    @property
    def marked_lines(self) -> tuple[CommentedLine, ...]:
        """All marked lines, for a comment."""
        found = (self._shown.find(row) for row in self._marked_rows)
        places = [one.place for one in filter(None, found)]
        return tuple(dict.fromkeys(map(commented_line, places)))  # a wrapped line has several rows

    @property
    def _marked_rows(self) -> range:
        """The rows of all marked lines."""
        if self.mark is None:
            return range(0)
        end = self._other_end if self._other_end is not None else self.mark
        first, last = (
            self._shown.rows_of(min(self.mark, end)),
            self._shown.rows_of(max(self.mark, end)),
        )
        return range(first.start, last.stop)

    def sign_at(self, line: int) -> str:
        """Return the sign before a marked line, or before a line with a comment."""
        if line in self._marked_rows:
            return "▌"
        found = self._shown.find(line) if self._commented else None
        if found is None or not found.has(self._commented):
            return ""
        return COMMENTED if self._shown.find(line - 1) != found else ""

    def palette_at(self, line: int) -> Palette:
        """Return the styles of a line: several marked lines have a background of their own."""
        palette = super().palette_at(line)
        return chosen_styles(palette) if line in self._grounded else palette

    def move_mark(self, line: int | None) -> None:
        """Mark only this line, or none."""
        self._other_end = None
        self._move_to(line)

    def _move_to(self, line: int | None) -> None:
        self._marked_ends = []
        super().move_mark(line)
        self._show_comments()
        self.post_message(self.MarkMoved())

    def _show_comments(self) -> None:
        """Scroll so that the comments on the marked line are in view, too, if there is room for
        both.
        """
        if self.mark is None:
            return
        end = self._shown.comment_rows_below(self._shown.rows_of(self.mark).stop - 1).stop
        top, height = self.scroll_offset.y, max(1, self.size.height)
        if end > top + height:
            self.scroll_to(y=min(self.mark, end - height), animate=False)

    def ground(self) -> None:
        """Draw the background of several marked lines."""
        rows = self._marked_rows if self.is_range else range(0)
        if rows != self._grounded:
            self._grounded = rows
            self.refresh()

    def step(self, step: int) -> None:
        """Mark the next or previous line; skip folded ones."""
        row = self._shown.next_row(self.mark, step)
        if row is not None:
            self.move_mark(row)

    def extend(self, step: int) -> None:
        """Extend or shrink the selection by one line of the same diff."""
        row = self._shown.next_row(self.mark, step)
        if row is not None:
            self._extend_to(row)

    def mark_one(self) -> None:
        """Mark only the current line."""
        self.move_mark(self.mark)

    def mark_lines(self, lines: Sequence[CommentedLine]) -> bool:
        """Mark these lines; return False if they aren't in the diff."""
        subjects = {one.subject for one in lines}
        found = map(self._shown.find, range(self._shown.stack.height))
        rows = [row for row, one in enumerate(found) if one is not None and one.has(subjects)]
        if rows:
            self.move_mark(rows[0])
            self._extend_to(rows[-1])
        return bool(rows)

    def _extend_to(self, row: int) -> None:
        """Mark the lines from the start of the selection to a row of the same diff."""
        begin = self._other_end if self._other_end is not None else self.mark
        ends = (self._shown.find(begin) if begin is not None else None), self._shown.find(row)
        if ends[0] is None or ends[1] is None:
            self.move_mark(row)
        elif ends[0].lines is ends[1].lines:
            self._move_to(row)
            self._other_end = begin if ends[0] != ends[1] else None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Mark the clicked line; with Shift, all lines up to it."""
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
        """Mark the lines over which the mouse is dragged."""
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
        """Mark the change nearest to a line: other changes may be there now."""
        rows = self._shown.change_rows()
        self.move_mark(min(rows, key=lambda row: abs(row - line)) if rows else None)

    def step_change(self, step: int) -> bool:
        """Mark the first line of the next or previous change; return False if there is none."""
        at = self.mark if self.mark is not None else (-1 if step > 0 else self._shown.stack.height)
        rows = [row for row in self._shown.change_rows() if (row > at if step > 0 else row < at)]
        if rows:
            self.move_mark(rows[0] if step > 0 else rows[-1])
        return bool(rows)

    def mark_change(self, number: int) -> None:
        """Mark the first line of a change by its number, from 1."""
        rows = self._shown.change_rows()
        self.move_mark(rows[number - 1] if 0 < number <= len(rows) else None)


@lru_cache(maxsize=8)
def chosen_styles(palette: Palette) -> Palette:
    """Return the styles of selected lines. Tokens have no colors there, so that all text is
    readable and a line takes few bytes.
    """
    row = palette["row.shown"]
    styles = {name: row for name in palette.styles if not name.startswith("token")}
    styles["list.marker"] = row + palette["list.marker"]
    for kind in _KINDS:
        styles[kind] = styles[f"{kind}.word"] = palette[f"{kind}.shown"]
        styles[f"{kind}.word"] += Style(bold=True)
    return Palette(styles, palette.dark, palette.ansi)
