"""The files that the agent changed: their diffs, gone through by change, undone, staged, commented."""

from pathlib import Path
from typing import TYPE_CHECKING

from anyio import to_thread
from textual.app import ComposeResult
from textual.content import Content

from acp_tui.protocol.content import Diff
from acp_tui.review.comments import Comment
from acp_tui.review.hunks import Hunk
from acp_tui.session.changed_files import ChangedFile, changed_files
from acp_tui.session.state import FileWrite, Session
from acp_tui.text import clean_line
from acp_tui.ui import bindings
from acp_tui.ui.dialogs.listing import Listing
from acp_tui.ui.frame import EDGES, Frame
from acp_tui.ui.lines.paths import shown_path
from acp_tui.ui.review.diff_pane import DiffPane, MarkedLine
from acp_tui.ui.review.file_rows import row
from acp_tui.ui.review.patches import patch_against_head, patch_in_session
from acp_tui.ui.review.scopes import Reviewed, of_head, of_session, read_diff, turns_of
from acp_tui.ui.sessions.tabs import Tab
from acp_tui.ui.textual_fixes.screens import OverlayScreen

if TYPE_CHECKING:
    from acp_tui.checkpoints.against_head import Head
    from acp_tui.ui.controllers.review import ReviewController

MOST = 500
"""How many files are listed, those changed last."""


