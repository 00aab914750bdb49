"""Sequences of records that read each record when it is asked for."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import overload

from acp_tui.wire.recording import Record


class Records(Sequence[Record], ABC):
    """A sequence whose records are read one by one: `read` gets an index within its length."""

    @abstractmethod
    def read(self, index: int) -> Record:
        """Read one record."""

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


class Slice(Records):
    """Some of the records of another sequence."""

    def __init__(self, records: Sequence[Record], places: range) -> None:
        self._records = records
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    def read(self, index: int) -> Record:
        """Read one record."""
        return self._records[self._places[index]]
