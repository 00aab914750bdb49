"""A viewport without a widget: it shows a document at once, and notes where it was told to go."""

from acp_tui.state.entries import Entry
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.ui.transcript.document import Document, LinePlace
from acp_tui.ui.transcript.entries.context import Context
from acp_tui.ui.transcript.entries.views import view_of

FOREVER = float("inf")


class FixedViewport:
    """So many rows of the entries of a session, wrapped for 40 cells."""

    def __init__(self, *entries: Entry, rows: int = 10) -> None:
        session = Session("s", entries=list(entries))
        self.document = Document(
            Context(State(sessions={"s": session}), session, lambda: 100.0), view_of
        )
        self.rows = rows
        self.top = 0
        self.following = False
        self.frames = 0
        self.document.resize(40)
        self.frame()

    def frame(self) -> None:
        self.frames += 1
        self.document.grow()
        self.document.lay_out(FOREVER)

    def scroll_to_line(self, y: int) -> None:
        self.top = max(0, min(y, self.document.height - self.rows))

    def reveal(self, place: LinePlace, height: int = 1) -> None:
        first = self.document.offset(place)
        if height > self.rows or first < self.top:
            self.scroll_to_line(first)
        elif first + height > self.top + self.rows:
            self.scroll_to_line(first + height - self.rows)

    def pin_entry(self, index: int, *, reveal: bool = False) -> None:
        self.document.mark(index)
        self.frame()

    def split_diffs(self) -> bool:
        return self.document.split_diffs()

    def stop_following(self) -> None:
        """It doesn't follow."""

    def refresh(self) -> None:
        """There is nothing to draw on."""
