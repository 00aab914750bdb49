"""A terminal's screen: pyte's, with scrollback, newlines as in pipes, and Rich styles."""

import re
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple, cast

import pyte
from pyte.screens import StaticDefaultDict
from rich.ansi import SGR_STYLE_MAP
from rich.color import Color
from rich.style import Style

from acp_tui.ui.lines.cells import width_of

SCROLLBACK = 2000
"""Rows kept above the screen by default."""
ALL = 2
"""The argument that erases the whole screen; 3 also erases the scrollback."""
MOST_UNREAD = 256 * 1024
"""Most bytes that are played to catch up; older ones are skipped."""
ROWS = 24
"""Number of rows that the cursor can reach."""
MOST_MARKS = 12
"""Most characters in a cell: a letter with its combining marks, a joined emoji."""
_JOINER = "\u200d"
_MODIFIERS = frozenset("\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")

_ASCII = re.compile(r"[ -~]+|[^ -~]+")


PLAIN = Style.null()

_UNWANTED = {5, 6, 8}
"""Attributes that are ignored: blinking and hidden text."""


@lru_cache(maxsize=4096)
def apply_sgr(style: Style, parameters: str) -> Style:
    """Return a style after an SGR sequence with these parameters."""
    codes = _codes(parameters)
    for code in codes:
        if code == 0:
            style = PLAIN
        elif code in (38, 48, 58):
            color = _color(codes)
            if color is not None and code != 58:
                style += Style(color=color) if code == 38 else Style(bgcolor=color)
        elif code in SGR_STYLE_MAP and code not in _UNWANTED:
            style += Style.parse(SGR_STYLE_MAP[code])
    return style


def _codes(parameters: str) -> Iterator[int]:
    """Yield the numbers of an SGR sequence, with colon-separated ones in their semicolon form."""
    for group in parameters.split(";"):
        first, *others = [parse_parameter(part) for part in group.split(":")]
        if first == 4 and others:
            yield 4 if others[0] else 24
        elif others[:1] == [2] and len(others) > 4:
            yield from (first, 2, *others[2:5])  # without the color space
        elif others or group:
            yield from (first, *others)
        else:
            yield 0


def _color(codes: Iterator[int]) -> Color | None:
    match next(codes, None):
        case 5:
            return Color.from_ansi(min(next(codes, 0), 255))
        case 2:
            red, green, blue = (min(next(codes, 0), 255) for _ in range(3))
            return Color.from_rgb(red, green, blue)
    return None


def parse_parameter(text: str) -> int:
    """Return a parameter of a sequence as a number; 0 if it is missing or not a number."""
    return min(int(text[:5]), 9999) if text.isascii() and text.isdigit() else 0


class TerminalCell(NamedTuple):
    """The content of a cell; "" to the right of a wide character."""

    data: str = " "
    style: Style = PLAIN


Run = tuple[str, Style]
Line = tuple[Run, ...]
BLANK = TerminalCell()


class _CellsByCharacter(dict[str, TerminalCell]):
    """The cells of one style by character, created on first use."""

    def __init__(self, style: Style) -> None:
        super().__init__()
        self._style = style

    def __missing__(self, data: str) -> TerminalCell:
        cell = self[data] = TerminalCell(data, self._style)
        return cell


class _Buffer(dict[int, dict[int, TerminalCell]]):
    """The lines of a screen. Unlike pyte's, it has no reference to the screen, which is thus freed
    as soon as nobody uses it, rather than by the garbage collector.
    """

    def __missing__(self, y: int) -> dict[int, TerminalCell]:
        line = self[y] = StaticDefaultDict(BLANK)
        return line


