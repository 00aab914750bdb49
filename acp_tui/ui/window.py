"""The screen as controllers see it."""

from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from acp_tui.host.agent import Agent
from acp_tui.state.changes import Change
from acp_tui.ui.notes import REMARK, SECONDS, NoteKind
from acp_tui.ui.sessions.tabs import Tabs

if TYPE_CHECKING:
    from textual.binding import Binding
    from textual.screen import Screen
    from textual.theme import Theme

    from acp_tui.ui.conversation.screen import ConversationScreen

T = TypeVar("T")


class Window(Protocol):
    """What a controller reads of the app and asks of it."""

    tabs: Tabs
    clock: Callable[[], float]
    rings: bool
    """Whether the terminal's bell calls the person."""
    keeps_index: bool
    """Whether the index of recordings is kept up to date meanwhile."""
    is_away: bool
    """Whether another program has the terminal."""

    theme: str
    """The name of the theme in use."""

    @property
    def is_watched(self) -> bool:
        """Whether the person seems to look at the terminal."""

    @property
    def conversation(self) -> "ConversationScreen":
        """The screen below all others."""

    @property
    def screens(self) -> "Sequence[Screen[Any]]":
        """The screens that are open, the one in front last."""

    def push(self, screen: "Screen[T]", then: "Callable[[T | None], object] | None" = None) -> None:
        """Open a screen; call `then` with its result."""

    def leave_overlay(self) -> bool:
        """Close the screen in front, unless it is the conversation; return whether there was one."""

    def install_screen(self, screen: "Screen[Any]", name: str) -> None:
        """Keep a screen as it is while it is closed."""

    def uninstall_screen(self, screen: "Screen[Any]") -> object:
        """Stop keeping a screen."""

    def forget(self, agent: Agent) -> None:
        """Let all controllers let go of an agent that was closed."""

    def changed(self, agent: Agent, changes: Sequence[Change]) -> None:
        """Follow what moved in the state of an agent."""

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
        """Say why a key does nothing."""

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Literal["information", "warning", "error"] = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Show a note with a title, one that is not for a key alone."""

    def bell(self) -> None:
        """Ring the terminal's bell."""

    def write_sequence(self, sequence: str) -> None:
        """Write a control sequence to the terminal, which draws nothing."""

    def spawn(self, work: Coroutine[Any, Any, None], *, name: str = "") -> None:
        """Run a coroutine until it ends, or the app does."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Any:
        """Call back once."""

    def step_aside(self) -> AbstractContextManager[None]:
        """Lend the terminal to another program: nothing is drawn meanwhile."""

    def open_url(self, url: str) -> None:
        """Open a page in the system's viewer."""

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text."""

    def selected_text(self) -> str:
        """Return the selected text, wherever it is."""

    def exit(self) -> None:
        """End the app."""

    def add_bindings(self, bindings: "Sequence[Binding]") -> None:
        """Bind more keys."""

    def use_theme(self, name: str | None) -> None:
        """Draw in the colors of a theme; without a name, in the default. Raises ConfigError."""

    def use_keys(self) -> None:
        """Hear and name the keys that stand in the tables now."""

    def use_icons(self) -> None:
        """Draw with the characters that the settings want. Raises ConfigError."""

    def look(self) -> "tuple[Theme, int]":
        """Return the theme, and the width of the screen in cells."""

    def picture(self) -> str:
        """Return the screen as an SVG."""

    def call_after_refresh(self, callback: Callable[[], None]) -> Any:
        """Call back once everything is drawn."""
