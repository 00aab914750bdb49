"""A scroll view of any column of lines."""

from time import perf_counter

from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.lines.lines import BUDGET, LineColumn
from acp_tui.ui.textual_fixes.line_scroll_view import update_scrollbars


class LinesView(ScrollView, can_focus=False):
    """Lines laid out for the width of the view, in time slices; as high as its lines if there is
    room.

    A column is reserved for the scrollbar even while there is none, so that it never covers text.
    """

    DEFAULT_CSS = "LinesView { overflow-x: hidden; }"

    def __init__(self) -> None:
        super().__init__()
        self._lines: LineColumn | None = None
        self._palette: Palette | None = None
        self._is_remeasuring = False
        self.is_laid_out = False
        """Whether all lines are laid out. Until then, their height counts only some of them."""
        self.mark: int | None = None
        """The marked line, whose first cell must be free; None for no mark."""

    def move_mark(self, line: int | None) -> None:
        """Mark a line, or none, and scroll to it."""
        self.mark = line
        if line is not None:
            top, height = self.scroll_offset.y, max(1, self.size.height)
            if not top <= line < top + height:
                at = (
                    line - height // 2
                    if abs(line - top) > height
                    else line - (height - 1) * (line > top)
                )
                self.scroll_to(y=max(0, at), animate=False)
        self.refresh()

    def show(self, lines: LineColumn) -> None:
        """Show other lines, from the top."""
        self._lines, self.is_laid_out = lines, False
        self.scroll_home(animate=False)
        self._lay_out()
        self.refresh(layout=True)

    def update_lines(self) -> None:
        """Lay out changed lines again, at the same scroll position."""
        self.is_laid_out = False
        self._lay_out()
        self.refresh(layout=True)

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002
        self._lay_out()

    def notify_style_update(self) -> None:
        """Drop the palette, as the theme may have changed."""
        self._palette = None
        super().notify_style_update()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        if self._lines is None:
            return 0
        # One slice per layout of the screen: Textual asks for the height several times, and if it
        # grew with each call, the widgets below would lose their rows.
        until = perf_counter() + BUDGET
        if not self._is_remeasuring:
            self.is_laid_out = self._lines.lay_out(self._columns(width), until)
            if not self.is_laid_out:
                self._is_remeasuring = True
                self.set_timer(0.001, self._remeasure)
        return self._lines.height

    def _remeasure(self) -> None:
        """Lay out the surrounding widgets again, as the height counted only some of the lines."""
        self._is_remeasuring = False
        self.refresh(layout=True)

    def _columns(self, width: int) -> int:
        return max(1, width - self.styles.scrollbar_size_vertical)

    def _lay_out(self) -> None:
        width = self.scrollable_content_region.width
        if self._lines is None or width <= 0:
            return
        until = perf_counter() + BUDGET
        self.is_laid_out = self._lines.lay_out(self._columns(self.size.width), until)
        if self._lines.height != self.virtual_size.height or width != self.virtual_size.width:
            self.virtual_size = Size(width, self._lines.height)
            self.refresh(layout=True)
        if self.is_laid_out:
            self.laid_out()
            self.call_after_refresh(update_scrollbars, self)
        else:
            self.set_timer(0.001, self._lay_out)

    def render_line(self, y: int) -> Strip:
        line = self.scroll_offset.y + y
        style = self.rich_style
        width = self.scrollable_content_region.width
        if self._lines is None or line >= self._lines.height:
            return Strip.blank(width, style)
        palette = self.palette_at(line)
        strip = self._lines.strip(line, palette)
        drawn = strip.apply_style(style).adjust_cell_length(width, style)
        sign = self.sign_at(line)
        if not sign:
            return drawn
        marker = Segment(sign, style + palette["list.marker"])
        return Strip([marker, *drawn.crop(1, width)], width)

    def sign_at(self, line: int) -> str:
        """Return the sign in the first cell of a line, or ""."""
        return "▌" if line == self.mark else ""

    def palette_at(self, line: int) -> Palette:  # noqa: ARG002
        """Return the palette for a line."""
        return self._colors()

    def laid_out(self) -> None:
        """React to the end of the layout; called once all lines have their place."""

    def _colors(self) -> Palette:
        if self._palette is None:
            self._palette = Palette.of(self.app)
        return self._palette
