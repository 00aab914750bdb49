"""The sessions that are open, in one row."""

from collections.abc import Callable
from pathlib import Path

from textual import events
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from acp_tui.text import clean_line
from acp_tui.ui.conversation.status import SPINNER, TURNS_PER_SECOND
from acp_tui.ui.sessions import marks
from acp_tui.ui.sessions.desk import Desk

LONGEST = 24
"""How many characters of a name are shown."""


class SessionTabs(Widget):
    """Number, sign and name of each; what is shown is always in view."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")

    class Chosen(Message):
        """A person wants to see this session."""

        def __init__(self, session_id: str) -> None:
            super().__init__()
            self.session_id = session_id

    def __init__(self, desk: Desk, clock: Callable[[], float]) -> None:
        super().__init__()
        self._desk = desk
        self._clock = clock
        self._timer: Timer | None = None
        self._ends: list[tuple[int, str]] = []

    def show(self) -> None:
        """Show the sessions as they are now."""
        moving = any(marks.works(session) for session in self._desk.sessions)
        if moving and self._timer is None:
            self._timer = self.set_interval(1 / TURNS_PER_SECOND, self.refresh)
        elif not moving and self._timer is not None:
            self._timer.stop()
            self._timer = None
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Go to the session that was clicked on."""
        for end, session_id in self._ends:
            if event.x < end:
                self.post_message(self.Chosen(session_id))
                return

    def render(self) -> Content:
        """Leave out what is before the one that is shown, until that has room."""
        sessions, width = self._desk.sessions, max(1, self.size.width)
        ids = [session.session_id for session in sessions]
        cells = [self._tab(at) for at in range(len(sessions))]
        shown = ids.index(self._desk.shown_id) if self._desk.shown_id in ids else 0
        first = 0
        while first < shown and sum(one.cell_length for one in cells[first : shown + 1]) > width:
            first += 1
        line, self._ends = Content(), []
        for at in range(first, len(cells)):
            line = line + cells[at]
            self._ends.append((line.cell_length, ids[at]))
        return line.truncate(width, ellipsis=True)

    def _tab(self, at: int) -> Content:
        session = self._desk.sessions[at]
        spinner = SPINNER[int(self._clock() * TURNS_PER_SECOND) % len(SPINNER)]
        sign, word, style = marks.mark(
            self._desk.state, session, self._desk.unread(session), spinner
        )
        shown = session.session_id == self._desk.shown_id
        title = clean_line(marks.name(session))
        title = title if len(title) <= LONGEST else title[: LONGEST - 1] + "…"
        said = f" ({word})" if word in ("waiting for you", "failed", "lost") else ""
        return Content.assemble(
            (f" {at + 1} ", "$text-muted"),
            (f"{sign} ", style),
            (title, "bold $foreground" if shown else "$text-muted"),
            (said, style),
            " ",
        ).stylize("reverse" if shown and not title else "underline" if shown else "")
