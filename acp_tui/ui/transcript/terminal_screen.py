"""What a terminal would show of a stream of output: pyte's screen, with what we need besides."""

import re
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple, cast

import pyte
from rich.ansi import SGR_STYLE_MAP
from rich.color import Color
from rich.style import Style

from acp_tui.text import clean
from acp_tui.ui.transcript.markdown.spans import width_of

SCROLLBACK = 2000
"""How many rows are kept above the screen."""
ROWS = 24
"""How many rows the cursor can reach."""
MOST_MARKS = 12
"""How many characters one cell holds at most: a letter with its marks, a joined emoji."""
HELD = 256
"""The longest sequence that is waited for."""

PLAIN = Style.null()
_JOINER = "\u200d"
_MODIFIERS = frozenset("\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")

_TOKEN = re.compile(
    r"(?P<text>[^\x00-\x1f\x7f-\x9f]{1,1024})"
    r"|(?P<string>\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?P<end>[\x07\x9c]?)"
    r"|(?:\x1b\[|\x9b)(?P<parameters>[0-?]*)(?P<between>[ -/]*)(?P<final>[@-~]?)"
    r"|\x1b(?P<escape>[ -/]*[0-~]?)"
    r"|(?P<control>[\x00-\x1f\x7f-\x9f])"
)
_OPEN = re.compile(r"[ -/]*")
_ASCII = re.compile(r"[ -~]+|[^ -~]+")

_CONTROLS = {
    "\b": "backspace",
    "\t": "tab",
    "\n": "linefeed",
    "\v": "linefeed",
    "\f": "linefeed",
    "\r": "carriage_return",
    "\x84": "index",
    "\x85": "linefeed",
    "\x8d": "reverse_index",
}
_ESCAPES = {
    "7": "save_cursor",
    "8": "restore_cursor",
    "D": "index",
    "E": "linefeed",
    "M": "reverse_index",
    "c": "clear",
}
_SEQUENCES = {
    "@": ("insert_characters", 1),
    "A": ("cursor_up", 1),
    "B": ("cursor_down", 1),
    "C": ("cursor_forward", 1),
    "D": ("cursor_back", 1),
    "E": ("cursor_down1", 1),
    "F": ("cursor_up1", 1),
    "G": ("cursor_to_column", 1),
    "H": ("cursor_position", 2),
    "J": ("erase_in_display", 1),
    "K": ("erase_in_line", 1),
    "L": ("insert_lines", 1),
    "M": ("delete_lines", 1),
    "P": ("delete_characters", 1),
    "X": ("erase_characters", 1),
    "`": ("cursor_to_column", 1),
    "a": ("cursor_forward", 1),
    "d": ("cursor_to_line", 1),
    "e": ("cursor_down", 1),
    "f": ("cursor_position", 2),
    "r": ("set_margins", 2),
    "s": ("save_cursor", 0),
    "u": ("restore_cursor", 0),
}
"""CSI sequences by their last character: what pyte calls them, and how many parameters count."""
_UNWANTED = {5, 6, 8}
"""Attributes that are left out: text that blinks or is hidden."""


class Cell(NamedTuple):
    """What is in a cell; nothing right of a wide character."""

    data: str = " "
    style: Style = PLAIN


Run = tuple[str, Style]
Line = tuple[Run, ...]
BLANK = Cell()


class _Cells(dict[str, Cell]):
    """The cells of one style by their character: made once, as most are needed often."""

    def __init__(self, style: Style) -> None:
        super().__init__()
        self._style = style

    def __missing__(self, data: str) -> Cell:
        cell = self[data] = Cell(data, self._style)
        return cell


