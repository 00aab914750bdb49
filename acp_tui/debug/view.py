"""A view of a log: the rows that pass a filter, with a message's chunks as one."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from acp_tui.debug.filters.predicates import Predicate
from acp_tui.debug.rows import LogRow, RowStore


class Group:
    """One line of the table: a row, or the neighboring chunks of one message.

    `indices[start:stop]` are the log indexes of its rows, oldest first.
    """

    __slots__ = ("_indices", "_start", "_stop", "log")

    def __init__(
        self, log: RowStore, indices: Sequence[int], start: int = 0, stop: int = 1
    ) -> None:
        self.log = log
        self._indices = indices
        self._start = start
        self._stop = stop

    def __len__(self) -> int:
        """Return how many rows are folded into this one."""
        return self._stop - self._start

    def __iter__(self) -> Iterator[LogRow]:
        """Iterate over all rows, oldest first."""
        return (self.log[self._indices[at]] for at in range(self._start, self._stop))

    def __contains__(self, index: object) -> bool:
        """Return whether the row with this log index is in the group."""
        if not isinstance(index, int):
            return False
        at = bisect_left(self._indices, index, self._start, self._stop)
        return at < self._stop and self._indices[at] == index

    @property
    def first(self) -> LogRow:
        return self.log[self._indices[self._start]]

    @property
    def last(self) -> LogRow:
        return self.log[self._indices[self._stop - 1]]

    @property
    def size(self) -> int:
        """The size of all rows, in bytes."""
        first, last = self.first.index, self.last.index
        if last - first + 1 == len(self):
            return self.log.size(first, last)
        return sum(row.size for row in self)

    def among(self, indexes: Sequence[int]) -> Iterator[int]:
        """Yield those of the ascending `indexes` whose rows are in the group."""
        for at in range(bisect_left(indexes, self.first.index), len(indexes)):
            if indexes[at] > self.last.index:
                return
            if indexes[at] in self:
                yield indexes[at]


class LogView:
    """The groups of a log's rows that pass a filter, in log order.

    `catch_up` filters the rows that the log has read since, and again those that a response or a
    finding has changed.
    """

    def __init__(
        self, log: RowStore, passes: Predicate | None = None, *, fold: bool = True
    ) -> None:
        self.log = log
        self._passes = passes
        self._fold = fold
        self._seen = 0
        self._changes_seen = 0
        self._members = array("q")
        self._firsts = array("q")
        """The first member of each group."""
        self._unfolded: set[int] = set()

    def __len__(self) -> int:
        """Return how many groups there are."""
        return len(self._firsts)

    def __getitem__(self, position: int) -> Group:
        first = self._firsts[position]
        position %= len(self._firsts)
        start, stop = bisect_left(self._members, first), len(self._members)
        if position + 1 < len(self._firsts):
            stop = bisect_left(self._members, self._firsts[position + 1], start)
        return Group(self.log, self._members, start, stop)

    def folds(self, group: Group) -> bool:
        """Return whether a group is a message of several rows, or one row of it."""
        return self._fold and group.first.run in self.log.run_ends

    @property
    def matches(self) -> int:
        """Return how many rows pass the filter."""
        return len(self._members)

    @property
    def seen(self) -> int:
        """Return how many rows of the log have been filtered."""
        return self._seen

    def catch_up(self, limit: int | None = None, size: int | None = None) -> bool:
        """Filter new rows: at most `limit`, of about `size` bytes; return whether all are done."""
        end = len(self.log)
        stop = end if limit is None else min(end, self._seen + limit)
        if size is not None and stop > self._seen and self._passes is not None:
            stop = self.log.within(self._seen, stop, size)
        self._refilter_changed()
        members, firsts, passes = self._members, self._firsts, self._passes
        before = members[-1] if members else None
        for index in range(self._seen, stop):
            if passes is None or passes(self.log[index]):
                if before is None or self._begins(index, before):
                    firsts.append(index)
                members.append(index)
                before = index
        self._seen = stop
        return stop == end

    def toggle(self, position: int) -> None:
        """Unfold the message at a position, or fold it again."""
        run = self[position].first.run
        self._unfolded ^= {run}
        last = self.log.run_ends.get(run, run)
        start = bisect_left(self._members, run)
        stop = bisect_right(self._members, last)
        span = self._members[start:stop]
        before = [self._members[start - 1]] if start else []
        if stop - start == last - run + 1 and self.log.runs[run : last + 1].count(run) == len(span):
            firsts = span if run in self._unfolded else span[:1]
        else:
            pairs = zip([*before, *span], span if before else span[1:], strict=False)
            firsts = array("q", span[: not before])
            firsts.extend(index for earlier, index in pairs if self._begins(index, earlier))
        lowest, highest = bisect_left(self._firsts, run), bisect_right(self._firsts, last)
        self._firsts[lowest:highest] = firsts

    def position_of(self, index: int) -> int:
        """Return the position of the group that contains a row, or else of the one before it."""
        return max(0, bisect_right(self._firsts, index) - 1)

    def _begins(self, index: int, before: int) -> bool:
        """Return whether a member begins a group; `before` is the previous member."""
        run = self.log.runs[index]
        return not self._fold or self.log.runs[before] != run or run in self._unfolded

    def _refilter_changed(self) -> None:
        changed = self.log.changed
        if self._passes is not None:
            for index in set(changed[self._changes_seen :]):
                if index < self._seen:
                    self._refilter_row(index, self._passes(self.log[index]))
        self._changes_seen = len(changed)

    def _refilter_row(self, index: int, passes: bool) -> None:
        """Add or remove a row, and recheck whether it and the next one begin a group."""
        members = self._members
        at = bisect_left(members, index)
        is_in = at < len(members) and members[at] == index
        if is_in == passes:
            return
        if passes:
            members.insert(at, index)
            self._set_first(at)
            self._set_first(at + 1)
        else:
            first = bisect_left(self._firsts, index)
            if first < len(self._firsts) and self._firsts[first] == index:
                del self._firsts[first]
            del members[at]
            self._set_first(at)

    def _set_first(self, at: int) -> None:
        """Record whether the member at this place begins a group."""
        if at >= len(self._members):
            return
        index = self._members[at]
        first = bisect_left(self._firsts, index)
        is_first = first < len(self._firsts) and self._firsts[first] == index
        begins = not at or self._begins(index, self._members[at - 1])
        if begins and not is_first:
            self._firsts.insert(first, index)
        elif is_first and not begins:
            del self._firsts[first]
