"""JSON as lines: a value in one row or indented, its source as written, or a tree that folds."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from time import perf_counter
from typing import Any

from textual.strip import Strip

from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.json.json_text import (
    BAR,
    KEY,
    NUMBER,
    STRING,
    WORD,
    Line,
    compact_pieces,
    format_whole,
    has_longer_text,
    indent_lines,
    line_text,
    walk_rows,
)
from acp_tui.ui.lines.cells import code_breaks, width_of
from acp_tui.ui.lines.text_lines import StyledSpan, TextLines, crop_spans, draw_spans, part_of
from acp_tui.ui.lines.visible import LONGEST_SHOWN_LINE

MOST_ROWS = 2000
"""Most rows: laying out more would take seconds. Copying includes the whole value."""

HANG = 2
"""Cells by which continuation rows of a text are indented."""

LEAST = 10
"""Minimum width in cells at which a comma is kept with the text before it."""
_TOKEN = re.compile(
    r'(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+"?(?P<colon>\s*+:)?)'
    r"|(?P<number>-?\d[\d.eE+-]*+)|(?P<word>\w++)|(?P<comma>,\s*+)|(?P<other>.)",
    re.DOTALL,
)
_STYLES = (KEY, STRING, NUMBER, WORD)
_STYLE_OF = {"colon": 0, "string": 1, "number": 2, "word": 3, "other": 0}


class ValueLines:
    """The rows of a JSON value, made in time slices by a subclass's `_steps`."""

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
        """Make the rows, and yield after each slice."""
        raise NotImplementedError

    def _wrapped(self, line: Line, depth: int) -> Iterator[Line]:
        """Wrap a line at a depth; if it is part of a multi-line text, each row gets its bar."""
        indent = StyledSpan(" " * min(2 * depth, self._width // 2))
        room = max(1, self._width - len(indent.text))
        if line and line[0].text == BAR and width_of(line_text(line)) > room:
            yield from ([indent, *row] for row in _wrap_after_bar(line[0], line[1:], room))
            return
        for start, end in _breaks(line_text(line), room):
            yield [indent, *part_of(line, start, end)]

    def _add(self, row: Line) -> bool:
        """Add a row; at the limit, add a note instead and return False."""
        if len(self._rows) < MOST_ROWS:
            self._rows.append(row)
            return True
        note = f"… more (the first {MOST_ROWS:,} lines are shown)"
        self._rows.append(crop_spans([StyledSpan(note, "muted")], self._width))
        return False

    def strip(self, y: int, palette: Palette) -> Strip:
        strip = draw_spans(self._rows[y], palette)
        return strip if strip.cell_length <= self._width else strip.crop(0, self._width)

    def plain(self, y: int) -> str:
        return line_text(self._rows[y])

    def source(self, first: int, last: int) -> str:
        """Return the whole value as JSON if all lines are requested, else the lines as drawn."""
        if first == 0 and last >= self.height - 1:
            return format_whole(self._value)
        return "\n".join(self.plain(y) for y in range(first, min(last + 1, self.height)))


def _wrap_after_bar(bar: StyledSpan, words: Line, room: int) -> Iterator[Line]:
    """Wrap a line of a text after its bar; continuation rows are indented."""
    text = line_text(words)
    room = max(1, room - len(bar.text))
    first = code_breaks(text, room)[0][1]
    yield [bar, *part_of(words, 0, first)]
    hang = min(len(text) - len(text.lstrip(" ")) + HANG, room // 3)
    for start, end in code_breaks(text[first:], room - hang):
        yield [bar, StyledSpan(" " * hang), *part_of(words, first + start, first + end)]


def _breaks(text: str, width: int) -> list[tuple[int, int]]:
    """Wrap a line, but never leave its comma alone in a row."""
    found = code_breaks(text, width)
    start, end = found[-1]
    if text[start:] != "," or width < LEAST:
        return found
    found = code_breaks(text[:-1], width - 2)
    return [*found[:-1], (found[-1][0], end)]


class JsonLines(ValueLines):
    """A JSON value in one row (`folded`), or indented; only the visible part of it is visited.

    A value that is not folded but `brief` also takes one row if it fits. Texts are cut after
    `longest` characters.
    """

    def __init__(
        self,
        value: Any,
        *,
        folded: bool = True,
        brief: bool = False,
        longest: int = LONGEST_SHOWN_LINE,
    ) -> None:
        super().__init__(value)
        self._longest = longest
        self._folded = folded
        self._brief = brief

    @property
    def is_cut(self) -> bool:
        """Whether a part of the value is left out."""
        return len(self._rows) > MOST_ROWS or self._has_longer_text

    @cached_property
    def _has_longer_text(self) -> bool:
        return has_longer_text(self._value, self._longest)

    def _steps(self) -> Iterator[None]:
        if self._folded:
            self._add(crop_spans(self._row()[0], self._width))
            return
        line, fits = self._row() if self._brief else ([], False)
        if fits:
            self._add(line)
            return
        for depth, line in indent_lines(self._value, self._longest):
            if not all(map(self._add, self._wrapped(line, depth))):
                return
            yield

    def _row(self) -> tuple[Line, bool]:
        """Return as much of the value as fits into one row, and whether that is all."""
        line: Line = []
        size = 0
        for span in compact_pieces(self._value):
            line.append(span)
            size += width_of(span.text)
            if size > self._width:
                return line, False
        return line, True


class JsonSource(TextLines):
    """JSON source as it was written, or its beginning, highlighted as far as it is wrapped."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._tokens = _TOKEN.finditer(self._text)
        self._colored = array("Q")
        """The end of each run of one color."""
        self._styles = bytearray()

    def _wrap_some(self) -> None:
        super()._wrap_some()
        while self._ends and self._ends[-1] > (self._colored[-1] if self._colored else 0):
            self._color_token()

    def _color_token(self) -> None:
        """Highlight the next token; a comma gets the color of the token before it."""
        token = next(self._tokens)
        name = "colon" if token["colon"] else token.lastgroup
        style = _STYLE_OF.get(name or "", self._styles[-1] if self._styles else 0)
        if self._styles and self._styles[-1] == style:
            self._colored[-1] = token.end()
        else:
            self._colored.append(token.end())
            self._styles.append(style)

    def strip(self, y: int, palette: Palette) -> Strip:
        start, end = self._starts[y], self._ends[y]
        spans = []
        for at in range(bisect_right(self._colored, start), len(self._colored)):
            if start >= end:
                break
            stop = min(end, self._colored[at])
            spans.append(StyledSpan(self._text[start:stop], _STYLES[self._styles[at]]))
            start = stop
        return draw_spans(spans, palette)


class JsonTree(ValueLines):
    """A JSON value, indented; a folded object or list takes one line."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self._folded: set[int] = set()
        self._opens: list[Any] = []
        """The object or list that begins in each row, or None."""
        self._inside: list[int] = []
        """The first row of the object or list around each row; for the outermost, its own."""

    def toggle(self, y: int) -> bool:
        """Fold or unfold the object or list that begins in a row; return False if there is none."""
        if self._opens[y] is None:
            return False
        self._folded ^= {id(self._opens[y])}
        self._width = 0
        return True

    def fold(self, y: int) -> int:
        """Fold the object or list that begins in a row, else the one around it; return its row."""
        if self._opens[y] is None or id(self._opens[y]) in self._folded:
            y = self._inside[y]
        if self._opens[y] is not None:
            self._folded.add(id(self._opens[y]))
            self._width = 0
        return y

    def unfold(self, y: int) -> None:
        """Unfold the object or list that begins in a row."""
        self._folded.discard(id(self._opens[y]))
        self._width = 0

    def unfold_all(self) -> None:
        """Unfold everything."""
        if self._folded:
            self._folded.clear()
            self._width = 0

    def _draw_sign(self, indent: StyledSpan, opens: Any) -> StyledSpan:
        """Draw the sign of an object or list: folded or open."""
        sign = "▸ " if id(opens) in self._folded else "▾ "
        return StyledSpan((" " * len(indent.text) + sign)[len(sign) :], "muted")

    def _steps(self) -> Iterator[None]:
        self._opens, self._inside = [], []
        opened: list[int] = []
        for row in walk_rows(self._value, folded=self._folded):
            inside = opened[row.depth : row.depth + 1] or opened[-1:] or [0]
            del opened[row.depth :]
            at = len(self._rows)
            for line in self._wrapped(row.line, row.depth + 1):
                opens = row.opens if len(self._rows) == at else None
                if opens is not None:
                    line[0] = self._draw_sign(line[0], opens)
                if not self._add(line):
                    self._opens.append(None)
                    self._inside.append(0)
                    return
                self._opens.append(opens)
                self._inside.append(inside[0])
            if row.opens is not None:
                opened.append(at)
            yield
