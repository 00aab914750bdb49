"""The transcript of a tab and its search, which both keep their state while another tab is shown.

Letters typed there that begin a text go to the prompt.
"""

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from acp_tui.state.session import Session
from acp_tui.ui import bindings
from acp_tui.ui.conversation.bindings import CONVERSATION
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.transcript.bindings import TRANSCRIPT
from acp_tui.ui.transcript.entries.entry_view import ViewOf
from acp_tui.ui.transcript.ports import Outside
from acp_tui.ui.transcript.transcript import Transcript

if TYPE_CHECKING:
    from acp_tui.ui.conversation.search import SearchBar

QUICK = 0.3
"""Seconds within which two keys belong to one word."""
_MOVING = frozenset(
    {"j", "k", "J", "K", "b", "space", "g", "G", "n", "N", "v"}
    | {"left_square_bracket", "right_square_bracket"}
)
_READING_SETS = (
    _MOVING,
    _MOVING - {"n", "N", "b"} | {"y", "Y"},
    *map(frozenset, ({"t", "T"}, {"p", "P"}, {"e", "E"}, {"y", "Y"})),
)
"""Sets of keys that a reader presses in quick succession: two keys of the same set aren't text."""
_DEFERRED = frozenset({"c", "i", "o", "s", "y", "Y"})
"""Keys that copy, open or change something: they wait until it is clear that they don't begin a
word.
"""


class Meaning(Enum):
    """What a key seems to be: a command, a `DEFERRED` command that may still begin a text, or text."""

    COMMAND = "command"
    DEFERRED = "deferred"
    TEXT = "text"


class Letter(NamedTuple):
    """A key that has a character, and the time at which it was pressed."""

    key: str
    character: str
    at: float


class Letters:
    """Distinguishes commands from the beginning of a text by the keys pressed shortly before.

    Text is a letter that isn't a command, or two letters in quick succession that a reader wouldn't
    press so. When the second letter shows that it is text, the first one was, too.
    """

    def __init__(self) -> None:
        self._run: list[Letter] = []

    @property
    def text(self) -> str:
        """The letters typed in quick succession so far."""
        return "".join(one.character for one in self._run)

    @property
    def is_alone(self) -> bool:
        """Whether no other key was pressed shortly before the last one."""
        return len(self._run) == 1

    def press(self, letter: Letter, *, is_command: bool) -> Meaning:
        """Return the meaning of a key, given those pressed shortly before."""
        if self._run and letter.at - self._run[-1].at > QUICK:
            self._run.clear()
        self._run.append(letter)
        if not is_command or not self._is_reading_pair():
            return Meaning.TEXT
        return Meaning.DEFERRED if letter.key in _DEFERRED else Meaning.COMMAND

    def forget(self) -> None:
        """Forget the keys so far."""
        self._run.clear()

    def _is_reading_pair(self) -> bool:
        last = {one.key for one in self._run[-2:]}
        return len(last) == 1 or any(last <= keys for keys in _READING_SETS)


TABLES = (TRANSCRIPT, CONVERSATION, bindings.EVERYWHERE)
"""The keys that work in a transcript, its own first."""


