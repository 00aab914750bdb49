"""Rows of frames: there may be a million, of which only those on screen are drawn."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from acp_tui.ui.inspector.log_source import LogSource
from acp_tui.ui.inspector.painter import RowPainter, mark
from acp_tui.ui.palette import Palette
from acp_tui.ui.textual_fixes.scrollbar import set_virtual_size
from acp_tui.wire.view import Group


class RowsView(ScrollView):
    """Draws the rows of a source below their titles."""

    def __init__(self, source: LogSource) -> None:
        super().__init__()
        self.source = source
        self.hidden: set[str] = set()
        self.bookmarks: list[int] = []
        self.linked: Sequence[int] = ()
        """The records of the entry that one came from, oldest first."""
        self._at: int | None = None
        self._painter = RowPainter()
        self._laid_out: int | None = None
        """The width that the columns have their places for."""
        self._palette: Palette | None = None
        self._style: Style | None = None

    def set_height(self, height: int) -> None:
        """Tell the scrollbar, without laying out the screen."""
        size = Size(self.scrollable_content_region.width, height)
        if size != self.virtual_size:
            set_virtual_size(self, size)

    def on_resize(self) -> None:
        self._laid_out = None

    def choose_columns(self, hidden: set[str]) -> None:
        """Leave these columns out."""
        self.hidden = hidden
        self._laid_out = None
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._palette = self._style = None

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if self._style is None:
            self._style = self.rich_style
        if self._laid_out != width:
            self._laid_out = width
            self._painter.lay_out(width, self.hidden)
        palette = self._colors()
        if y == 0:
            strip = self._painter.titles(width, palette)
        else:
            position = self.scroll_offset.y + y - 1
            if position >= len(self.source.view):
                return Strip.blank(width, self._style)
            strip = self._row(self.source.view[position], width, palette)
        return strip.apply_style(self._style).adjust_cell_length(width, self._style)

    def _row(self, group: Group, width: int, palette: Palette) -> Strip:
        strip = self._painter.row(group, mark(group, self.bookmarks, self.linked), width, palette)
        if group.first.index != self._at:
            return strip
        # Not all of the row, and in its own colors: each move writes two rows again.
        mark_of_it, head, rest = strip.divide([1, self._painter.head, strip.cell_length])
        style = palette["row.chosen" if self.has_focus else "row.left"]
        return Strip.join([mark_of_it, Strip([Segment(head.text, style)]), rest])

    def _colors(self) -> Palette:
        if self._palette is None:
            self._palette = Palette.of(self.app)
        return self._palette
