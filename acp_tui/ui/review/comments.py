"""Comments on changed lines: asked for, listed on a page, and written into the prompt. Nothing is
sent by itself.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.message import Message
from textual.strip import Strip

from acp_tui.edits.comments import Comment, Comments, format_comments
from acp_tui.formatting import counted
from acp_tui.host.agent import Agent
from acp_tui.text import clean_line
from acp_tui.ui.ask import ask_for_line
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.keys import key_name
from acp_tui.ui.lines.lines import LineColumn
from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.lines.stack import Stack, StackPart
from acp_tui.ui.lines.text_lines import TextLines
from acp_tui.ui.lines.visible import visible_line
from acp_tui.ui.review import bindings
from acp_tui.ui.review.commented_diff import COMMENT_SIGN
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.toolkit.boxes import PAGE, BoxFrame
from acp_tui.ui.toolkit.screens import OverlayScreen, scroll_page
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.review.port import ReviewPort

QUOTED = 12
"""Most lines that are quoted when a comment is asked for."""


class ReviewComments:
    """Stores the comments on each session until the user sends them."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._by_session: dict[tuple[Agent, str], Comments] = {}

    def of(self, tab: Tab, session_id: str) -> Comments:
        """Return the comments on a session."""
        return self._by_session.setdefault((tab.agent, session_id), Comments())

    def ask(self, comments: Comments, about: Comment, then: Callable[[], object]) -> None:
        """Ask for a comment on some lines; an empty one removes it."""

        def written(words: str | None) -> None:
            if words is not None:
                comments.add(about._replace(words=words.strip()))
                then()

        quoted = [f"{one.sign}{visible_line(one.text)}" for one in about.lines[:QUOTED]]
        if len(about.lines) > QUOTED:
            quoted.append(f"… {len(about.lines) - QUOTED} more")
        question = "Comment on these lines" if len(about.lines) > 1 else "Comment on this line"
        before = comments.about(about).words
        ask_for_line(self._window, question, [visible_line(about.place), *quoted], before, written)

    def open(self, screen: "ReviewPort") -> None:
        """Open the page of all comments."""
        comments = self.of(screen.tab, screen.session_id)
        if comments:
            self._window.push(CommentsPage(comments, self, screen))
        else:
            self._note_no_comments(screen)

    def write(self, screen: "ReviewPort") -> None:
        """Write all comments into the prompt, for the user to send."""
        comments = self.of(screen.tab, screen.session_id)
        if not comments:
            self._note_no_comments(screen)
            return
        text = format_comments(comments.remove_all())
        screen.dismiss()
        self._window.tabs.show(screen.tab)
        self._window.refresh_view()
        self._window.prompt.prepend_text(text, "Edit your comments; Enter sends them")

    def _note_no_comments(self, screen: "ReviewPort") -> None:
        screen.show_message(f"no comments yet; {key_name('c', 'changed-files')} makes one")


STYLES = {"+": "diff.added", "-": "diff.removed"}


class Filled:
    """Lines whose background extends to the right edge."""

    def __init__(self, lines: LineColumn, style: str) -> None:
        self._lines = lines
        self._style = style
        self._width = 0

    @property
    def height(self) -> int:
        return self._lines.height

    def lay_out(self, width: int, until: float) -> bool:
        self._width = width
        return self._lines.lay_out(width, until)

    def strip(self, y: int, palette: Palette) -> Strip:
        drawn = self._lines.strip(y, palette)
        return drawn.adjust_cell_length(self._width, palette[self._style])

    def plain(self, y: int) -> str:
        return self._lines.plain(y)

    def source(self, first: int, last: int) -> str:
        return self._lines.source(first, last)


