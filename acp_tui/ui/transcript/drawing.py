"""A scrolling widget that draws the lines of a document that are on screen, and no line twice."""

from functools import partial
from math import ceil
from typing import Self

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from acp_tui.ui.lines.highlights import Mark, marked
from acp_tui.ui.palette import Palette
from acp_tui.ui.textual_fixes.scrollbar import LineScrollView
from acp_tui.ui.transcript.document import Document
from acp_tui.ui.transcript.painter import GUTTER, Painter, Row
from acp_tui.ui.transcript.search import Search

BELOW = " ↓ new below "
EIGHTHS = 8
"""How many steps the scrollbar makes in a cell."""


class DrawingView(LineScrollView):
    """Lines are drawn on demand, kept as they are, and sent to the screen only if they changed."""

    _document: Document
    _painter: Painter | None = None
    _palette: Palette
    _search: Search | None = None
    _cursor: int | None = None
    has_new_below = False

    def __init__(self, *, name: str | None, id: str | None, classes: str | None):
        self._on_screen: dict[int, Row] = {}
        self._asked: set[int] = set()  # rows that the next drawing sends to the screen
        super().__init__(name=name, id=id, classes=classes)

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, self._theme_changed)

    def on_unmount(self) -> None:
        self.app.theme_changed_signal.unsubscribe(self)  # it would keep all that is shown here

    def _theme_changed(self, _: object) -> None:
        self._painter = None
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._painter = None

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    # The scrollbar

    def set_height(self, height: int) -> None:
        """Let the document be so high. Assigning `virtual_size` would lay out the whole screen
        again, for every frame of a stream, though the scrollbar is always there.
        """
        size = Size(self.scrollable_content_region.width, height)
        if size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        if round(old_value) != round(new_value):
            self.refresh()

    def move_thumb(self) -> None:
        """Move the scrollbar, if that can be seen: drawing it costs as much as some lines."""
        bar, rows, height = self.vertical_scrollbar, self.size.height, self.virtual_size.height
        now = _thumb(rows, int(bar.window_size), int(bar.window_virtual_size), bar.position)
        if now != _thumb(rows, rows, height, self.scroll_y):
            bar.window_size, bar.window_virtual_size = rows, height
            bar.position = self.scroll_y

    # Lines

    def refresh_changed(self) -> None:
        """Draw again what is on screen, as far as it changed."""
        for y in range(self.size.height):
            if self._row(y) is not self._on_screen.get(y):
                self.refresh(Region(0, y, self.size.width, 1))

    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Self:
        if repaint and self.is_mounted:
            whole = (self.size.region,)
            self._asked.update(*(region.line_range for region in regions or whole))
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the lines of a region. Textual's own cache drops all lines with each scroll, and
        adds padding and borders, of which there are none; the painter keeps what is drawn.

        Textual has the lines between two that are asked for drawn, too, and throws them away.
        """
        rows = [self._row(y) for y in crop.line_range]
        for y, row in zip(crop.line_range, rows, strict=True):
            if y in self._asked:
                self._on_screen[y] = row
        self._asked.difference_update(crop.line_range)
        if crop.column_span == (0, self.size.width):
            return list(rows)
        return [row.crop(*crop.column_span) for row in rows]

    def render_line(self, y: int) -> Strip:
        """Row `y` of the screen with the places of its text, for Textual to say what the mouse is
        on. They are left out where lines are drawn: these would be others with each line above.
        """
        row, line = self._row(y), y + self.scroll_offset.y
        return row.apply_offsets(0, line) if line < self._document.height else row

    def _row(self, y: int) -> Row:
        """Row `y` of the screen; the same object as long as nothing on it changes."""
        painter = self._painter or self._new_painter()
        line = y + self.scroll_offset.y
        if line >= self._document.height:
            return painter.blank
        place = self._document.locate(line)
        has_cursor = self.has_focus and place.entry == self._cursor
        row = self._with_selection(painter, painter.row(place, has_cursor, self._search), line)
        if self.has_new_below and y == self.size.height - 1:
            return self._with_mark_below(painter, row)
        return row

    def _new_painter(self) -> Painter:
        self._palette = Palette.of(self.app)
        width = self.scrollable_content_region.width
        _, background = self.background_colors
        filters = [partial(one.apply, background=background) for one in self.get_line_filters()]
        self._painter = Painter(self._document, self._palette, self.rich_style, width, filters)
        return self._painter

    def _with_selection(self, painter: Painter, row: Row, line: int) -> Row:
        selection = self.text_selection
        span = selection.get_span(line) if selection is not None else None
        if span is None:
            return row
        end = len(row.text.rstrip()) if span[1] < 0 else span[1]
        mark = Mark(max(span[0], GUTTER), end, self._palette["selection"])
        return painter.finish(marked(row, [mark]))

    def _with_mark_below(self, painter: Painter, row: Row) -> Row:
        label = BELOW if row.cell_length > 2 * len(BELOW) else " ↓ "
        style = self._palette["below"] + Style(meta={"end": True})
        rest = row.crop(0, row.cell_length - len(label))
        return painter.finish([*rest, Segment(label, style)])


def _thumb(rows: int, window: int, height: int, position: float) -> tuple[int, int]:
    """Where the thumb of a scrollbar begins and how long it is, in eighths of a cell."""
    if not 0 < window < height:
        return (0, 0)
    size = max(1.0, window * rows / height)
    start = int((rows - size) * position / (height - window) * EIGHTHS)
    return start, ceil(size * EIGHTHS)
