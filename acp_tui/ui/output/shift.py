"""Whether a terminal can move rows that it shows to where they should be."""

from collections.abc import Callable, Collection, Sequence
from itertools import compress
from operator import is_not
from typing import NamedTuple, TypeVar

from acp_tui.ui.output.inks import Row

Thing = TypeVar("Thing")
ENOUGH = 3
"""Of fewer rows none is moved."""
CANDIDATES = 3
"""How many moves are tried: where much repeats itself, most rows may fit a wrong one."""
MANY = 12
"""Of so many rows it is looked for what they look like, if it isn't known from where they are."""
MARKS = 2
"""Cells at the left that say what is done with a line."""
COST = 40
"""Bytes of the sequences that move rows, and of what the scrollbar needs then."""
BESIDES = 15
"""Bytes of a row beside its text: of getting there, of colors."""


class Shift(NamedTuple):
    """The rows from `top` to before `bottom` go up by `rows`; down, if that is negative."""

    top: int
    bottom: int
    rows: int

    def move(self, things: Sequence[Thing], new: Callable[[], Thing]) -> list[Thing]:
        """What belongs to each row goes with it; for those that come in it is made."""
        top, bottom, rows = self
        moved = list(things[top:bottom])
        come = [new() for _ in range(abs(rows))]
        moved = [*moved[rows:], *come] if rows > 0 else [*come, *moved[:rows]]
        return [*things[:top], *moved, *things[bottom:]]

    def apply(self, shown: Sequence[Row]) -> list[Row]:
        """All rows as they are shown then; it isn't known what is in those that come in."""
        return self.move(shown, lambda: [None] * len(shown[0]))


def find_shift(
    shown: Sequence[Row],
    wanted: Sequence[Row],
    changed: Collection[int],
    lines: tuple[Sequence[object], Sequence[object]],
) -> Shift | None:
    """The move after which the least is to be written, if it is worth it.

    `lines` tells of each row that is shown, and of each that is wanted, where most of it is from:
    the same object is the same line. One that got a mark is another: then rows that look the same
    are. Rows are moved over the full width of the terminal: there is no other way that all know.
    """
    found = _moves([*map(id, lines[0])], [*map(id, lines[1])], changed)
    if found and len(found[0][1]) >= max(ENOUGH, len(changed) // 2 + 1):
        return _widest(*found[0], shown, wanted)
    if len(changed) >= MANY:
        found += _moves([*map(_looks, shown)], [*map(_looks, wanted)], changed)
    shifts = [_widest(rows, ys, shown, wanted) for rows, ys in found if len(ys) >= ENOUGH]
    savings = [(_saved(one, shown, wanted), one) for one in shifts]
    saved, best = max(savings, default=(0, None))
    return best if saved > COST else None


def _moves(
    shown: Sequence[object], wanted: Sequence[object], changed: Collection[int]
) -> list[tuple[int, list[int]]]:
    """How far rows that can be told have moved, and which; most of them first."""
    at: dict[object, int] = {}
    for y, line in enumerate(shown):
        at[line] = -1 if line in at else y  # of lines that are the same none tells anything
    moved: dict[int, list[int]] = {}
    for y in changed:
        was = at.get(wanted[y], y)
        if was not in (y, -1):
            moved.setdefault(was - y, []).append(y)
    return sorted(moved.items(), key=lambda one: -len(one[1]))[:CANDIDATES]


def _looks(row: Row) -> object:
    """What tells a row from others: all but what marks a line, and the scrollbar."""
    return (*map(id, row[MARKS:-1]),)


def _widest(rows: int, ys: Sequence[int], shown: Sequence[Row], wanted: Sequence[Row]) -> Shift:
    """These rows, and beside them all that move as far."""
    first, last, end = min(ys), max(ys), len(wanted) - 1
    while min(first, first + rows) > 0 and _alike(wanted[first - 1], shown[first - 1 + rows]):
        first -= 1
    while max(last, last + rows) < end and _alike(wanted[last + 1], shown[last + 1 + rows]):
        last += 1
    return Shift(first + min(rows, 0), last + 1 + max(rows, 0), rows)


def _alike(one: Row, other: Row) -> bool:
    """Whether two rows are the same but for the scrollbar."""
    return one[:-1] == other[:-1]


def _saved(shift: Shift, shown: Sequence[Row], wanted: Sequence[Row]) -> int:
    after = shift.apply(shown)
    span = range(shift.top, shift.bottom)
    return sum(_cost(shown[y], wanted[y]) - _cost(after[y], wanted[y]) for y in span)


def _cost(old: Row, new: Row) -> int:
    """About how many bytes it takes to write a row. Blanks are erased."""
    if old == new:
        return 0
    written = [cell.text for cell in compress(new, map(is_not, old, new)) if cell is not None]
    return BESIDES + len(written) - written.count(" ")
