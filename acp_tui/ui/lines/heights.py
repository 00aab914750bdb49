"""The heights of a long column of things, with quick sums: which one has line 1,000?"""

from collections.abc import Iterable


class Heights:
    """Heights in order, and their prefix sums: a Fenwick tree.

    Looking up a line and changing a height are O(log n); appending and changing the last are O(1)
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
        """Return the index of the item that has line `y`, and the line within it. Raises IndexError."""
        if not 0 <= y < self.total:
            raise IndexError(f"line {y} of {self.total}")
        index, step = 0, 1 << (len(self._heights).bit_length() - 1)
        while step:
            if index + step < len(self._tree) and self._tree[index + step] <= y:
                index += step
                y -= self._tree[index]
            step >>= 1
        return index, y
