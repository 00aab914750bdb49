"""A JSON value as lines: one that gives an idea of it, or all of it, indented and colored."""

from collections.abc import Iterator
from functools import cached_property
from time import perf_counter
from typing import Any

from textual.strip import Strip

from acp_tui.ui.transcript.json_text import (
    Line,
    compact,
    has_longer_text,
    indented,
    text_of,
    whole,
)
from acp_tui.ui.transcript.markdown.spans import code_breaks, width_of
from acp_tui.ui.transcript.palette import Palette
from acp_tui.ui.transcript.text_lines import Span, crop, draw, part_of
from acp_tui.ui.transcript.visible import LONGEST

MOST_ROWS = 2000
"""How many rows are shown; all of the value can be copied."""


class JsonLines:
    """A JSON value. Only as much of it is looked at as is shown.

    One that is not `folded` may be `brief`: in one row, if all of it fits there. Of each text the
    first `longest` characters are shown.
    """

    def __init__(
        self, value: Any, *, folded: bool = True, brief: bool = False, longest: int = LONGEST
    ) -> None:
        self._value = value
        self._longest = longest
        self._folded = folded
        self._brief = brief
        self._width = 0
        self._rows: list[Line] = []
        self._layout: Iterator[None] | None = None

    @property
    def height(self) -> int:
        return len(self._rows)

    @property
    def is_cut(self) -> bool:
        """Whether some of the value is in none of the lines."""
        return len(self._rows) > MOST_ROWS or self._has_longer_text

    @cached_property
    def _has_longer_text(self) -> bool:
        return has_longer_text(self._value, self._longest)

    def lay_out(self, width: int, until: float) -> bool:
        if width != self._width:
            self._width = width
            self._rows = []
            self._layout = self._preview() if self._folded else self._all()
        while self._layout is not None:
            if next(self._layout, self) is self:
                self._layout = None
            if perf_counter() > until:
                break
        return self._layout is None

    def _row(self) -> tuple[Line, bool]:
        """The value in one row as far as there is room, and whether all of it is there."""
        line: Line = []
        size = 0
        for span in compact(self._value):
            line.append(span)
            size += width_of(span.text)
            if size > self._width:
                return line, False
        return line, True

    def _preview(self) -> Iterator[None]:
        self._rows.append(crop(self._row()[0], self._width))
        yield

    def _all(self) -> Iterator[None]:
        line, fits = self._row() if self._brief else ([], False)
        if fits:
            self._rows.append(line)
            return
        for depth, line in indented(self._value, self._longest):
            indent = min(2 * depth, self._width // 2)
            for start, end in code_breaks(text_of(line), max(1, self._width - indent)):
                if len(self._rows) == MOST_ROWS:
                    note = f"… more (the first {MOST_ROWS:,} lines are shown)"
                    self._rows.append(crop([Span(note, "muted")], self._width))
                    return
                self._rows.append([Span(" " * indent), *part_of(line, start, end)])
            yield

    def strip(self, y: int, palette: Palette) -> Strip:
        strip = draw(self._rows[y], palette)
        return strip if strip.cell_length <= self._width else strip.crop(0, self._width)

    def plain(self, y: int) -> str:
        return text_of(self._rows[y])

    def source(self, first: int, last: int) -> str:
        """The value as JSON if all of its lines are asked for, else the lines as they are drawn."""
        if first == 0 and last >= self.height - 1:
            return whole(self._value)
        return "\n".join(self.plain(y) for y in range(first, min(last + 1, self.height)))
