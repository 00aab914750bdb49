"""Many leaves in little memory: they are packed, some together."""

import pickle
import zlib
from functools import lru_cache

from acp_tui.ui.markdown.leaves import Leaf

TOGETHER = 64
"""How many leaves are packed together: packing takes 0.4 ms, unpacking a bit less."""


class LeafStore:
    """A list of leaves that no longer change. Of a long text all but the last are packed."""

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
        """Add a leaf."""
        if len(self._last) == TOGETHER:
            self._packed.append(zlib.compress(pickle.dumps(self._last), 1))
            self._last = []
        self._last.append(leaf)


@lru_cache(maxsize=8)
def _unpacked(leaves: bytes) -> list[Leaf]:
    unpacked: list[Leaf] = pickle.loads(zlib.decompress(leaves))  # noqa: S301 - made above
    return unpacked
