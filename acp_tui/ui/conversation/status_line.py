"""The status line: what is going on, with whom, and what to know about it."""

from collections.abc import Callable

from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from acp_tui.session.state import Session, State
from acp_tui.ui.conversation import status


class StatusLine(Widget):
    """One row. Its clock ticks only while something runs."""

    def __init__(self, state: State, clock: Callable[[], float]) -> None:
        super().__init__()
        self._state = state
        self._clock = clock
        self._since = clock()
        self._session: Session | None = None
        self._timer: Timer | None = None

    def show(self, session: Session | None) -> None:
        """Show the connection and this session as they are now."""
        self._session = session
        moving = status.moving(self._state, session)
        if moving and self._timer is None:
            self._timer = self.set_interval(1 / status.TURNS_PER_SECOND, self.refresh)
        elif not moving and self._timer is not None:
            self._timer.stop()
            self._timer = None
        self.refresh()

    def render(self) -> Content:
        now = self._clock()
        parts = [
            status.activity(self._state, self._session, now, self._since),
            *status.facts(self._state, self._session),
        ]
        texts = status.fit(parts, self.size.width)
        left, right = [
            Content(" " * status.GAP).join(
                Content.styled(text, part.style)
                for part, text in zip(parts, texts, strict=True)
                if text and part.right is side
            )
            for side in (False, True)
        ]
        space = max(status.GAP, self.size.width - left.cell_length - right.cell_length)
        return Content.assemble(left, " " * space, right)
