"""Updates a terminal's cells with the fewest bytes, using sequences that all terminals support."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from operator import is_not

from acp_tui.ui.output.cell_styles import DrawnCell, Pen, Pens

GAP = 4
"""Most unchanged cells that are rewritten rather than skipped by a cursor movement."""
ERASED = 4
"""Fewest changed blanks at the end of a row that are erased, which is shorter than writing."""

Row = list[DrawnCell | None]
"""The cells of a row; None where they are unknown."""
BESIDES = 8
"""The approximate bytes of a cursor movement."""

RowCells = tuple[int, list[int]]
"""A row, and columns of cells in it, from left to right."""
ColorKey = tuple[str, str, str]
"""Foreground, background and link: the parts of a style that take many bytes to change. Blanks have
no foreground.
"""


class ChangesByColor:
    """Collects changed cells, and returns them color by color."""

    def __init__(self) -> None:
        self._pieces: dict[ColorKey, list[RowCells]] = {}
        self._first: dict[ColorKey, DrawnCell] = {}

    def add(self, y: int, old: Row, new: Row) -> int:
        """Add the changed cells of a row; return the approximate number of bytes to write them.

        A row with a character that may not be one column wide is written from left to right.
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
        """Remove and return the cells of the color that is cheapest to switch to, if any."""
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
    """Group neighboring changed cells of one color.

    A blank joins its neighbors, as it only needs their background. A run of blanks is erased as a
    whole, including cells that are blank already.
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


class CellWriter:
    """Writes cells as sequences that continue from the current cursor position and pen.

    After a character whose width terminals disagree about, and at the end of a row, the cursor's
    column is unknown: `x` is None. If the terminal `erases_in_color`, erased cells get the current
    pen's background; if that isn't known, blanks are written.
    """

    def __init__(self, pens: Pens, *, erases_in_color: bool) -> None:
        self._pens = pens
        self._erases_in_color = erases_in_color
        self._parts: list[str] = []
        self.forget()

    def forget(self) -> None:
        """Forget the cursor position and the current pen."""
        self._x: int | None = None
        self._y: int | None = None
        self._pen: Pen | None = None

    def flush(self) -> str:
        """Return the sequences since the last call, and forget them."""
        sequences = "".join(self._parts)
        self._parts.clear()
        return sequences

    def rows(
        self, changed: Sequence[int], shown: Sequence[Row], target: Sequence[Row], most: int
    ) -> Sequence[int]:
        """Write the changed cells of these rows, up to about `most` characters; return the rows
        written.

        Changing colors takes many bytes, so all cells of one color are written before the next. The
        last column, with the scrollbar, is written at the end, from top to bottom.
        """
        changes, size = ChangesByColor(), 0
        for number, y in enumerate(changed, 1):
            size += changes.add(y, shown[y], target[y])
            if size > most:
                changed = changed[:number]
                break
        last: dict[int, DrawnCell] = {}
        end = len(target[0]) - 1 if target else 0
        while (pieces := changes.pop_nearest(self._cost_of_pen)) is not None:
            for y, xs in pieces:
                new = target[y]
                cell = new[-1]
                if self._cells(y, xs, shown[y], new) and cell is not None and cell.width:
                    last[y] = cell
                    if (self._x, self._y) == (end, y) and self._can_write(cell):
                        self._put_cell(last.pop(y))
                        self._x = None
        self._column(sorted(last.items()), end)
        return changed

    def _cost_of_pen(self, cell: DrawnCell) -> int:
        """Return the bytes that it takes to switch to the pen of a cell."""
        if self._pen is None:
            return 0
        return len(self._pens.switch(self._pen, self._pens.nearest(self._pen, cell.pen)))

    def _column(self, cells: Sequence[tuple[int, DrawnCell]], x: int) -> None:
        """Write cells of the last column; the cursor stays there, as lines don't wrap."""
        above = -1
        for y, cell in cells:
            if 0 <= above < y and cell.sure:
                self._parts.append(f"\x1b[{_count(y - above)}B")
            else:
                self._move_cursor(x, y)
            self._put_cell(cell)
            self._x, self._y = None, y
            above = y if cell.sure else -1

    def _cells(self, y: int, changed: list[int], old: Row, new: Row) -> bool:
        """Write changed cells of a row, except the last cell; return whether that has changed, too.

        A character whose width terminals disagree about may cover the next cell, or uncover it when
        it is overwritten: that cell is written again, too.
        """
        at, end = 0, len(new) - 1
        while at < len(changed):
            x = changed[at]
            at += 1
            if x == end:
                return True
            before, cell = old[x], new[x]
            if cell is None:
                continue
            then = x + 1
            if cell.width:
                then = self._write_cell(x, y, old, new, cell)
                if self._x == len(new):
                    self._x = None
                before = old[then - 1]
                at = bisect_left(changed, then, at)
            unsure = not cell.sure or (before is not None and not before.sure)
            if unsure and then <= end and changed[at : at + 1] != [then]:
                changed.insert(at, then)
        return False

    def _write_cell(self, x: int, y: int, old: Row, new: Row, cell: DrawnCell) -> int:
        """Write a cell, or a run of blanks; return the column after it."""
        x = self._start_column(x, old, new, cell)
        if x != self._x or y != self._y:
            self._move_on(x, y, new)
        if cell.text == " ":
            end = self._erase_blanks(x, old, new)
            if end > x:
                return end
        if cell.pen is self._visible_pen and cell.sure:
            self._parts.append(cell.text)
            self._x = x + cell.width
        else:
            self._put_cell(cell)
        return x + cell.width

    def _start_column(self, x: int, old: Row, new: Row, cell: DrawnCell) -> int:
        """Return the column where writing begins: the cursor's, if the row is blank from there to
        its end and can be erased.
        """
        at = self._x
        if at is None or at >= x or cell.text != " " or not self._can_erase(cell.pen):
            return x
        far = x >= at + ERASED - 1 or any(one is not cell for one in old[at + ERASED - 1 : -1])
        return at if far and all(one is cell for one in new[at:]) else x

    def scroll(self, top: int, bottom: int, rows: int) -> None:
        """Scroll the rows from `top` to before `bottom` up by `rows`, or down if that is negative.

        The content of new rows is unknown: some terminals fill them with the pen's color.
        """
        self._parts.append(f"\x1b[{top + 1};{bottom}r\x1b[{top + 1}H")
        self._parts.append(f"\x1b[{abs(rows) if abs(rows) > 1 else ''}{'M' if rows > 0 else 'L'}")
        self._parts.append("\x1b[r")
        self._x = self._y = None

    def end(self, cursor: tuple[int, int] | None) -> None:
        """Close any open link, and move the cursor to where input methods expect it, if given."""
        if self._pen is not None and self._pen.link:
            self._change_pen(self._pens.on(self._pen, self._pen.background))
        if cursor is not None:
            self._move_cursor(*cursor)

    def _move_on(self, x: int, y: int, new: Row) -> None:
        """Move to a later cell, by writing the cells before it again if that is shorter."""
        if y == self._y and self._x is not None and 0 < x - self._x <= GAP:
            between = new[self._x : x]
            if all(one is not None and self._can_write(one) for one in between):
                self._parts += [one.text for one in between if one is not None]
                self._x = x
        self._move_cursor(x, y)

    def _can_write(self, cell: DrawnCell) -> bool:
        """Return whether a cell can be written in one byte without changing the pen."""
        if cell.width != 1 or not cell.text.isascii():
            return False
        return cell.pen is self._visible_pen or (cell.text == " " and self._is_blank_in(cell.pen))

    def _is_blank_in(self, pen: Pen) -> bool:
        """Return whether a blank of this pen looks the same in the current pen."""
        now = self._visible_pen
        return (
            now is not None
            and now.background == pen.background
            and now.link == pen.link
            and not now.shows_on_blanks
            and not pen.shows_on_blanks
        )

    def _put_cell(self, cell: DrawnCell) -> None:
        if cell.pen is not self._visible_pen:
            if cell.text != " ":
                self._use_pen(cell.pen)
            elif not self._is_blank_in(cell.pen):
                self._use_for_blank(cell.pen)
        if cell.sure:
            self._parts.append(cell.text)
            if self._x is not None:
                self._x += cell.width
        else:
            if cell.width == 2 and self._x is not None:  # it may cover less than expected
                self._parts.append(f"  \x1b[{self._x + 1}G")
            self._parts.append(cell.text)
            self._x = None

    def _erase_blanks(self, x: int, old: Row, new: Row) -> int:
        """Erase the blanks from here on, if that is shorter; return the column after them."""
        cell, end, last = new[x], x + 1, len(new) - 1
        while end < last and new[end] is cell:
            end += 1
        to_the_end = end == last and (new[last] is cell or new[last] is not old[last])
        changed = end
        while changed > x + 1 and old[changed - 1] is cell:
            changed -= 1
        if to_the_end:
            shortest, sequence = ERASED, "\x1b[K"
            end += new[last] is cell
        else:
            end = changed
            shortest, sequence = 7 if end == last else 13, f"\x1b[{end - x}X"
        if changed - x < shortest or cell is None or not self._can_erase(cell.pen):
            return x
        if self._pen is not self._visible_pen or not self._is_blank_in(cell.pen):
            self._change_pen(self._for_blanks(cell.pen))
        self._parts.append(sequence)
        return end

    def _can_erase(self, pen: Pen) -> bool:
        """Return whether erased cells look like a blank in this pen."""
        alike = not pen.link and not pen.shows_on_blanks
        return alike and (self._erases_in_color or not pen.background)

    def _for_blanks(self, pen: Pen) -> Pen:
        """Return the pen for erasing, which preserves as much as possible of the current pen: the
        next text may need it again.
        """
        if self._pen is None or pen.link or pen.shows_on_blanks:
            return pen
        return self._pens.on(self._pen, pen.background)

    def _use_for_blank(self, pen: Pen) -> None:
        if self._pen is None or pen.link or pen.shows_on_blanks:
            self._use_pen(pen)
        else:
            self._change_pen(self._pens.for_blank(self._pen, pen.background))

    def _use_pen(self, pen: Pen) -> None:
        """Switch to a pen."""
        self._change_pen(pen if self._pen is None else self._pens.nearest(self._pen, pen))

    def _change_pen(self, pen: Pen) -> None:
        if self._pen is None:
            self._parts.append("\x1b]8;;\x1b\\\x1b[m")
            self._pen = self._pens.plain
        if pen is not self._pen:
            self._parts.append(self._pens.switch(self._pen, pen))
            self._pen = pen

    @property
    def _visible_pen(self) -> Pen | None:
        """The pen that text written now would appear in."""
        return None if self._pen is None else self._pen.normalized

    def _move_cursor(self, x: int, y: int) -> None:
        if (x, y) == (self._x, self._y):
            return
        ways = [f"\x1b[{y + 1 or ''}{f';{x + 1}' if x else ''}H"]
        if self._y is not None:
            to_row = _steps(y - self._y, "\v", "B", "\x1bM", "A")
            ways += [to_row + to_column for to_column in self._moves_in_row(x)]
        self._parts.append(min(ways, key=len))
        self._x, self._y = x, y

    def _moves_in_row(self, x: int) -> Iterator[str]:
        """Yield the sequences that move the cursor to a column of its row."""
        yield f"\x1b[{x + 1}G" if x else "\r"
        if self._x is not None:
            yield _steps(x - self._x, "\x1b[C", "C", "\b", "D")


def _steps(far: int, on: str, ahead: str, off: str, back: str) -> str:
    """Return the shortest sequence for some steps: repeated (`on`, `off`) or counted."""
    step, counted = (on, ahead) if far > 0 else (off, back)
    return min(step * abs(far), f"\x1b[{abs(far)}{counted}", key=len)


def _count(cells: int) -> str:
    return str(cells) if cells > 1 else ""
