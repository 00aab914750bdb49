"""The diff of a file under review: a line of it is marked, and the change that it belongs to."""

from collections.abc import Sequence

from textual import events
from textual.message import Message

from acp_tui.lazy_named_tuple import NamedTuple
from acp_tui.protocol.content import Diff
from acp_tui.review.comments import Comment
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

    def show_file(self, file: ChangedFile | None, cwd: str, comments: Sequence[Comment]) -> None:
        """Show a file, from its top."""
        self._diffs = [
            (one, DiffLines(one, cwd=cwd, start=start_of(file, one)))
            for one in (file.diffs if file is not None else ())
        ]
        for _, lines in self._diffs:
            lines.arrange(self._split, whole=False)
        self._stack = Stack(self._parts(file, comments))
        self.mark = None
        self.show(self._stack)

    def show_comments(self, file: ChangedFile, comments: Sequence[Comment]) -> None:
        """Show other comments; the mark stays."""
        self._stack.replace(self._parts(file, comments))
        self.show_again()

    @property
    def hunks(self) -> list[tuple[Diff, list[Hunk]]]:
        """All changes, as far as they are known by now."""
        return [(diff, [_hunk(one) for one in lines.changes]) for diff, lines in self._diffs]

    @property
    def marked(self) -> MarkedLine | None:
        """The marked line of a diff."""
        found = self._stack.find(self.mark) if self.mark is not None else None
        for diff, lines in self._diffs:
            if found is not None and found[0].lines is lines:
                place = lines.place_at(found[1])
                if place is None:
                    return None
                changes = (_hunk(one) for one in lines.changes if place.is_in(one))
                return MarkedLine(diff, place, next(changes, None))
        return None

    def step(self, step: int) -> None:
        """Mark the next line of a diff, or the one before; what is folded is passed."""
        at = self.mark if self.mark is not None else (-1 if step > 0 else self._stack.height)
        while 0 <= at + step < self._stack.height:
            at += step
            if self._is_line(at):
                self.move_mark(at)
                return

    def on_click(self, event: events.Click) -> None:
        """Mark the line that is clicked on."""
        line = event.y + self.scroll_offset.y
        if self._is_line(line):
            event.stop()
            self.move_mark(line)
            self.post_message(self.Clicked())

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

    def _is_line(self, y: int) -> bool:
        found = self._stack.find(y) if y < self._stack.height else None
        return (
            found is not None
            and isinstance(found[0].lines, DiffLines)
            and found[0].lines.place_at(found[1]) is not None
        )

    def _parts(self, file: ChangedFile | None, comments: Sequence[Comment]) -> list[Part]:
        if file is None:
            return []
        parts = [Part(TextLines(words, "strong"), indent=1) for words in file.words]
        parts += [
            Part(lines, indent=1, gap=1 if at else 0) for at, (_, lines) in enumerate(self._diffs)
        ]
        parts += [Part(TextLines(words, "muted"), indent=1, gap=1) for words in _remarks(file)]
        for at, one in enumerate(comments):
            place = f"line {one.line}" if one.line else f"{one.sign}{one.quoted}".strip()
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


def _hunk(block: DiffBlock) -> Hunk:
    return Hunk(*block[1:])


def start_of(file: ChangedFile | None, diff: Diff) -> DiffStart | None:
    """Where a diff starts; those of writes are of the whole file."""
    key = key_of(diff)
    known = file is not None and key in file.places
    return start_at(file.places[key], diff) if file is not None and known else WHOLE
