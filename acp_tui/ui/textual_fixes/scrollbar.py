"""A scrollbar that is drawn as fast as the lines beside it."""

from typing import Any

from rich.segment import Segment
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widget import Widget


class LineScrollBar(ScrollBar):
    """Draws itself without Rich. Textual's own scrollbar takes a Rich renderable and a cache of
    styles for each move of the thumb: with a stream, that takes as long as its text.
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
    """Tell the scrollbars how large the content is, without laying out the screen."""
    view.set_reactive(Widget.virtual_size, size)
    view._scroll_update(size)


def settle_scrollbars(view: ScrollView) -> None:
    """Decide once more whether there are scrollbars, and how long their thumbs are. Textual leaves
    them as they are where a content that is laid out in slices needs one and then none.
    """
    view._scrollbar_changes.clear()
    view._scroll_update(view.virtual_size)
