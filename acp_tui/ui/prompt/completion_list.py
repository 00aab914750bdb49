"""A list over the prompt of what can complete it."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from textual.content import Content
from textual.widget import Widget

T = TypeVar("T")
LEAST_ROWS = 6
"""How many rows are shown at a time at least; on a high screen nearly a third of it."""
WIDEST = 120
"""Cells that a row takes at most: on a wide screen its count stays beside it."""


class CompletionList(Widget, Generic[T]):
    """Shows what was found, one in a row, and marks one of them; the prompt steers it and keeps the focus."""

    def __init__(self) -> None:
        super().__init__()
        self._found: Sequence[T] = ()
        self._cursor = 0
        self.display = False

    @property
    def choosing(self) -> bool:
        """Whether something is marked that can be written."""
        return self.display and bool(self._found)

    def show(self, found: Sequence[T]) -> None:
        """Show these, and mark the first; hide if there are none."""
        self._found = found
        self._cursor = 0
        self.display = bool(found)
        self.refresh(layout=True)

    def move(self, step: int) -> None:
        """Mark what is before or after."""
        self._cursor = (self._cursor + step) % len(self._found)
        self.refresh(layout=True)

    def hide(self) -> None:
        """Hide until more is typed."""
        self.display = False

    @property
    def most_rows(self) -> int:
        """How many rows there are at most."""
        return max(LEAST_ROWS, self.screen.size.height // 3 - 2)

    @property
    def in_view(self) -> range:
        """The indexes of what is shown: around the mark, if not all have room."""
        most, count = self.most_rows, len(self._found)
        first = max(0, min(self._cursor - most // 2, count - most))
        return range(first, min(first + most, count))

    @property
    def row_width(self) -> int:
        """The cells of a row."""
        return max(1, min(WIDEST, self.content_size.width))

    def with_count(self, row: Content, count: int) -> Content:
        """Return the last row with the place of the mark among `count` at its end."""
        words = f"  {self._cursor + 1} of {count:,} "
        room = max(1, self.row_width - len(words))
        return Content.assemble(row.truncate(room, ellipsis=True, pad=True), (words, "$text-muted"))
