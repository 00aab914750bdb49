"""Columns of lines stacked into one, as an entry consists of parts."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

from rich.segment import Segment
from textual.strip import Strip

from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.lines.lines import Heights, LineColumn, Wrap, measure
from acp_tui.ui.lines.text_lines import StyledSpan, draw_spans


class StackPart(NamedTuple):
    """Lines in a stack, indented by `indent` cells, with `gap` blank lines above."""

    lines: LineColumn
    indent: int = 0
    gap: int = 0


class Named(NamedTuple):
    """A part of a question, and a word for its rows if they would be written or run, else ""."""

    part: StackPart
    name: str = ""


class Stack:
    """Parts one below the other."""

    def __init__(self, parts: Iterable[StackPart] = ()) -> None:
        self._parts = list(parts)
        self._heights = Heights([0] * len(self._parts))
        self._form = measure.form(0)
        self._next = 0

    @property
    def parts(self) -> list[StackPart]:
        return self._parts

    def replace(self, parts: list[StackPart]) -> None:
        """Replace the parts; unchanged ones at the beginning keep their layout."""
        same = 0
        while same < min(len(parts), len(self._parts)) and parts[same] == self._parts[same]:
            same += 1
        reused = [self._heights[index] for index in range(same)]
        self._parts = parts
        self._heights = Heights(reused + [0] * (len(parts) - same))
        self._next = min(self._next, same)

    def add(self, part: StackPart) -> None:
        """Add a part below the others."""
        self._parts.append(part)
        self._heights.append(0)

    def touch(self, index: int) -> None:
        """Schedule the part at `index` to be laid out again, because it changed."""
        self._next = min(self._next, index)

    @property
    def height(self) -> int:
        return self._heights.total

    @property
    def is_laid_out(self) -> bool:
        """Whether `height` counts all lines."""
        return self._next == len(self._parts)

    def lay_out(self, width: int, until: float) -> bool:
        if measure.form(width) != self._form:
            self._form, self._next = measure.form(width), 0
        while self._next < len(self._parts):
            part = self._parts[self._next]
            done = part.lines.lay_out(max(1, width - part.indent), until)
            height = part.lines.height
            self._heights[self._next] = height + part.gap if height else 0
            if not done:
                return False
            self._next += 1
            if perf_counter() > until:
                break
        return self._next == len(self._parts)

    def find(self, y: int) -> tuple[StackPart, int] | None:
        """Return the part at line `y`, and the line within it; None for a gap."""
        index, line = self._heights.locate(y)
        part = self._parts[index]
        line -= part.gap
        return (part, line) if 0 <= line < part.lines.height else None

    def strip(self, y: int, palette: Palette) -> Strip:
        found = self.find(y)
        if found is None:
            return Strip([], 0)
        part, line = found
        strip = part.lines.strip(line, palette)
        return Strip([Segment(" " * part.indent), *strip]) if part.indent else strip

    def plain(self, y: int) -> str:
        found = self.find(y)
        if found is None:
            return ""
        part, line = found
        return " " * part.indent + part.lines.plain(line)

    def source(self, first: int, last: int) -> str:
        if last < first:
            return ""
        pieces = []
        first_part, first_line = self._heights.locate(first)
        last_part, last_line = self._heights.locate(last)
        for index in range(first_part, last_part + 1):
            part = self._parts[index]
            start = max(0, first_line - part.gap) if index == first_part else 0
            end = last_line - part.gap if index == last_part else part.lines.height - 1
            if start <= end:
                pieces.append(part.lines.source(start, end))
        return "\n".join(pieces)


@dataclass(frozen=True, slots=True)
class Shortened:
    """The first `limit` lines of a column, and a row with the number of the others."""

    lines: LineColumn
    limit: int

    @property
    def hidden(self) -> int:
        """The number of lines left out; never 1, as the hint would take the row of that line."""
        more = self.lines.height - self.limit
        return more if more > 1 else 0

    @property
    def height(self) -> int:
        return self.limit + 1 if self.hidden else self.lines.height

    def lay_out(self, width: int, until: float) -> bool:
        return self.lines.lay_out(width, until)

    def strip(self, y: int, palette: Palette) -> Strip:
        if self._is_hint(y):
            return draw_spans([StyledSpan(self._hint(), "muted", {"toggle": True})], palette)
        return self.lines.strip(y, palette)

    def plain(self, y: int) -> str:
        return self._hint() if self._is_hint(y) else self.lines.plain(y)

    def source(self, first: int, last: int) -> str:
        return self.lines.source(first, self.lines.height - 1 if self._is_hint(last) else last)

    def _is_hint(self, y: int) -> bool:
        return y == self.limit and self.hidden > 0

    def _hint(self) -> str:
        return f"… {self.hidden:,} more lines (Enter shows all)"


def wrap_at(lines: object, y: int, indent: int = 0) -> Wrap | None:
    """Return the wrap between row `y` and the row above; None if `y` begins a line."""
    if isinstance(lines, Stack):
        found = lines.find(y)
        return wrap_at(found[0].lines, found[1], indent + found[0].indent) if found else None
    if isinstance(lines, Shortened):
        return wrap_at(lines.lines, y, indent) if y < lines.limit else None
    # Not by a runtime-checkable protocol: checking its members takes longer than reading the row.
    own: Callable[[int], Wrap | None] | None = getattr(lines, "wrap_at", None)
    wrap = own(y) if own is not None else None
    return Wrap(wrap.start + indent, wrap.glue) if wrap is not None else None
