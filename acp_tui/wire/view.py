"""What a table shows of a log: the rows that pass a filter, with a message's chunks as one."""

from array import array
from collections.abc import Iterator, Sequence

from acp_tui.wire.filters import Predicate
from acp_tui.wire.log import Log, Row


class Group:
    """One line of the table: a row, or the neighboring chunks of one message."""

    __slots__ = ("indices", "log")

    def __init__(self, log: Log, indices: Sequence[int]) -> None:
        self.log = log
        self.indices = indices
        """Where the rows are in the log, oldest first."""

    def __len__(self) -> int:
        """How many rows are folded into this one."""
        return len(self.indices)

    def __iter__(self) -> Iterator[Row]:
        """All rows, oldest first."""
        return (self.log[index] for index in self.indices)

    @property
    def first(self) -> Row:
        return self.log[self.indices[0]]

    @property
    def last(self) -> Row:
        return self.log[self.indices[-1]]

    @property
    def size(self) -> int:
        """The bytes of all rows."""
        return sum(self.log.sizes[index] for index in self.indices)

    @property
    def found(self) -> list[int]:
        """Which rows have findings, oldest first."""
        findings = self.log.findings
        if len(self) <= len(findings):
            return [index for index in self.indices if index in findings]
        return sorted(findings.keys() & set(self.indices))


class View:
    """The groups of a log, in its order. `catch_up` takes what the log has read since.

    A row is judged once: what changes later (the status of a request, findings about an earlier
    frame) is seen after `again`.
    """

    def __init__(self, log: Log, passes: Predicate | None = None, *, fold: bool = True) -> None:
        self.log = log
        self._passes = passes
        self._fold = fold
        self._seen = 0
        self._members = array("q")
        self._starts = array("q")
        self._unfolded: set[int] = set()

    def __len__(self) -> int:
        """How many groups there are."""
        return len(self._starts)

    def __getitem__(self, position: int) -> Group:
        start = self._starts[position]
        position %= len(self._starts)
        last = position + 1 == len(self._starts)
        end = len(self._members) if last else self._starts[position + 1]
        return Group(self.log, self._members[start:end])

    @property
    def matches(self) -> int:
        """How many rows pass the filter."""
        return len(self._members)

    def catch_up(self, limit: int | None = None) -> bool:
        """Judge rows that are new, at most `limit`; tell whether all have been judged."""
        end = len(self.log)
        stop = end if limit is None else min(end, self._seen + limit)
        for index in range(self._seen, stop):
            if self._passes is None or self._passes(self.log[index]):
                self._add(index)
        self._seen = stop
        return stop == end

    def again(self) -> None:
        """Forget all groups; `catch_up` judges every row anew."""
        self._seen = 0
        self._members = array("q")
        self._starts = array("q")

    def toggle(self, position: int) -> None:
        """Unfold the message at a position, or fold it again."""
        self._unfolded ^= {self.log.runs[self._members[self._starts[position]]]}
        members, self._members, self._starts = self._members, array("q"), array("q")
        for index in members:
            self._add(index)

    def position_of(self, index: int) -> int:
        """The position of the group that holds a row; of the one before it, if none does."""
        low, high = 0, len(self._starts)
        while low < high:
            middle = (low + high) // 2
            if self._members[self._starts[middle]] <= index:
                low = middle + 1
            else:
                high = middle
        return max(0, low - 1)

    def _add(self, index: int) -> None:
        runs = self.log.runs
        joins = self._fold and self._members and runs[self._members[-1]] == runs[index]
        if not joins or runs[index] in self._unfolded:
            self._starts.append(len(self._members))
        self._members.append(index)
