"""Keys that move: from entry to entry, or by lines; while lines are selected, the end of the selection."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.ui.transcript.entry_cursor import EntryCursor
    from acp_tui.ui.transcript.selection import LineSelection
    from acp_tui.ui.transcript.viewport import Viewport


class Travel:
    """Moves the cursor and the screen, or extends what is selected."""

    def __init__(self, view: "Viewport", cursor: "EntryCursor", lines: "LineSelection") -> None:
        self._view = view
        self._cursor = cursor
        self._lines = lines

    def by_entry(self, step: int) -> None:
        """Go to the entry above (`step` -1) or below (1)."""
        if self._lines.is_active:
            self._lines.extend(step)
        else:
            self._cursor.move(step)

    def by_page(self, step: int) -> None:
        """Scroll by what is on screen, less a row that is on both."""
        far = step * max(1, self._view.rows - 1)
        if self._lines.is_active:
            self._lines.extend(far)
        else:
            self._view.scroll_to_line(self._view.top + far)

    def to_beginning(self) -> None:
        """Go to the first entry."""
        if self._lines.is_active:
            self._lines.extend(-self._view.document.height)
        else:
            self._cursor.go_to_first()

    def to_end(self) -> None:
        """Go to the last entry."""
        if self._lines.is_active:
            self._lines.extend(self._view.document.height)
        else:
            self._cursor.go_to_last()