class TranscriptPane(Vertical):
    """The pane of a tab, created with its first entry, and hidden while another tab is shown.

    A text that begins here goes to the prompt, and none of its letters runs a command; except keys
    that `means` claims.
    """

    class SearchEnded(Message):
        """The search was closed."""

    class MatchesFound(Message):
        """The number of matches has changed."""

    class Written(Message):
        """Text was typed here that belongs into the prompt."""

        def __init__(self, text: str, typed: events.Key | events.Paste) -> None:
            super().__init__()
            self.text = text
            self.typed = typed

    def __init__(
        self,
        tab: Tab,
        outside: Outside,
        view_of: ViewOf,
        clock: Callable[[], float],
        means: Callable[[str], bool],
        withheld_digit: Callable[[events.Key], str],
    ) -> None:
        super().__init__()
        self._withheld_digit = withheld_digit
        self._means = means
        self._letters = Letters()
        self._deferred_key: str | None = None
        self._deferred_timer: Timer | None = None
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
        self.transcript.filter_key = self._filter_key
        self._before = self.transcript.standpoint
        self.is_searching = False
        """Whether the search is open."""
        self.found = 0
        """The number of matches so far."""
        self._focus_before: Widget | None = None
        """The widget that had the focus when the search was opened."""

    def compose(self) -> ComposeResult:
        yield self.transcript

    def show(self) -> None:
        """Show the tab's current session, which changes with a restart or a load."""
        session = self._tab.session
        if session is not None and session is not self._session:
            self._session = session
            self.transcript.show(session.session_id)

    # Letters

    async def _filter_key(self, event: events.Key) -> None:
        """Filter keys, so that no text runs commands."""
        if self._means(event.key):
            return
        if event.is_printable and (digit := self._withheld_digit(event)):
            event.stop()
            self.post_message(self.Written(f"{digit}{event.character}", event))
        elif event.is_printable and event.character and "+" not in event.key:
            await self._letter(event)
        elif event.key == "enter" and self._deferred_key is not None:
            event.stop()
            self._write_letter(event)
        else:
            if event.key == "escape":
                self._stop_waiting()
            await self._run_deferred()
            self._letters.forget()

    def on_paste(self, event: events.Paste) -> None:
        """Pass pasted text to the prompt."""
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
            await self._run_deferred()
            return
        event.stop()
        self._stop_waiting()
        if meaning is Meaning.TEXT:
            self._write_letter(event)
        else:
            self._deferred_key = event.key
            self._deferred_timer = self.transcript.set_timer(QUICK, self._end_wait)

    def _write_letter(self, event: events.Key) -> None:
        self._stop_waiting()
        if not self._letters.is_alone:
            self.transcript.return_to(self._before)
        self.post_message(self.Written(self._letters.text, event))
        self._letters.forget()

    async def _end_wait(self) -> None:
        self._deferred_timer = None  # it must not stop itself
        await self._run_deferred()

    async def _run_deferred(self) -> None:
        """Run the withheld command, as no text has followed."""
        key = self._deferred_key
        self._stop_waiting()
        action = _action_of(key) if key is not None else ""
        if action and self.transcript.has_focus:
            await self.transcript.run_action(action)

    def _stop_waiting(self) -> None:
        self._deferred_key = None
        if self._deferred_timer is not None:
            self._deferred_timer.stop()
            self._deferred_timer = None

    # The search

    async def search(self) -> None:
        """Open the search, or focus its input."""
        from acp_tui.ui.conversation.search import SearchBar

        if bars := self.query(SearchBar):
            bars.first().write()
        else:
            self.is_searching = True
            self._focus_before = self.screen.focused
            await self.mount(SearchBar(), after=self.transcript)

    @property
    def writes_search(self) -> bool:
        """Whether the input of the search has the focus."""
        return any(bar.has_focus_within for bar in self.query("SearchBar"))

    def on_search_bar_search_text_changed(self, event: "SearchBar.SearchTextChanged") -> None:
        """Search while the user types."""
        self.transcript.search(event.text)
        if not event.text:
            self._show_matches(None)

    def on_transcript_matches_counted(self, event: Transcript.MatchesCounted) -> None:
        """Show the number of matches so far."""
        self._show_matches(event.count, event.number, event.complete)

    def _show_matches(
        self, count: int | None, number: int | None = None, complete: bool = True
    ) -> None:
        self.found = count or 0
        self.post_message(self.MatchesFound())
        for bar in self.query("SearchBar").results():
            bar.show(count, number, complete)  # type: ignore[attr-defined]

    def on_search_bar_stepped(self, event: "SearchBar.Stepped") -> None:
        """Go to the next or previous match."""
        if event.forward:
            self.transcript.action_search_next()
        else:
            self.transcript.action_search_previous()

    def on_search_bar_accepted(self) -> None:
        """Focus the transcript at the match; unfold the entry that hides it."""
        self._focus_before = None
        self.transcript.search_here()
        self.transcript.focus()

    async def on_transcript_search_left(self) -> None:
        """End the search from the transcript."""
        await self.on_search_bar_search_closed()

    async def on_search_bar_search_closed(self) -> None:
        """End the search, and return the focus to where it was; the match stays in view."""
        self.is_searching = False
        self.transcript.search("")
        (self._focus_before or self.transcript).focus()
        self._focus_before = None
        await self.query("SearchBar").remove()
        self.post_message(self.SearchEnded())


def _action_of(key: str) -> str:
    """Return the action of a key in the transcript; "" if it has none. Looked up each time, as keys
    can be rebound.
    """
    bindings = (one for table in TABLES for one in table)
    return next((one.action for one in bindings if key in one.key.split(",")), "")