class ReviewScreen(OverlayScreen[None]):
    """A list above, the diff of what is marked below; keys go to one of them."""

    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.FILES  # type: ignore[assignment]

    def __init__(self, tab: Tab, session_id: str, review: "ReviewController") -> None:
        super().__init__()
        self.tab = tab
        self.session_id = session_id
        self._review = review
        self._files: list[Reviewed] = []
        self._more = 0
        self._turn: int | None = None
        """Which turn is shown, from 0; None: all of them."""
        self._head: Head | None = None
        """The last commit, where that is what is compared with."""
        self._written = 0
        """How many writes there were when the last commit was compared with."""
        self._shown: ChangedFile | None = None
        self._read: ChangedFile | None = None
        """That file with its texts."""
        self._in_diff = False
        self._frame = Frame()
        self._listing = Listing()
        self._diff = DiffPane(review.external.split_diffs)

    def compose(self) -> ComposeResult:
        with self._frame:
            yield self._listing
            yield self._diff

    @property
    def _session(self) -> Session:
        """The session as it is now: a load puts another in its place."""
        return self.tab.agent.state.session(self.session_id)

    @property
    def _marked(self) -> Reviewed | None:
        at = self._listing.cursor
        return self._files[at] if at < len(self._files) else None

    def on_mount(self) -> None:
        self.show()

    def on_resize(self) -> None:
        """Fit the rows."""
        self._list()

    # What is shown

    def show(self) -> None:
        """Show the files as they are now; the mark stays on its file."""
        if self._head is not None:
            if self._written != len(self._session.writes):
                self._read_head(self._head)
            return
        turns = turns_of(self._session)
        turn = turns[self._turn] if self._turn is not None and self._turn < len(turns) else None
        self._take(of_session(self._session, turn))

    def _take(self, found: list[Reviewed]) -> None:
        marked = self._marked
        self._files, self._more = found[:MOST], max(0, len(found) - MOST)
        path = marked.file.path if marked is not None else None
        same = (at for at, one in enumerate(self._files) if one.file.path == path)
        self._listing.cursor = next(same, 0)
        self._list()
        self._show_diff()

    def _read_head(self, head: "Head") -> None:
        self._written = len(self._session.writes)
        self.run_worker(self._show_head(head), group="head", exclusive=True)

    async def _show_head(self, head: "Head") -> None:
        from acp_tui.checkpoints.git import GitError

        try:
            found = await to_thread.run_sync(of_head, head, abandon_on_cancel=True)
        except GitError as error:
            self.tell(str(error))
        else:
            if head is self._head:
                self._shown = None
                self._take(found)

    def _list(self) -> None:
        if not self._listing.is_mounted:
            return
        width = self._listing.size.width or self.size.width - 4
        rows = [row(one, self._session.cwd, width) for one in self._files]
        nothing = Content.styled(self._nothing(), "$text-muted")
        headings = frozenset[int]() if rows else frozenset({0})
        self._listing.show(rows or [nothing], self._listing.cursor, headings)
        self._frame.entitle(self._heading())
        self._offer_keys()

    def _nothing(self) -> str:
        if self._head is not None:
            return "nothing differs from the last commit"
        if self._turn is not None:
            return "the agent changed no file in this turn"
        return "the agent has changed no file so far"

    def _heading(self) -> Content:
        count = sum(not one.file.undone for one in self._files)
        more = f", and {self._more} more" if self._more else ""
        where = f"  {count} in {clean_line(self._session.cwd)}{more}"
        name, scope = "Changed files", ""
        turns = turns_of(self._session)
        if self._head is not None:
            scope = "  against the last commit"
        elif self._turn is not None and self._turn < len(turns):
            scope = f"  turn {self._turn + 1} of {len(turns)}: {turns[self._turn].words}"
        told = len(self._review.comments(self.tab, self.session_id))
        comments = f"  {told} comment{'s' * (told != 1)}" if told else ""
        return Content.assemble(
            (name, "bold"), (scope, "$accent"), (comments, "$warning"), (where, "$text-muted")
        ).truncate(max(1, self.size.width - EDGES), ellipsis=True)

    def _offer_keys(self) -> None:
        """Offer what can be done with what is marked."""
        marked = self._marked
        keys: list[tuple[str, str]] = []
        if marked is not None and self._in_diff:
            keys = [("u", "undo change")]
            if self._head is not None:
                keys.append(("s", "stage"))
            keys += [("c", "comment"), ("y", "patch"), ("n", "next"), ("tab", "files")]
        elif marked is not None:
            keys = [("u", "undo")] if self._last_write(marked.file) is not None else []
            keys += [("enter", "editor"), ("tab", "changes")]
        if not self._in_diff:
            keys += [("left_square_bracket", "turns"), ("h", "git")]
        if self._review.comments(self.tab, self.session_id):
            keys.append(("w", "comments to prompt"))
        self._frame.offer([*keys, ("escape", "back")], "changed-files")

    def tell(self, words: str) -> None:
        """Say in place of the keys what was done, or why not, until another key is pressed."""
        self._frame.tell(clean_line(words))

    def _show_diff(self) -> None:
        """Show the marked file's changes, unless they stand there already."""
        marked = self._marked
        file = marked.file if marked is not None else None
        if (file is not None and file == self._shown) or not self._listing.is_mounted:
            return
        self._shown = file
        self._offer_keys()
        if marked is not None and self._head is not None:
            self.run_worker(self._read_diff(self._head, marked), group="diff", exclusive=True)
        else:
            self._show_file(file)

    async def _read_diff(self, head: "Head", marked: Reviewed) -> None:
        from acp_tui.checkpoints.git import GitError

        try:
            file = await to_thread.run_sync(read_diff, head, marked, abandon_on_cancel=True)
        except GitError as error:
            self.tell(str(error))
        else:
            if marked is self._marked:
                self._show_file(file)

    def _show_file(self, file: ChangedFile | None) -> None:
        """Show a file's diff; who was in the diff stays there, near the line that was marked."""
        mark = self._diff.mark or 0
        self._read = file
        self._diff.show_file(file, self._session.cwd, self._comments_on(file))
        if self._in_diff:
            self.call_after_refresh(self._diff.mark_near, mark)

    def _comments_on(self, file: ChangedFile | None) -> list[Comment]:
        if file is None:
            return []
        kept = self._review.comments(self.tab, self.session_id)
        path = shown_path(file.path, self._session.cwd)
        return [one for one in kept if one.path == path]

    def show_comments(self) -> None:
        """Show what was said about lines by now."""
        self._list()
        if self._read is not None:
            self._diff.show_comments(self._read, self._comments_on(self._read))

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
        elif self._marked is not None:
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
        elif self._listing.cursor + step in range(len(self._files)):
            self._leave_diff()
            self._listing.move(step)
            self._show_diff()
        self._offer_keys()

    def action_go_to_turn(self, step: int) -> None:
        """Show what another turn changed; after the last one all of them."""
        count = len(turns_of(self._session))
        at = (self._turn if self._turn is not None else count) + step
        self._turn = max(0, at) if at < count else None
        self._head = None
        self._show_anew()

    async def action_against_head(self) -> None:
        """Show what differs from the last commit, or again what the agent changed."""
        from acp_tui.checkpoints.against_head import Head
        from acp_tui.checkpoints.git import GitError

        folder = self.tab.agent.state.folder_here(self._session)
        if self._head is not None or folder is None:
            if folder is None:
                self.tell("the agent's files aren't here")
            self._head = None
        else:
            try:
                self._head = await to_thread.run_sync(Head, folder, abandon_on_cancel=True)
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
        if self._in_diff:
            line = self._marked_change()
            if line is not None and line.hunk is not None and self._marked is not None:
                self._review.take_back(self, self._marked.file.path, line.diff, line.hunk)
            return
        kept = self._last_write(self._marked.file) if self._marked is not None else None
        if kept is None:
            self.app.bell()
        else:
            self._review.undo(self.tab.agent, self.session_id, kept)

    def _last_write(self, file: ChangedFile) -> FileWrite | None:
        """Return the last write of a file in this session, if it can be undone."""
        every = changed_files(self._session)
        return next((one.kept for one in every if one.path == file.path), None)

    def action_stage(self) -> None:
        """Stage the marked change, or take it out of the index."""
        marked, head = self._marked, self._head
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

    def action_comment(self) -> None:
        """Comment on the marked line."""
        line, marked = self._diff.marked, self._marked
        if line is None or marked is None:
            self.tell("no line is marked; Tab goes to the diff")
            return
        path = shown_path(marked.file.path, self._session.cwd)
        place = line.place
        self._review.comment(self, Comment(path, place.line, place.sign, place.text, ""))

    def action_write_comments(self) -> None:
        """Write all comments into the prompt."""
        self._review.write_comments(self)

    def action_copy(self) -> None:
        """Copy the marked change as a patch."""
        line, marked = self._marked_change(), self._marked
        if line is not None and line.hunk is not None and marked is not None:
            self._review.copy(self, self._patch(line.diff, [line.hunk], marked), "the change")

    def action_copy_all(self) -> None:
        """Copy all that is listed as a patch."""
        if self._files:
            self._review.copy_all(self, self._files, self._head)
        else:
            self.app.bell()

    def _patch(self, diff: Diff, hunks: list[Hunk], marked: Reviewed) -> str:
        """Make a patch of changes in the file that is marked."""
        if self._head is not None:
            return patch_against_head(marked, diff, hunks)
        return patch_in_session(marked.file, diff, hunks, self._session.cwd)

    def action_open(self) -> None:
        """Ask for the marked file to be opened, at the marked line."""
        if self._marked is not None:
            line = self._diff.marked if self._in_diff else None
            at = line.place.line if line is not None and line.place.sign != "-" else 0
            self._review.external.edit(self._marked.file.path, at or None)

    def action_close(self) -> None:
        """Go back to the files, and from there to the conversation."""
        if self._in_diff:
            self._leave_diff()
        else:
            self.dismiss()
