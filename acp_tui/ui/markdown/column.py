"""A column of leaves at one width: finds the leaf at a line."""

import pickle
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from time import perf_counter

from acp_tui.ui.markdown.leaves import Leaf

Measure = Callable[[Leaf], int]
STEP = 64
"""Leaves per entry in the index of tops."""


TOGETHER = 64
"""Leaves that are compressed together: packing takes 0.4 ms, unpacking a bit less."""


class LeafStore:
    """A list of leaves that no longer change. In a long text, all but the last are compressed."""

    def __init__(self) -> None:
        self._packed: list[bytes] = []
        self._last: list[Leaf] = []

    def __len__(self) -> int:
        return TOGETHER * len(self._packed) + len(self._last)

    def __getitem__(self, index: int) -> Leaf:
        group, at = divmod(index, TOGETHER)
        leaves = _unpacked(self._packed[group]) if group < len(self._packed) else self._last
        return leaves[at]

    def append(self, leaf: Leaf) -> None:
        """Append a leaf."""
        if len(self._last) == TOGETHER:
            self._packed.append(zlib.compress(pickle.dumps(self._last), 1))
            self._last = []
        self._last.append(leaf)


@lru_cache(maxsize=8)
def _unpacked(leaves: bytes) -> list[Leaf]:
    unpacked: list[Leaf] = pickle.loads(zlib.decompress(leaves))  # noqa: S301 - made above
    return unpacked


class LeafColumn:
    """Leaves and their heights, and a tail of leaves that may still change.

    After a change of the width, a leaf keeps its old height until it is laid out again.
    """

    def __init__(self) -> None:
        self.leaves = LeafStore()
        self.tail: list[Leaf] = []
        self._heights = array("I")
        self._tail_heights: list[int] = []
        self._tops = array("I", [0])  # line offsets of leaves whose index is a multiple of STEP
        self.laid = 0  # lines of all leaves except the tail
        self._next = 0  # index of the first leaf that isn't laid out for this width

    @property
    def height(self) -> int:
        """Number of lines laid out so far, at this width or the previous one."""
        return self.laid + sum(self._tail_heights)

    @property
    def done(self) -> bool:
        """Whether all leaves except the tail are laid out."""
        return self._next == len(self.leaves)

    def restart(self) -> None:
        """Schedule all leaves to be laid out again, for another width."""
        self._next = 0

    def step(self, measure: Measure, until: float) -> None:
        """Lay out leaves until `perf_counter` reaches `until`, but at least one."""
        if self.done:
            return
        start = self._next
        for index in range(start, len(self.leaves)):
            height = measure(self.leaves[index])
            if index < len(self._heights):
                self._heights[index] = height
            else:
                self._heights.append(height)
            self._next = index + 1
            if perf_counter() >= until:
                break
        self._update_tops(start)

    def _update_tops(self, start: int) -> None:
        """Update the index of tops from leaf `start` on."""
        first = start // STEP
        del self._tops[first + 1 :]
        top = self._tops[first]
        for index in range(first * STEP, len(self._heights), STEP):
            heights = self._heights[index : index + STEP]
            top += sum(heights)
            if len(heights) == STEP:
                self._tops.append(top)
        self.laid = top

    def show_tail(self, tail: list[Leaf], measure: Measure) -> None:
        """Replace the leaves that may still change."""
        self.tail = tail
        self._tail_heights = [measure(leaf) for leaf in tail]

    def find(self, y: int) -> tuple[Leaf, int, int]:
        """Return the leaf at line `y`, its index, and the line within it. Raises IndexError."""
        if y < self.laid:
            step = bisect_right(self._tops, y) - 1
            index, y = step * STEP, y - self._tops[step]
            while y >= self._heights[index]:
                y -= self._heights[index]
                index += 1
            return self.leaves[index], index, y
        top = self.laid
        for index, height in enumerate(self._tail_heights):
            if y < top + height:
                return self.tail[index], len(self._heights) + index, y - top
            top += height
        raise IndexError(y)

    def height_at(self, index: int) -> int:
        """Return the number of lines of the leaf at an index from `find`."""
        laid = len(self._heights)
        return self._heights[index] if index < laid else self._tail_heights[index - laid]

    def at(self, index: int) -> Leaf | None:
        """Return the leaf at an index from `find`, or None beyond the ends."""
        if index < 0:
            return None
        if index < len(self._heights):
            return self.leaves[index]
        index -= len(self._heights)
        return self.tail[index] if index < len(self.tail) else None
