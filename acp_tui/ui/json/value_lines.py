"""What all drawings of a JSON value have in common: their rows are made in slices, and bounded."""

from collections.abc import Iterator
from time import perf_counter
from typing import Any

from textual.strip import Strip

from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.json.json_text import BAR, Line, text_of, whole
from acp_tui.ui.lines.cells import code_breaks, width_of
from acp_tui.ui.lines.text_lines import StyledSpan, crop, draw, part_of

MOST_ROWS = 2000
"""How many rows are shown; all of the value can be copied."""

HANG = 2
"""How much deeper than its first row a line of a text goes on."""

LEAST = 10
"""Cells of a row that has room for more than a comma and what it follows."""


class ValueLines:
    """The rows of a JSON value. A subclass makes them in `_steps`."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._width = 0
        self._rows: list[Line] = []
        self._layout: Iterator[None] | None = None

    @property
    def height(self) -> int:
        return len(self._rows)

    def lay_out(self, width: int, until: float) -> bool:
        if width != self._width:
            self._width = width
            self._rows = []
            self._layout = self._steps()
        while self._layout is not None:
            if next(self._layout, self) is self:
                self._layout = None
            if perf_counter() > until:
                break
        return self._layout is None

    def _steps(self) -> Iterator[None]:
        """Make the rows."""
        raise NotImplementedError

    def _wrapped(self, line: Line, depth: int) -> Iterator[Line]:
        """Wrap a line that stands so deep; the bar of a text of several lines stands in each row."""
        indent = StyledSpan(" " * min(2 * depth, self._width // 2))
        room = max(1, self._width - len(indent.text))
        if line and line[0].text == BAR and width_of(text_of(line)) > room:
            yield from ([indent, *row] for row in _hung(line[0], line[1:], room))
            return
        for start, end in _breaks(text_of(line), room):
            yield [indent, *part_of(line, start, end)]

    def _add(self, row: Line) -> bool:
        """Add a row; return False if there are enough, which a note says."""
        if len(self._rows) < MOST_ROWS:
            self._rows.append(row)
            return True
        note = f"… more (the first {MOST_ROWS:,} lines are shown)"
        self._rows.append(crop([StyledSpan(note, "muted")], self._width))
        return False

    def strip(self, y: int, palette: Palette) -> Strip:
        strip = draw(self._rows[y], palette)
        return strip if strip.cell_length <= self._width else strip.crop(0, self._width)

    def plain(self, y: int) -> str:
        return text_of(self._rows[y])

    def source(self, first: int, last: int) -> str:
        """Return the value as JSON if all of its lines are asked for, else the lines as they are
        drawn.
        """
        if first == 0 and last >= self.height - 1:
            return whole(self._value)
        return "\n".join(self.plain(y) for y in range(first, min(last + 1, self.height)))


def _hung(bar: StyledSpan, words: Line, room: int) -> Iterator[Line]:
    """Wrap a line of a text beside its bar; what goes on stands deeper than its beginning."""
    text = text_of(words)
    room = max(1, room - len(bar.text))
    first = code_breaks(text, room)[0][1]
    yield [bar, *part_of(words, 0, first)]
    hang = min(len(text) - len(text.lstrip(" ")) + HANG, room // 3)
    for start, end in code_breaks(text[first:], room - hang):
        yield [bar, StyledSpan(" " * hang), *part_of(words, first + start, first + end)]


def _breaks(text: str, width: int) -> list[tuple[int, int]]:
    """Break a line so that its comma is never alone in a row."""
    found = code_breaks(text, width)
    start, end = found[-1]
    if text[start:] != "," or width < LEAST:
        return found
    found = code_breaks(text[:-1], width - 2)
    return [*found[:-1], (found[-1][0], end)]
