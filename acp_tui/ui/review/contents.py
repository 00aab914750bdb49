"""What the review shows: the files of a scope, and the diff of the marked one with its comments."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from anyio import to_thread

from acp_tui.edits.comments import Comment
from acp_tui.state.changed_files import ChangedFile
from acp_tui.ui.lines.paths import shown_path
from acp_tui.ui.review.disk_reader import DiskReader
from acp_tui.ui.review.file_parts import texts_of
from acp_tui.ui.review.scopes import (
    Reviewed,
    ReviewScope,
    list_order,
    of_head,
    of_session,
    read_diff,
)

if TYPE_CHECKING:
    from acp_tui.rewind.against_head import HeadCommit
    from acp_tui.ui.checkpoints import CheckpointsFeature
    from acp_tui.ui.review.on_disk import DiskFiles
    from acp_tui.ui.review.panes import Panes
    from acp_tui.ui.review.screen import ReviewScreen


NOT_READ = "no files are kept here to compare with"


class Contents:
    """Reads it off the event loop where git is asked, and puts it into the panes of a screen."""

    def __init__(
        self, screen: "ReviewScreen", panes: "Panes", checkpoints: "CheckpointsFeature"
    ) -> None:
        self.scope = ReviewScope()
        self._disk = DiskReader(screen, self.scope, checkpoints, self._show_disk)
        self._screen = screen
        self._panes = panes
        self._written = 0
        """How many writes there were when the last commit was compared with."""
        self._shown: ChangedFile | None = None
        self._read: ChangedFile | None = None
        """That file with its texts."""
        self._is_reading = False
        """Whether git is still asked for them: what stands there is another file's."""
        self._wanted: Comment | None = None
        """The comment whose lines are to be marked when their diff is there."""

    def show(self) -> None:
        """Show the files as they are now; the mark stays on its file."""
        head = self.scope.head
        if head is None:
            if self._disk.can_read:
                self._disk.read_soon()
            else:
                self.scope.why_reported = NOT_READ
            if self.scope.why_reported:
                self._show_reported()
        elif self._written != (written := sum(len(one.writes) for one in self._screen.sessions)):
            self._written = written
            self._screen.run_worker(self._show_head(head), group="head", exclusive=True)

    def show_anew(self) -> None:
        """Show the files of another scope."""
        self._shown, self._written = None, -1
        if self.scope.head is None and self._disk.can_read:
            self._show_file(None)  # what is there is of another scope, perhaps of the same file
            self._disk.read_soon(now=True)
        else:
            self.show()

    def _show_reported(self) -> None:
        session, *subagents = self._screen.sessions
        self._take(of_session(session, self.scope.turn(session), subagents))

    def _show_disk(self, found: "DiskFiles | None") -> None:
        """Show what changed on disk; where that isn't known, what was reported."""
        if self.scope.head is not None:
            return
        if found is None:
            self._show_reported()
        else:
            self._take(found.files)

    @property
    def reader(self) -> Callable[[Reviewed], ChangedFile] | None:
        """What reads the texts of a file, off the event loop; None if they are there already."""
        if self.scope.head is not None:
            return partial(read_diff, self.scope.head)
        if self.scope.why_reported or self._disk.changes is None:
            return None
        return self._disk.changes.read_file

    def _take(self, found: list[Reviewed]) -> None:
        for one in found:
            self._follow(one.file)
        self._panes.listing.take(sorted(found, key=list_order), self._screen.session.cwd)
        self._screen.arrange_panes()
        self.show_diff()

    async def _show_head(self, head: "HeadCommit") -> None:
        from acp_tui.git.errors import GitError

        try:
            found = await to_thread.run_sync(of_head, head, abandon_on_cancel=True)
        except GitError as error:
            self._screen.tell(str(error))
        else:
            if head is self.scope.head:
                self._shown = None
                self._take(found)

    def show_diff(self) -> None:
        """Show the marked file's changes, unless they stand there already."""
        marked = self._panes.listing.marked
        file = marked.file if marked is not None else None
        if (file is not None and file == self._shown) or not self._panes.listing.is_mounted:
            return
        self._shown = file
        reader = self.reader
        self._is_reading = marked is not None and reader is not None
        if marked is not None and reader is not None:
            reading = self._read_diff(reader, marked)
            self._screen.run_worker(reading, group="diff", exclusive=True)
        else:
            self._show_file(file)

    def is_ready(self) -> bool:
        """Show the marked file's changes, if they don't stand there; return whether they do by now."""
        self.show_diff()
        return not self._is_reading

    async def _read_diff(self, reader: Callable[[Reviewed], ChangedFile], marked: Reviewed) -> None:
        from acp_tui.git.errors import CheckpointError

        try:
            file = await to_thread.run_sync(reader, marked, abandon_on_cancel=True)
        except CheckpointError as error:
            self._show_file(None)
            self._screen.tell(str(error))
        else:
            if marked is self._panes.listing.marked:
                self._show_file(file)

    def _show_file(self, file: ChangedFile | None) -> None:
        """Show a file's diff; who was in the diff stays there, near the line that was marked, or at the
        first change of another file.
        """
        diff = self._panes.diff
        is_same = file is not None and self._read is not None and file.path == self._read.path
        mark = (diff.mark or 0) if is_same else 0
        self._read, self._is_reading = file, False
        if file is not None:
            self._follow(file)
        diff.show_file(file, self._screen.session.cwd, self._comments_on(file))
        self._screen.fit_panes()
        if self._wanted is not None:
            self._screen.call_after_refresh(self._go_to_wanted)
        elif self._panes.in_diff:
            self._screen.call_after_refresh(diff.mark_near, mark)

    def show_comments(self) -> None:
        """Show what was said about lines by now."""
        if self._read is not None:
            self._follow(self._read)
            self._panes.diff.show_comments(self._read, self._comments_on(self._read))

    def go_to(self, comment: Comment) -> bool:
        """Go to the lines of a comment; false if its file isn't listed."""
        cwd, listing = self._screen.session.cwd, self._panes.listing
        paths = [shown_path(one.file.path, cwd) for one in listing.files]
        if comment.path not in paths:
            return False
        self._wanted, self._shown = comment, None
        listing.move_to(paths.index(comment.path))
        self.show_diff()
        return True

    def _go_to_wanted(self) -> None:
        """Mark the lines that are to be shown, as soon as their diff is."""
        if self._wanted is None or self._read is None:
            return
        lines, self._wanted = self._wanted.lines, None
        if self._panes.diff.mark_lines(lines):
            self._screen.go_to_diff()
        else:
            self._screen.tell("what the comment is about isn't shown here anymore")

    def _follow(self, file: ChangedFile) -> None:
        """Let comments go with their lines, but not back into what a turn of before had made of them."""
        session, comments = self._screen.session, self._screen.comments
        path = shown_path(file.path, session.cwd)
        is_now = self.scope.head is not None or self.scope.turn(session) is None
        texts = texts_of(file) if is_now and comments.on(path) else None
        if texts is not None:
            comments.follow(path, texts)

    def _comments_on(self, file: ChangedFile | None) -> list[Comment]:
        cwd = self._screen.session.cwd
        return self._screen.comments.on(shown_path(file.path, cwd)) if file else []
