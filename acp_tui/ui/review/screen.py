"""The files that the agent changed: their diffs, gone through by change, undone, staged, commented."""

from pathlib import Path
from typing import TYPE_CHECKING

from anyio import to_thread
from textual.app import ComposeResult
from textual.content import Content

from acp_tui.formatting import counted
from acp_tui.protocol.content import Diff
from acp_tui.review.comments import Comment, Comments
from acp_tui.review.hunks import Hunk
from acp_tui.session.changed_files import ChangedFile, changed_files
from acp_tui.session.state import FileWrite, Session
from acp_tui.text import clean_line
from acp_tui.ui import bindings
from acp_tui.ui.dialogs.listing import Listing
from acp_tui.ui.frame import EDGES, Frame
from acp_tui.ui.lines.paths import shown_path
from acp_tui.ui.review.diff_pane import DiffPane, MarkedLine
from acp_tui.ui.review.file_rows import ChangedFileList
from acp_tui.ui.review.patches import patch_against_head, patch_in_session
from acp_tui.ui.review.scopes import Reviewed, Scope, of_head, of_session, read_diff
from acp_tui.ui.sessions.tabs import Tab
from acp_tui.ui.textual_fixes.screens import OverlayScreen

if TYPE_CHECKING:
    from acp_tui.checkpoints.against_head import Head
    from acp_tui.ui.controllers.review import ReviewController


