"""All comments below each other, as they will be sent: each with its file, its lines and its words."""

from collections.abc import Sequence

from textual import events
from textual.message import Message
from textual.strip import Strip

from acp_tui.edits.comments import Comment
from acp_tui.text import clean_line
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.lines.lines import LineColumn
from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.lines.stack import Stack, StackPart
from acp_tui.ui.lines.text_lines import TextLines
from acp_tui.ui.review.commented_diff import SAID

STYLES = {"+": "diff.added", "-": "diff.removed"}


class Filled:
    """Lines whose ground reaches to the edge."""

    def __init__(self, lines: LineColumn, style: str) -> None:
        self._lines = lines
        self._style = style
        self._width = 0

    @property
    def height(self) -> int:
        return self._lines.height

    def lay_out(self, width: int, until: float) -> bool:
        self._width = width
        return self._lines.lay_out(width, until)

    def strip(self, y: int, palette: Palette) -> Strip:
        drawn = self._lines.strip(y, palette)
        return drawn.adjust_cell_length(self._width, palette[self._style])

    def plain(self, y: int) -> str:
        return self._lines.plain(y)

    def source(self, first: int, last: int) -> str:
        return self._lines.source(first, last)


class CommentList(LinesView):
    """One of them is marked; the first cell of each line is kept for that."""

    class Clicked(Message):
        """A comment was clicked on."""

    def __init__(self) -> None:
        super().__init__()
        self.cursor = 0
        self._stack = Stack()
        self._sizes: list[int] = []
        """Of how many parts each comment is made."""

    def on_mount(self) -> None:
        """Show what there is."""
        self.show(self._stack)

    def show_comments(self, comments: Sequence[Comment]) -> None:
        """Show these comments; the mark stays where it is."""
        found = [_parts(one, gap=1 if at else 0) for at, one in enumerate(comments)]
        nothing = [StackPart(TextLines("no comment is left", "muted"), indent=1)]
        self._sizes = [len(parts) for parts in found]
        self._stack.replace([part for parts in found for part in parts] or nothing)
        self.cursor = max(0, min(self.cursor, len(found) - 1))
        self.show_again()

    def move(self, step: int) -> None:
        """Mark another comment, round the ends."""
        if self._sizes:
            self.move_to((self.cursor + step) % len(self._sizes))

    def move_to(self, index: int) -> None:
        """Mark a comment, and show as much of it as there is room for."""
        self.cursor = index
        rows, top, height = self._rows_of(index), self.scroll_offset.y, max(1, self.size.height)
        if not top <= rows.start <= rows.stop <= top + height:
            at = rows.start if rows.start < top else min(rows.start, rows.stop - height)
            self.scroll_to(y=max(0, at), animate=False)
        self.refresh()

    def sign_at(self, line: int) -> str:
        """Return the mark, where the marked comment begins."""
        return "▌" if self._sizes and line == self._rows_of(self.cursor).start else ""

    def on_click(self, event: events.Click) -> None:
        """Mark what is clicked on, and tell."""
        row = event.y + self.scroll_offset.y
        clicked = (at for at in range(len(self._sizes)) if row in self._rows_of(at))
        index = next(clicked, None)
        if index is not None:
            self.move_to(index)
            self.post_message(self.Clicked())

    def _rows_of(self, index: int) -> range:
        """Return the rows of a comment."""
        first = sum(self._sizes[:index])
        heights = [one.gap + one.lines.height for one in self._stack.parts]
        start = sum(heights[:first]) + (1 if index else 0)
        return range(start, sum(heights[: first + self._sizes[index]]))


def _parts(comment: Comment, gap: int) -> list[StackPart]:
    parts = [StackPart(TextLines(comment.described_place, "heading2"), indent=1, gap=gap)]
    digits = max(len(str(one.number)) for one in comment.lines)
    for one in comment.lines:
        number = str(one.number) if one.number else ""
        mark = f"{number:>{digits}} {one.sign} "
        style = STYLES.get(one.sign, "text")
        line = TextLines(clean_line(one.text), style, mark=mark)
        parts.append(StackPart(Filled(line, style), indent=3))
    parts.append(StackPart(TextLines(clean_line(comment.words), mark=SAID), indent=3))
    return parts
