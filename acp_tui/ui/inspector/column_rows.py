"""The columns to choose from, row by row."""

from collections.abc import Sequence

from textual.content import Content

from acp_tui.ui.toolkit.dialogs.option_list import Option, Options
from acp_tui.ui.toolkit.idle import Rest
from acp_tui.ui.toolkit.row_background import on_ground


class ColumnRows(Options):
    """The row that was marked when keys rested last has a ground of its own."""

    def __init__(self, options: Sequence[Option], chosen: Sequence[object]) -> None:
        super().__init__(options, chosen, several=True)
        self._grounded = self._cursor
        self._rest = Rest(self, self._ground)

    def action_move(self, step: int) -> None:
        """Mark the column before or after."""
        super().action_move(step)
        self._rest.wait()

    def action_choose(self) -> None:
        """Show the column that is marked, or no longer."""
        super().action_choose()
        self._rest.wait()

    def _ground(self) -> None:
        if self._grounded != self._cursor:
            self._grounded = self._cursor
            self.refresh()

    def render(self) -> Content:
        rows = super().render().split("\n")
        rows[self._grounded] = on_ground(rows[self._grounded], self.content_size.width, self.app)
        return Content("\n").join(rows)
