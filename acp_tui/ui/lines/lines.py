"""The protocol of every renderer: a column of lines, each drawn on demand."""

from typing import TYPE_CHECKING, NamedTuple, Protocol

from textual.strip import Strip

if TYPE_CHECKING:
    from acp_tui.ui.colors.palette import Palette


BUDGET = 0.008
"""Seconds of layout in one slice, so that keys are answered in between."""


class Wrap(NamedTuple):
    """How a row continues the one above, with which it is one line of text."""

    start: int  # of its own text, after marks of quotes and lists
    glue: str  # the text in between: a space, or nothing in a long word


class LineColumn(Protocol):
    """A column of lines for one width. Layout may take several calls; drawing takes one."""

    @property
    def height(self) -> int:
        """How many lines are laid out so far."""

    def lay_out(self, width: int, until: float) -> bool:
        """Lay out for `width` cells, or continue; stop at `until` (time.perf_counter).

        Returns whether everything is laid out. Each call makes some progress, however late it is.
        """

    def strip(self, y: int, palette: "Palette") -> Strip:
        """Draw line `y` of `height`, at most `width` cells wide and not padded."""

    def plain(self, y: int) -> str:
        """Return the text of line `y` as it is drawn, for search and selection."""

    def source(self, first: int, last: int) -> str:
        """Return the source (Markdown where there is one) of the lines from `first` to `last`."""
