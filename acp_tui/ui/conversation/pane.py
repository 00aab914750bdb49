"""What is read in a tab: its transcript, and the search in it. Both stay as they were left."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from acp_tui.state.state import Session
from acp_tui.ui import bindings
from acp_tui.ui.conversation import letters
from acp_tui.ui.conversation.bindings import CONVERSATION
from acp_tui.ui.conversation.letters import Letter, Letters, Meaning
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.transcript.bindings import TRANSCRIPT
from acp_tui.ui.transcript.entries.context import ViewOf
from acp_tui.ui.transcript.ports import Outside
from acp_tui.ui.transcript.transcript import Transcript

if TYPE_CHECKING:
    from acp_tui.ui.conversation.search import SearchBar


TABLES = (TRANSCRIPT, CONVERSATION, bindings.EVERYWHERE)
"""The keys that work on a transcript, its own first."""


class TranscriptPane(Vertical):
    """Made when something was said in the tab; hidden while another tab is shown.

    What begins as a text goes to the prompt, and no command comes of it; but for a key that `means`
    something where this stands.
    """

    class SearchEnded(Message):
        """There is no search anymore."""

    class Found(Message):
        """Another number of matches was found."""

    class Written(Message):
        """What was typed here is a text."""

        def __init__(self, text: str, begun: events.Key | events.Paste) -> None:
            super().__init__()
            self.text = text
            self.begun = begun

    def __init__(
        self,
        tab: Tab,
        outside: Outside,
        view_of: ViewOf,
        clock: Callable[[], float],
        means: Callable[[str], bool],
        held_before: Callable[[events.Key], str],
    ) -> None:
        super().__init__()
        self._held_before = held_before
        self._means = means
        self._letters = Letters()
        self._held: str | None = None
        self._held_until: Timer | None = None
        self._tab = tab
        self._session: Session | None = tab.session
        self.transcript = Transcript(
            tab.agent.state,
            tab.session_id,
            outside,
            view_of,
            clock=clock,
            records=tab.agent.records,
        )
        self.transcript.looks_at_key = self._look_at
        self._before = self.transcript.standpoint
        self.is_searching = False
        """Whether the search is open, and no key has closed it yet."""
        self.found = 0
        """How many matches it has so far."""
        self._called_from: Widget | None = None
        """What had the focus when it was opened."""

    def compose(self) -> ComposeResult:
        yield self.transcript

    def show(self) -> None:
        """Show the session that the tab has now: after a restart, or a load, it is another one."""
        session = self._tab.session
        if session is not None and session is not self._session:
            self._session = session
            self.transcript.show(session.session_id)

    # Letters

    async def _look_at(self, event: events.Key) -> None:
        """Let no text be taken for commands."""
        if self._means(event.key):
            return
        if event.is_printable and (held := self._held_before(event)):
            event.stop()
            self.post_message(self.Written(f"{held}{event.character}", event))
        elif event.is_printable and event.character and "+" not in event.key:
            await self._letter(event)
        elif event.key == "enter" and self._held is not None:
            event.stop()
            self._write(event)
        else:
            if event.key == "escape":
                self._stop_waiting()
            await self._do_held()
            self._letters.forget()

    def on_paste(self, event: events.Paste) -> None:
        """Take what is pasted as a text."""
        if self.transcript.has_focus and not self._means(""):
            event.stop()
            self.post_message(self.Written(event.text, event))

    async def _letter(self, event: events.Key) -> None:
        standpoint = self.transcript.standpoint
        letter = Letter(event.key, event.character or "", event.time)
        meaning = self._letters.press(letter, is_command=bool(_action_of(event.key)))
        if self._letters.is_alone:
            self._before = standpoint
        if meaning is Meaning.COMMAND:
            await self._do_held()
            return
        event.stop()
        self._stop_waiting()
        if meaning is Meaning.TEXT:
            self._write(event)
        else:
            self._held = event.key
            self._held_until = self.transcript.set_timer(letters.QUICK, self._waited)

    def _write(self, event: events.Key) -> None:
        self._stop_waiting()
        if not self._letters.is_alone:
            self.transcript.return_to(self._before)
        self.post_message(self.Written(self._letters.text, event))
        self._letters.forget()

    async def _waited(self) -> None:
        self._held_until = None  # it must not stop itself
        await self._do_held()

    async def _do_held(self) -> None:
        """Do the commands that were held back, now that no text has come of them."""
        held = self._held
        self._stop_waiting()
        action = _action_of(held) if held is not None else ""
        if action and self.transcript.has_focus:
            await self.transcript.run_action(action)

    def _stop_waiting(self) -> None:
        self._held = None
        if self._held_until is not None:
            self._held_until.stop()
            self._held_until = None

    # The search

    async def search(self) -> None:
        """Open the search, or go back to it; what is typed next is written there."""
        from acp_tui.ui.conversation.search import SearchBar

        if bars := self.query(SearchBar):
            bars.first().write()
        else:
            self.is_searching = True
            self._called_from = self.screen.focused
            await self.mount(SearchBar(), after=self.transcript)

    @property
    def writes_search(self) -> bool:
        """Whether what is typed goes into the search."""
        return any(bar.has_focus_within for bar in self.query("SearchBar"))

    def on_search_bar_searched(self, event: "SearchBar.Searched") -> None:
        """Find while one types."""
        self.transcript.search(event.text)
        if not event.text:
            self._tell_search(None)

    def on_transcript_searched(self, event: Transcript.Searched) -> None:
        """Show how much was found in the transcript so far."""
        self._tell_search(event.count, event.number, event.complete)

    def _tell_search(
        self, count: int | None, number: int | None = None, complete: bool = True
    ) -> None:
        self.found = count or 0
        self.post_message(self.Found())
        for bar in self.query("SearchBar").results():
            bar.show(count, number, complete)  # type: ignore[attr-defined]

    def on_search_bar_stepped(self, event: "SearchBar.Stepped") -> None:
        """Go from match to match."""
        if event.forward:
            self.transcript.action_search_next()
        else:
            self.transcript.action_search_previous()

    def on_search_bar_accepted(self) -> None:
        """Go on in the transcript, at the match; what hides it is opened."""
        self._called_from = None
        self.transcript.search_here()
        self.transcript.focus()

    async def on_transcript_search_left(self) -> None:
        """End the search: the reader has seen enough."""
        await self.on_search_bar_closed()

    async def on_search_bar_closed(self) -> None:
        """End the search, and go back to where it was called; the place that was found stays in view."""
        self.is_searching = False
        self.transcript.search("")
        (self._called_from or self.transcript).focus()
        self._called_from = None
        await self.query("SearchBar").remove()
        self.post_message(self.SearchEnded())


def _action_of(key: str) -> str:
    """What a key does on a transcript; empty if nothing. Keys can be moved at any time."""
    heard = (one for table in TABLES for one in table)
    return next((one.action for one in heard if key in one.key.split(",")), "")
