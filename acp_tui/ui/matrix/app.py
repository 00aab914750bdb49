"""The app of `acp-tui matrix`: a scrolling table with facts in rows, agents in columns."""

from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import ClassVar, NamedTuple

from rich.cells import set_cell_size
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Input, Static

from acp_tui.text import clean_line
from acp_tui.ui.keys import MATRIX
from acp_tui.ui.list_app import ListApp
from acp_tui.ui.stylesheets import STYLESHEETS
from acp_tui.ui.toolkit.dialogs.listing import Listing
from acp_tui.ui.toolkit.hints import Hint
from acp_tui.ui.toolkit.line_input import LineInput

KEYS: list[Hint] = [
    ("left", "agent to the left"),
    ("right", "to the right"),
    ("enter", "show the frame"),
    ("f1", "keys"),
    ("escape", "quit"),
]
_TITLE, _CELL = 36, 13
"""Widths in cells: of the first column, and the minimum of the others."""
_STYLES = {"yes": "bold $success", "no": "$error"}
_PALE = ("not offered", "not seen", "not tested")


class MatrixValue(NamedTuple):
    """A cell: its text, how that was observed, and the recording and frame that show it."""

    text: str
    seen: str = ""
    recording: Path | None = None
    frame: int = 0


class TableRow(NamedTuple):
    """A fact about each agent; the values are in the order of the columns."""

    group: str
    title: str
    values: Sequence[MatrixValue]


class MatrixTable(NamedTuple):
    """The whole table: `about` is its heading, `agents` are pairs of a name and a description."""

    about: str
    agents: Sequence[tuple[str, str]]
    rows: Sequence[TableRow]


class MatrixApp(ListApp[None]):
    """The table, a field that filters its rows, and the details of the marked cell.

    `show_frame` shows a frame of a recording, while the screen is suspended.
    """

    CSS_PATH: ClassVar = [*STYLESHEETS, Path(__file__).with_suffix(".tcss")]
    BINDINGS: ClassVar[list[BindingType]] = [*MATRIX]
    TITLE = "acp-tui matrix"
    TOPIC = "Agents side by side"

    def __init__(
        self, table: MatrixTable, show_frame: Callable[[Path, int], None], theme_name: str = ""
    ) -> None:
        super().__init__("matrix", theme_name)
        self._table = table
        self._show_frame = show_frame
        self._rows: list[TableRow | str] = _grouped(table.rows)
        self._column = 0
        self._first = 0

    def compose(self) -> ComposeResult:
        yield LineInput(placeholder="Search rows, groups or values: fs   unstable   no")
        yield Static(clean_line(self._table.about), id="about", markup=False)
        yield Static(id="heads", markup=False)
        yield self._listing
        yield Static(id="detail", markup=False)
        yield self._keys

    def on_mount(self) -> None:
        """Focus the filter field."""
        self._keys.show(KEYS)
        self.query_one(Input).focus()

    def on_resize(self, _: events.Resize) -> None:
        """Draw as many columns as fit."""
        self.call_after_refresh(self._draw_table)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show the rows that match all words."""
        event.stop()
        words = event.value.lower().split()
        self._rows = _grouped(
            [row for row in self._table.rows if all(_has_word(row, one) for one in words)]
        )
        self._draw_table(at=0)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Show the frame of the marked cell."""
        event.stop()
        row = self._row
        value = row.values[self._column] if row is not None else None
        if value is None or value.recording is None or not value.frame:
            self._update_detail("no frame shows that")
        elif not value.recording.exists():
            self._update_detail(f"its recording is gone: {value.recording}")
        else:
            with self.suspend():
                self._show_frame(value.recording, value.frame)

    def on_listing_row_clicked(self, event: Listing.RowClicked) -> None:
        """Show the details of the marked row's cell."""
        event.stop()
        self.show_marked()

    def show_fault(self, words: str) -> None:
        """Show a fault in place of the heading."""
        self.query_one("#about", Static).update(Content.styled(clean_line(words), "$warning"))

    def action_column(self, step: int) -> None:
        """Mark another agent's column."""
        self._column = max(0, min(len(self._table.agents) - 1, self._column + step))
        self._draw_table()

    # Drawing

    @property
    def _row(self) -> TableRow | None:
        at = self._listing.cursor
        row = self._rows[at] if at < len(self._rows) else ""
        return None if isinstance(row, str) else row

    def _draw_table(self, at: int | None = None) -> None:
        """Draw as many columns as fit, including the marked one."""
        listing = self._listing
        width = listing.content_size.width - 3  # the mark, and the scroll bar with its gap
        agents = self._table.agents
        title = min(_TITLE, width * 2 // 5)
        fits = max(1, (width - title) // (_CELL + 1))
        self._first = max(self._column - fits + 1, min(self._first, self._column))
        shown = range(self._first, min(len(agents), self._first + fits))
        each = min(3 * _CELL, max(1, (width - title) // max(1, len(shown)) - 1))
        heads = [Content(" " * (title + 1))]
        for number in shown:
            name = set_cell_size(clean_line(agents[number][0]), each)
            style = "bold reverse $primary" if number == self._column else "bold $primary"
            heads += [Content(" "), Content.styled(name, style)]
        self.query_one("#heads", Static).update(Content("").join(heads))
        lines = [self._draw_row(row, shown, title, each) for row in self._rows]
        nothing = [Content.styled("no row has these words", "$text-muted")]
        place = listing.cursor if at is None else at
        headings = {at for at, row in enumerate(self._rows) if isinstance(row, str)}
        listing.show(lines or nothing, place, frozenset(headings or {0}))
        self.show_marked()

    def _draw_row(self, row: TableRow | str, shown: range, title: int, each: int) -> Content:
        if isinstance(row, str):
            return Content.styled(row, "bold $accent")
        parts: list[tuple[str, str]] = [
            (set_cell_size(clean_line(row.title), title), "$foreground")
        ]
        for number in shown:
            value = row.values[number]
            text = clean_line(value.text)
            style = "$text-muted" if value.text in _PALE else _STYLES.get(value.text, "$foreground")
            parts += [(" ", ""), (set_cell_size(text, each), style)]
        return Content.assemble(*parts)

    def show_marked(self) -> None:
        row = self._row
        if row is None:
            self._update_detail("")
            return
        value = row.values[self._column]
        name, about = self._table.agents[self._column]
        lines = [f"{name}, {row.group}: {row.title}", value.text]
        lines += [f"seen: {value.seen}"] if value.seen else []
        self._update_detail("\n".join(lines), about)

    def _update_detail(self, words: str, about: str = "") -> None:
        lines = [Content(clean_line(line)) for line in words.splitlines()]
        lines += [Content.styled(clean_line(about), "$text-muted")] if about else []
        self.query_one("#detail", Static).update(Content("\n").join(lines))


def _grouped(rows: Sequence[TableRow]) -> list[TableRow | str]:
    """Return the rows with the name of each group before its rows."""
    found: list[TableRow | str] = []
    for group, members in groupby(rows, lambda row: row.group):
        found += [group, *members]
    return found


def _has_word(row: TableRow, word: str) -> bool:
    """Return whether a word is in a row's title, group or cells; `yes` and `no` as a whole cell."""
    if word in ("yes", "no"):
        return any(value.text == word for value in row.values)
    places = [row.group, row.title, *(value.text for value in row.values)]
    return any(word in place.lower() for place in places)
