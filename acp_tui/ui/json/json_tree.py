"""A JSON value as lines of which one can fold objects and lists."""

from collections.abc import Iterator
from typing import Any

from acp_tui.ui.json.json_text import rows
from acp_tui.ui.json.value_lines import ValueLines
from acp_tui.ui.lines.text_lines import StyledSpan


class JsonTree(ValueLines):
    """A JSON value, indented; an object or a list that is folded takes one line."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self._folded: set[int] = set()
        self._opens: list[Any] = []
        """The object or list that each row opens."""
        self._inside: list[int] = []
        """The row that opens what each row is in, or itself where that is the outermost."""

    def toggle(self, y: int) -> bool:
        """Fold what a row opens, or unfold it again; return whether it opens anything."""
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

    def _sign(self, indent: StyledSpan, opens: Any) -> StyledSpan:
        """Tell in front of what a row opens whether that is folded."""
        sign = "▸ " if id(opens) in self._folded else "▾ "
        return StyledSpan((" " * len(indent.text) + sign)[len(sign) :], "muted")

    def _steps(self) -> Iterator[None]:
        self._opens, self._inside = [], []
        opened: list[int] = []
        for row in rows(self._value, folded=self._folded):
            inside = opened[row.depth : row.depth + 1] or opened[-1:] or [0]
            del opened[row.depth :]
            at = len(self._rows)
            for line in self._wrapped(row.line, row.depth + 1):
                opens = row.opens if len(self._rows) == at else None
                if opens is not None:
                    line[0] = self._sign(line[0], opens)
                if not self._add(line):
                    self._opens.append(None)
                    self._inside.append(0)
                    return
                self._opens.append(opens)
                self._inside.append(inside[0])
            if row.opens is not None:
                opened.append(at)
            yield
