"""The records of a connection, all of them kept however long it lasts."""

import pickle
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from acp_tui.recordings.long_frames import HUGE, Keep, KeptFrame, LongFrame
from acp_tui.recordings.recording import Record
from acp_tui.recordings.records import Records

BLOCK = 512
BLOCK_SIZE = 256 * 1024
"""How many records, or bytes, are packed at once: a few milliseconds of work."""
LIMIT = 1024 * 1024
"""How many bytes are kept as they are; beyond that, the oldest are packed. The garbage collector
looks at each object that is not: a million would hold the program for a second.
"""
_OVERHEAD = 200
"""About what a record takes beside its bytes."""


class PackedLog(Records):
    """Grows by `append`. Of many records the newest are kept as they are, older ones packed:
    what is said on a wire repeats itself, and takes a tenth or less. What is packed can be kept
    elsewhere; what would take too long to pack stays as it is, or as it is kept.
    """

    def __init__(self, limit: int = LIMIT, keep: Keep | None = None) -> None:
        self._limit = limit
        self._keep = keep
        self._blocks: list[list[Record] | KeptFrame | bytes | LongFrame] = []
        self._starts = array("Q")
        self._sizes = array("Q")
        self._count = 0
        self._loose = 0
        self._packed = 0
        self._unpacked = lru_cache(8)(self._unpack)

    def append(self, record: Record) -> None:
        """Append a record."""
        block = self._blocks[-1] if self._blocks else None
        if not isinstance(block, list) or len(block) == BLOCK or self._sizes[-1] >= BLOCK_SIZE:
            block = []
            self._begin(block)
        block.append(record)
        size = sum(len(one) for one in record if isinstance(one, str | bytes)) + _OVERHEAD
        self._sizes[-1] += size
        self._loose += size
        self._count += 1

    def append_kept(self, frame: KeptFrame) -> None:
        """Append a frame whose bytes are kept elsewhere."""
        self._begin(frame)
        self._count += 1

    def _begin(self, block: list[Record] | KeptFrame) -> None:
        """Begin a block; if there are too many as they were, pack the oldest of them."""
        self._blocks.append(block)
        self._starts.append(self._count)
        self._sizes.append(0)
        if self._loose > self._limit and self._packed < len(self._blocks) - 2:
            self._pack(self._packed)
            self._loose -= self._sizes[self._packed]
            self._packed += 1

    def _pack(self, block: int) -> None:
        if isinstance(self._blocks[block], list) and self._sizes[block] < HUGE:
            packed = zlib.compress(pickle.dumps(self._blocks[block]), 1)
            self._blocks[block] = packed if self._keep is None else self._keep.keep(packed)

    def _unpack(self, block: int) -> list[Record]:
        packed = self._blocks[block]
        assert not isinstance(packed, list | KeptFrame)
        data = packed if isinstance(packed, bytes) else packed.read()
        records: list[Record] = pickle.loads(zlib.decompress(data))  # noqa: S301  # our own
        return records

    def __len__(self) -> int:
        return self._count

    def read(self, index: int) -> Record:
        """Read one record, from its block if that is packed."""
        block = bisect_right(self._starts, index) - 1
        records = self._blocks[block]
        if isinstance(records, KeptFrame):
            return records.whole()
        return (records if isinstance(records, list) else self._unpacked(block))[
            index - self._starts[block]
        ]

    def kept(self, index: int) -> KeptFrame | None:
        """Return a frame whose bytes are kept elsewhere without them; None for any other record."""
        block = self._blocks[bisect_right(self._starts, index) - 1]
        return block if isinstance(block, KeptFrame) else None

    def pieces(self, index: int) -> Iterator[str]:
        """Write one record as a line, without having all bytes of one that is kept elsewhere."""
        kept = self.kept(index)
        return super().pieces(index) if kept is None else kept.pieces()