class ReviewScreen(OverlayScreen[None]):
    """A list above, the diff of what is marked below; keys go to one of them."""

    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.FILES  # type: ignore[assignment]

    def __init__(self, tab: Tab, session_id: str, review: "ReviewController") -> None:
        super().__init__()
        self.tab = tab
        self.session_id = session_id
        self._review = review
        self._scope = Scope()
        self._written = 0
        """How many writes there were when the last commit was compared with."""
        self._shown: ChangedFile | None = None
        self._read: ChangedFile | None = None
        """That file with its texts."""
        self._wanted: Comment | None = None
        """The comment whose lines are to be marked when their diff is there."""
        self._in_diff = False
        self._frame = Frame()
        self._listing = ChangedFileList()
        self._diff = DiffPane(review.external.split_diffs)

    def compose(self) -> ComposeResult:
        with self._frame:
            yield self._listing
            yield self._diff

    @property
    def _session(self) -> Session:
        """The session as it is now: a load puts another in its place."""
        return self.tab.agent.state.session(self.session_id)

    def on_mount(self) -> None:
        self.show()

    def on_resize(self) -> None:
        """Fit the rows."""
        self._list()

    # What is shown

    def show(self) -> None:
        """Show the files as they are now; the mark stays on its file."""
        head = self._scope.head
        if head is None:
            self._take(of_session(self._session, self._scope.turn(self._session)))
        elif self._written != len(self._session.writes):
            self._written = len(self._session.writes)
            self.run_worker(self._show_head(head), group="head", exclusive=True)

    def _take(self, found: list[Reviewed]) -> None:
        self._listing.take(found)
        self._list()
        self._show_diff()

    async def _show_head(self, head: "Head") -> None:
        from acp_tui.checkpoints.git import GitError

        try:
            found = await to_thread.run_sync(of_head, head, abandon_on_cancel=True)
        except GitError as error:
            self.tell(str(error))
        else:
            if head is self._scope.head:
                self._shown = None
                self._take(found)

    def _list(self) -> None:
        if not self._listing.is_mounted:
            return
        self._listing.draw(self._session.cwd, self._scope.nothing())
        self._frame.entitle(self._heading())
        self._offer_keys()

    def _heading(self) -> Content:
        more = f", and {self._listing.more} more" if self._listing.more else ""
        where = f"  {self._listing.done} in {clean_line(self._session.cwd)}{more}"
        scope = self._scope.title(self._session)
        told = len(self._comments)
        return Content.assemble(
            ("Changed files", "bold"),
            (f"  {scope}" if scope else "", "$accent"),
            (f"  {counted(told, 'comment')}" if told else "", "$warning"),
            (where, "$text-muted"),
        ).truncate(max(1, self.size.width - EDGES), ellipsis=True)

    def _offer_keys(self) -> None:
        """Offer what can be done with what is marked."""
        marked = self._listing.marked
        keys: list[tuple[str, str]] = []
        if marked is not None and self._in_diff:
            keys = [("u", "undo change")]
            if self._scope.head is not None:
                keys.append(("s", "stage"))
            keys += [
                ("c", "comment"),
                ("shift+down", "more lines"),
                ("y", "patch"),
                ("n", "next"),
                ("tab", "files"),
            ]
        elif marked is not None:
            keys = [("u", "undo")] if self._last_write(marked.file) is not None else []
            keys += [("enter", "editor"), ("tab", "changes")]
        if not self._in_diff:
            keys += [("left_square_bracket", "turns"), ("h", "git")]
        if self._comments:
            keys += [("w", "comments to prompt"), ("C", "all comments")]
        self._frame.offer([*keys, ("escape", "back")], "changed-files")

    def tell(self, words: str) -> None:
        """Say in place of the keys what was done, or why not, until another key is pressed."""
        self._frame.tell(clean_line(words))

    def _show_diff(self) -> None:
        """Show the marked file's changes, unless they stand there already."""
        marked = self._listing.marked
        file = marked.file if marked is not None else None
        if (file is not None and file == self._shown) or not self._listing.is_mounted:
            return
        self._shown = file
        self._offer_keys()
        if marked is not None and self._scope.head is not None:
            self.run_worker(self._read_diff(self._scope.head, marked), group="diff", exclusive=True)
        else:
            self._show_file(file)

    async def _read_diff(self, head: "Head", marked: Reviewed) -> None:
        from acp_tui.checkpoints.git import GitError

        try:
            file = await to_thread.run_sync(read_diff, head, marked, abandon_on_cancel=True)
        except GitError as error:
            self.tell(str(error))
        else:
            if marked is self._listing.marked:
                self._show_file(file)

    def _show_file(self, file: ChangedFile | None) -> None:
        """Show a file's diff; who was in the diff stays there, near the line that was marked."""
        mark = self._diff.mark or 0
        self._read = file
        self._diff.show_file(file, self._session.cwd, self._comments_on(file))
        if self._wanted is not None:
            self.call_after_refresh(self._go_to_wanted)
        elif self._in_diff:
            self.call_after_refresh(self._diff.mark_near, mark)

    @property
    def _comments(self) -> Comments:
        return self._review.comments.of(self.tab, self.session_id)

    def _comments_on(self, file: ChangedFile | None) -> list[Comment]:
        return self._comments.on(shown_path(file.path, self._session.cwd)) if file else []

    def show_comments(self) -> None:
        """Show what was said about lines by now."""
        self._list()
        if self._read is not None:
            self._diff.show_comments(self._read, self._comments_on(self._read))

    def go_to(self, comment: Comment) -> None:
        """Go to the lines of a comment, if its file and they are listed."""
        paths = [shown_path(one.file.path, self._session.cwd) for one in self._listing.files]
        if comment.path not in paths:
            self.tell(f"{comment.path} isn't listed here")
            return
        self._leave_diff()
        self._wanted, self._shown = comment, None
        self._listing.move_to(paths.index(comment.path))
        self._show_diff()

    def _go_to_wanted(self) -> None:
        """Mark the lines that are to be shown, as soon as their diff is."""
        if self._wanted is not None and self._read is not None:
            self._in_diff = self._diff.mark_lines(self._wanted.lines)
            if not self._in_diff:
                self.tell("what the comment is about isn't shown here anymore")
            self._wanted = None
            self._offer_keys()

    # Going around

    def action_move(self, step: int) -> None:
        """Mark another line, or another file."""
        if self._in_diff:
            self._diff.step(step)
            self._offer_keys()
        else:
            self._listing.move(step)
            self._show_diff()

    def action_go_between(self) -> None:
        """Go to the changes, or back to the files."""
        if self._in_diff:
            self._leave_diff()
        elif self._listing.marked is not None:
            self._in_diff = self._diff.step_change(1)
            self._offer_keys()
            if not self._in_diff:
                self.tell("there is no change of lines to go to")

    def _leave_diff(self) -> None:
        self._in_diff = False
        self._diff.move_mark(None)
        self._offer_keys()

    def action_go_to_change(self, step: int) -> None:
        """Go to the next change, or the one before; beyond the last to the next file."""
        if self._diff.step_change(step):
            self._in_diff = True
        elif self._listing.cursor + step in range(len(self._listing.files)):
            self._leave_diff()
            self._listing.move(step)
            self._show_diff()
        self._offer_keys()

    def action_go_to_turn(self, step: int) -> None:
        """Show what another turn changed; after the last one all of them."""
        self._scope.step_turn(self._session, step)
        self._show_anew()

    async def action_against_head(self) -> None:
        """Show what differs from the last commit, or again what the agent changed."""
        from acp_tui.checkpoints.against_head import Head
        from acp_tui.checkpoints.git import GitError

        folder = self.tab.agent.state.folder_here(self._session)
        if self._scope.head is not None or folder is None:
            if folder is None:
                self.tell("the agent's files aren't here")
            self._scope.head = None
        else:
            try:
                self._scope.head = await to_thread.run_sync(Head, folder, abandon_on_cancel=True)
            except GitError:
                self.tell("this folder is in no git repository")
                return
        self._show_anew()

    def _show_anew(self) -> None:
        self._leave_diff()
        self._shown, self._written = None, -1
        self.show()

    def on_listing_clicked(self, event: Listing.Clicked) -> None:
        """Show what was clicked on."""
        event.stop()
        self._leave_diff()
        self._show_diff()

    def on_diff_pane_clicked(self) -> None:
        """Go into the diff."""
        self._in_diff = True
        self._offer_keys()

    def action_scroll(self, pages: int) -> None:
        """Scroll the diff by pages."""
        if pages > 0:
            self._diff.scroll_page_down(animate=False)
        else:
            self._diff.scroll_page_up(animate=False)

    def action_split(self) -> None:
        """Put the sides of the diff beside each other, or no longer."""
        self._review.external.keep_split(self._diff.split())
        self._in_diff = False
        self._offer_keys()

    # What is done

    def action_undo(self) -> None:
        """Ask for the last write of the marked file to be undone; in the diff for the marked change."""
        marked = self._listing.marked
        kept = self._last_write(marked.file) if marked is not None else None
        if not self._in_diff or marked is None:
            if kept is None:
                self.app.bell()
            else:
                self._review.undo(self.tab.agent, self.session_id, kept)
            return
        line = self._marked_change()
        if line is None or line.hunk is None:
            return
        if kept is not None and kept.created and line.diff.old_text is None:
            self._review.undo(self.tab.agent, self.session_id, kept)  # all that it changed is new
        else:
            self._review.take_back(self, marked.file.path, line.diff, line.hunk)

    def _last_write(self, file: ChangedFile) -> FileWrite | None:
        """Return the last write of a file in this session, if it can be undone."""
        every = changed_files(self._session)
        return next((one.kept for one in every if one.path == file.path), None)

    def action_stage(self) -> None:
        """Stage the marked change, or take it out of the index."""
        marked, head = self._listing.marked, self._scope.head
        if head is None:
            key = bindings.key_name("h", "changed-files")
            self.tell(f"{key} shows what differs from the last commit: there it can be staged")
            return
        line = self._marked_change()
        if line is not None and line.hunk is not None and marked is not None:
            self._review.stage(self, head, self._patch(line.diff, [line.hunk], marked))

    def _marked_change(self) -> MarkedLine | None:
        line = self._diff.marked
        if line is None or line.hunk is None:
            next_change = bindings.key_name("n", "changed-files")
            self.tell(f"no change is marked; {next_change} goes to the next one")
            return None
        return line

    def action_extend(self, step: int) -> None:
        """Mark one more line, for a comment."""
        if self._in_diff:
            self._diff.extend(step)
            self._offer_keys()
        else:
            self.action_move(step)

    def action_comment(self) -> None:
        """Comment on the marked lines."""
        lines, marked = self._diff.marked_lines, self._listing.marked
        if not lines or marked is None:
            self.tell("no line is marked; Tab goes to the diff")
            return
        about = Comment(shown_path(marked.file.path, self._session.cwd), lines)
        self._review.comments.ask(self._comments, about, self.show_comments)

    def action_all_comments(self) -> None:
        """Show all comments on one page."""
        self._review.comments.open(self)

    def action_write_comments(self) -> None:
        """Write all comments into the prompt."""
        self._review.comments.write(self)

    def action_copy(self) -> None:
        """Copy the marked change as a patch."""
        line, marked = self._marked_change(), self._listing.marked
        if line is not None and line.hunk is not None and marked is not None:
            self._review.copy(self, self._patch(line.diff, [line.hunk], marked), "the change")

    def action_copy_all(self) -> None:
        """Copy all that is listed as a patch."""
        if self._listing.files:
            self._review.copy_all(self, self._listing.files, self._scope.head)
        else:
            self.app.bell()

    def _patch(self, diff: Diff, hunks: list[Hunk], marked: Reviewed) -> str:
        """Make a patch of changes in the file that is marked."""
        if self._scope.head is not None:
            return patch_against_head(marked, diff, hunks)
        return patch_in_session(marked.file, diff, hunks, self._session.cwd)

    def action_open(self) -> None:
        """Ask for the marked file to be opened, at the marked line."""
        if self._listing.marked is not None:
            line = self._diff.marked if self._in_diff else None
            at = line.place.line if line is not None and line.place.sign != "-" else 0
            self._review.external.edit(self._listing.marked.file.path, at or None)

    def action_close(self) -> None:
        """Go back to one line, to the files, and from there to the conversation."""
        if self._diff.is_range:
            self._diff.mark_one()
            self._offer_keys()
        elif self._in_diff:
            self._leave_diff()
        else:
            self.dismiss()