class TerminalScreen(pyte.Screen):
    """A screen that keeps what scrolls off, and takes newlines as programs write them to pipes.

    Its cells hold Rich styles rather than pyte's attributes, which pyte only copies around.
    """

    buffer: dict[int, dict[int, Cell]]  # type: ignore[assignment]

    def __init__(self, columns: int) -> None:
        self.scrollback: deque[Line] = deque(maxlen=SCROLLBACK)
        self.scrolled = 0
        self._cells = _Cells(PLAIN)
        super().__init__(columns, ROWS)

    @property
    def default_char(self) -> Cell:  # type: ignore[override]
        return BLANK

    @property
    def lost(self) -> int:
        """How many rows were scrolled out of the scrollback."""
        return self.scrolled - len(self.scrollback)

    def reset(self) -> None:
        super().reset()
        self._set_style(PLAIN)

    def clear(self) -> None:
        """Begin with an empty screen; what it showed is kept, as a pager would want it."""
        for row in self.rows():
            self._keep(row)
        self.reset()

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
        self._keep(_runs(self.buffer.pop(0, {}), self.columns))
        for y in range(1, self.lines):
            if y in self.buffer:
                self.buffer[y - 1] = self.buffer.pop(y)

    def _keep(self, row: Line) -> None:
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

    def _before(self) -> Cell:
        """The character left of the cursor."""
        line, x = self.buffer[self.cursor.y], self.cursor.x - 1
        cell = line.get(x, BLANK)
        return line.get(x - 1, BLANK) if cell.data == "" else cell

    def _combine(self, mark: str) -> None:
        line, x = self.buffer[self.cursor.y], self.cursor.x - 1
        cell = self._before()
        if x >= 0 and len(cell.data) < MOST_MARKS:
            line[x - (line.get(x, BLANK).data == "")] = cell._replace(data=cell.data + mark)

    def select(self, parameters: str) -> None:
        """Set the style of what comes (SGR)."""
        self._set_style(_selected(self._style, parameters))

    @property
    def _style(self) -> Style:
        return cast("Cell", self.cursor.attrs).style

    def _set_style(self, style: Style) -> None:
        self.cursor.attrs = cast("pyte.screens.Char", Cell(" ", style))
        self._cells = _Cells(style)

    def rows(self) -> list[Line]:
        """The rows of the screen down to the last that has something in it."""
        last = max((y for y, line in self.buffer.items() if line), default=-1)
        rows = [_runs(self.buffer.get(y, {}), self.columns) for y in range(last + 1)]
        while rows and not rows[-1]:
            rows.pop()
        return rows


def _runs(line: dict[int, Cell], columns: int) -> Line:
    """The cells of a row as runs of one style, without the blanks at its end."""
    last = min(max(line, default=-1), columns - 1)
    while last >= 0 and line.get(last, BLANK) in (BLANK, _ERASED):
        last -= 1
    cells = [line.get(x, BLANK) for x in range(last + 1)]
    if any(not cell.data.isascii() or not cell.data for cell in cells):
        cells = _whole(cells)
    runs = groupby(cells, key=lambda cell: cell.style)
    return tuple(("".join([cell.data for cell in run]), style) for style, run in runs)


_ERASED = Cell("", PLAIN)


def _whole(cells: list[Cell]) -> list[Cell]:
    """Replace halves of wide characters, whose other half was overwritten, by blanks."""
    whole: list[Cell] = []
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


@lru_cache(maxsize=4096)
def _selected(style: Style, parameters: str) -> Style:
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
    """The numbers of an SGR sequence; those with colons written as those with semicolons."""
    for group in parameters.split(";"):
        first, *others = [_number(part) for part in group.split(":")]
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


def _number(text: str) -> int:
    return min(int(text[:5]), 9999) if text.isascii() and text.isdigit() else 0


class TerminalStream:
    """Plays text on a screen, one piece at a time. Nothing that arrives can make it fail."""

    def __init__(self, screen: TerminalScreen) -> None:
        self._screen = screen
        self._held = ""

    def play(self, text: str) -> Iterator[None]:
        """Play some text; yields after each sequence and each run of characters.

        A sequence that may go on is held for the next text.
        """
        text = self._held + text
        self._held = ""
        for token in _TOKEN.finditer(text):
            if token.end() == len(text):
                self._held = _unfinished(token)
            if not self._held:
                self._one(token)
            yield

    def _one(self, token: re.Match[str]) -> None:
        screen = self._screen
        if token["text"]:
            screen.draw(clean(token["text"]))
        elif token["control"] in _CONTROLS:
            getattr(screen, _CONTROLS[token["control"]])()
        elif token["escape"] in _ESCAPES:
            getattr(screen, _ESCAPES[token["escape"]])()
        elif token["final"] == "m" and not token["between"]:
            if not token["parameters"].startswith(("<", "=", ">", "?")):
                screen.select(token["parameters"])
        elif token["final"] in _SEQUENCES and not token["between"]:
            self._sequence(token["final"], token["parameters"])

    def _sequence(self, final: str, parameters: str) -> None:
        if parameters.startswith(("<", "=", ">", "?")):
            return
        name, count = _SEQUENCES[final]
        numbers = [_number(part) for part in parameters.split(";")][:count]
        if final in "JK" and numbers[0] > 3 - (final == "K"):
            return
        getattr(self._screen, name)(*numbers)


def _unfinished(token: re.Match[str]) -> str:
    """What to wait with for the rest of a sequence; of a string, only that it began."""
    if token["string"]:
        return "" if token["end"] else token["string"]
    if token["final"] == "" or (token["escape"] is not None and _OPEN.fullmatch(token["escape"])):
        return token[0][:HELD]
    return ""
