"""All comments on one page: gone through, rewritten, removed, written into the prompt."""

from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from acp_tui.edits.comments import Comment, Comments
from acp_tui.formatting import counted
from acp_tui.ui.keys import key_name
from acp_tui.ui.review import bindings
from acp_tui.ui.review.comment_list import CommentList
from acp_tui.ui.toolkit.boxes import PAGE, BoxFrame
from acp_tui.ui.toolkit.screens import OverlayScreen

if TYPE_CHECKING:
    from acp_tui.ui.review.comments import ReviewComments
    from acp_tui.ui.review.port import ReviewPort


class CommentsPage(OverlayScreen[None]):
    """All of them, as they will be sent; one is marked."""

    DEFAULT_CLASSES = PAGE
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.COMMENTS  # type: ignore[assignment]

    def __init__(self, comments: Comments, kept: "ReviewComments", review: "ReviewPort") -> None:
        super().__init__()
        self._comments = comments
        self._kept = kept
        self._review = review
        self._frame = BoxFrame()
        self._list = CommentList()

    def compose(self) -> ComposeResult:
        with self._frame:
            yield self._list

    def on_mount(self) -> None:
        self._show()

    @property
    def _marked(self) -> Comment | None:
        kept = list(self._comments)
        return kept[self._list.cursor] if kept else None

    def _show(self) -> None:
        """Show the comments as they are now."""
        self._list.show_comments(list(self._comments))
        told = counted(len(self._comments), "comment")
        self._frame.entitle("Comments", f"{told}, not sent")
        self._offer_keys()

    def _offer_keys(self) -> None:
        keys = [("w", "to prompt")] if self._comments else []
        if self._marked is not None:
            keys += [("enter", "go to"), ("e", "rewrite"), ("d", "remove")]
        self._frame.offer([*keys, ("escape", "back")], "comments")

    def action_move(self, step: int) -> None:
        """Mark another comment."""
        self._list.move(step)
        self._offer_keys()

    def on_comment_list_clicked(self) -> None:
        """Offer what can be done with it."""
        self._offer_keys()

    def action_scroll(self, pages: int) -> None:
        """Scroll by pages."""
        if pages > 0:
            self._list.scroll_page_down(animate=False)
        else:
            self._list.scroll_page_up(animate=False)

    def action_go(self) -> None:
        """Go to the lines of the marked comment."""
        marked = self._marked
        if marked is not None:
            self.dismiss()
            self._review.go_to(marked)

    def action_rewrite(self) -> None:
        """Ask for other words."""
        if self._marked is not None:
            self._kept.ask(self._comments, self._marked, self._changed)

    def action_remove(self) -> None:
        """Remove the marked comment."""
        if self._marked is not None:
            self._comments.remove(self._marked)
            self._changed()
            self._frame.tell(f"removed; {key_name('u', 'comments')} brings it back")

    def action_restore(self) -> None:
        """Bring back what was removed last."""
        restored = self._comments.restore()
        if restored is None:
            self._frame.tell("no comment was removed")
        else:
            self._changed()
            self._list.move_to(list(self._comments).index(restored))

    def action_write(self) -> None:
        """Write all comments into the prompt."""
        if self._comments:
            self.dismiss()
            self._kept.write(self._review)

    def action_close(self) -> None:
        """Go back to the changes."""
        self.dismiss()

    def _changed(self) -> None:
        self._show()
        self._review.show_comments()
