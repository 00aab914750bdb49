"""Writes what a screen showed as an asciicast, version 2: frame by frame, from masked cells.

Nothing that the program wrote is passed on as it came: what stands in the file is drawn anew from the
cells, so that no title, no clipboard and no half of a secret is in it.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from acp_tui.script.cast.secrets import Finder
from acp_tui.script.cast.window import Drawing, Size, Written

IDLE = 2.0
"""Seconds to which players shorten longer pauses."""
_FRAME = 0.04
"""Seconds that each picture stands at least: nobody sees more of them."""
_HIDDEN = "•"
_COLORS = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
_SWITCHES = (
    ("bold", "1"),
    ("italics", "3"),
    ("underscore", "4"),
    ("blink", "5"),
    ("reverse", "7"),
    ("strikethrough", "9"),
)


class Marker(NamedTuple):
    """A moment with a name; a `caption` stands below the screen from then on."""

    at: float
    label: str
    caption: str = ""


class Cell(NamedTuple):
    """What stands in a cell, and the numbers that draw it so; the right half of a wide character
    has nothing.
    """

    data: str
    style: str


Frame = list[tuple[Cell, ...]]


class UnmaskedError(Exception):
    """A secret could still be read."""


class Take:
    """What was recorded: what was `written`, from `start` on, with `markers`."""

    def __init__(
        self, size: Size, written: Sequence[Written], start: float, markers: Sequence[Marker]
    ) -> None:
        self.size = size
        self.written = written
        self.start = start
        self.markers = markers
        self.has_captions = any(one.caption for one in markers)

    def cast(self, header: dict[str, Any], finder: Finder) -> str:
        """Return the file. Raises UnmaskedError."""
        for _, drawing in self._drawn():
            finder.learn(_rows(drawing))
        rows = self.size.rows + self.has_captions
        head = {"version": 2, "width": self.size.columns, "height": rows, **header}
        lines = [head, *self._events(finder)]
        self._check(lines[1:], Size(self.size.columns, rows), finder)
        return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines)

    def _drawn(self) -> Iterator[tuple[float, Drawing]]:
        """Draw again what was written; what came before the start is there at once."""
        drawing = Drawing(self.size)
        before = [one for one in self.written if one.at < self.start]
        drawing.draw(b"".join(one.data for one in before))
        yield self.start, drawing
        after = self.written[len(before) :]
        shown = self.start
        for number, one in enumerate(after, 1):
            drawing.draw(one.data)
            following = after[number].at if number < len(after) else float("inf")
            if one.at - shown >= _FRAME or following - one.at >= _FRAME:
                shown = one.at
                yield one.at, drawing

    def _events(self, finder: Finder) -> Iterator[Any]:
        shown: Frame = []
        cursor = ""
        caption = ""
        left = list(self.markers)
        last: tuple[float, Frame, str] | None = None
        for at, drawing in self._drawn():
            while left and left[0].at <= at:
                marker = left.pop(0)
                caption = marker.caption
                yield [self._time(marker.at), "m", marker.label]
                if last is not None and self.has_captions:
                    now = [*last[1][: self.size.rows], _caption(caption, self.size.columns)]
                    yield [self._time(marker.at), "o", _strokes(shown, now) + last[2]]
                    shown = now
            now = _masked(drawing, finder)
            if self.has_captions:
                now.append(_caption(caption, self.size.columns))
            new_cursor = _cursor(drawing)
            strokes = _strokes(shown, now)
            if strokes or new_cursor != cursor:
                begin = "\x1b[?25l" if strokes else ""
                yield [self._time(at), "o", begin + strokes + new_cursor]
            shown, cursor = now, new_cursor
            last = (at, now, new_cursor)

    def _time(self, at: float) -> float:
        return round(max(0.0, at - self.start), 3)

    @staticmethod
    def _check(events: Sequence[Any], size: Size, finder: Finder) -> None:
        """Read it as a player does. Raises UnmaskedError."""
        drawing = Drawing(size)
        for _, kind, data in events:
            if kind == "m":
                if finder.shows([list(data)]):
                    raise UnmaskedError
                continue
            drawing.draw(data.encode())
            if finder.shows(_rows(drawing)):
                raise UnmaskedError


def _rows(drawing: Drawing) -> list[list[str]]:
    return [[one.data for one in drawing.row(y)] for y in range(drawing.screen.lines)]


def _masked(drawing: Drawing, finder: Finder) -> Frame:
    hidden = finder.places(_rows(drawing))
    frame: Frame = []
    for y in range(drawing.screen.lines):
        cells = []
        for x, one in enumerate(drawing.row(y)):
            data = one.data
            if (y, x) in hidden:
                data = _HIDDEN
            elif not data and (y, x - 1) in hidden:
                data = _HIDDEN  # the right half of what is masked
            cells.append(Cell(data, _style(one)))
        frame.append(tuple(cells))
    return frame


def _caption(words: str, columns: int) -> tuple[Cell, ...]:
    """Draw a caption in a row of its own."""
    drawing = Drawing(Size(columns, 1))
    room = max(0, columns - 4)
    short = words if len(words) <= room else f"{words[: room - 1]}…"
    drawing.draw(b"\x1b[?7l" + f" ▸ {short}".encode())
    style = "1;7" if words else ""
    return tuple(Cell(one.data if words else " ", style) for one in drawing.row(0))


def _style(char: Any) -> str:
    parts = [number for name, number in _SWITCHES if getattr(char, name)]
    parts += _color(char.fg, 30)
    parts += _color(char.bg, 40)
    return ";".join(parts)


def _color(name: str, base: int) -> list[str]:
    """Return the numbers of a color of pyte's: a name, or six hexadecimal digits."""
    if name == "default":
        return []
    plain = name.removeprefix("bright")
    if plain in ("yellow", "brown"):
        plain = "brown"
    if plain in _COLORS:
        return [str(base + _COLORS.index(plain) + (60 if name.startswith("bright") else 0))]
    red, green, blue = (int(name[at : at + 2], 16) for at in (0, 2, 4))
    return [f"{base + 8};2;{red};{green};{blue}"]


def _strokes(before: Frame, now: Frame) -> str:
    """Return what turns one frame into another: of each row, from its first new cell to its last."""
    told = []
    for y, row in enumerate(now):
        old = before[y] if y < len(before) else None
        if old == row:
            continue
        new = [x for x, cell in enumerate(row) if old is None or old[x] != cell]
        begin, end = new[0], new[-1] + 1
        while begin and not row[begin].data:
            begin -= 1  # a wide character is drawn from its left half on
        while end < len(row) and not row[end].data:
            end += 1
        told.append(f"\x1b[{y + 1};{begin + 1}H{_runs(row[begin:end])}")
    return "".join(told)


def _runs(cells: Sequence[Cell]) -> str:
    told, style = [], None
    for cell in cells:
        if cell.style != style:
            style = cell.style
            told.append(f"\x1b[0;{style}m" if style else "\x1b[0m")
        told.append(cell.data)
    return "".join([*told, "\x1b[0m"])


def _cursor(drawing: Drawing) -> str:
    cursor = drawing.screen.cursor
    if cursor.hidden:
        return "\x1b[?25l"
    return f"\x1b[{cursor.y + 1};{min(cursor.x, drawing.screen.columns - 1) + 1}H\x1b[?25h"
