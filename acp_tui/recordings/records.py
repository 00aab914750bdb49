"""Sequences of records: loaded on demand, or stored compactly however long a connection lasts."""

import pickle
import zlib
from abc import ABC, abstractmethod
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import overload

from acp_tui.protocol.events import Record
from acp_tui.recordings.long_frames import HUGE, ByteStore, StoredBytes, StoredFrame
from acp_tui.recordings.recording import dump_in_pieces


class Records(Sequence[Record], ABC):
    """A sequence whose records are loaded one by one: `read` gets an index within its length."""

    @abstractmethod
    def read(self, index: int) -> Record:
        """Return one record."""

    def time(self, index: int) -> float:
        """Return the time of a record, which may not need all of it."""
        return self.read(index).at

    def pieces(self, index: int) -> Iterator[str]:
        """Yield one record as a line of a recording, a long one in pieces."""
        return dump_in_pieces(self.read(index))

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> list[Record]: ...
    def __getitem__(self, index: int | slice) -> Record | list[Record]:
        if isinstance(index, slice):
            return [self.read(one) for one in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self.read(index % len(self))


def time_of(records: Sequence[Record], index: int) -> float:
    """Return the time of a record of any sequence, without loading all of a long one."""
    if isinstance(records, Records):
        return records.time(index % len(records))
    return records[index].at


def pieces_of(records: Sequence[Record], index: int) -> Iterator[str]:
    """Yield one record of any sequence as a line of a recording, a long one in pieces."""
    if isinstance(records, Records):
        return records.pieces(index)
    return dump_in_pieces(records[index])


class Slice(Records):
    """A slice of a sequence of records, without a copy."""

    def __init__(self, records: Sequence[Record], places: range) -> None:
        self._records = records
        self._places = places

    @property
    def end(self) -> int:
        """The index after the last record, in the underlying sequence."""
        return self._places.stop

    def __len__(self) -> int:
        return len(self._places)

    def read(self, index: int) -> Record:
        """Return one record."""
        return self._records[self._places[index]]


BLOCK = 512
BLOCK_SIZE = 256 * 1024
"""Bytes, or `BLOCK` records, that are packed at once: a few milliseconds of work."""
UNPACKED_BYTES = 1024 * 1024
"""Bytes that are stored unpacked; beyond that, the oldest are packed.

The garbage collector visits each unpacked object: a million would block the program for a second.
"""
_OVERHEAD = 200
"""Approximate bytes of a record in addition to its content."""


class PackedLog(Records):
    """A sequence of records that grows by `append`.

    The newest records are stored as they are, older ones packed: traffic is repetitive, and shrinks
    to a tenth or less. `store` may store packed blocks elsewhere; a block that would take too long
    to pack stays unpacked.
    """

    def __init__(self, limit: int = UNPACKED_BYTES, store: ByteStore | None = None) -> None:
        self._limit = limit
        self._store = store
        self._blocks: list[list[Record] | StoredFrame | bytes | StoredBytes] = []
        self._starts = array("Q")
        self._sizes = array("Q")
        self._count = 0
        self._loose = 0
        self._packed = 0
        self._unpacked = lru_cache(8)(self._unpack_block)

    def append(self, record: Record) -> None:
        """Append a record."""
        block = self._blocks[-1] if self._blocks else None
        if not isinstance(block, list) or len(block) == BLOCK or self._sizes[-1] >= BLOCK_SIZE:
            block = []
            self._begin_block(block)
        block.append(record)
        size = sum(len(one) for one in record if isinstance(one, str | bytes)) + _OVERHEAD
        self._sizes[-1] += size
        self._loose += size
        self._count += 1

    def append_stored(self, frame: StoredFrame) -> None:
        """Append a frame whose bytes are stored elsewhere."""
        self._begin_block(frame)
        self._count += 1

    def _begin_block(self, block: list[Record] | StoredFrame) -> None:
        """Begin a block; if too much is unpacked, pack the oldest block."""
        self._blocks.append(block)
        self._starts.append(self._count)
        self._sizes.append(0)
        if self._loose > self._limit and self._packed < len(self._blocks) - 2:
            self._pack_block(self._packed)
            self._loose -= self._sizes[self._packed]
            self._packed += 1

    def _pack_block(self, block: int) -> None:
        if isinstance(self._blocks[block], list) and self._sizes[block] < HUGE:
            packed = zlib.compress(pickle.dumps(self._blocks[block]), 1)
            self._blocks[block] = packed if self._store is None else self._store.store(packed)

    def _unpack_block(self, block: int) -> list[Record]:
        packed = self._blocks[block]
        assert not isinstance(packed, list | StoredFrame)
        data = packed if isinstance(packed, bytes) else packed.read()
        records: list[Record] = pickle.loads(zlib.decompress(data))  # noqa: S301  # pickled by us
        return records

    def __len__(self) -> int:
        return self._count

    def read(self, index: int) -> Record:
        """Return one record, unpacking its block if needed."""
        block = bisect_right(self._starts, index) - 1
        records = self._blocks[block]
        if isinstance(records, StoredFrame):
            return records.whole()
        return (records if isinstance(records, list) else self._unpacked(block))[
            index - self._starts[block]
        ]

    def stored_frame(self, index: int) -> StoredFrame | None:
        """Return a frame whose bytes are stored elsewhere; None for any other record."""
        block = self._blocks[bisect_right(self._starts, index) - 1]
        return block if isinstance(block, StoredFrame) else None

    def pieces(self, index: int) -> Iterator[str]:
        """Yield one record as a line, without loading bytes that are stored elsewhere."""
        stored = self.stored_frame(index)
        return super().pieces(index) if stored is None else stored.pieces()
