"""The files that the agent changed: their diffs, gone through by change, undone, staged, commented."""

from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from acp_tui.edits.comments import Comment, Comments
from acp_tui.state.state import Session
from acp_tui.state.subagents import descendants_of
from acp_tui.ui.keys import key_name
from acp_tui.ui.review import bindings
from acp_tui.ui.review.actions import Deeds
from acp_tui.ui.review.contents import Contents
from acp_tui.ui.review.offered_keys import PLACE
from acp_tui.ui.review.panes import Panes
from acp_tui.ui.review.review_frame import Edges
from acp_tui.ui.review.scopes import Reviewed, ReviewScope
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.toolkit.boxes import PAGE, QUESTION
from acp_tui.ui.toolkit.dialogs.listing import Listing
from acp_tui.ui.toolkit.screens import OverlayScreen

if TYPE_CHECKING:
    from acp_tui.ui.review.feature import ReviewFeature


READING = "the changes of this file are being read"


class ReviewScreen(OverlayScreen[None]):
    """A list, and the diff of what is marked there; keys go to one of them."""

    DEFAULT_CLASSES = PAGE
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.FILES  # type: ignore[assignment]

    def __init__(self, tab: Tab, session_id: str, review: "ReviewFeature") -> None:
        super().__init__()
        self.tab = tab
        self.session_id = session_id
        self._review = review
        self._panes = Panes(review.external.split_diffs)
        self._listing = self._panes.listing
        self.diff = self._panes.diff
        self._contents = Contents(self, self._panes, review.checkpoints)
        self._deeds = Deeds(self, review)
        self._edges = Edges(self, self._panes, self._deeds, self._finish)

    def compose(self) -> ComposeResult:
        with self._edges.frame:
            yield self._panes

    @property
    def session(self) -> Session:
        """The session as it is now: a load puts another in its place."""
        return self.tab.agent.state.session(self.session_id)

    @property
    def sessions(self) -> list[Session]:
        """The session, and all of its subagents."""
        return [self.session, *descendants_of(self.tab.agent.state, self.session_id)]

    @property
    def scope(self) -> ReviewScope:
        """Whose changes are listed."""
        return self._contents.scope

    @property
    def marked(self) -> Reviewed | None:
        """The marked file."""
        return self._listing.marked

    @property
    def in_diff(self) -> bool:
        """Whether keys go to the diff."""
        return self._panes.in_diff

    @property
    def comments(self) -> Comments:
        """What was said about lines."""
        return self._review.comments.of(self.tab, self.session_id)

    def on_mount(self) -> None:
        from acp_tui.rewind.against_head import seems_in_repository

        folder = self.tab.agent.state.folder_here(self.session)
        self._edges.has_git = folder is not None and seems_in_repository(folder)
        self._go_to_list()
        self.show()

    def on_resize(self) -> None:
        """Fit the rows; the diff is laid out later, and how it stands then decides what its keys do."""
        self.arrange_panes()
        self._edges.offer_soon()

    # What is shown

    def show(self) -> None:
        """Show the files as they are now."""
        self._contents.show()

    def arrange_panes(self) -> None:
        """Fit what is shown, and say in the edges what it is."""
        if not self._listing.is_mounted:
            return
        self._fit()
        self._edges.entitle()
        self._panes.finish()
        self._edges.offer()

    def fit_panes(self) -> None:
        """Fit what is shown; say what it is when keys rest."""
        self._fit()
        self._edges.offer_soon()

    def _fit(self) -> None:
        """Fit the panes; a list that is empty for good needs no page."""
        is_empty = not self._listing.files and self.scope.is_read
        self.set_class(is_empty, QUESTION)
        self.set_class(not is_empty, PAGE)
        self._panes.fit(self.session.cwd, self.scope.nothing())

    def on_diff_pane_moved(self) -> None:
        """Say at which change one is, when keys rest."""
        self._edges.wait()

    def _finish(self) -> None:
        if self.marked is not None:
            self._contents.show_diff()
        self._panes.finish()

    def tell(self, words: str) -> None:
        """Say in place of the keys what was done, or why not, until another key is pressed."""
        self._edges.tell(words)

    def show_comments(self) -> None:
        """Show what was said about lines by now."""
        self.arrange_panes()
        self._contents.show_comments()

    def go_to(self, comment: Comment) -> None:
        """Go to the lines of a comment, if its file and they are listed."""
        self._go_to_list()
        if not self._contents.go_to(comment):
            self.tell(f"{comment.path} isn't listed here")

    # Going around

    def _go_to_list(self) -> None:
        self._panes.give_keys(in_diff=False)
        self._edges.offer_soon()

    def go_to_diff(self) -> None:
        """Let keys go to the diff."""
        self._panes.give_keys(in_diff=True)
        self._edges.offer_soon()

    def action_move(self, step: int) -> None:
        """Mark another line, or another file."""
        if self.in_diff:
            self.diff.step(step)
        else:
            self._listing.move(step)
        self._edges.offer_soon()

    def action_go_between(self) -> None:
        """Go to the changes, or back to the files."""
        if self.in_diff:
            self._go_to_list()
        elif not self._contents.is_ready():
            self.tell(READING)
        elif self.diff.step_change(1):
            self.go_to_diff()
        elif self.marked is not None:
            self.tell("there is no change of lines to go to")

    def action_read_diff(self) -> None:
        """Go into the diff of the marked file; there Enter opens nothing by accident."""
        if self.in_diff:
            self.tell(f"{key_name('o', PLACE)} opens the file in the editor")
        else:
            self.action_go_between()

    def action_go_to_change(self, step: int) -> None:
        """Go to the next change, or the one before; beyond the last to the next file."""
        if not self._contents.is_ready():
            self.tell(READING)
        elif self.diff.step_change(step):
            self.go_to_diff()
        elif self._listing.cursor + step in range(len(self._listing.files)):
            self._go_to_list()
            self._listing.move(step)
        else:
            self.tell("there is no change after this one" if step > 0 else "this is the first one")

    def action_go_to_turn(self, step: int) -> None:
        """Show what another turn changed; after the last one all of them."""
        session, *subagents = self.sessions
        if self.scope.step_turn(session, step, subagents):
            self._show_anew()
        else:
            where = "before this one" if step < 0 else "after these"
            self.tell(f"no turn {where} changed a file")

    async def action_against_head(self) -> None:
        """Show what differs from the last commit, or again what the agent changed."""
        from acp_tui.git.errors import GitError

        if self.tab.agent.state.folder_here(self.session) is None:
            self.tell("the agent's files aren't here")
            return
        if self.scope.head is not None:
            self.scope.head = None
        else:
            try:
                self.scope.head = await self._review.find_head(self.tab)
            except GitError as error:
                self.tell(str(error))
                return
        self._show_anew()

    def _show_anew(self) -> None:
        self._go_to_list()
        self._contents.show_anew()

    def on_listing_clicked(self, event: Listing.Clicked) -> None:
        """Show what was clicked on."""
        event.stop()
        self._go_to_list()

    def on_diff_pane_clicked(self) -> None:
        """Go into the diff."""
        if self._contents.is_ready():
            self.go_to_diff()
        else:
            self.diff.move_mark(None)
            self.tell(READING)

    def action_scroll(self, pages: int) -> None:
        """Scroll the diff by pages."""
        if pages > 0:
            self.diff.scroll_page_down(animate=False)
        else:
            self.diff.scroll_page_up(animate=False)

    def action_split(self) -> None:
        """Put the sides of the diff beside each other, or no longer."""
        width, missing = self.size.width, self._panes.missing
        if not self._contents.is_ready():
            self.tell(READING)
        elif missing:
            self.tell(f"side by side needs {width + missing} columns; here are {width}")
        elif not self.diff.has_sides:
            self.tell("there is only one side to show")
        else:
            change, _ = self.diff.change
            self._review.external.keep_split(self.diff.split())
            self.arrange_panes()
            if self.in_diff:
                self.call_after_refresh(self.diff.mark_change, max(1, change))

    # What is done

    def action_undo(self) -> None:
        """Undo the last write of the marked file; in the diff the marked change."""
        self._deeds.undo()

    def action_stage(self) -> None:
        """Stage the marked change, or take it out of the index."""
        self._deeds.stage()

    def action_extend(self, step: int) -> None:
        """Mark one more line, for a comment."""
        if self.in_diff:
            self.diff.extend(step)
            self._edges.offer_soon()
        else:
            self.action_move(step)

    def action_comment(self) -> None:
        """Comment on the marked lines."""
        self._deeds.comment()

    def action_all_comments(self) -> None:
        """Show all comments on one page."""
        self._review.comments.open(self)

    def action_write_comments(self) -> None:
        """Write all comments into the prompt."""
        self._review.comments.write(self)

    def action_copy(self) -> None:
        """Copy the marked change as a patch."""
        self._deeds.copy()

    def action_copy_all(self) -> None:
        """Copy all that is listed as a patch."""
        if self._listing.files:
            reader = self._contents.reader
            self._review.patches.copy_all(self, self._listing.all, self.scope.head, reader)
        else:
            self.app.bell()

    def action_open(self) -> None:
        """Ask for the marked file to be opened, at the marked line."""
        self._deeds.open_file()

    def action_close(self) -> None:
        """Go back to one line, to the files, and from there to the conversation."""
        if self.diff.is_range:
            self.diff.mark_one()
            self._edges.offer_soon()
        elif self.in_diff:
            self._go_to_list()
        else:
            self.dismiss()
