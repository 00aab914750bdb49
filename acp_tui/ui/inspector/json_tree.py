"""A frame's JSON as lines of which one can fold objects and lists."""

from collections.abc import Iterator
from time import perf_counter
from typing import Any

from textual.strip import Strip

from acp_tui.ui.transcript.json_text import Line, rows, text_of, whole
from acp_tui.ui.transcript.markdown.spans import code_breaks
from acp_tui.ui.transcript.palette import Palette
from acp_tui.ui.transcript.text_lines import Span, crop, draw, part_of

MOST_ROWS = 2000
"""How many rows are shown; all of the value can be copied."""


class JsonTree:
    """A JSON value, indented; an object or a list that is folded takes one line."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._folded: set[int] = set()
        self._width = 0
        self._rows: list[Line] = []
        self._opens: list[Any] = []
        """The object or list that each row opens."""
        self._inside: list[int] = []
        """The row that opens what each row is in, or itself where that is the outermost."""
        self._layout: Iterator[None] | None = None

    @property
    def height(self) -> int:
        return len(self._rows)

    def lay_out(self, width: int, until: float) -> bool:
        if width != self._width:
            self._width = width
            self._rows, self._opens, self._inside = [], [], []
            self._layout = self._all()
        while self._layout is not None:
            if next(self._layout, self) is self:
                self._layout = None
            if perf_counter() > until:
                break
        return self._layout is None

    def toggle(self, y: int) -> bool:
        """Fold what a row opens, or unfold it again; whether it opens anything."""
        if self._opens[y] is None:
            return False
        self._folded ^= {id(self._opens[y])}
        self._width = 0
        return True

    def fold(self, y: int) -> int:
        """Fold what a row opens, or else what it is in; the row that stands for it."""
        if self._opens[y] is None or id(self._opens[y]) in self._folded:
            y = self._inside[y]
        if self._opens[y] is not None:
            self._folded.add(id(self._opens[y]))
            self._width = 0
        return y

    def unfold(self, y: int) -> None:
        """Unfold what a row opens."""
        self._folded.discard(id(self._opens[y]))
        self._width = 0

    def unfold_all(self) -> None:
        """Unfold everything."""
        if self._folded:
            self._folded.clear()
            self._width = 0

    def _all(self) -> Iterator[None]:
        opened: list[int] = []
        for row in rows(self._value, folded=self._folded):
            inside = opened[row.depth : row.depth + 1] or opened[-1:] or [0]
            del opened[row.depth :]
            at = len(self._rows)
            indent = min(2 * row.depth, self._width // 2)
            for start, end in code_breaks(text_of(row.line), max(1, self._width - indent)):
                if len(self._rows) == MOST_ROWS:
                    note = f"… more (the first {MOST_ROWS:,} lines are shown)"
                    self._add(crop([Span(note, "muted")], self._width), None, 0)
                    return
                line = [Span(" " * indent), *part_of(row.line, start, end)]
                self._add(line, row.opens if start == 0 else None, inside[0])
            if row.opens is not None:
                opened.append(at)
            yield

    def _add(self, line: Line, opens: Any, inside: int) -> None:
        self._rows.append(line)
        self._opens.append(opens)
        self._inside.append(inside)

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
