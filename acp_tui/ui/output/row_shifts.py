"""Finds rows on the terminal that can be moved to where they should be."""

from collections.abc import Callable, Collection, Sequence
from itertools import compress
from operator import is_not
from typing import NamedTuple, TypeVar

from acp_tui.ui.output.cell_updates import Row

Thing = TypeVar("Thing")
ENOUGH = 3
"""The fewest rows that are moved."""
CANDIDATES = 3
"""How many moves are tried: where much repeats itself, most rows may suit a wrong one."""
MANY = 12
"""From this many rows on, rows are compared by their looks if their lines are not known."""
MARKS = 2
"""Cells at the left that hold marks of a line."""
COST = 40
"""Bytes of the sequences that move rows, and of redrawing the scrollbar afterwards."""
BESIDES = 15
"""Bytes of a row besides its text: for moving the cursor, and for colors."""


class Shift(NamedTuple):
    """The rows from `top` to before `bottom` go up by `rows`; down, if that is negative."""

    top: int
    bottom: int
    rows: int

    def move(self, things: Sequence[Thing], new: Callable[[], Thing]) -> list[Thing]:
        """Move what belongs to each row along with it; `new` makes it for the rows that come in."""
        top, bottom, rows = self
        moved = list(things[top:bottom])
        come = [new() for _ in range(abs(rows))]
        moved = [*moved[rows:], *come] if rows > 0 else [*come, *moved[:rows]]
        return [*things[:top], *moved, *things[bottom:]]

    def apply(self, shown: Sequence[Row]) -> list[Row]:
        """Return all rows as they are shown afterwards; what is in the rows that come in is
        unknown.
        """
        return self.move(shown, lambda: [None] * len(shown[0]))


def find_shift(
    shown: Sequence[Row],
    wanted: Sequence[Row],
    changed: Collection[int],
    lines: tuple[Sequence[object], Sequence[object]],
) -> Shift | None:
    """Return the move after which the least is left to write; None if no move is worth it.

    `lines` has, for each row that is shown and for each that is wanted, the object that most of it
    was made of: the same object is the same line. A line that got a mark is another object; then
    rows that look the same are matched. Rows are moved over the full width of the terminal: that is
    the only way that all terminals know.
    """
    found = _count_moves([*map(id, lines[0])], [*map(id, lines[1])], changed)
    if found and len(found[0][1]) >= max(ENOUGH, len(changed) // 2 + 1):
        return _widest(*found[0], shown, wanted)
    if len(changed) >= MANY:
        found += _count_moves([*map(_row_identity, shown)], [*map(_row_identity, wanted)], changed)
    shifts = [_widest(rows, ys, shown, wanted) for rows, ys in found if len(ys) >= ENOUGH]
    savings = [(_bytes_saved(one, shown, wanted), one) for one in shifts]
    saved, best = max(savings, default=(0, None))
    return best if saved > COST else None


def _count_moves(
    shown: Sequence[object], wanted: Sequence[object], changed: Collection[int]
) -> list[tuple[int, list[int]]]:
    """Return the distances by which recognizable rows have moved, with the rows of each, the most frequent first."""
    at: dict[object, int] = {}
    for y, line in enumerate(shown):
        at[line] = -1 if line in at else y  # of lines that are the same none tells anything
    moved: dict[int, list[int]] = {}
    for y in changed:
        was = at.get(wanted[y], y)
        if was not in (y, -1):
            moved.setdefault(was - y, []).append(y)
    return sorted(moved.items(), key=lambda one: -len(one[1]))[:CANDIDATES]


def _row_identity(row: Row) -> object:
    """Return what identifies a row: its cells without the marks at its beginning and the scrollbar."""
    return (*map(id, row[MARKS:-1]),)


def _widest(rows: int, ys: Sequence[int], shown: Sequence[Row], wanted: Sequence[Row]) -> Shift:
    """Return a move of these rows, and of all rows next to them that move as far."""
    first, last, end = min(ys), max(ys), len(wanted) - 1
    while min(first, first + rows) > 0 and _is_same_row(wanted[first - 1], shown[first - 1 + rows]):
        first -= 1
    while max(last, last + rows) < end and _is_same_row(wanted[last + 1], shown[last + 1 + rows]):
        last += 1
    return Shift(first + min(rows, 0), last + 1 + max(rows, 0), rows)


def _is_same_row(one: Row, other: Row) -> bool:
    """Return whether two rows are the same but for the scrollbar."""
    return one[:-1] == other[:-1]


def _bytes_saved(shift: Shift, shown: Sequence[Row], wanted: Sequence[Row]) -> int:
    after = shift.apply(shown)
    span = range(shift.top, shift.bottom)
    return sum(
        _bytes_to_write(shown[y], wanted[y]) - _bytes_to_write(after[y], wanted[y]) for y in span
    )


def _bytes_to_write(old: Row, new: Row) -> int:
    """Return about how many bytes it takes to write a row. Blanks are erased."""
    if old == new:
        return 0
    written = [cell.text for cell in compress(new, map(is_not, old, new)) if cell is not None]
    return BESIDES + len(written) - written.count(" ")
