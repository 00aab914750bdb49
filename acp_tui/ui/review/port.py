"""The port through which actions use the review's screen."""

from typing import Protocol

from acp_tui.edits.comments import Comment
from acp_tui.ui.tabs.tab import Tab


class ReviewPort(Protocol):
    """The changes of one session, on a screen."""

    tab: Tab
    session_id: str

    def tell(self, words: str) -> None:
        """Show the result of an action below the changes."""

    def dismiss(self) -> object:
        """Close the review."""

    def go_to(self, comment: Comment) -> None:
        """Move the cursor to the lines of a comment."""

    def show_comments(self) -> None:
        """Update the comments that stand in the diff."""

    @property
    def is_active(self) -> bool:
        """Whether it is in front."""
