"""Drawing a part of the screen without having to look at all of it."""

from collections.abc import Iterable

from textual._compositor import Compositor
from textual.geometry import Region
from textual.strip import Strip


class NarrowCompositor(Compositor):
    """Asks only those widgets for their lines that are where something changed.

    Textual's own asks each that could be there if it were larger: with a line of the transcript also
    the prompt and all below it, which takes as long as the line.
    """

    def _get_renders(
        self, crop: Region | None = None
    ) -> Iterable[tuple[Region, Region, list[Strip]]]:
        for widget, (region, clip) in self.visible_widgets.items():
            shown = region.intersection(clip)
            if shown and (crop is None or crop.overlaps(shown)):
                yield region, clip, widget.render_lines(shown.translate(-region.offset))
