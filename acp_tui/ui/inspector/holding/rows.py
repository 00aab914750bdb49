"""The rows of what is held."""

from textual.content import Content

from acp_tui.ui.toolkit.dialogs.listing import Listing
from acp_tui.ui.toolkit.row_background import on_ground


class HeldRows(Listing):
    """The row that was marked when keys rested last has a ground of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._grounded = 0

    def ground(self) -> None:
        """Give the marked row its ground."""
        if self._grounded != self.cursor:
            self._grounded = self.cursor
            self.refresh()

    def draw_row(self, row: Content, is_marked: bool, width: int) -> Content:
        """Tint the row with the ground as a whole."""
        drawn = super().draw_row(row, is_marked, width)
        grounded = self._rows[self._grounded : self._grounded + 1]
        is_shown = not self.is_lost and any(row is one for one in grounded)
        return on_ground(drawn, width, self.app) if is_shown else drawn
