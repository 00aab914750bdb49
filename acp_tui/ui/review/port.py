"""The port through which the parts of the review use its screen."""

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Protocol

from acp_tui.edits.comments import Comment, Comments
from acp_tui.state.session import Session
from acp_tui.ui.tabs.tab import Tab

if TYPE_CHECKING:
    from textual.timer import Timer


class ReviewPort(Protocol):
    """The screen that reviews the changes of one session."""

    tab: Tab
    session_id: str

    @property
    def session(self) -> Session:
        """The current session object: a load replaces it."""

    @property
    def sessions(self) -> list[Session]:
        """The session and all of its subagents."""

    @property
    def comments(self) -> Comments:
        """The comments on the session's changes."""

    @property
    def is_active(self) -> bool:
        """Whether the review is the screen in front."""

    def show_message(self, words: str) -> None:
        """Show the result of an action below the changes."""

    def dismiss(self) -> object:
        """Close the review."""

    def go_to(self, comment: Comment) -> None:
        """Move the cursor to the lines of a comment."""

    def go_to_diff(self) -> None:
        """Focus the diff."""

    def show_comments(self) -> None:
        """Update the comments in the diff."""

    def arrange_panes(self) -> None:
        """Fit the panes, and update their titles, the heading and the keys."""

    def fit_panes(self) -> None:
        """Fit the panes; update titles and keys once no key was pressed for a moment."""

    def run_worker(
        self, work: Coroutine[Any, Any, None], *, group: str, exclusive: bool = False
    ) -> object:
        """Run a coroutine until it ends, or the review is closed."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> "Timer":
        """Call a function once, after a delay in seconds."""

    def call_after_refresh(self, callback: Callable[..., object], *arguments: Any) -> object:
        """Call a function once everything is drawn."""
