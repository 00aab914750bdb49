"""The records of a connection, all of them kept however long it lasts."""

import pickle
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache

from acp_tui.wire.recording import Record
from acp_tui.wire.records import Records

BLOCK = 512
BLOCK_SIZE = 256 * 1024
"""How many records, or bytes, are packed at once: a few milliseconds of work."""
HUGE = 4 * 1024 * 1024
"""Bytes that it would take too long to pack at once; they are kept as they are."""
LIMIT = 1024 * 1024
"""How many bytes are kept as they are; beyond that, the oldest are packed. The garbage collector
looks at each object that is not: a million would hold the program for a second.
"""
_OVERHEAD = 200
"""About what a record takes beside its bytes."""

Fetch = Callable[[], bytes]
"""Returns what was kept elsewhere."""
Keep = Callable[[bytes], Fetch]
"""Keeps bytes elsewhere."""


class PackedLog(Records):
    """Grows by `append`. Of many records the newest are kept as they are, older ones packed:
    what is said on a wire repeats itself, and takes a tenth or less. What is packed can be kept
    elsewhere.
    """

    def __init__(self, limit: int = LIMIT, keep: Keep | None = None) -> None:
        self._limit = limit
        self._keep = keep
        self._blocks: list[list[Record] | bytes | Fetch] = []
        self._starts = array("Q")
        self._sizes = array("Q")
        self._count = 0
        self._loose = 0
        self._packed = 0
        self._unpacked = lru_cache(8)(self._unpack)
        self._unpacked_huge = lru_cache(1)(self._unpack)

    def append(self, record: Record) -> None:
        """Append a record."""
        in_block = self._count - self._starts[-1] if self._blocks else BLOCK
        if in_block == BLOCK or self._sizes[-1] >= BLOCK_SIZE:
            self._begin()
        block = self._blocks[-1]
        assert isinstance(block, list)
        block.append(record)
        size = sum(len(one) for one in record if isinstance(one, str | bytes)) + _OVERHEAD
        self._sizes[-1] += size
        self._loose += size
        self._count += 1

    def _begin(self) -> None:
        """Begin a block; if there are too many as they were, pack the oldest of them."""
        self._blocks.append([])
        self._starts.append(self._count)
        self._sizes.append(0)
        if self._loose > self._limit and self._packed < len(self._blocks) - 2:
            self._pack(self._packed)
            self._loose -= self._sizes[self._packed]
            self._packed += 1

    def _pack(self, block: int) -> None:
        is_huge = self._sizes[block] >= HUGE
        if is_huge and self._keep is None:
            return
        packed = pickle.dumps(self._blocks[block])
        if not is_huge:
            packed = zlib.compress(packed, 1)
        self._blocks[block] = packed if self._keep is None else self._keep(packed)

    def _unpack(self, block: int) -> list[Record]:
        packed = self._blocks[block]
        assert not isinstance(packed, list)
        data = packed if isinstance(packed, bytes) else packed()
        if self._sizes[block] < HUGE:
            data = zlib.decompress(data)
        records: list[Record] = pickle.loads(data)  # noqa: S301  # our own
        return records

    def __len__(self) -> int:
        return self._count

    def read(self, index: int) -> Record:
        """Read one record, from its block if that is packed."""
        block = bisect_right(self._starts, index) - 1
        at = index - self._starts[block]
        records = self._blocks[block]
        if isinstance(records, list):
            return records[at]
        unpacked = self._unpacked if self._sizes[block] < HUGE else self._unpacked_huge
        return unpacked(block)[at]
