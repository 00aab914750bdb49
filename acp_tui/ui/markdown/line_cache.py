"""A cache of drawn lines, shared by all documents: the newest are kept, the others can be made
again.
"""

from collections import OrderedDict
from collections.abc import Callable

from textual.strip import Strip

from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.lines.lines import Wrap
from acp_tui.ui.markdown.styled_text import Line

CACHED_LINES = 1024
"""How many lines are kept; the newest leaf is kept in any case."""


class DrawnLeaf:
    """The lines of a leaf, and the strips that were made of them."""

    __slots__ = ("_palette", "_strips", "_wraps", "lines", "state")

    def __init__(self, state: object, lines: list[Line]) -> None:
        self.state = state
        self.lines = lines
        self._palette: Palette | None = None
        self._strips: dict[int, Strip] = {}
        self._wraps: list[Wrap | None] | None = None

    def strip(self, index: int, palette: Palette, make: Callable[[Line, Palette], Strip]) -> Strip:
        """Return the strip of a line, made if need be; the same one each time."""
        if palette is not self._palette:
            self._palette, self._strips = palette, {}
        found = self._strips.get(index)
        if found is None:
            found = self._strips[index] = make(self.lines[index], palette)
        return found

    def wrap(self, index: int, make: Callable[[], list[Wrap | None]]) -> Wrap | None:
        """Return the wrap between a line and the line above; `make` finds all wraps at the first call."""
        if self._wraps is None:
            self._wraps = make()
        return self._wraps[index] if index < len(self._wraps) else None


class LeafCache:
    """Caches drawn leaves."""

    def __init__(self) -> None:
        self._leaves: OrderedDict[object, DrawnLeaf] = OrderedDict()
        self._count = 0

    def find(self, key: object, state: object) -> DrawnLeaf | None:
        """Return a cached leaf if it was drawn in this state."""
        found = self._leaves.get(key)
        if found is None or found.state != state:
            return None
        self._leaves.move_to_end(key)
        return found

    def add(self, key: object, leaf: DrawnLeaf) -> None:
        """Add a leaf, and drop those that were not asked for the longest."""
        before = self._leaves.pop(key, None)
        if before is not None:
            self._count -= len(before.lines)
        self._leaves[key] = leaf
        self._count += len(leaf.lines)
        while self._count > CACHED_LINES and len(self._leaves) > 1:
            _, dropped = self._leaves.popitem(last=False)
            self._count -= len(dropped.lines)


LEAF_CACHE = LeafCache()
