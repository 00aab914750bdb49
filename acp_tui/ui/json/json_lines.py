"""A JSON value as lines: one that gives an idea of it, or all of it, indented and colored."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from acp_tui.ui.json.json_text import Line, compact, has_longer_text, indented
from acp_tui.ui.json.value_lines import MOST_ROWS, ValueLines
from acp_tui.ui.lines.cells import width_of
from acp_tui.ui.lines.text_lines import crop
from acp_tui.ui.lines.visible import LONGEST_SHOWN_LINE


class JsonLines(ValueLines):
    """A JSON value. Only as much of it is looked at as is shown.

    One that is not `folded` may be `brief`: in one row, if all of it fits there. Of each text the
    first `longest` characters are shown.
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
        """Whether some of the value is in none of the lines."""
        return len(self._rows) > MOST_ROWS or self._has_longer_text

    @cached_property
    def _has_longer_text(self) -> bool:
        return has_longer_text(self._value, self._longest)

    def _steps(self) -> Iterator[None]:
        if self._folded:
            self._add(crop(self._row()[0], self._width))
            return
        line, fits = self._row() if self._brief else ([], False)
        if fits:
            self._add(line)
            return
        for depth, line in indented(self._value, self._longest):
            if not all(map(self._add, self._wrapped(line, depth))):
                return
            yield

    def _row(self) -> tuple[Line, bool]:
        """Return the value in one row as far as there is room, and whether all of it is there."""
        line: Line = []
        size = 0
        for span in compact(self._value):
            line.append(span)
            size += width_of(span.text)
            if size > self._width:
                return line, False
        return line, True
