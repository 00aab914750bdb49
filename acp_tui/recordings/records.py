"""Sequences of records that are loaded on demand."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import overload

from acp_tui.protocol.events import Record
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
        """The index after the last one, in the other sequence."""
        return self._places.stop

    def __len__(self) -> int:
        return len(self._places)

    def read(self, index: int) -> Record:
        """Return one record."""
        return self._records[self._places[index]]
