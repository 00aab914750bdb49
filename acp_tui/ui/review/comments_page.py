"""All comments on one page: gone through, rewritten, removed, written into the prompt."""

from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content

from acp_tui.formatting import counted
from acp_tui.review.comments import Comment, Comments
from acp_tui.text import clean_line
from acp_tui.ui import bindings
from acp_tui.ui.dialogs.listing import Listing
from acp_tui.ui.frame import Frame
from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.lines.stack import Part, Stack
from acp_tui.ui.lines.text_lines import TextLines
from acp_tui.ui.textual_fixes.screens import OverlayScreen
from acp_tui.ui.words import cropped, path_end

if TYPE_CHECKING:
    from acp_tui.ui.controllers.comments import CommentController
    from acp_tui.ui.review.screen import ReviewScreen

STYLES = {"+": "diff.added", "-": "diff.removed"}


class CommentsPage(OverlayScreen[None]):
    """A list above; the lines and the words of what is marked below."""

    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.COMMENTS  # type: ignore[assignment]

    def __init__(
        self, comments: Comments, controller: "CommentController", review: "ReviewScreen"
    ) -> None:
        super().__init__()
        self._comments = comments
        self._controller = controller
        self._review = review
        self._frame = Frame()
        self._listing = Listing()
        self._whole = LinesView()

    def compose(self) -> ComposeResult:
        with self._frame:
            yield self._listing
            yield self._whole

    def on_mount(self) -> None:
        self._show()

    def on_resize(self) -> None:
        """Fit the rows."""
        self._show()

    @property
    def _marked(self) -> Comment | None:
        kept = list(self._comments)
        return kept[self._listing.cursor] if self._listing.cursor < len(kept) else None

    def _show(self) -> None:
        """Show the comments as they are now."""
        if not self._listing.is_mounted:
            return
        width = self._listing.size.width or self.size.width - 4
        rows = [_row(one, width) for one in self._comments]
        nothing = Content.styled("no comment is left", "$text-muted")
        headings = frozenset[int]() if rows else frozenset({0})
        self._listing.show(rows or [nothing], self._listing.cursor, headings)
        title = Content.assemble(
            ("Comments", "bold"), (f"  {counted(len(rows), 'comment')}, not sent", "$text-muted")
        )
        self._frame.entitle(title)
        self._offer_keys()
        self._show_whole()

    def _offer_keys(self) -> None:
        keys = [("w", "to prompt")] if self._comments else []
        if self._marked is not None:
            keys += [("enter", "go to"), ("e", "rewrite"), ("d", "remove")]
        self._frame.offer([*keys, ("escape", "back")], "comments")

    def _show_whole(self) -> None:
        marked = self._marked
        if marked is None:
            self._whole.show(Stack())
            return
        parts = [Part(TextLines(clean_line(marked.place), "muted"))]
        for one in marked.lines:
            line = clean_line(f"{one.sign}{one.text}")
            parts.append(Part(TextLines(line, STYLES.get(one.sign, "text"))))
        parts.append(Part(TextLines(clean_line(marked.words)), gap=1))
        self._whole.show(Stack(parts))

    def action_move(self, step: int) -> None:
        """Mark another comment."""
        self._listing.move(step)
        self._offer_keys()
        self._show_whole()

    def on_listing_clicked(self, event: Listing.Clicked) -> None:
        """Show what was clicked on."""
        event.stop()
        self._offer_keys()
        self._show_whole()

    def action_scroll(self, pages: int) -> None:
        """Scroll the lines by pages."""
        if pages > 0:
            self._whole.scroll_page_down(animate=False)
        else:
            self._whole.scroll_page_up(animate=False)

    def action_go(self) -> None:
        """Go to the lines of the marked comment."""
        marked = self._marked
        if marked is not None:
            self.dismiss()
            self._review.go_to(marked)

    def action_rewrite(self) -> None:
        """Ask for other words."""
        if self._marked is not None:
            self._controller.ask(self._comments, self._marked, self._changed)

    def action_remove(self) -> None:
        """Remove the marked comment."""
        if self._marked is not None:
            self._comments.remove(self._marked)
            self._changed()
            self._frame.tell(f"removed; {bindings.key_name('u', 'comments')} brings it back")

    def action_restore(self) -> None:
        """Bring back what was removed last."""
        restored = self._comments.restore()
        if restored is None:
            self._frame.tell("no comment was removed")
        else:
            self._listing.cursor = list(self._comments).index(restored)
            self._changed()

    def action_write(self) -> None:
        """Write all comments into the prompt."""
        if self._comments:
            self.dismiss()
            self._controller.write(self._review)

    def action_close(self) -> None:
        """Go back to the changes."""
        self.dismiss()

    def _changed(self) -> None:
        self._show()
        self._review.show_comments()


def _row(comment: Comment, width: int) -> Content:
    place = path_end(clean_line(comment.place), max(8, width // 2))
    words = cropped(clean_line(comment.words), max(8, width - len(place) - 3))
    return Content.assemble((place, "$accent"), "  ", words)
