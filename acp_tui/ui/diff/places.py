"""Which lines of a diff stand in one of its rows."""

from typing import NamedTuple

from acp_tui.edits.line_diff import DiffBlock
from acp_tui.ui.diff.rows import DiffRow, DiffStart, RowKind
from acp_tui.ui.diff.side import Side


class DiffPlace(NamedTuple):
    """A line of a diff: its sign, where it stands on both sides (from 0, -1 for nowhere), its number in the
    file (0 where it isn't known), and its text.
    """

    sign: str
    old: int
    new: int
    line: int
    text: str

    @property
    def at(self) -> tuple[bool, int]:
        """Whether it is on the new side, and where it stands there, or on the old one."""
        return self.sign != "-", self.old if self.sign == "-" else self.new

    def is_in(self, change: DiffBlock) -> bool:
        """Return whether the line belongs to a change."""
        if self.sign == " ":
            return False
        in_old = change.old_start <= self.old < change.old_end
        return in_old or change.new_start <= self.new < change.new_end


def places_in(row: DiffRow, old: Side, new: Side, start: DiffStart | None) -> tuple[DiffPlace, ...]:
    """Return the lines in a row, that of the new side last; none of what is folded or counted."""
    if row.kind in (RowKind.FOLD, RowKind.EMPTY, RowKind.NO_NEWLINE):
        return ()
    places = []
    if row.old >= 0 and row.kind is not RowKind.SAME:
        line = row.old + start.old if start is not None else 0
        places.append(DiffPlace("-", row.old, row.new, line, old.shown(row.old)))
    if row.new >= 0:
        sign = " " if row.kind is RowKind.SAME else "+"
        line = row.new + start.new if start is not None else 0
        places.append(DiffPlace(sign, row.old, row.new, line, new.shown(row.new)))
    return tuple(places)


def folded_in(row: DiffRow, new: Side, start: DiffStart | None, line: int) -> DiffPlace | None:
    """Return the unchanged line of that number in the file, if it is one of those folded in a row."""
    at = line - start.new if start is not None else -1
    if row.kind is not RowKind.FOLD or not row.new <= at < row.new + row.old:
        return None
    return DiffPlace(" ", -1, at, line, new.shown(at))
