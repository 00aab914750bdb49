"""What there is to judge a question by, and how much of it is out of view."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from acp_tui.ui.diff.diff_lines import DiffLines
from acp_tui.ui.json.json_lines import JsonLines
from acp_tui.ui.lines.stack import Part, Stack
from acp_tui.ui.words import counted

FIRST = ("command", "diff")
"""What is told of before all else that is below."""


class Named(NamedTuple):
    """A part; its name, if it would be run or written, says of what rows are below."""

    part: Part
    name: str = ""


class Body(Stack):
    """The parts from top to bottom."""

    def __init__(self, parts: Iterable[Named]) -> None:
        named = list(parts)
        super().__init__(part for part, _ in named)
        self._names = [name for _, name in named]

    def out_of_view(self, seen: int) -> str:
        """What is below the first `seen` rows, in words; nothing if all is above."""
        below = self.height - seen
        if below <= 0:
            return ""
        words = f"{counted(below, 'more row')} below"
        told = self._below(seen)
        if not told:
            return words
        name = next((one for one in FIRST if one in told), next(iter(told)))
        rows = told[name]
        if rows == below:
            return f"{counted(below, 'more row')} of the {name} below"
        return f"{words}, {rows:,} of the {name}"

    def cut(self) -> str:
        """The name of what is too long to be shown whole; nothing if all is."""
        for part, name in zip(self.parts, self._names, strict=True):
            if isinstance(part.lines, DiffLines | JsonLines) and part.lines.is_cut:
                return name
        return ""

    def _below(self, seen: int) -> Counter[str]:
        """The names of parts of which rows are below, and how many are."""
        top = 0
        below: Counter[str] = Counter()
        for part, name in zip(self.parts, self._names, strict=True):
            height = part.lines.height + part.gap if part.lines.height else 0
            top += height
            if name and height and top > seen:
                below[name] += min(height, top - seen)
        return below
