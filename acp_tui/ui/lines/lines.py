"""The base of all renderers: the protocol of a column of lines, prose width, height sums."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from textual.strip import Strip

if TYPE_CHECKING:
    from acp_tui.ui.colors.palette import Palette


BUDGET = 0.008
"""Seconds of layout per slice, so that keys are handled in between."""


class Wrap(NamedTuple):
    """How a row continues the row above, with which it is one line of text."""

    start: int  # of its own text, after quote and list markers
    glue: str  # text between the rows: a space, or "" within a long word


class LineColumn(Protocol):
    """A column of lines at one width. Layout may take several calls; drawing takes one."""

    @property
    def height(self) -> int:
        """Number of lines laid out so far."""

    def lay_out(self, width: int, until: float) -> bool:
        """Lay out for `width` cells, or continue, until `perf_counter` reaches `until`.

        Return whether everything is laid out. Each call makes some progress, however late it is.
        """

    def strip(self, y: int, palette: "Palette") -> Strip:
        """Draw line `y` of `height`, at most `width` cells wide and not padded."""

    def plain(self, y: int) -> str:
        """Return the text of line `y` as it is drawn, for search and selection."""

    def source(self, first: int, last: int) -> str:
        """Return the source of lines `first` to `last`: Markdown where there is one."""


SPLIT_WIDTH = 120
"""Width in cells from which the two sides of a diff are side by side by default."""


class Measure:
    """The maximum width of prose in cells, for readability; 0 for the width of the window."""

    def __init__(self, cells: int = 0) -> None:
        self.cells = cells
        self._forms: dict[tuple[int, int], tuple[int, int]] = {}

    def within(self, width: int) -> int:
        """Return how many of `width` cells prose may take."""
        return min(width, self.cells) if self.cells else width

    def form(self, width: int) -> tuple[int, int]:
        """Return a key that changes whenever lines of `width` cells have to be laid out again."""
        form = (width, self.cells)
        return self._forms.setdefault(form, form)  # one object, as thousands of entries store it


measure = Measure()
"""The prose width of this program, from the settings."""


class Heights:
    """A sequence of heights with their prefix sums, as a Fenwick tree.

    Finding a line and changing a height are O(log n); appending and changing the last one are O(1)
    on average. A height can be zero.
    """

    __slots__ = ("_heights", "_tree", "total")

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._heights: list[int] = []
        self._tree: list[int] = [0]
        self.total = 0
        for height in heights:
            self.append(height)

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    def append(self, height: int) -> None:
        self._heights.append(height)
        node = len(self._heights)
        below, end = node - 1, node - (node & -node)
        while below > end:
            height += self._tree[below]
            below -= below & -below
        self._tree.append(height)
        self.total += self._heights[-1]

    def __setitem__(self, index: int, height: int) -> None:
        change = height - self._heights[index]
        if change == 0:
            return
        self._heights[index] = height
        self.total += change
        node = index + 1
        while node < len(self._tree):
            self._tree[node] += change
            node += node & -node

    def offset(self, index: int) -> int:
        """Return the sum of all heights before `index`, which may be the length."""
        total = 0
        while index > 0:
            total += self._tree[index]
            index -= index & -index
        return total

    def locate(self, y: int) -> tuple[int, int]:
        """Return the index of the item at line `y`, and the line within it. Raises IndexError."""
        if not 0 <= y < self.total:
            raise IndexError(f"line {y} of {self.total}")
        index, step = 0, 1 << (len(self._heights).bit_length() - 1)
        while step:
            if index + step < len(self._tree) and self._tree[index + step] <= y:
                index += step
                y -= self._tree[index]
            step >>= 1
        return index, y
