"""The sessions that are open, of all agents, in one row."""

from collections.abc import Callable
from pathlib import Path

from textual import events
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from acp_tui.ui.conversation.status import SPINNER, TURNS_PER_SECOND
from acp_tui.ui.sessions import marks
from acp_tui.ui.sessions.desk import Desk, Tab

FORMS = ((60, True), (40, True), (30, True), (24, True), (24, False), (16, False), (10, False))
"""How many characters of a name are shown, and whether marks stand in words, too: as there is room."""
SAID = ("waiting for you", "failed", "lost", "not running", "no session")
"""The marks that stand in words, too."""


class SessionTabs(Widget):
    """Number, sign and name of each; what is shown is always in view."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")

    class Chosen(Message):
        """A person wants to see this one."""

        def __init__(self, tab: Tab) -> None:
            super().__init__()
            self.tab = tab

    def __init__(self, desk: Desk, clock: Callable[[], float]) -> None:
        super().__init__()
        self._desk = desk
        self._clock = clock
        self._timer: Timer | None = None
        self._ends: list[tuple[int, Tab]] = []

    def show(self) -> None:
        """Show the tabs as they are now."""
        moving = any(marks.moves(tab) for tab in self._desk.tabs)
        if moving and self._timer is None:
            self._timer = self.set_interval(1 / TURNS_PER_SECOND, self.refresh)
        elif not moving and self._timer is not None:
            self._timer.stop()
            self._timer = None
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Go to the tab that was clicked on."""
        for end, tab in self._ends:
            if event.x < end:
                self.post_message(self.Chosen(tab))
                return

    def render(self) -> Content:
        """Leave out what is before the one that is shown, until that has room."""
        tabs, width = self._desk.tabs, max(1, self.size.width)
        for form in FORMS:
            cells = [self._cell(tab, number, *form) for number, tab in enumerate(tabs, 1)]
            if sum(cell.cell_length for cell in cells) <= width:
                break
        shown = tabs.index(self._desk.shown)
        first = 0
        while first < shown and sum(one.cell_length for one in cells[first : shown + 1]) > width:
            first += 1
        line, self._ends = Content(), []
        for tab, cell in list(zip(tabs, cells, strict=True))[first:]:
            line = line + cell
            self._ends.append((line.cell_length, tab))
        return line.truncate(width, ellipsis=True)

    def _cell(self, tab: Tab, number: int, longest: int, in_words: bool) -> Content:
        spinner = SPINNER[int(self._clock() * TURNS_PER_SECOND) % len(SPINNER)]
        sign, word, style = marks.mark(tab, spinner)
        shown = tab is self._desk.shown
        title = marks.name(self._desk, tab)
        title = title if len(title) <= longest else title[: longest - 1] + "…"
        said = f" ({word})" if in_words and word in SAID else ""
        return Content.assemble(
            (f" {number} ", "$text-muted"),
            (f"{sign} ", style),
            (title, "bold $foreground" if shown else "$text-muted"),
            (said, style),
            " ",
        ).stylize("reverse" if shown and not title else "underline" if shown else "")
