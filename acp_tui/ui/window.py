"""The window: the app's ports that features use."""

from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

from textual import events

from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.tabs.tabs import Asked, ClosedTab, Tabs
from acp_tui.ui.toolkit.notes import REMARK, SECONDS, NoteKind

if TYPE_CHECKING:
    from textual.screen import Screen

    from acp_tui.ui.feature import Event

T = TypeVar("T")
SECOND_KEY = 2.0
"""Seconds within which a second key is meant."""


class PromptPort(Protocol):
    """The prompt, and its queue. None of these sends anything."""

    @property
    def text(self) -> str:
        """What is written, as it is drawn: long pastes are folded."""

    @property
    def has_focus(self) -> bool:
        """Whether keys go to the prompt."""

    @property
    def sent(self) -> Sequence[str]:
        """The prompts that were sent from here."""

    def focus(self) -> None:
        """Move the focus to the prompt."""

    def write_command(self, name: str) -> None:
        """Write one of the agent's slash commands into the prompt and focus it; never sends it."""

    def begin_with(self, text: str, words: str) -> None:
        """Insert a text before what is written, and show `words` as a note; never sends it."""

    def with_chips(self, text: str) -> str:
        """Return a prompt with its long pastes folded into chips, as in the editor."""

    def clear_by_key(self) -> bool:
        """Clear what is being written; return False if there is nothing to clear."""

    def take_back_all(self, tab: Tab) -> None:
        """Return all queued prompts of a tab to its draft."""

    def keep_draft(self, tab: Tab) -> ClosedTab:
        """Remember what is written in a tab that is closed."""


class TranscriptPort(Protocol):
    """The transcript of the tab that is shown."""

    @property
    def current(self) -> int | None:
        """The index of the entry under the cursor."""

    @property
    def has_focus(self) -> bool:
        """Whether keys go to the transcript."""

    def focus(self) -> object:
        """Move the focus to the transcript."""

    def follow(self) -> None:
        """Scroll to the end, and keep following it."""

    def show_entry(self, session_id: str, index: int) -> None:
        """Move the cursor to an entry."""

    def draw_as_wanted(self) -> None:
        """Apply the remembered choices about folds and diffs."""


class QuestionPort(Protocol):
    """The question that is asked in the tab that is shown."""

    asked: Asked
    topic: str
    """The section of the help that lists its keys."""

    @property
    def has_focus_within(self) -> bool:
        """Whether keys go to it, or a part of it."""

    def action_cancel(self) -> None:
        """Cancel the question."""


class Pressed(NamedTuple):
    """What became of a key: text that was held back, to be written first, and whether the key itself
    is done with.
    """

    text: str
    done: bool


class QuestionAbove(Protocol):
    """A question that is answered by keys of the prompt."""

    asked: Asked

    def means(self, key: str) -> bool:
        """Return whether a key is for the question, and so no text."""

    def press(self, event: events.Key) -> Pressed:
        """Apply a key of the prompt."""

    def begin_words(self, event: events.Key | events.Paste) -> str:
        """Note a key, or a paste, that is written in the prompt; return text that was held back, to be
        written first.
        """

    def type_elsewhere(self, event: events.Key) -> str:
        """Note a key that is meant for something else than the prompt; return text that was held back."""


class TerminalPort(Protocol):
    """The terminal that the app runs on."""

    is_away: bool
    """Whether another program uses the terminal."""

    @property
    def is_watched(self) -> bool:
        """Whether the terminal has the focus, or was used just now."""

    def bell(self) -> None:
        """Ring its bell."""

    def write_sequence(self, sequence: str) -> None:
        """Write a control sequence that draws nothing."""

    def step_aside(self) -> AbstractContextManager[None]:
        """Suspend drawing while another program uses the terminal."""


class Window(Protocol):
    """The part of the app that every feature may use."""

    tabs: Tabs

    @property
    def prompt(self) -> PromptPort:
        """The prompt."""

    @property
    def transcript(self) -> TranscriptPort | None:
        """The transcript of the tab that is shown; None before anything was said in it."""

    @property
    def question(self) -> QuestionPort | None:
        """The question of the tab that is shown."""

    @property
    def terminal(self) -> TerminalPort:
        """The terminal that the app runs on."""

    @property
    def is_conversation_in_front(self) -> bool:
        """Whether no other screen covers the conversation."""

    clock: Callable[[], float]

    @property
    def screens(self) -> "Sequence[Screen[Any]]":
        """The screens that are open, the one in front last."""

    def push(
        self,
        screen: "Screen[T]",
        then: "Callable[[T | None], object] | None" = None,
        *,
        over: "Screen[Any] | None" = None,
    ) -> None:
        """Open a screen; call `then` with its result. With `over`, open it only if that screen is in front: a
        person may have opened another one while this one was read.
        """

    def leave_overlay(self) -> bool:
        """Close the screen in front, unless it is the conversation; return whether there was one."""

    def emit(self, event: "Event") -> None:
        """Call the features that declared an event."""

    def refresh_view(self) -> None:
        """Update everything that is shown."""

    def say(
        self,
        words: str,
        seconds: float = SECONDS,
        holds: Callable[[], bool] | None = None,
        kind: NoteKind = REMARK,
    ) -> None:
        """Show a note in front, for some seconds and only while `holds` returns True."""

    def refuse(self, words: str) -> None:
        """Show why a key does nothing."""

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Literal["information", "warning", "error"] = "information",
        timeout: float | None = None,
    ) -> None:
        """Show a note with a title, one that is not for a key alone."""

    def spawn(self, work: Coroutine[Any, Any, None], *, name: str = "") -> None:
        """Run a coroutine until it ends, or the app does."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Any:
        """Call back once."""

    def open_url(self, url: str) -> None:
        """Open a page in the system's viewer."""

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text."""

    def exit(self) -> None:
        """End the app."""

    def call_after_refresh(self, callback: Callable[[], None]) -> Any:
        """Call back once everything is drawn."""
