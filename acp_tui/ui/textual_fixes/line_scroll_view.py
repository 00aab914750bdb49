"""A scroll view whose rows are cached, and sent to the screen only when they change."""

from collections.abc import Iterable, Sequence
from math import ceil
from typing import Any, Self

from rich.segment import Segment
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget


class LineScrollBar(ScrollBar):
    """A scrollbar that is drawn without Rich.

    Textual's own creates a Rich renderable and a styles cache for each move of the thumb, in every
    frame of a stream: 1.9 ms at 50 rows instead of 0.4 ms.
    """

    _drawn: tuple[object, list[Strip]] = (None, [])

    def render_lines(self, crop: Region) -> list[Strip]:
        width, height = self.size
        if not self.vertical or width != self.thickness:
            return super().render_lines(crop)
        bar: Any = self.render()
        style, filters = bar.style, self.get_line_filters()
        _, background = self.background_colors
        state = (
            *(height, bar.virtual_size, bar.window_size, bar.position),
            *(style.color, style.bgcolor, self.rich_style, *filters),
        )
        if state != self._drawn[0]:
            drawn = bar.render_bar(
                size=height,
                virtual_size=bar.virtual_size,
                window_size=bar.window_size,
                position=bar.position,
                thickness=width,
                back_color=style.bgcolor,
                bar_color=style.color,
            ).segments
            segments = [*Segment.apply_style(drawn, self.rich_style)]
            for one in filters:
                segments = one.apply(segments, background)
            self._drawn = (state, [Strip([segment], width) for segment in segments])
        return self._drawn[1][crop.y : crop.bottom]


def set_virtual_size(view: ScrollView, size: Size) -> None:
    """Set the size of the content for the scrollbars, without laying out the screen."""
    view.set_reactive(Widget.virtual_size, size)
    view._scroll_update(size)


def update_scrollbars(view: ScrollView) -> None:
    """Update whether scrollbars are shown, and their thumbs.

    Textual doesn't if content that is laid out in slices first needs a scrollbar and then doesn't.
    """
    view._scrollbar_changes.clear()
    view._scroll_update(view.virtual_size)


EIGHTHS = 8
"""Scrollbar steps per cell."""


class DrawnRow(Strip):
    """A drawn line, as it is sent to the screen.

    Textual's own strip caches itself as the result of a cut that cuts nothing. Each line ever shown
    would then be a reference cycle, which only the garbage collector frees, pausing the program.
    """

    __slots__ = ()

    def divide(self, cuts: Iterable[int]) -> Sequence[Strip]:
        inside = [cut for cut in cuts if cut <= self.cell_length]
        return [self] if inside == [self.cell_length] else super().divide(inside)


class LineScrollView(ScrollView):
    """Draws a subclass's rows; while `row` returns the same object, it isn't sent again."""

    def __init__(self) -> None:
        self._on_screen: dict[int, DrawnRow] = {}
        self._requested_rows: set[int] = set()  # rows that the next drawing sends to the screen
        super().__init__()

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, self._theme_changed)

    def on_unmount(self) -> None:
        self.app.theme_changed_signal.unsubscribe(self)  # it would keep all of this in memory

    def _theme_changed(self, _: object) -> None:
        self.forget_rows()
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.forget_rows()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002
        self.refresh()

    def forget_rows(self) -> None:
        """Drop cached rows, because colors have changed."""

    def row(self, y: int) -> DrawnRow:
        """Return row `y` of the screen, and the same object as long as nothing in it changes."""
        raise NotImplementedError

    def refresh_changed(self) -> None:
        """Redraw the rows on screen that have changed."""
        for y in range(self.size.height):
            if self.row(y) is not self._on_screen.get(y):
                self.refresh(Region(0, y, self.size.width, 1))

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        if repaint and self.is_mounted:
            whole = (self.size.region,)
            self._requested_rows.update(*(region.line_range for region in regions or whole))
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the lines of a region.

        Textual's own cache drops all lines at each scroll, and adds padding and borders, of which
        there are none here. Textual also asks for lines between two changed ones, which it
        discards; only lines that were refreshed are recorded.
        """
        rows = [self.row(y) for y in crop.line_range]
        for y, row in zip(crop.line_range, rows, strict=True):
            if y in self._requested_rows:
                self._on_screen[y] = row
        self._requested_rows.difference_update(crop.line_range)
        if crop.column_span == (0, self.size.width):
            return list(rows)
        return [row.crop(*crop.column_span) for row in rows]

    # The scrollbar

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        if self._vertical_scrollbar is None:
            bar = LineScrollBar(name="vertical", thickness=self.scrollbar_size_vertical)
            bar.display = False
            self._vertical_scrollbar = bar
            self.app._start_widget(self, bar)
        return self._vertical_scrollbar

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        if round(old_value) != round(new_value):
            self.refresh()

    def set_height(self, height: int) -> None:
        """Set the number of lines to scroll through.

        Assigning `virtual_size` would lay out the whole screen again, in every frame of a stream,
        although the scrollbar is always shown.
        """
        size = Size(self.scrollable_content_region.width, height)
        if size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)

    def move_thumb(self) -> None:
        """Move the scrollbar's thumb if that is visible: drawing it costs as much as some lines."""
        bar, rows, height = self.vertical_scrollbar, self.size.height, self.virtual_size.height
        now = _thumb(rows, int(bar.window_size), int(bar.window_virtual_size), bar.position)
        if now != _thumb(rows, rows, height, self.scroll_y):
            bar.window_size, bar.window_virtual_size = rows, height
            bar.position = self.scroll_y


def _thumb(rows: int, window: int, height: int, position: float) -> tuple[int, int]:
    """Return the start and length of a scrollbar's thumb, in eighths of a cell."""
    if not 0 < window < height:
        return (0, 0)
    size = max(1.0, window / (height / rows))  # calculated exactly as in Textual
    start = int((rows - size) * (position / (height - window)) * EIGHTHS)
    return start, ceil(size * EIGHTHS)