class TerminalScreen(pyte.Screen):
    """A screen with scrollback that treats newlines as programs write them to pipes.

    Its cells have Rich styles instead of pyte's attributes, which pyte only copies.
    """

    buffer: dict[int, dict[int, TerminalCell]]  # type: ignore[assignment]

    def __init__(self, columns: int, scrollback: int = SCROLLBACK) -> None:
        self.scrollback: deque[Line] = deque(maxlen=scrollback)
        self.scrolled = 0
        self.alternate: TerminalScreen | None = None
        """The alternate screen of a pager or editor; no output, and dropped when it is left."""
        self._cells = _CellsByCharacter(PLAIN)
        super().__init__(columns, ROWS)
        self.buffer = _Buffer()

    @property
    def default_char(self) -> TerminalCell:  # type: ignore[override]
        return BLANK

    @property
    def lost(self) -> int:
        """Number of rows that have been dropped from the scrollback."""
        return self.scrolled - len(self.scrollback)

    def reset(self) -> None:
        super().reset()
        self._set_style(PLAIN)

    def clear(self) -> None:
        """Clear the screen; its rows go into the scrollback, as a pager expects."""
        self.use_alternate(False)
        self._scroll_out_screen()
        self.reset()

    def erase_in_display(self, how: int = 0, *args: Any, **kwargs: Any) -> None:
        """Erase a part of the screen. If it is all of it, its rows go into the scrollback first:
        they are output.
        """
        if how >= ALL or (how == 0 and self.cursor.x == self.cursor.y == 0):
            self._scroll_out_screen()
        super().erase_in_display(how, *args, **kwargs)

    def _scroll_out_screen(self) -> None:
        for row in self.rows():
            self._scroll_out(row)

    def use_alternate(self, used: bool) -> None:
        """Enter the alternate screen, or leave it; the main screen is preserved."""
        self.alternate = TerminalScreen(self.columns, scrollback=0) if used else None

    def save_cursor(self) -> None:
        super().save_cursor()
        del self.savepoints[:-1]

    def restore_cursor(self) -> None:
        super().restore_cursor()
        self._set_style(self._style)

    def linefeed(self) -> None:
        self.index()
        self.carriage_return()

    def index(self) -> None:
        if self.margins is not None or self.cursor.y < self.lines - 1:
            super().index()
            return
        self._scroll_out(_style_runs(self.buffer.pop(0, {}), self.columns))
        for y in range(1, self.lines):
            if y in self.buffer:
                self.buffer[y - 1] = self.buffer.pop(y)

    def _scroll_out(self, row: Line) -> None:
        self.scrollback.append(row)
        self.scrolled += 1

    def draw(self, data: str) -> None:
        for part in _ASCII.findall(data):
            if part.isascii():
                self._draw_narrow(part)
            else:
                for char in part:
                    self._draw_any(char)

    def _draw_narrow(self, text: str) -> None:
        at = 0
        while at < len(text):
            self._wrap(1)
            x = self.cursor.x
            part = text[at : at + self.columns - x]
            cells = self._cells
            self.buffer[self.cursor.y].update(
                zip(range(x, x + len(part)), [cells[char] for char in part], strict=True)
            )
            self.cursor.x += len(part)
            at += len(part)

    def _draw_any(self, char: str) -> None:
        cells = width_of(char)
        if cells == 0 or char in _MODIFIERS or self._before().data.endswith(_JOINER):
            self._combine(char)
            return
        self._wrap(cells)
        line, x = self.buffer[self.cursor.y], self.cursor.x
        line[x] = self._cells[char]
        for beside in range(x + 1, x + cells):
            line[beside] = self._cells[""]
        self.cursor.x += cells

    def _wrap(self, cells: int) -> None:
        if self.cursor.x + cells > self.columns:
            self.linefeed()

    def _before(self) -> TerminalCell:
        """Return the cell to the left of the cursor, or of the wide character there."""
        line, x = self.buffer[self.cursor.y], self.cursor.x - 1
        cell = line.get(x, BLANK)
        return line.get(x - 1, BLANK) if cell.data == "" else cell

    def _combine(self, mark: str) -> None:
        line, x = self.buffer[self.cursor.y], self.cursor.x - 1
        cell = self._before()
        if x >= 0 and len(cell.data) < MOST_MARKS:
            line[x - (line.get(x, BLANK).data == "")] = cell._replace(data=cell.data + mark)

    def select(self, parameters: str) -> None:
        """Set the style of the following text (SGR)."""
        self._set_style(apply_sgr(self._style, parameters))

    @property
    def _style(self) -> Style:
        return cast("TerminalCell", self.cursor.attrs).style

    def _set_style(self, style: Style) -> None:
        self.cursor.attrs = cast("pyte.screens.Char", TerminalCell(" ", style))
        self._cells = _CellsByCharacter(style)

    def rows(self) -> list[Line]:
        """Return the rows of the screen down to the last non-empty one, and those of an alternate
        screen that is still active: a command may be waiting there.
        """
        last = max((y for y, line in self.buffer.items() if line), default=-1)
        rows = [_style_runs(self.buffer.get(y, {}), self.columns) for y in range(last + 1)]
        while rows and not rows[-1]:
            rows.pop()
        return rows if self.alternate is None else [*rows, *self.alternate.rows()]


def _style_runs(line: dict[int, TerminalCell], columns: int) -> Line:
    """Return the cells of a row as runs of one style, without trailing blanks."""
    last = min(max(line, default=-1), columns - 1)
    while last >= 0 and line.get(last, BLANK) in (BLANK, _ERASED):
        last -= 1
    cells = [line.get(x, BLANK) for x in range(last + 1)]
    if any(not cell.data.isascii() or not cell.data for cell in cells):
        cells = _whole(cells)
    runs = groupby(cells, key=lambda cell: cell.style)
    return tuple(("".join([cell.data for cell in run]), style) for style, run in runs)


_ERASED = TerminalCell("", PLAIN)


def _whole(cells: list[TerminalCell]) -> list[TerminalCell]:
    """Replace half-overwritten wide characters by blanks."""
    whole: list[TerminalCell] = []
    missing = 0
    for at, cell in enumerate(cells):
        halved = not cell.data and not missing
        missing = max(0, missing - 1)
        if cell.data:
            missing = width_of(cell.data) - 1
            halved = any(other.data for other in cells[at + 1 : at + 1 + missing])
        if halved:
            missing = 0
        whole.append(cell._replace(data=" ") if halved else cell)
    return whole
