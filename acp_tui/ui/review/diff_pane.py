"""The diff of a file under review: a line of it is marked, and the change that it belongs to."""

from collections.abc import Sequence

from textual import events
from textual.message import Message

from acp_tui.lazy_named_tuple import NamedTuple
from acp_tui.protocol.content import Diff
from acp_tui.review.comments import Comment, CommentedLine, numbers
from acp_tui.review.hunks import Hunk
from acp_tui.session.changed_files import ChangedFile
from acp_tui.session.entries import key_of
from acp_tui.text import clean_line
from acp_tui.ui.diff.diff_lines import DiffLines, DiffPlace
from acp_tui.ui.diff.edit_facts import start_at
from acp_tui.ui.diff.line_diff import DiffBlock
from acp_tui.ui.diff.rows import WHOLE, DiffStart
from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.lines.stack import Part, Stack
from acp_tui.ui.lines.text_lines import TextLines

COMMENTED = "●"
"""Before a line with a comment."""


class MarkedLine(NamedTuple):
    """The line that is marked, and its change; `hunk` is None outside of one."""

    diff: Diff
    place: DiffPlace
    hunk: Hunk | None


class DiffPane(LinesView):
    """What happened to one file; the first cell of each line is kept for the mark."""

    class Clicked(Message):
        """A line was marked by the mouse."""

    def __init__(self, split: bool | None) -> None:
        """`split` puts the sides beside each other; None: the width decides."""
        super().__init__()
        self._stack = Stack()
        self._diffs: list[tuple[Diff, DiffLines]] = []
        self._split = split
        self._other_end: int | None = None
        """Where the marked lines begin or end, if there are several; the other end is the mark."""
        self._drags = False
        self._commented: frozenset[CommentedLine] = frozenset()

    def show_file(self, file: ChangedFile | None, cwd: str, comments: Sequence[Comment]) -> None:
        """Show a file, from its top."""
        self._diffs = [
            (one, DiffLines(one, cwd=cwd, start=start_of(file, one)))
            for one in (file.diffs if file is not None else ())
        ]
        for _, lines in self._diffs:
            lines.arrange(self._split, whole=False)
        self._stack = Stack(self._parts(file, comments))
        self.mark = self._other_end = None
        self._mark_commented(comments)
        self.show(self._stack)

    def show_comments(self, file: ChangedFile, comments: Sequence[Comment]) -> None:
        """Show other comments; the mark stays."""
        self._stack.replace(self._parts(file, comments))
        self._mark_commented(comments)
        self.show_again()

    def _mark_commented(self, comments: Sequence[Comment]) -> None:
        self._commented = frozenset(line for one in comments for line in one.lines)

    @property
    def hunks(self) -> list[tuple[Diff, list[Hunk]]]:
        """All changes, as far as they are known by now."""
        return [(diff, [_hunk(one) for one in lines.changes]) for diff, lines in self._diffs]

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
        if self.mark is None:
            return range(0)
        end = self._other_end if self._other_end is not None else self.mark
        return range(min(self.mark, end), max(self.mark, end) + 1)

    def _find(self, row: int) -> tuple[Diff, DiffLines, DiffPlace] | None:
        """Return which line of a diff stands in a row."""
        found = self._stack.find(row) if 0 <= row < self._stack.height else None
        for diff, lines in self._diffs:
            if found is not None and found[0].lines is lines:
                place = lines.place_at(found[1])
                return (diff, lines, place) if place is not None else None
        return None

    def sign_at(self, line: int) -> str:
        """Return the sign of marked lines, and of those with a comment."""
        if line in self._marked_rows:
            return super().sign_at(line) or "│"
        if not self._commented:
            return ""
        found = self._find(line)
        return COMMENTED if found is not None and _commented(found[2]) in self._commented else ""

    def move_mark(self, line: int | None) -> None:
        """Mark a line alone, or none."""
        self._other_end = None
        super().move_mark(line)

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
        at = self.mark if self.mark is not None else (-1 if step > 0 else self._stack.height)
        while 0 <= at + step < self._stack.height:
            at += step
            if self._find(at) is not None:
                return at
        return None

    def _extend_to(self, row: int) -> None:
        """Mark all from where the marked lines begin to a row of the same diff."""
        begin = self._other_end if self._other_end is not None else self.mark
        ends = (self._find(begin) if begin is not None else None), self._find(row)
        if ends[0] is None or ends[1] is None:
            self.move_mark(row)
        elif ends[0][1] is ends[1][1]:
            super().move_mark(row)
            self._other_end = begin if begin != row else None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Mark the line that is clicked on; with Shift all up to there."""
        row = event.y + self.scroll_offset.y
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
        row = event.y + self.scroll_offset.y
        if self._drags and row != self.mark and self._find(row) is not None:
            self._extend_to(row)
            self.post_message(self.Clicked())

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
        rows = list(self._change_rows())
        at = self.mark if self.mark is not None else (-1 if step > 0 else self._stack.height)
        rows = [row for row in rows if (row > at if step > 0 else row < at)]
        if rows:
            self.move_mark(rows[0] if step > 0 else rows[-1])
        return bool(rows)

    def split(self) -> bool:
        """Put the sides beside each other, or no longer; return which."""
        self._split = not any(lines.split for _, lines in self._diffs)
        for _, lines in self._diffs:
            lines.arrange(self._split, whole=False)
        self._stack.touch(0)
        self.move_mark(None)
        self.show_again()
        return self._split

    def _change_rows(self) -> list[int]:
        rows = []
        top = 0
        for part in self._stack.parts:
            top += part.gap
            for diff_lines in (lines for _, lines in self._diffs if lines is part.lines):
                rows += [top + first for first, _ in diff_lines.change_rows()]
            top += part.lines.height
        return rows

    def _parts(self, file: ChangedFile | None, comments: Sequence[Comment]) -> list[Part]:
        if file is None:
            return []
        parts = [Part(TextLines(words, "strong"), indent=1) for words in file.words]
        parts += [
            Part(lines, indent=1, gap=1 if at else 0) for at, (_, lines) in enumerate(self._diffs)
        ]
        parts += [Part(TextLines(words, "muted"), indent=1, gap=1) for words in _remarks(file)]
        for at, one in enumerate(comments):
            first = one.lines[0]
            lines = "lines" if len(one.lines) > 1 else "line"
            known = numbers(one.lines)
            place = f"{lines} {known}" if known else f"{first.sign}{first.text}".strip()
            words = f"Your comment on {clean_line(place)}: {clean_line(one.words)}"
            parts.append(Part(TextLines(words), indent=1, gap=0 if at else 1))
        return parts


def _remarks(file: ChangedFile) -> list[str]:
    remarks = []
    if file.untold > 1:
        remarks.append(f"{file.untold} changes too long to be shown here")
    elif file.untold:
        remarks.append("a change too long to be shown here")
    if file.undone:
        remarks.append("What the agent did was undone.")
    elif not (file.diffs or file.words or file.untold):
        remarks.append("It is again what it was before.")
    return remarks


def _commented(place: DiffPlace) -> CommentedLine:
    return CommentedLine(place.sign, place.line, place.text)


def _hunk(block: DiffBlock) -> Hunk:
    return Hunk(*block[1:])


def start_of(file: ChangedFile | None, diff: Diff) -> DiffStart | None:
    """Where a diff starts; those of writes are of the whole file."""
    key = key_of(diff)
    known = file is not None and key in file.places
    return start_at(file.places[key], diff) if file is not None and known else WHOLE
