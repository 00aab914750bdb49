"""The terminal's screen, cell by cell: its current content, and the content that it should have."""

import re
from collections.abc import Iterable

from rich.cells import split_graphemes
from rich.console import Console
from textual.strip import Strip

from acp_tui.ui.output.cell_styles import DrawnCell, Pens
from acp_tui.ui.output.cell_updates import CellWriter, Row
from acp_tui.ui.output.flow_control import MOST
from acp_tui.ui.output.row_shifts import ENOUGH, find_shift

MOST_CACHED = 512
"""Most strips whose cells are cached: a line that only moves is converted once."""
_SINGLE = frozenset(map(chr, (*range(0x20, 0x7F), *range(0xA0, 0xAD), *range(0xAE, 0x300))))
_SINGLE |= frozenset(map(chr, (*range(0x2500, 0x25FD), *range(0x2800, 0x2900))))
"""Characters that certainly take one cell each."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and characters that reorder a row. No text should contain any; they are
removed before they reach the terminal.
"""
_SURROGATE = re.compile("[\ud800-\udfff]")
"""A byte of a file name that can't be decoded as text; it can't be written."""


class Grid:
    """Collects everything to be drawn, and returns frames with the difference to the terminal's
    content.

    However much was drawn since the last frame, the next one brings the terminal up to date.
    """

    def __init__(self, *, erases_in_color: bool = False) -> None:
        self._pens = Pens()
        self._writer = CellWriter(self._pens, erases_in_color=erases_in_color)
        self._shown: list[Row] = []
        self._target: list[Row] = []
        self._changed: set[int] = set()
        self._cache: dict[int, tuple[Strip, Row]] = {}  # with the strips, to keep their ids
        self._lines: list[
            object
        ] = []  # for each wanted row, the cells of the strip that makes up most of it
        self._lines_shown: list[object] = []
        self._cursor: tuple[int, int] | None = None
        self.size = (0, 0)

    def resize(self, width: int, height: int) -> None:
        """Resize the grid; the terminal's content is unknown then."""
        if (width, height) != self.size:
            self.size = (width, height)
            self._target = [[None] * width for _ in range(height)]
            self._lines = [None] * height
            self.forget()

    def forget(self) -> None:
        """Forget the terminal's content: another program may have written to it."""
        width, height = self.size
        self._shown = [[None] * width for _ in range(height)]
        self._lines_shown = [None] * height
        self._changed = set(range(height))
        self._writer.forget()

    def put(self, x: int, y: int, strips: Iterable[Strip], console: Console) -> None:
        """Draw these strips one after the other, starting at a cell."""
        width, height = self.size
        if not 0 <= y < height:
            return
        row = self._target[y]
        for strip in strips:
            whole = self._cells(strip, console)
            cells = whole[: max(0, width - x)]
            if 2 * len(cells) > width:
                self._lines[y] = whole
            if row[x : x + len(cells)] != cells:
                self._lay_cells(row, x, cells)
                self._changed.add(y)
            x += strip.cell_length

    def point(self, place: tuple[int, int] | None) -> None:
        """Set the cursor position; None if it doesn't matter, as no text field has the focus."""
        self._cursor = place

    @property
    def is_stale(self) -> bool:
        """Whether the terminal differs from what it should show."""
        return bool(self._changed)

    def frame(self, most: int) -> str:
        """Return the output that makes the terminal show the wanted cells.

        If that is much more than `most` characters, return only some rows, the one with the cursor
        first; the others follow in the next frame.
        """
        shown, target, changed = self._shown, self._target, self._changed
        if len(changed) > ENOUGH:
            shift = find_shift(shown, target, changed, (self._lines_shown, self._lines))
            if shift is not None:
                self._writer.scroll(*shift)
                shown = self._shown = shift.apply(shown)
                self._lines_shown = shift.move(self._lines_shown, lambda: None)
                changed.update(range(shift.top, shift.bottom))
        first = self._cursor[1] if self._cursor is not None and most < MOST else -1
        order = sorted(changed, key=lambda y: (y != first, y))
        for y in self._writer.rows(order, shown, target, most):
            shown[y] = target[y].copy()
            self._lines_shown[y] = self._lines[y]
            changed.remove(y)
        self._writer.end(self._cursor)
        return self._writer.flush()

    def reset_style(self) -> str:
        """Return the sequences that reset the style, before another program writes."""
        self.forget()
        return "\x1b]8;;\x1b\\\x1b[m"

    def _cells(self, strip: Strip, console: Console) -> Row:
        """Return the cells of a strip; always the same list for the same strip."""
        known = self._cache.get(id(strip))
        if known is None:
            if len(self._cache) > MOST_CACHED:
                self._cache.clear()
            known = self._cache[id(strip)] = (strip, self._make_cells(strip, console))
        return known[1]

    def _make_cells(self, strip: Strip, console: Console) -> Row:
        """Convert a strip to as many cells as its length."""
        cells: Row = []
        pen = self._pens.plain
        for text, style, control in strip:
            if control:
                continue
            pen = self._pens.of(style, console)
            if _SINGLE.issuperset(text):
                cells += map(pen.__getitem__, text)
                continue
            harmless = _SURROGATE.sub("\ufffd", _CONTROL.sub("", text))
            for start, end, width in split_graphemes(harmless)[0]:
                if width == 2:
                    cells += (pen.wide(harmless[start:end]), pen.second_half)
                elif width == 1:
                    cells.append(pen[harmless[start:end]])
        missing = strip.cell_length - len(cells)
        return cells + [pen[" "]] * missing if missing > 0 else cells[: strip.cell_length]

    def _lay_cells(self, row: Row, x: int, cells: Row) -> None:
        """Write cells over others; a wide character that is half covered is removed."""
        end = x + len(cells)
        if x > 0 and (left := row[x - 1]) is not None and left.width == 2:
            row[x - 1] = left.pen[" "]
        if end < len(row) and _is_second_half(row[end]):
            row[end] = None if (old := row[end]) is None else old.pen[" "]
        row[x:end] = cells
        if end == len(row) and cells and (last := cells[-1]) is not None and last.width == 2:
            row[-1] = last.pen[" "]


def _is_second_half(cell: DrawnCell | None) -> bool:
    return cell is not None and not cell.width
