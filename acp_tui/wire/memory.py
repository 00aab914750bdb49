"""The records of a connection, kept in memory however long it lasts."""

import pickle
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import overload

from acp_tui.wire.recording import Record

BLOCK = 512
"""How many records are packed at once: a millisecond or two of work."""
LIMIT = 64 * 1024 * 1024
"""How many bytes are kept as they are; beyond that, the oldest are packed. The garbage collector
looks at each object that is not: a million would hold the program for a second.
"""
_OVERHEAD = 200
"""About what a record takes beside its bytes."""


class Memory(Sequence[Record]):
    """Grows by `append`. Of many records the newest are kept as they are, older ones packed:
    what is said on a wire repeats itself, and takes a tenth or less.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._blocks: list[list[Record] | bytes] = []
        self._sizes: list[int] = []
        self._count = 0
        self._loose = 0
        self._packed = 0
        self._unpacked = lru_cache(8)(self._unpack)

    def append(self, record: Record) -> None:
        """Take the next record."""
        if self._count % BLOCK == 0:
            self._blocks.append([])
            self._sizes.append(0)
            if self._loose > self._limit and self._packed < len(self._blocks) - 2:
                self._pack()
        block = self._blocks[-1]
        assert isinstance(block, list)
        block.append(record)
        size = len(getattr(record, "raw", b"")) + _OVERHEAD
        self._sizes[-1] += size
        self._loose += size
        self._count += 1

    def _pack(self) -> None:
        """Pack the oldest block that is not packed yet."""
        self._blocks[self._packed] = zlib.compress(pickle.dumps(self._blocks[self._packed]), 1)
        self._loose -= self._sizes[self._packed]
        self._packed += 1

    def _unpack(self, block: int) -> list[Record]:
        packed = self._blocks[block]
        assert isinstance(packed, bytes)
        records: list[Record] = pickle.loads(zlib.decompress(packed))  # noqa: S301  # our own
        return records

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> list[Record]: ...
    def __getitem__(self, index: int | slice) -> Record | list[Record]:
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(self._count))]
        if not -self._count <= index < self._count:
            raise IndexError(index)
        block, at = divmod(index % self._count, BLOCK)
        records = self._blocks[block]
        return records[at] if isinstance(records, list) else self._unpacked(block)[at]
