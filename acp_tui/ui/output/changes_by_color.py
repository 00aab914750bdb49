"""What has to be written in some rows, grouped by the colors that it needs."""

from collections.abc import Callable, Iterable
from itertools import compress
from operator import is_not

from acp_tui.ui.output.cell_styles import DrawnCell

Row = list[DrawnCell | None]
"""The cells of a row; None where they aren't known."""
BESIDES = 8
"""About how many bytes it takes to move the cursor to some cells."""

RowCells = tuple[int, list[int]]
"""A row, and the places of cells in it, from left to right."""
ColorKey = tuple[str, str, str]
"""Foreground, background and link: the parts of a style that take long to write. A blank has no
foreground.
"""


class ChangesByColor:
    """Collects the cells that changed, and returns them color by color."""

    def __init__(self) -> None:
        self._pieces: dict[ColorKey, list[RowCells]] = {}
        self._first: dict[ColorKey, DrawnCell] = {}

    def add(self, y: int, old: Row, new: Row) -> int:
        """Add what changed in a row; return about how many bytes that takes.

        A row with a character that may not be one cell wide is written from left to right.
        """
        changed = [*compress(range(len(new)), map(is_not, old, new))]
        cells = [cell for x in changed if (cell := new[x]) is not None]
        if not cells:
            return 0
        before = (cell for x in changed if (cell := old[x]) is not None)
        if not _are_single(cells) or not _are_single(before):
            self._add_piece(_color_of(cells[0]), cells[0], (y, changed))
            return BESIDES + len(cells)
        pieces = _pieces(changed, new)
        for color, first, xs in pieces:
            self._add_piece(color, first, (y, xs))
        return BESIDES * len(pieces) + len(cells)

    def pop_nearest(self, far: Callable[[DrawnCell], int]) -> list[RowCells] | None:
        """Remove and return the cells of the nearest color; None if nothing is left."""
        if not self._pieces:
            return None
        texts = [color for color in self._pieces if color[0]] or list(self._pieces)
        color = min(texts, key=lambda one: far(self._first[one]))
        pieces = self._pieces.pop(color)
        blanks = self._pieces.pop(("", *color[1:]), None)
        return sorted(pieces + blanks) if blanks else pieces

    def _add_piece(self, color: ColorKey, first: DrawnCell, piece: RowCells) -> None:
        self._pieces.setdefault(color, []).append(piece)
        self._first.setdefault(color, first)


def _pieces(changed: list[int], new: Row) -> list[tuple[ColorKey, DrawnCell, list[int]]]:
    """Group changed neighbors of one color. A blank joins its neighbors, as it needs only their background.
    Blanks in a row are erased together, even those that are blank already.
    """
    pieces: list[tuple[ColorKey, DrawnCell, list[int]]] = []
    last, after = None, -1
    for x in changed:
        cell = new[x]
        if cell is None:
            continue
        if cell is not last or x > after:
            color, last = _color_of(cell), cell
            if x == after and (joined := _joined(pieces[-1][0], color)):
                before, _, xs = pieces[-1]
                if joined != before:
                    pieces[-1] = (joined, cell, xs)
            else:
                xs = []
                pieces.append((color, cell, xs))
        xs.append(x)
        after = max(after, x + 1)
        while cell.text == " " and after < len(new) and new[after] is cell:
            after += 1
    return pieces


def _color_of(cell: DrawnCell) -> ColorKey:
    pen = cell.pen
    return pen.foreground, pen.background, pen.link


def _joined(one: ColorKey, other: ColorKey) -> ColorKey | None:
    """Return the color that suits both; None if there is none."""
    if one == other or (not other[0] and one[1:] == other[1:]):
        return one
    return other if not one[0] and one[1:] == other[1:] else None


def _are_single(cells: Iterable[DrawnCell]) -> bool:
    return all(cell.width == 1 and cell.sure for cell in cells)
