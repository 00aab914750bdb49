"""From one record to the next of some: findings, bookmarks."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain

from acp_tui.debug.view import Group, LogView


def next_shown(view: LogView, indexes: Sequence[int], group: Group, step: int) -> int | None:
    """The nearest of some records, in ascending order, that passes the filter: after a group, or
    with a negative step before it; around the end if need be.
    """
    return next((index for index in _onward(indexes, group, step) if _shows(view, index)), None)


def _onward(indexes: Sequence[int], group: Group, step: int) -> Iterator[int]:
    if step > 0:
        start = bisect_right(indexes, group.last.index)
        places = chain(range(start, len(indexes)), range(start))
    else:
        start = bisect_left(indexes, group.first.index)
        places = chain(range(start - 1, -1, -1), range(len(indexes) - 1, start - 1, -1))
    return (indexes[place] for place in places)


def _shows(view: LogView, index: int) -> bool:
    return index < view.seen and index in view[view.position_of(index)]
