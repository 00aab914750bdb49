"""The parts of the conversation that few sessions need, each created when it has something to show."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from acp_tui.ui.tabs.tabs import Tabs

if TYPE_CHECKING:
    from textual.widget import Widget

    from acp_tui.ui.prompt.feature import PromptFeature
    from acp_tui.ui.prompt.queue_view import QueueView
    from acp_tui.ui.sessions.feature import SessionsFeature
    from acp_tui.ui.sessions.tab_row import SessionTabs, WaitingElsewhere


class LateParts:
    """The queue, the row of tabs, and the row of tabs that wait for the user."""

    def __init__(
        self,
        mount: Callable[..., object],
        body: "Widget",
        lists: "Widget",
        tabs: Tabs,
        clock: Callable[[], float],
        prompts: "PromptFeature",
        sessions: "SessionsFeature",
    ) -> None:
        """`mount` is the screen's; `body` is the conversation, and `lists` are above the prompt."""
        self._mount = mount
        self._body = body
        self._lists = lists
        self._tabs = tabs
        self._clock = clock
        self._prompts = prompts
        self._sessions = sessions
        self.queue: QueueView | None = None
        self._tab_row: SessionTabs | None = None
        self._elsewhere: WaitingElsewhere | None = None

    @property
    def is_queued(self) -> bool:
        """Whether prompts are queued."""
        return self.queue is not None and self.queue.display

    @property
    def queue_has_focus(self) -> bool:
        """Whether the queue has the focus."""
        return self.queue is not None and self.is_queued and self.queue.has_focus

    @property
    def rows(self) -> "Sequence[Widget]":
        """The queue and the row of tabs, if they are mounted."""
        return [one for one in (self.queue, self._tab_row) if one is not None]

    def show_queue(self, waiting: Sequence[str], *, paused: bool) -> None:
        """Show the queued prompts."""
        if self.queue is None and waiting:
            from acp_tui.ui.prompt.queue_view import QueueView

            self.queue = QueueView(self._prompts)
            self._mount(self.queue, before=self._lists)
        if self.queue is not None:
            self.queue.show(waiting, paused=paused)

    def show_elsewhere(self) -> None:
        """Show which other tabs wait for the user."""
        if self._elsewhere is None and self._tabs.waiting_elsewhere():
            from acp_tui.ui.sessions.tab_row import WaitingElsewhere

            self._elsewhere = WaitingElsewhere(self._tabs, self._sessions)
            self._mount(self._elsewhere, after=self._body)
        if self._elsewhere is not None:
            self._elsewhere.show()

    def show_tab_row(self) -> None:
        """Show the row of tabs, if there are several tabs."""
        several = len(self._tabs.visible) > 1
        if self._tab_row is None and several:
            from acp_tui.ui.sessions.tab_row import SessionTabs

            self._tab_row = SessionTabs(self._tabs, self._clock, self._sessions)
            self._mount(self._tab_row, before=0)
        if self._tab_row is not None:
            self._tab_row.display = several
            self._tab_row.show()
