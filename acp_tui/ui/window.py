"""The parts of the app that features use, as protocols."""

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
"""Seconds within which a second press confirms the first."""


class PromptPort(Protocol):
    """The prompt and its queue. None of these methods sends anything."""

    @property
    def text(self) -> str:
        """The text in the editor as it is drawn: long pastes are folded."""

    @property
    def has_focus(self) -> bool:
        """Whether keys go to the prompt."""

    @property
    def sent(self) -> Sequence[str]:
        """The prompts that the user has sent, oldest first; also those of earlier runs."""

    def focus(self) -> None:
        """Move the focus to the prompt."""

    def write_command(self, name: str) -> None:
        """Write one of the agent's slash commands into the prompt, and focus it; never sends it."""

    def prepend_text(self, text: str, words: str) -> None:
        """Insert a text before the text in the editor, and show `words` as a note; never sends it."""

    def with_chips(self, text: str) -> str:
        """Return a prompt with its long pastes folded into chips, as in the editor."""

    def clear_by_key(self) -> bool:
        """Clear the text in the editor; return False if there is none."""

    def unqueue_all(self, tab: Tab) -> None:
        """Return all queued prompts of a tab to its draft."""

    def save_closed_draft(self, tab: Tab) -> ClosedTab:
        """Save the text in the editor of a tab that is closed."""


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

    def apply_preferences(self) -> None:
        """Apply the stored choices about folds and diffs."""


class QuestionPort(Protocol):
    """The question of the tab that is shown."""

    asked: Asked
    topic: str
    """The section of the help that lists its keys."""

    @property
    def has_focus_within(self) -> bool:
        """Whether keys go to the question, or to a part of it."""

    def action_cancel(self) -> None:
        """Answer that the question is canceled."""


class Pressed(NamedTuple):
    """The result of a key press: withheld text to insert first, and whether the key itself is
    `done`.
    """

    text: str
    done: bool


class QuestionAbove(Protocol):
    """A question that is answered with keys pressed in the prompt."""

    asked: Asked

    def means(self, key: str) -> bool:
        """Return whether a key answers the question, rather than being text."""

    def press(self, event: events.Key) -> Pressed:
        """Handle a key pressed in the prompt."""

    def start_text(self, event: events.Key | events.Paste) -> str:
        """Note that a key or a paste goes into the prompt; return withheld text, to insert first."""

    def type_elsewhere(self, event: events.Key) -> str:
        """Note that a key is for something other than the prompt; return withheld text."""


class TerminalPort(Protocol):
    """The terminal that the app runs on."""

    is_suspended: bool
    """Whether another program uses the terminal."""

    @property
    def is_watched(self) -> bool:
        """Whether the terminal has the focus, or was used recently."""

    def bell(self) -> None:
        """Ring the terminal's bell."""

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
        """The transcript of the tab that is shown; None until it has its first entry."""

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
        """The open screens, the one in front last."""

    def push(
        self,
        screen: "Screen[T]",
        then: "Callable[[T | None], object] | None" = None,
        *,
        over: "Screen[Any] | None" = None,
    ) -> None:
        """Open a screen; call `then` with its result.

        With `over`, open it only if that screen is in front: while this one was being loaded, the
        user may have opened another.
        """

    def leave_overlay(self) -> bool:
        """Close the screen in front, unless it is the conversation. Return whether one was closed."""

    def emit(self, event: "Event") -> None:
        """Call the features that handle this event."""

    def refresh_view(self) -> None:
        """Update everything that is shown."""

    def show_note(
        self,
        words: str,
        seconds: float = SECONDS,
        is_valid: Callable[[], bool] | None = None,
        kind: NoteKind = REMARK,
    ) -> None:
        """Show a note on the screen in front for some seconds, as long as `is_valid` returns true."""

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
        """Show a note with a title: a notification, not the reply to a key."""

    def spawn(self, work: Coroutine[Any, Any, None], *, name: str = "") -> None:
        """Run a coroutine until it ends, or the app does."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Any:
        """Call a function once, after a delay in seconds."""

    def open_url(self, url: str) -> None:
        """Open a URL in the system's viewer."""

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text."""

    def exit(self) -> None:
        """End the app."""

    def call_after_refresh(self, callback: Callable[[], None]) -> Any:
        """Call a function once everything is drawn."""
