"""The ground of the row that is marked: all of it is tinted once keys rest, as each key writes two rows."""

from collections.abc import Sequence

from textual.app import App
from textual.content import Content
from textual.style import Style

from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.toolkit.dialogs.listing import Listing
from acp_tui.ui.toolkit.dialogs.option_list import Option, Options
from acp_tui.ui.toolkit.idle import Rest


def on_ground(row: Content, width: int, app: App[object]) -> Content:
    """Draw a row, whose first cell is its mark, on the ground of what is shown, in one color."""
    shown = Style.from_rich_style(Palette.of(app)["row.shown"])
    rest = " " * max(0, width - row.cell_length)
    return Content.assemble(row[:1].stylize_before(shown), (row.plain[1:] + rest, shown))


class ColumnRows(Options):
    """The row that was marked when keys rested last has a ground of its own."""

    def __init__(self, options: Sequence[Option], chosen: Sequence[object]) -> None:
        super().__init__(options, chosen, several=True)
        self._grounded = self._cursor
        self._rest = Rest(self, self._ground)

    def action_move(self, step: int) -> None:
        """Move the cursor to the previous or next row."""
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
