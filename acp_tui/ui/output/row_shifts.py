"""Finds rows on the terminal that can be scrolled to where they should be."""

from collections.abc import Callable, Collection, Sequence
from itertools import compress
from operator import is_not
from typing import NamedTuple, TypeVar

from acp_tui.ui.output.cell_updates import Row

Thing = TypeVar("Thing")
ENOUGH = 3
"""Fewest rows that are scrolled."""
CANDIDATES = 3
"""Most moves that are tried: with repetitive content, most rows may suit a wrong one."""
MANY = 12
"""Number of changed rows from which rows are compared by their cells if their lines are unknown."""
MARKS = 2
"""Cells on the left that show the marks of a line."""
COST = 40
"""Bytes of the scroll sequences, and of redrawing the scrollbar afterwards."""
BESIDES = 15
"""Bytes of a row besides its text: for moving the cursor, and for colors."""


class Shift(NamedTuple):
    """A scroll of rows `top` to before `bottom`: up by `rows`, or down if that is negative."""

    top: int
    bottom: int
    rows: int

    def move(self, things: Sequence[Thing], new: Callable[[], Thing]) -> list[Thing]:
        """Move per-row items along with their rows; `new` creates those of the new rows."""
        top, bottom, rows = self
        moved = list(things[top:bottom])
        new_items = [new() for _ in range(abs(rows))]
        moved = [*moved[rows:], *new_items] if rows > 0 else [*new_items, *moved[:rows]]
        return [*things[:top], *moved, *things[bottom:]]

    def apply(self, shown: Sequence[Row]) -> list[Row]:
        """Return all rows after the scroll; the content of new rows is unknown."""
        return self.move(shown, lambda: [None] * len(shown[0]))


def find_shift(
    shown: Sequence[Row],
    target: Sequence[Row],
    changed: Collection[int],
    lines: tuple[Sequence[object], Sequence[object]],
) -> Shift | None:
    """Return the scroll that leaves the least to write; None if none is worth it.

    `lines` has, for each row shown and for each row wanted, the object that makes up most of it:
    the same object is the same line. A line that got a mark is another object; then rows that look
    the same are matched. Rows are scrolled over the full width of the terminal, which is the only
    way that all terminals support.
    """
    found = _count_moves([*map(id, lines[0])], [*map(id, lines[1])], changed)
    if found and len(found[0][1]) >= max(ENOUGH, len(changed) // 2 + 1):
        return _widest(*found[0], shown, target)
    if len(changed) >= MANY:
        found += _count_moves([*map(_row_identity, shown)], [*map(_row_identity, target)], changed)
    shifts = [_widest(rows, ys, shown, target) for rows, ys in found if len(ys) >= ENOUGH]
    savings = [(_bytes_saved(one, shown, target), one) for one in shifts]
    saved, best = max(savings, default=(0, None))
    return best if saved > COST else None


def _count_moves(
    shown: Sequence[object], target: Sequence[object], changed: Collection[int]
) -> list[tuple[int, list[int]]]:
    """Return the distances by which recognizable rows moved, with the rows, most common first."""
    at: dict[object, int] = {}
    for y, line in enumerate(shown):
        at[line] = -1 if line in at else y  # repeated lines identify nothing
    moved: dict[int, list[int]] = {}
    for y in changed:
        was = at.get(target[y], y)
        if was not in (y, -1):
            moved.setdefault(was - y, []).append(y)
    return sorted(moved.items(), key=lambda one: -len(one[1]))[:CANDIDATES]


def _row_identity(row: Row) -> object:
    """Return a key for a row: its cells without the marks on the left and the scrollbar."""
    return (*map(id, row[MARKS:-1]),)


def _widest(rows: int, ys: Sequence[int], shown: Sequence[Row], target: Sequence[Row]) -> Shift:
    """Return a scroll of these rows, extended to adjacent rows that move as far."""
    first, last, end = min(ys), max(ys), len(target) - 1
    while min(first, first + rows) > 0 and _is_same_row(target[first - 1], shown[first - 1 + rows]):
        first -= 1
    while max(last, last + rows) < end and _is_same_row(target[last + 1], shown[last + 1 + rows]):
        last += 1
    return Shift(first + min(rows, 0), last + 1 + max(rows, 0), rows)


def _is_same_row(one: Row, other: Row) -> bool:
    """Return whether two rows are equal except for the scrollbar."""
    return one[:-1] == other[:-1]


def _bytes_saved(shift: Shift, shown: Sequence[Row], target: Sequence[Row]) -> int:
    after = shift.apply(shown)
    span = range(shift.top, shift.bottom)
    return sum(
        _bytes_to_write(shown[y], target[y]) - _bytes_to_write(after[y], target[y]) for y in span
    )


def _bytes_to_write(old: Row, new: Row) -> int:
    """Return the approximate bytes to write a row. Blanks are erased."""
    if old == new:
        return 0
    written = [cell.text for cell in compress(new, map(is_not, old, new)) if cell is not None]
    return BESIDES + len(written) - written.count(" ")
