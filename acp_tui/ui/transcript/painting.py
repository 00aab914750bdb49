"""Which painter draws a document: the same one while its colors and its width are the same."""

from functools import partial
from typing import TYPE_CHECKING

from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.transcript.painter import Painter

if TYPE_CHECKING:
    from acp_tui.ui.transcript.document_view import DocumentView


class Painting:
    """The painter of a view. While it is the same, so are the rows, and nothing is sent."""

    def __init__(self, view: "DocumentView") -> None:
        self._view = view
        self._is_current = False
        self._painter: Painter | None = None
        self._colors: tuple[object, ...] = ()
        """What the painter was made for."""

    def renew(self) -> None:
        """Look at the colors and the width again before the next row."""
        self._is_current = False

    def forget(self) -> None:
        """Let go of the painter, and of the document in it."""
        self._painter, self._colors = None, ()

    @property
    def painter(self) -> Painter:
        """What draws the rows now."""
        if self._painter is None or not self._is_current:
            self._painter = self._found()
            self._is_current = True
        return self._painter

    def _found(self) -> Painter:
        view = self._view
        width = view.scrollable_content_region.width
        _, background = view.background_colors
        palette, base, filters = Palette.of(view.app), view.rich_style, view.get_line_filters()
        colors = (view.document, palette, base, width, background, *filters)
        if self._painter is None or self._colors != colors:
            self._colors = colors
            applied = [partial(one.apply, background=background) for one in filters]
            return Painter(view.document, palette, base, width, applied)
        return self._painter
