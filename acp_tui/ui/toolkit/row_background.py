"""The ground of the row that is marked: all of it is tinted once keys rest, as each key writes two rows."""

from textual.app import App
from textual.content import Content
from textual.style import Style

from acp_tui.ui.colors.palette import Palette


def on_ground(row: Content, width: int, app: App[object]) -> Content:
    """Draw a row, whose first cell is its mark, on the ground of what is shown, in one color."""
    shown = Style.from_rich_style(Palette.of(app)["row.shown"])
    rest = " " * max(0, width - row.cell_length)
    return Content.assemble(row[:1].stylize_before(shown), (row.plain[1:] + rest, shown))
