"""The review's screen: the changed files and their diffs, which can be undone, staged and commented
on.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from acp_tui.edits.comments import Comment, Comments
from acp_tui.git.objects import GitError
from acp_tui.rewind.against_head import Version, seems_in_repository
from acp_tui.state.changed_files import ChangedFile, changed_files
from acp_tui.state.session import FileWrite, Session
from acp_tui.state.subagents import descendants_of
from acp_tui.text import clean_line
from acp_tui.ui.checkpoints import CheckpointsFeature
from acp_tui.ui.keys import key_name
from acp_tui.ui.lines.visible import shown_path
from acp_tui.ui.review import bindings
from acp_tui.ui.review.commented_diff import FoundLine
from acp_tui.ui.review.contents import Contents
from acp_tui.ui.review.file_parts import letter_of
from acp_tui.ui.review.frame import (
    PLACE,
    count_of,
    offered_keys,
    other_scopes,
    place_in,
    review_heading,
)
from acp_tui.ui.review.panes import Panes
from acp_tui.ui.review.scopes import Reviewed, ReviewScope
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.toolkit.boxes import NARROW, PAGE, BoxFrame
from acp_tui.ui.toolkit.dialogs.listing import Listing
from acp_tui.ui.toolkit.screens import OverlayScreen, scroll_page
from acp_tui.ui.toolkit.timers import DeferredWork

if TYPE_CHECKING:
    from acp_tui.ui.external.feature import ExternalFeature
    from acp_tui.ui.review.changes import ReviewChanges
    from acp_tui.ui.review.comments import ReviewComments
    from acp_tui.ui.review.patches import PatchCopies


READING = "the changes of this file are being read"


class ReviewScreen(OverlayScreen[None]):
    """Shows the list of changed files, and the diff of the marked one; keys go to one of them."""

    DEFAULT_CLASSES = PAGE
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.FILES  # type: ignore[assignment]

    def __init__(
        self,
        tab: Tab,
        session_id: str,
        *,
        comments: "ReviewComments",
        changes: "ReviewChanges",
        patches: "PatchCopies",
        external: "ExternalFeature",
        checkpoints: CheckpointsFeature,
    ) -> None:
        super().__init__()
        self.tab = tab
        self.session_id = session_id
        self._review_comments = comments
        self._changes = changes
        self._patches = patches
        self._external = external
        self._frame = BoxFrame()
        self._panes = Panes(external.split_diffs)
        self._listing = self._panes.listing
        self.diff = self._panes.diff
        self._contents = Contents(self, self._panes, checkpoints)
        self._has_git = False
        self._deferred = DeferredWork(self, self._show_marked)
        self._names_keys = False
        """Whether the key hints are to be updated once no key is pressed: no message has replaced
        them since.
        """
        self._expects_files = bool(changed_files(self.session, subagents=self.sessions[1:]))
        """Whether changes were reported, so that there are probably files to list once the disk is
        read.
        """

    def compose(self) -> ComposeResult:
        with self._frame:
            yield self._panes

    @property
    def session(self) -> Session:
        """The current session object: a load replaces it."""
        return self.tab.agent.state.session(self.session_id)

    @property
    def sessions(self) -> list[Session]:
        """The session and all of its subagents."""
        return [self.session, *descendants_of(self.tab.agent.state, self.session_id)]

    @property
    def scope(self) -> ReviewScope:
        """The scope of the listed changes."""
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
        """The comments on the session's changes."""
        return self._review_comments.of(self.tab, self.session_id)

    def on_mount(self) -> None:
        folder = self.tab.agent.state.folder_here(self.session)
        self._has_git = folder is not None and seems_in_repository(folder)
        self._go_to_list()
        self.show()

    def on_resize(self) -> None:
        """Fit the panes. The keys are updated later, as they depend on the diff's new layout."""
        self.arrange_panes()
        self._offer_keys_soon()

    # Drawing

    def show(self) -> None:
        """Update the list of files."""
        self._contents.show()

    def arrange_panes(self) -> None:
        """Fit the panes, and update their titles, the heading and the keys."""
        if not self._panes.is_shown:
            return
        self._fit_page()
        count = count_of(self._listing, len(self.comments))
        is_empty = not self._listing.files and not self.comments
        title = review_heading(self.scope, self.session, is_empty=is_empty)
        self._frame.entitle(title, "" if is_empty else count)
        self._panes.finish()
        self._offer_keys()

    def fit_panes(self) -> None:
        """Fit the panes; update titles and keys once no key was pressed for a moment."""
        if self._panes.is_shown:
            self._fit_page()
            self._offer_keys_soon()

    def _fit_page(self) -> None:
        """Fit the panes. They fill the page if there are files, or probably will be once the disk
        is read: a page that shrinks at once would flash.
        """
        is_page = bool(self._listing.files) or (self._expects_files and not self.scope.is_read)
        self.set_class(not is_page, *NARROW.split())
        self.set_class(is_page, PAGE)
        self._panes.fit(self.session.cwd, self.scope.nothing())

    def on_diff_pane_mark_moved(self) -> None:
        """Show the marked change once no key was pressed for a moment; a message stays until then."""
        self._deferred.defer()

    def _show_marked(self) -> None:
        """Update diff, titles and keys for the mark, once no key was pressed for a moment."""
        if self.marked is not None:
            self._contents.show_diff()
        self._panes.finish()
        if self._names_keys:
            self._offer_keys()

    def _offer_keys(self) -> None:
        """Show the key hints for the mark in the lower edge."""
        self._names_keys = False
        marked = self.marked
        can_undo = marked is not None and self._last_write(marked.file) is not None
        can_stage = self.scope.head is not None
        place = place_in(self._panes, can_undo, can_stage, bool(self.comments))
        others = other_scopes(self.scope, self.session, self._has_git)
        self._frame.offer(offered_keys(place, others), PLACE)

    def _offer_keys_soon(self) -> None:
        """Update the key hints once no key was pressed for a moment."""
        self._names_keys = True
        self._deferred.defer()

    def show_message(self, words: str) -> None:
        """Show the result of an action in place of the key hints, until another key is pressed."""
        self._names_keys = False
        self._frame.show_message(clean_line(words))

    def show_comments(self) -> None:
        """Update the number of comments, and the comments in the diff."""
        self.arrange_panes()
        self._contents.show_comments()

    def go_to(self, comment: Comment) -> None:
        """Go to the lines of a comment, if they are listed."""
        self._go_to_list()
        if not self._contents.go_to(comment):
            self.show_message(f"{comment.path} isn't listed here")

    # Moving around

    def _go_to_list(self) -> None:
        self._panes.pass_keys(in_diff=False)
        self._offer_keys_soon()

    def go_to_diff(self) -> None:
        """Focus the diff."""
        self._panes.pass_keys(in_diff=True)
        self._offer_keys_soon()

    def action_move(self, step: int) -> None:
        """Mark the next or previous line, or file."""
        if self.in_diff:
            self.diff.step(step)
        else:
            self._listing.move(step)
        self._offer_keys_soon()

    def action_go_between(self) -> None:
        """Go from the list to the first change of the diff, or back."""
        if self.in_diff:
            self._go_to_list()
        elif not self._contents.is_ready():
            self.show_message(READING)
        elif self.diff.step_change(1):
            self.go_to_diff()
        elif self.marked is not None:
            self.show_message("there is no change of lines to go to")

    def action_read_diff(self) -> None:
        """Focus the diff of the marked file. There, Enter only names the key for the editor."""
        if self.in_diff:
            self.show_message(f"{key_name('o', PLACE)} opens the file in the editor")
        else:
            self.action_go_between()

    def action_go_to_change(self, step: int) -> None:
        """Go to the next or previous change, or to the next or previous file if there is none."""
        if not self._contents.is_ready():
            self.show_message(READING)
        elif self.diff.step_change(step):
            self.go_to_diff()
        elif self._listing.cursor + step in range(len(self._listing.files)):
            self._go_to_list()
            self._listing.move(step)
        else:
            self.show_message(
                "there is no change after this one" if step > 0 else "this is the first one"
            )

    def action_go_to_turn(self, step: int) -> None:
        """Show the changes of the next or previous turn; after the last one, those of all turns."""
        session, *subagents = self.sessions
        if self.scope.step_turn(session, step, subagents):
            self._show_scope()
        else:
            where = "before this one" if step < 0 else "after these"
            self.show_message(f"no turn {where} changed a file")

    async def action_against_head(self) -> None:
        """Toggle between the differences from HEAD and the session's changes."""
        if self.tab.agent.state.folder_here(self.session) is None:
            self.show_message("the agent's files aren't here")
            return
        if self.scope.head is not None:
            self.scope.head = None
        else:
            try:
                self.scope.head = await self._changes.find_head(self.tab)
            except GitError as error:
                self.show_message(str(error))
                return
        self._show_scope()

    def _show_scope(self) -> None:
        self._go_to_list()
        self._contents.show_scope()

    def on_listing_row_clicked(self, event: Listing.RowClicked) -> None:
        """Show the clicked file."""
        event.stop()
        self._go_to_list()

    def on_diff_pane_line_clicked(self) -> None:
        """Focus the diff."""
        if self._contents.is_ready():
            self.go_to_diff()
        else:
            self.diff.move_mark(None)
            self.show_message(READING)

    def action_scroll(self, pages: int) -> None:
        """Scroll the diff by pages."""
        scroll_page(self.diff, pages)

    def action_split(self) -> None:
        """Toggle between side by side and one column."""
        width, missing = self.size.width, self._panes.missing
        if not self._contents.is_ready():
            self.show_message(READING)
        elif missing:
            self.show_message(f"side by side needs {width + missing} columns; here are {width}")
        elif not self.diff.has_sides:
            self.show_message("there is only one side to show")
        else:
            change, _ = self.diff.change
            self._external.remember_split(self.diff.split())
            self.arrange_panes()
            if self.in_diff:
                self.call_after_refresh(self.diff.mark_change, max(1, change))

    # Actions

    def action_undo(self) -> None:
        """Undo the last write of the marked file or, in the diff, the marked change."""
        marked = self.marked
        write = self._last_write(marked.file) if marked is not None else None
        if not self.in_diff or marked is None:
            if write is None:
                self.app.bell()
            else:
                self._ask_to_undo(write)
            return
        line = self._marked_change()
        if line is None or line.hunk is None:
            return
        if write is not None and write.created and line.diff.old_text is None:
            self._ask_to_undo(write)  # the whole file is new
        else:
            self._changes.revert_change(self, marked.file.path, line.diff, line.hunk)

    def _ask_to_undo(self, write: FileWrite) -> None:
        """Ask whether to undo a write, in the session whose agent wrote it."""
        writer = next(one for one in self.sessions if any(write is own for own in one.writes))
        self._changes.undo(self.tab.agent, writer.session_id, write)

    def _last_write(self, file: ChangedFile) -> FileWrite | None:
        """Return the last write of a file by this session or its subagents, if it can be undone."""
        session, *subagents = self.sessions
        every = changed_files(session, subagents=subagents)
        return next((one.undoable_write for one in every if one.path == file.path), None)

    def _marked_change(self) -> FoundLine | None:
        """Return the marked line if it is in a change; otherwise show how to go to one."""
        line = self.diff.marked
        if line is None or line.hunk is None:
            self.show_message(f"no change is marked; {key_name('n', PLACE)} goes to the next one")
            return None
        return line

    def action_stage(self) -> None:
        """Stage or unstage the marked change or, in the list, the marked file.

        An added or deleted file is a single change, whatever part of it is in the index.
        """
        marked, head = self.marked, self.scope.head
        if head is None:
            key = key_name("h", PLACE)
            self.show_message(
                f"{key} shows what differs from the last commit: there it can be staged"
            )
            return
        if not self.in_diff and marked is not None:
            self._changes.stage_file(self, head, marked.relative, None)
            return
        line = self._marked_change()
        if line is None or line.hunk is None or marked is None:
            return
        letter = letter_of(marked)
        if letter in "AD":
            shown = Version(line.diff.new_text if letter == "A" else None)
            self._changes.stage_file(self, head, marked.relative, shown)
        else:
            change = self._patches.make(marked, line.diff, [line.hunk], self.session.cwd, head)
            self._changes.stage(self, head, change)

    def action_extend(self, step: int) -> None:
        """Extend the selection by one line, for a comment."""
        if self.in_diff:
            self.diff.extend(step)
            self._offer_keys_soon()
        else:
            self.action_move(step)

    def action_comment(self) -> None:
        """Comment on the marked lines."""
        lines, marked = self.diff.marked_lines, self.marked
        if not lines or marked is None:
            self.show_message("no line is marked; Tab goes to the diff")
            return
        about = Comment(shown_path(marked.file.path, self.session.cwd), lines)
        self._review_comments.ask(self.comments, about, self.show_comments)

    def action_all_comments(self) -> None:
        """Open the page of all comments."""
        self._review_comments.open(self)

    def action_write_comments(self) -> None:
        """Write all comments into the prompt."""
        self._review_comments.write(self)

    def action_copy(self) -> None:
        """Copy the marked change as a patch."""
        line, marked = self._marked_change(), self.marked
        if line is not None and line.hunk is not None and marked is not None:
            cwd, head = self.session.cwd, self.scope.head
            patch = self._patches.make(marked, line.diff, [line.hunk], cwd, head)
            self._patches.copy(self, patch, "the change")

    def action_copy_all(self) -> None:
        """Copy all listed changes as one patch."""
        if self._listing.files:
            reader = self._contents.reader
            self._patches.copy_all(self, self._listing.all, self.scope.head, reader)
        else:
            self.app.bell()

    def action_open(self) -> None:
        """Open the marked file in `$EDITOR`, at the marked line."""
        marked = self.marked
        if marked is not None:
            line = self.diff.marked if self.in_diff else None
            at = line.place.line if line is not None and line.place.sign != "-" else 0
            self._external.edit(marked.file.path, at or None)

    def action_close(self) -> None:
        """Close one thing for each press: the selection, the diff, the review."""
        if self.diff.is_range:
            self.diff.mark_one()
            self._offer_keys_soon()
        elif self.in_diff:
            self._go_to_list()
        else:
            self.dismiss()
