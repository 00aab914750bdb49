"""The list of completions above the prompt."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from textual.content import Content
from textual.widget import Widget

T = TypeVar("T")
LEAST_ROWS = 6
"""Fewest rows of the list; a tall screen gives it nearly a third."""
WIDEST = 120
"""Most cells of a row: on a wide screen, the count would be far from its list."""


class CompletionList(Widget, Generic[T]):
    """Lists matches, one per row, and marks one. The prompt keeps the focus and moves the mark."""

    def __init__(self) -> None:
        super().__init__()
        self._found: Sequence[T] = ()
        self._cursor = 0
        self.display = False

    @property
    def choosing(self) -> bool:
        """Whether the list is open, with a match to insert."""
        return self.display and bool(self._found)

    def show(self, found: Sequence[T]) -> None:
        """Show the matches and mark the first; hide the list if there are none."""
        self._found = found
        self._cursor = 0
        self.display = bool(found)
        self.refresh(layout=True)

    def move(self, step: int) -> None:
        """Move the mark by `step` rows; it wraps around at both ends."""
        self._cursor = (self._cursor + step) % len(self._found)
        self.refresh(layout=True)

    def hide(self) -> None:
        """Hide the list until more is typed."""
        self.display = False

    @property
    def most_rows(self) -> int:
        """Most rows that the screen has room for."""
        return max(LEAST_ROWS, self.screen.size.height // 3 - 2)

    @property
    def in_view(self) -> range:
        """The indexes of the rows in view: those around the mark, if not all fit."""
        most, count = self.most_rows, len(self._found)
        first = max(0, min(self._cursor - most // 2, count - most))
        return range(first, min(first + most, count))

    @property
    def row_width(self) -> int:
        """The width of a row in cells."""
        return max(1, min(WIDEST, self.content_size.width))

    def with_count(self, row: Content, count: int) -> Content:
        """Append the position of the mark among `count` matches to the last row: `3 of 20`."""
        words = f"  {self._cursor + 1} of {count:,} "
        room = max(1, self.row_width - len(words))
        return Content.assemble(row.truncate(room, ellipsis=True, pad=True), (words, "$text-muted"))
