"""A list of rows with a movable mark, of which only the rows in view are drawn."""

from collections.abc import Sequence

from textual import events
from textual.app import App
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widget import Widget

from acp_tui.ui.colors.palette import Palette

BAR = 2
"""Cells of the scroll bar, including a space before it."""
AROUND = 4
"""Rows of a picker around its list: its border, the field, and the gap below that."""


class Listing(Widget):
    """Draws rows, and scrolls the marked one into view. Rows that can't be chosen are headings."""

    class RowClicked(Message):
        """A row was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Content] = ()
        self._headings: frozenset[int] = frozenset()
        self._top = 0
        self.cursor = 0
        self.around = AROUND
        self.share = 0.9
        """Maximum share of the screen's height that the box takes."""
        self.is_covered = False
        """Whether another screen is in front, which has its own mark."""
        self.is_lost = False
        """Whether the marked item is gone: nothing is marked then until the user does, as a
        repeating key must not act on the next row.
        """

    def show(
        self, rows: Sequence[Content], cursor: int = 0, headings: frozenset[int] = frozenset()
    ) -> None:
        """Show these rows, and mark the row at `cursor`, or the next one if that is a heading."""
        self._rows = rows
        self._headings = headings
        self.cursor = max(0, min(cursor, len(rows) - 1))
        if self.cursor in headings:
            self._step(1)
        self.refresh(layout=True)

    def move(self, step: int) -> None:
        """Move the mark by `step` rows, skipping headings; a single step wraps around.

        If the mark was lost, mark the row in its place instead.
        """
        if self.is_lost:
            self.is_lost = False
            self.refresh()
        else:
            self._step(step)

    def _step(self, step: int) -> None:
        count = len(self._rows)
        if count <= len(self._headings):
            return
        if abs(step) > 1:
            self.cursor = max(0, min(self.cursor + step, count - 1))
            step = 1 if self.cursor == 0 else -1
        else:
            self.cursor = (self.cursor + step) % count
        while self.cursor in self._headings:
            self.cursor = (self.cursor + step) % count
        self.refresh()

    def move_to(self, index: int) -> None:
        """Mark a row."""
        self.cursor, self.is_lost = index, False
        self.refresh()

    def cover(self, is_covered: bool) -> None:
        """Hide the mark while another screen is in front, or show it again."""
        self.is_covered = is_covered
        self.refresh()

    def page(self, pages: int) -> None:
        """Move the mark by `pages` screens of rows."""
        self.move(pages * max(2, self.size.height - 1))

    def on_click(self, event: events.Click) -> None:
        """Mark the clicked row, and report the click."""
        inside = event.get_content_offset(self)
        index = self._top + inside.y if inside is not None else len(self._rows)
        if index < len(self._rows) and index not in self._headings:
            self.move_to(index)
            self.post_message(self.RowClicked(index))

    def render(self) -> Content:
        width, height = max(1, self.size.width), max(1, self.size.height)
        before = min(self.cursor, 1)  # keep a heading in view with its first row
        self._top = max(0, min(self._top, self.cursor - before, len(self._rows) - height))
        self._top = max(self._top, self.cursor - height + 1)
        shown = range(self._top, min(self._top + height, len(self._rows)))
        unmarked = shown if self.is_lost else self._headings
        thumb = self._thumb(height)
        room = max(1, width - (BAR if thumb else 0))
        drawn = []
        for row, at in enumerate(shown):
            is_marked = at == self.cursor and at not in unmarked
            content = self.draw_row(self._rows[at], is_marked, room)
            content = content.truncate(room, ellipsis=True, pad=room < self.size.width)
            bar = (" ┃" if row in thumb else " │") if thumb else ""
            drawn.append(content.append(Content.styled(bar, "$text-muted")))
        return Content("\n").join(drawn)

    def draw_row(self, row: Content, is_marked: bool, width: int) -> Content:
        """Draw a row; if it is marked, with the mark, or tinted if another screen is in front."""
        if is_marked and self.is_covered:
            return tint_row(Content.assemble(" ", row), width, self.app)
        return Content.assemble(("▌" if is_marked else " ", "$primary"), row)

    def _thumb(self, height: int) -> range:
        """Return the rows of the scroll bar's thumb; empty if all rows are in view."""
        count = len(self._rows)
        if count <= height:
            return range(0)
        size = max(1, height * height // count)
        start = round((height - size) * self._top / (count - height))
        return range(start, start + size)

    @property
    def overflows(self) -> bool:
        """Whether the rows need a scroll bar."""
        return self.is_attached and len(self._rows) > self.get_content_height()

    def get_content_height(self, *_: object) -> int:
        """Return the number of all rows, or as many as the box has room for."""
        room = int(self.screen.size.height * self.share) - self.around
        return max(1, min(len(self._rows), room))


class GroundedListing(Listing):
    """A listing with a background on the marked row, which only follows the mark when `ground` is
    called: redrawing it at each repeat of a held key would be slow on a distant terminal.
    """

    def __init__(self) -> None:
        super().__init__()
        self._grounded = 0

    def ground(self) -> None:
        """Move the background to the marked row."""
        if self._grounded != self.cursor:
            self._grounded = self.cursor
            self.refresh()

    def is_grounded(self, row: Content) -> bool:
        """Return whether a row has the background."""
        return any(row is one for one in self._rows[self._grounded : self._grounded + 1])

    def draw_row(self, row: Content, is_marked: bool, width: int) -> Content:
        drawn = super().draw_row(row, is_marked, width)
        is_tinted = self.is_grounded(row) and not self.is_lost
        return self.tint(drawn, width) if is_tinted else drawn

    def tint(self, row: Content, width: int) -> Content:
        """Draw a row on the background."""
        return tint_row(row, width, self.app)


def tint_row(row: Content, width: int, app: App[object]) -> Content:
    """Draw a row on the background of a marked row, in one color except for its first cell."""
    shown = Style.from_rich_style(Palette.of(app)["row.shown"])
    rest = " " * max(0, width - row.cell_length)
    return Content.assemble(row[:1].stylize_before(shown), (row.plain[1:] + rest, shown))
