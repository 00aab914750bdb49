"""The conversation screen: puts the parts together and tells each what to show."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input

from acp_tui.session.changes import Change
from acp_tui.session.state import Phase, Session, State
from acp_tui.ui import bindings
from acp_tui.ui.conversation.command_list import CommandList
from acp_tui.ui.conversation.file_list import FileList
from acp_tui.ui.conversation.hints import Hint, KeyHints
from acp_tui.ui.conversation.outgoing import Outgoing
from acp_tui.ui.conversation.plan import PlanPanel
from acp_tui.ui.conversation.prompt import PromptEditor
from acp_tui.ui.conversation.status import CANCEL_PATIENCE, overdue
from acp_tui.ui.conversation.status_line import StatusLine
from acp_tui.ui.conversation.trouble import TroublePanel
from acp_tui.ui.conversation.waiting import WaitingPrompts
from acp_tui.ui.conversation.welcome import Welcome
from acp_tui.wire.recording import Record

if TYPE_CHECKING:
    from acp_tui.ui.conversation.search import SearchBar
    from acp_tui.ui.sessions.desk import Desk
    from acp_tui.ui.sessions.tabs import SessionTabs
    from acp_tui.ui.transcript.transcript import Transcript


SEARCH_KEYS: list[Hint] = [
    ("enter", "to the match"),
    ("down", "next"),
    ("up", "before"),
    ("escape", "close"),
]
SEARCHED_KEYS: list[Hint] = [("n", "next"), ("N", "before"), ("escape", "end the search")]
TRANSCRIPT_KEYS: list[Hint] = [
    ("enter", "open"),
    ("y", "copy"),
    ("slash", "search"),
    ("tab", "prompt"),
    ("v", "select"),
    ("f12", "frames"),
    ("f1", "keys"),
]


SETTLED = 0.2
"""Seconds after which the screen of a new session is drawn, and more code may be loaded."""


class ConversationScreen(Screen[None]):
    """The transcript above, the prompt below, what is going on at the bottom."""

    BINDINGS = bindings.CONVERSATION  # type: ignore[assignment]

    class Ready(Message):
        """The screen can be told what to show."""

    def __init__(
        self,
        state: State,
        clock: Callable[[], float],
        timeout: float,
        records: Sequence[Record] = (),
    ) -> None:
        super().__init__()
        self._state = state
        self._records = records
        self._clock = clock
        self._session: Session | None = None
        self._tabs: SessionTabs | None = None
        self._patience: Timer | None = None
        self.transcript: Transcript | None = None
        self.prompt = PromptEditor(CommandList(), FileList(clock))
        self.hints = KeyHints()
        self._welcome = Welcome(state, clock, timeout)
        self._plan = PlanPanel()
        self._trouble = TroublePanel(clock)
        self._waiting = WaitingPrompts()
        self._status = StatusLine(state, clock)

    def compose(self) -> ComposeResult:
        yield self._welcome
        yield self._plan
        yield self._trouble
        yield self._waiting
        yield self.prompt.commands
        yield self.prompt.files
        yield self.prompt
        yield self._status
        yield self.hints

    def on_mount(self) -> None:
        self.prompt.focus()
        self.post_message(self.Ready())

    def show(self, session: Session | None, queue: Outgoing) -> None:
        """Show the connection and this session as they are now."""
        if session is not None and session is not self._session:
            self._switch(session)
        self._session = session
        self._show_transcript()
        self._welcome.show(session)
        followed = session is not None and session.turn is not None
        self._plan.show(session.plan if session else (), followed=followed)
        self.prompt.commands.offer(session.commands if session else ())
        self.prompt.files.offer(session.cwd if session else "")
        self.prompt.offered = self._state.peer.capabilities.prompt_capabilities
        self.prompt.waiting = bool(queue.waiting)
        self._waiting.show(queue.waiting, held=queue.held)
        self._status.show(session)
        self._show_trouble()
        self._show_keys()

    def show_tabs(self, desk: "Desk") -> None:
        """Show which sessions are open, if there are several."""
        if self._tabs is None and len(desk.sessions) > 1:
            from acp_tui.ui.sessions.tabs import SessionTabs

            self._tabs = SessionTabs(desk, self._clock)
            self.mount(self._tabs, before=0)
        if self._tabs is not None:
            self._tabs.display = len(desk.sessions) > 1
            self._tabs.show()

    def changed(self, changes: Iterable[Change]) -> None:
        """Something moved in the transcript."""
        if self.transcript is not None:
            self.transcript.changed(changes)

    def _switch(self, session: Session) -> None:
        if self.transcript is not None:
            self.transcript.show(session.session_id)
        else:
            self.set_timer(SETTLED, lambda: self.run_worker(_load_transcript, thread=True))

    def _show_transcript(self) -> None:
        """Show the transcript once something was said; only then it has to be there."""
        session = self._session
        said = session is not None and bool(session.entries)
        if session is not None and said and self.transcript is None:
            transcript = _load_transcript()
            self.transcript = transcript(
                self._state, session.session_id, clock=self._clock, records=self._records
            )
            self.mount(self.transcript, before=self._plan)
        self._welcome.display = not said
        if self.transcript is not None:
            self.transcript.display = said

    def _show_trouble(self) -> None:
        readable = self.transcript is not None and self.transcript.display
        if self._trouble.show(self._state.peer, readable=readable):
            if not self.prompt.text:
                self._trouble.focus()
        elif self.focused is self._trouble and not self._trouble.display:
            self.prompt.focus()

    def _show_keys(self) -> None:
        self.hints.show(self._keys())
        turn = self._session.turn if self._session else None
        if turn is None or turn.cancelled is None:
            self._patience = None
        elif self._patience is None:
            self._patience = self.set_timer(CANCEL_PATIENCE, self._show_keys)

    def on_descendant_focus(self) -> None:
        """Show the keys of what has the focus now."""
        self._show_keys()

    def on_descendant_blur(self) -> None:
        """Show the keys of what has the focus now."""
        self._show_keys()

    @property
    def _is_searching(self) -> bool:
        return bool(self.query("SearchBar"))

    def _keys(self) -> list[Hint]:
        if self._state.peer.phase in (Phase.FAILED, Phase.EXITED):
            return [("ctrl+r", "restart"), ("tab", "move"), ("f1", "keys"), ("ctrl+q", "leave")]
        if self.transcript is not None and self.transcript.has_focus:
            return [*SEARCHED_KEYS, *TRANSCRIPT_KEYS] if self._is_searching else TRANSCRIPT_KEYS
        if self._is_searching and isinstance(self.focused, Input):
            return SEARCH_KEYS
        turn = self._session.turn if self._session else None
        first = [("enter", "queue" if turn is not None else "send")]
        if turn is not None and turn.cancelled is None:
            first.insert(0, ("escape", "cancel"))
        elif overdue(self._session, self._clock()):
            first.insert(0, ("ctrl+r", "restart the agent"))
        queue = [("f6", "queue")] if self._waiting.display else []
        modes = [("shift+tab", "mode")] if self._session and self._session.mode else []
        common = [("f1", "keys"), ("ctrl+j", "new line"), ("tab", "transcript"), *modes]
        more = [("ctrl+o", "sessions"), ("f4", "options")]
        return [*first, *queue, *common, ("ctrl+q", "leave"), *more]

    def on_prompt_editor_said(self, event: PromptEditor.Said) -> None:
        """Say what came of pasting."""
        self.hints.say(event.words)

    def on_trouble_panel_read(self) -> None:
        """Let the reader go on reading."""
        (self.transcript or self.prompt).focus()

    def action_toggle_plan(self) -> None:
        """Open or fold the plan."""
        self._plan.toggle()

    def action_queue(self) -> None:
        """Go to the queue, or back to the prompt."""
        queue = self._waiting.display and not self._waiting.has_focus
        (self._waiting if queue else self.prompt).focus()

    def action_search(self) -> None:
        """Open the search, or go back to it."""
        from acp_tui.ui.conversation.search import SearchBar

        if bars := self.query(SearchBar):
            bars.first().write()
        elif self.transcript is not None:
            self.mount(SearchBar(), after=self.transcript)

    def on_search_bar_searched(self, event: "SearchBar.Searched") -> None:
        """Find while one types."""
        if self.transcript is not None:
            self.transcript.search(event.text)
        if not event.text:
            self._search_bar().show(None)

    def on_transcript_searched(self, event: "Transcript.Searched") -> None:
        """The transcript was searched, or a part of a long one."""
        for bar in self.query("SearchBar").results():
            bar.show(event.count, event.number)  # type: ignore[attr-defined]

    def on_search_bar_stepped(self, event: "SearchBar.Stepped") -> None:
        """Go from match to match."""
        if self.transcript is None:
            return
        if event.forward:
            self.transcript.search_next()
        else:
            self.transcript.search_previous()

    def on_search_bar_accepted(self) -> None:
        """Go on in the transcript, at the match; what hides it is opened."""
        if self.transcript is not None:
            self.transcript.search_here()
            self.transcript.focus()

    def on_transcript_search_left(self) -> None:
        """The reader has seen enough."""
        self.on_search_bar_closed()

    def on_search_bar_closed(self) -> None:
        """End the search; the place that was found stays in view."""
        self._search_bar().remove()
        if self.transcript is not None:
            self.transcript.search("")
            self.transcript.focus()

    def _search_bar(self) -> "SearchBar":
        from acp_tui.ui.conversation.search import SearchBar

        return self.query_one(SearchBar)


def _load_transcript() -> "type[Transcript]":
    """Most of the code of the program; loaded when the prompt can already be used."""
    from acp_tui.ui.transcript.transcript import Transcript

    return Transcript