class CommentList(LinesView):
    """The list of comments, one of them marked; the first cell of each line is for the mark."""

    class CommentClicked(Message):
        """The user clicked a comment."""

    def __init__(self) -> None:
        super().__init__()
        self.cursor = 0
        self._stack = Stack()
        self._sizes: list[int] = []
        """The number of parts of each comment."""

    def on_mount(self) -> None:
        """Show the comments."""
        self.show(self._stack)

    def show_comments(self, comments: Sequence[Comment]) -> None:
        """Show these comments; the mark keeps its position."""
        found = [_parts(one, gap=1 if at else 0) for at, one in enumerate(comments)]
        nothing = [StackPart(TextLines("no comment is left", "muted"), indent=1)]
        self._sizes = [len(parts) for parts in found]
        self._stack.replace([part for parts in found for part in parts] or nothing)
        self.cursor = max(0, min(self.cursor, len(found) - 1))
        self.update_lines()

    def move(self, step: int) -> None:
        """Move the mark; wrap around at the ends."""
        if self._sizes:
            self.move_to((self.cursor + step) % len(self._sizes))

    def move_to(self, index: int) -> None:
        """Mark a comment, and show as much of it as fits."""
        self.cursor = index
        rows, top, height = self._rows_of(index), self.scroll_offset.y, max(1, self.size.height)
        if not top <= rows.start <= rows.stop <= top + height:
            at = rows.start if rows.start < top else min(rows.start, rows.stop - height)
            self.scroll_to(y=max(0, at), animate=False)
        self.refresh()

    def sign_at(self, line: int) -> str:
        """Return the mark if the marked comment begins in this line."""
        return "▌" if self._sizes and line == self._rows_of(self.cursor).start else ""

    def on_click(self, event: events.Click) -> None:
        """Mark the clicked comment."""
        row = event.y + self.scroll_offset.y
        clicked = (at for at in range(len(self._sizes)) if row in self._rows_of(at))
        index = next(clicked, None)
        if index is not None:
            self.move_to(index)
            self.post_message(self.CommentClicked())

    def _rows_of(self, index: int) -> range:
        """Return the rows of a comment."""
        first = sum(self._sizes[:index])
        heights = [one.gap + one.lines.height for one in self._stack.parts]
        start = sum(heights[:first]) + (1 if index else 0)
        return range(start, sum(heights[: first + self._sizes[index]]))


def _parts(comment: Comment, gap: int) -> list[StackPart]:
    parts = [StackPart(TextLines(comment.described_place, "heading2"), indent=1, gap=gap)]
    digits = max(len(str(one.number)) for one in comment.lines)
    for one in comment.lines:
        number = str(one.number) if one.number else ""
        mark = f"{number:>{digits}} {one.sign} "
        style = STYLES.get(one.sign, "text")
        line = TextLines(clean_line(one.text), style, mark=mark)
        parts.append(StackPart(Filled(line, style), indent=3))
    parts.append(StackPart(TextLines(clean_line(comment.words), mark=COMMENT_SIGN), indent=3))
    return parts


class CommentsPage(OverlayScreen[None]):
    """The page of all comments on a session, as they will be sent; one is marked."""

    DEFAULT_CLASSES = PAGE
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.COMMENTS  # type: ignore[assignment]

    def __init__(self, comments: Comments, store: "ReviewComments", review: "ReviewPort") -> None:
        super().__init__()
        self._comments = comments
        self._store = store
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
        """Update the list."""
        self._list.show_comments(list(self._comments))
        text = counted(len(self._comments), "comment")
        self._frame.entitle("Comments", f"{text}, not sent")
        self._offer_keys()

    def _offer_keys(self) -> None:
        keys = [("w", "to prompt")] if self._comments else []
        if self._marked is not None:
            keys += [("enter", "go to"), ("e", "rewrite"), ("d", "remove")]
        self._frame.offer([*keys, ("escape", "back")], "comments")

    def action_move(self, step: int) -> None:
        """Move the mark."""
        self._list.move(step)
        self._offer_keys()

    def on_comment_list_comment_clicked(self) -> None:
        """Show the keys for the clicked comment."""
        self._offer_keys()

    def action_scroll(self, pages: int) -> None:
        """Scroll by pages."""
        scroll_page(self._list, pages)

    def action_go(self) -> None:
        """Go to the lines of the marked comment."""
        marked = self._marked
        if marked is not None:
            self.dismiss()
            self._review.go_to(marked)

    def action_rewrite(self) -> None:
        """Edit the text of the marked comment."""
        if self._marked is not None:
            self._store.ask(self._comments, self._marked, self._changed)

    def action_remove(self) -> None:
        """Remove the marked comment."""
        if self._marked is not None:
            self._comments.remove(self._marked)
            self._changed()
            self._frame.show_message(f"removed; {key_name('u', 'comments')} brings it back")

    def action_restore(self) -> None:
        """Restore the comment that was removed last."""
        restored = self._comments.restore()
        if restored is None:
            self._frame.show_message("no comment was removed")
        else:
            self._changed()
            self._list.move_to(list(self._comments).index(restored))

    def action_write(self) -> None:
        """Write all comments into the prompt."""
        if self._comments:
            self.dismiss()
            self._store.write(self._review)

    def _changed(self) -> None:
        self._show()
        self._review.show_comments()
