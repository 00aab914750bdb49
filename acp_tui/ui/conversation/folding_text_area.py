"""A text area in which long pastes are folded into chips."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from textual.widgets import TextArea

from acp_tui.ui.conversation.folded import Folded

if TYPE_CHECKING:
    from rich.text import Text
    from textual.widgets.text_area import Edit, EditResult, Location, Selection


class FoldingTextArea(TextArea):
    """Draws, passes and edits a chip as if it were one character."""

    def __init__(self, **options: Any) -> None:
        self.folded = Folded()
        super().__init__(**options)

    @property
    def written(self) -> str:
        """All that is written, with what is folded in it."""
        return self.folded.expand(self.text)

    @property
    def selected_text(self) -> str:
        """What is selected, with what is folded in it."""
        return self.folded.expand(super().selected_text)

    def get_line(self, line_index: int) -> "Text":
        """Mark the chips in a line."""
        line = super().get_line(line_index)
        for begin, end in self.folded.chips(line.plain):
            line.stylize("reverse", begin, end)
        return line

    def edit(self, edit: "Edit") -> "EditResult":
        """Change the text; what touches a part of a chip takes all of it, for the rest would stand
        for nothing.
        """
        if self.folded.is_used:
            top, bottom = edit.top, edit.bottom
            is_insertion = top == bottom
            bottom = self._chip_end(bottom, 1)
            edit.from_location = bottom if is_insertion else self._chip_end(top, 0)
            edit.to_location = bottom
        return super().edit(edit)

    def validate_selection(self, selection: "Selection") -> "Selection":
        """Keep the cursor out of chips: it passes them like a character."""
        if not self.folded.is_used:
            return selection
        forward = int(selection.end > self.selection.end)
        end = self._chip_end(selection.end, forward)
        if selection.is_empty:
            return selection._replace(start=end, end=end)
        start = self._chip_end(selection.start, int(selection.start > end))
        return selection._replace(start=start, end=end)

    def _chip_end(self, location: "Location", which: int) -> "Location":
        """The beginning (0) or the end (1) of the chip in which a place is; else the place."""
        row, column = location
        for span in self._chips(row):
            if span[0] < column < span[1]:
                return row, span[which]
        return location

    def _chips(self, row: int) -> Sequence[tuple[int, int]]:
        there = row < self.document.line_count  # not yet, while something is undone
        return list(self.folded.chips(self.document.get_line(row))) if there else []

    def unfold(self) -> bool:
        """Open the chip beside the cursor; false if there is none."""
        row, column = self.cursor_location
        for begin, end in self._chips(row):
            if column in (begin, end):
                text = self.folded.text_of(self.document.get_line(row)[begin:end])
                self.history.checkpoint()
                self.replace(text, (row, begin), (row, end), maintain_selection_offset=False)
                return True
        return False
