"""What is read in a tab: its transcript, and the search in it. Both stay as they were left."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from acp_tui.session.state import Session
from acp_tui.ui.sessions.desk import Tab
from acp_tui.ui.transcript.transcript import Transcript

if TYPE_CHECKING:
    from acp_tui.ui.conversation.search import SearchBar


class TranscriptPane(Vertical):
    """Made when something was said in the tab; hidden while another tab is shown."""

    class SearchEnded(Message):
        """There is no search any more."""

    def __init__(self, tab: Tab, clock: Callable[[], float]) -> None:
        super().__init__()
        self._tab = tab
        self._session: Session | None = tab.session
        self.transcript = Transcript(
            tab.agent.state, tab.session_id, clock=clock, records=tab.agent.records
        )

    def compose(self) -> ComposeResult:
        yield self.transcript

    def show(self) -> None:
        """Show the session that the tab has now: after a restart, or a load, it is another one."""
        session = self._tab.session
        if session is not None and session is not self._session:
            self._session = session
            self.transcript.show(session.session_id)

    # The search

    @property
    def is_searching(self) -> bool:
        """Whether the search is open."""
        return bool(self.query("SearchBar"))

    async def search(self) -> None:
        """Open the search, or go back to it; what is typed next is written there."""
        from acp_tui.ui.conversation.search import SearchBar

        if bars := self.query(SearchBar):
            bars.first().write()
        else:
            await self.mount(SearchBar(), after=self.transcript)

    def on_search_bar_searched(self, event: "SearchBar.Searched") -> None:
        """Find while one types."""
        self.transcript.search(event.text)
        if not event.text:
            self._tell_search(None)

    def on_transcript_searched(self, event: Transcript.Searched) -> None:
        """The transcript was searched, or a part of a long one."""
        self._tell_search(event.count, event.number, event.complete)

    def _tell_search(
        self, count: int | None, number: int | None = None, complete: bool = True
    ) -> None:
        for bar in self.query("SearchBar").results():
            bar.show(count, number, complete)  # type: ignore[attr-defined]

    def on_search_bar_stepped(self, event: "SearchBar.Stepped") -> None:
        """Go from match to match."""
        if event.forward:
            self.transcript.search_next()
        else:
            self.transcript.search_previous()

    def on_search_bar_accepted(self) -> None:
        """Go on in the transcript, at the match; what hides it is opened."""
        self.transcript.search_here()
        self.transcript.focus()

    async def on_transcript_search_left(self) -> None:
        """The reader has seen enough."""
        await self.on_search_bar_closed()

    async def on_search_bar_closed(self) -> None:
        """End the search; the place that was found stays in view."""
        await self.query("SearchBar").remove()
        self.transcript.search("")
        self.transcript.focus()
        self.post_message(self.SearchEnded())
