"""Leaves below each other: which line belongs to which, for one width."""

from array import array
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from time import perf_counter

from acp_tui.ui.transcript.markdown.leaves import Leaf
from acp_tui.ui.transcript.markdown.pages import Pages
from acp_tui.ui.transcript.markdown.store import LeafStore

Measure = Callable[[Leaf], int]


class Column:
    """Leaves, their heights, and a tail of leaves that may still change.

    After a change of width the heights for the old width stand until their turn comes.
    """

    def __init__(self, pages: Pages) -> None:
        self.leaves = LeafStore(pages)
        self.tail: list[Leaf] = []
        self._heights = array("I")
        self._tail_heights: list[int] = []
        self._tops = array("I", [0])
        self._next = 0  # the first leaf that is not laid out for this width
        self._stale: list[int] = []  # leaves before it that have to be laid out again

    @property
    def height(self) -> int:
        """The lines of all that is laid out, in this width or the one before."""
        return self._tops[-1] + sum(self._tail_heights)

    @property
    def done(self) -> bool:
        """Whether all leaves but the tail are laid out."""
        return self._next == len(self.leaves) and not self._stale

    def start_over(self) -> None:
        """Lay all out again, for another width."""
        self._next = 0
        self._stale.clear()

    def spoil(self, indexes: list[int]) -> None:
        """Lay some leaves out again."""
        self._stale += [index for index in indexes if index < self._next]

    def step(self, measure: Measure, until: float) -> None:
        """Lay out leaves until the time `until`, one at least."""
        if self.done:
            return
        lowest = self._next
        while self._stale:
            index = self._stale.pop()
            self._heights[index] = measure(self.leaves[index])
            lowest = min(lowest, index)
            if perf_counter() >= until:
                break
        else:
            self._lay_out_next(measure, until)
        self._sum_up(lowest)

    def _lay_out_next(self, measure: Measure, until: float) -> None:
        for index in range(self._next, len(self.leaves)):
            height = measure(self.leaves[index])
            if index < len(self._heights):
                self._heights[index] = height
            else:
                self._heights.append(height)
            self._next = index + 1
            if perf_counter() >= until:
                return

    def _sum_up(self, start: int) -> None:
        """Bring the tops of the leaves up to date from `start` on."""
        del self._tops[start + 1 :]
        self._tops.extend(list(accumulate(self._heights[start:], initial=self._tops[-1]))[1:])

    def show_tail(self, tail: list[Leaf], measure: Measure) -> None:
        """Replace the leaves that may still change."""
        self.tail = tail
        self._tail_heights = [measure(leaf) for leaf in tail]

    def find(self, y: int) -> tuple[Leaf, int, int]:
        """The leaf that line `y` is in, its index, and the line in it."""
        top = self._tops[-1]
        if y < top:
            index = bisect_right(self._tops, y) - 1
            return self.leaves[index], index, y - self._tops[index]
        for index, height in enumerate(self._tail_heights):
            if y < top + height:
                return self.tail[index], len(self._heights) + index, y - top
            top += height
        raise IndexError(y)

    def height_at(self, index: int) -> int:
        """The lines of the leaf of an index that `find` gave."""
        laid = len(self._heights)
        return self._heights[index] if index < laid else self._tail_heights[index - laid]

    def at(self, index: int) -> Leaf | None:
        """The leaf of an index that `find` gave, or nothing beyond the ends."""
        if index < 0:
            return None
        if index < len(self._heights):
            return self.leaves[index]
        index -= len(self._heights)
        return self.tail[index] if index < len(self.tail) else None
