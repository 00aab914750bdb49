"""Drawing a part of the screen without having to look at all of it, and laying out all of it."""

from collections.abc import Iterable
from typing import Any

from textual._compositor import ChopsUpdate, Compositor, ReflowResult
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget


class NarrowCompositor(Compositor):
    """Asks only those widgets for their lines that are seen where something changed.

    Textual's own asks each that could be there if it were larger, and all behind it: with a line of
    the transcript also the prompt and all below it, which takes as long as the line.

    And it tells each widget that it is shown. Textual's own forgets those whose place was asked for
    before all was laid out, as may happen on a busy machine: they never learn their size.
    """

    _asked: tuple[Region, ...] = ()

    def __init__(self) -> None:
        super().__init__()
        self._told: set[Widget] = set()

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        """Lay out all; say what is hidden, shown and resized by that."""
        hidden, shown, resized = super().reflow(parent, size)
        told, self._told = self._told, set(self._full_map)
        return ReflowResult(hidden, shown | (self._told - told), resized)

    def render_partial_update(self) -> ChopsUpdate | None:
        self._asked = tuple(self._dirty_regions)
        try:
            return super().render_partial_update()
        finally:
            self._asked = ()

    def _get_renders(
        self, crop: Region | None = None
    ) -> Iterable[tuple[Region, Region, list[Strip]]]:
        asked = self._asked or (crop or self.size.region,)
        before: list[Region] = []
        for widget, (region, clip) in self.visible_widgets.items():
            shown = region.intersection(clip)
            if shown and _is_seen(shown, asked, before):
                before.append(shown)
                yield region, clip, widget.render_lines(shown.translate(-region.offset))


def compose_narrowly(screen: Screen[Any]) -> None:
    """Give a screen that was just made such a compositor."""
    screen._compositor = NarrowCompositor()


def _is_seen(shown: Region, asked: Iterable[Region], before: Iterable[Region]) -> bool:
    """Whether something that is asked for is there and not wholly behind one that is before it."""
    parts = [shown.intersection(one) for one in asked if shown.overlaps(one)]
    return any(not any(one.contains_region(part) for one in before) for part in parts)
