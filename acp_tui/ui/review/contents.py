"""The contents of the review: the files of a scope, read from disk repeatedly while they may
change, and the diff of the marked file with its comments.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from anyio import to_thread
from textual.timer import Timer

from acp_tui.edits.comments import Comment
from acp_tui.git.objects import CheckpointError, GitError
from acp_tui.rewind.against_head import HeadCommit
from acp_tui.rewind.checkpoint import CheckpointKind
from acp_tui.rewind.store import Checkpoints
from acp_tui.state.changed_files import ChangedFile, changed_files
from acp_tui.state.file_claims import claims_in
from acp_tui.state.session import Session
from acp_tui.state.subagents import descendants_of
from acp_tui.text import clean_line
from acp_tui.ui.checkpoints import CheckpointsFeature, find_prompt
from acp_tui.ui.lines.visible import shown_path
from acp_tui.ui.review.file_parts import texts_of
from acp_tui.ui.review.on_disk import (
    DiskChanges,
    DiskFiles,
    SessionCheckpoints,
    TurnClaims,
    read_session,
    spans_of,
)
from acp_tui.ui.review.scopes import (
    Reviewed,
    ReviewScope,
    list_order,
    list_turns,
    of_head,
    of_session,
    read_diff,
)

if TYPE_CHECKING:
    from acp_tui.ui.review.panes import Panes
    from acp_tui.ui.review.port import ReviewPort

PAUSE = 0.5
"""Least seconds between readings: an agent reports changes many times a second."""
RUNNING = 2.0
"""Seconds between readings while a turn runs: programs change files without any report."""
SHARE = 4
"""How many times as long as a reading the pause after it is, at least: a large folder takes seconds."""
NOT_STORED = "the files before its turns were not saved"


class DiskReader:
    """Reads the changed files from disk, and passes them to `show`; None if only reported changes
    are known, with the reason in the scope.
    """

    def __init__(
        self,
        screen: "ReviewPort",
        scope: ReviewScope,
        checkpoints: CheckpointsFeature,
        show: Callable[[DiskFiles | None], None],
    ) -> None:
        self._screen = screen
        self._scope = scope
        self._checkpoints = checkpoints
        self._show = show
        self.changes: DiskChanges | None = None
        """Reads the texts of the listed files."""
        self._store: Checkpoints | None = None
        self._timer: Timer | None = None
        self._is_reading = False
        self._is_pending = False
        self._pause = 0.0

    @property
    def can_read(self) -> bool:
        """Whether there may be checkpoints of the session's folder."""
        screen = self._screen
        return self._checkpoints.folder_of(screen.tab, screen.session) is not None

    def read_soon(self, *, now: bool = False) -> None:
        """Read after the pause, or `now` if the scope has changed."""
        self._is_pending = True
        if now and self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._is_reading or self._timer is not None:
            return
        if now or not self._pause:
            self._begin_reading()
        else:
            self._timer = self._screen.set_timer(self._pause, self._begin_reading)

    def _begin_reading(self) -> None:
        self._timer, self._is_reading, self._is_pending = None, True, False
        self._screen.run_worker(self._read(), group="disk")

    async def _read(self) -> None:
        began = monotonic()
        try:
            found = await self._find_on_disk()
        except CheckpointError as error:
            found, self._scope.why_reported = None, clean_line(str(error))
        took = monotonic() - began
        self._pause = max(PAUSE, SHARE * took)
        self._is_reading = False
        self._scope.touched = found.turns if found is not None else None
        self._scope.is_checkpoint_late = found is not None and found.late
        if found is not None:
            self._scope.why_reported = ""
        self._show(found)
        if self._is_pending:
            self.read_soon()
        elif self._screen.session.turn is not None:
            self._timer = self._screen.set_timer(max(RUNNING, self._pause), self._begin_reading)

    async def _find_on_disk(self) -> DiskFiles | None:
        """Read what changed in the scope; None if there are no checkpoints, with the reason in the
        scope. Raises CheckpointError.
        """
        screen = self._screen
        if self._store is None:
            saved = await self._checkpoints.find_store(screen.tab, screen.session)
            self._store, self._scope.why_reported = saved.store, saved.why
        if self._store is None:
            return None
        if self.changes is None:
            self.changes = await to_thread.run_sync(DiskChanges, self._store, screen.session.cwd)
        owner = self._checkpoints.owner_of(screen.tab, screen.session)
        own = await to_thread.run_sync(read_session, self._store, owner, abandon_on_cancel=True)
        self._scope.left_out = tuple(name for name, _ in own.left_out.names)
        session, number = screen.session, self._scope.number
        subagents = list(descendants_of(screen.tab.agent.state, session.session_id))
        claims = _claims_at(session, own, subagents)
        spans = spans_of(_since_begin(session, own, claims), claims)
        turn = self._scope.turn(session)
        begin, end = (-math.inf, math.inf) if turn is None else (turn.begin, turn.end)
        changed = changed_files(session, begin, end, subagents)
        reported = {one.path: one for one in changed}
        found = await to_thread.run_sync(
            self.changes.read, spans, number, reported, abandon_on_cancel=True
        )
        if found is None:
            self._scope.why_reported = NOT_STORED
        return found


def _since_begin(
    session: Session, saved: SessionCheckpoints, turns: Mapping[str, TurnClaims]
) -> SessionCheckpoints:
    """Drop checkpoints from before a new session: an agent may reuse session ids after a restart."""
    if session.opening.method:
        return saved
    count = len(saved.checkpoints)
    first = next((at for at in range(count) if saved.checkpoints[at].ref in turns), count)
    return saved._replace(checkpoints=saved.checkpoints[first:])


def _claims_at(
    session: Session, saved: SessionCheckpoints, subagents: Sequence[Session]
) -> dict[str, TurnClaims]:
    """Return the turns that began at checkpoints, by ref, with their claims about files."""
    turns = list_turns(session)
    numbers = {one.entries.start: number for number, one in enumerate(turns)}
    found = {}
    end = len(session.entries)
    for one in reversed(saved.checkpoints):
        at = (
            find_prompt(session, one.reason, end)
            if one.reason.kind is CheckpointKind.TURN
            else None
        )
        if at is not None:
            end, turn = at, turns[numbers[at]]
            entries = session.entries[turn.entries.start : turn.entries.stop]
            claims = claims_in(session, entries, turn.begin, turn.end, subagents)
            found[one.ref] = TurnClaims(numbers[at], claims)
    return found


NOT_READ = "no files are kept here to compare with"


class Contents:
    """Reads files and diffs outside the event loop where git is needed, and shows them in the
    screen's panes.
    """

    def __init__(
        self, screen: "ReviewPort", panes: "Panes", checkpoints: CheckpointsFeature
    ) -> None:
        self.scope = ReviewScope()
        self._disk = DiskReader(screen, self.scope, checkpoints, self._show_disk)
        self._screen = screen
        self._panes = panes
        self._written = 0
        """The number of writes at the last comparison with HEAD."""
        self._shown: ChangedFile | None = None
        self._read: ChangedFile | None = None
        """The shown file, with its texts."""
        self._is_reading = False
        """Whether git is still reading the texts; until then the diff pane shows another file."""
        self._target: Comment | None = None
        """The comment whose lines are marked once their diff is shown."""

    def show(self) -> None:
        """Update the list of files; the mark stays on its file."""
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

    def show_scope(self) -> None:
        """Update the list of files after a change of scope."""
        self._shown, self._written = None, -1
        if self.scope.head is None and self._disk.can_read:
            self._show_file(None)  # of the old scope, even if of the same file
            self._disk.read_soon(now=True)
        else:
            self.show()

    def _show_reported(self) -> None:
        session, *subagents = self._screen.sessions
        self._show_files(of_session(session, self.scope.turn(session), subagents))

    def _show_disk(self, found: DiskFiles | None) -> None:
        """Show the changes on disk or, if they aren't known, those that were reported."""
        if self.scope.head is not None:
            return
        if found is None:
            self._show_reported()
        else:
            self._show_files(found.files)

    @property
    def reader(self) -> Callable[[Reviewed], ChangedFile] | None:
        """Reads the texts of a file, outside the event loop; None if they are there already."""
        if self.scope.head is not None:
            return partial(read_diff, self.scope.head)
        if self.scope.why_reported or self._disk.changes is None:
            return None
        return self._disk.changes.read_file

    def _show_files(self, found: list[Reviewed]) -> None:
        for one in found:
            self._follow_lines(one.file)
        self._panes.listing.update_files(sorted(found, key=list_order), self._screen.session.cwd)
        self._screen.arrange_panes()
        self.show_diff()

    async def _show_head(self, head: HeadCommit) -> None:
        try:
            found = await to_thread.run_sync(of_head, head, abandon_on_cancel=True)
        except GitError as error:
            self._screen.show_message(str(error))
        else:
            if head is self.scope.head:
                self._shown = None
                self._show_files(found)

    def show_diff(self) -> None:
        """Show the marked file's changes, unless they are shown already."""
        marked = self._panes.listing.marked
        file = marked.file if marked is not None else None
        if (file is not None and file == self._shown) or not self._panes.is_shown:
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
        """Show the marked file's changes; return False while they are being read."""
        self.show_diff()
        return not self._is_reading

    async def _read_diff(self, reader: Callable[[Reviewed], ChangedFile], marked: Reviewed) -> None:
        try:
            file = await to_thread.run_sync(reader, marked, abandon_on_cancel=True)
        except CheckpointError as error:
            self._show_file(None)
            self._screen.show_message(str(error))
        else:
            if marked is self._panes.listing.marked:
                self._show_file(file)

    def _show_file(self, file: ChangedFile | None) -> None:
        """Show a file's diff. If the diff has the focus, mark the line nearest to the one before,
        or the first change of another file.
        """
        diff = self._panes.diff
        is_same = file is not None and self._read is not None and file.path == self._read.path
        mark = (diff.mark or 0) if is_same else 0
        self._read, self._is_reading = file, False
        if file is not None:
            self._follow_lines(file)
        diff.show_file(file, self._screen.session.cwd, self._comments_on(file))
        self._screen.fit_panes()
        if self._target is not None:
            self._screen.call_after_refresh(self._go_to_target)
        elif self._panes.in_diff:
            self._screen.call_after_refresh(diff.mark_near, mark)

    def show_comments(self) -> None:
        """Update the comments in the diff."""
        if self._read is not None:
            self._follow_lines(self._read)
            self._panes.diff.show_comments(self._read, self._comments_on(self._read))

    def go_to(self, comment: Comment) -> bool:
        """Go to the lines of a comment; return False if its file isn't listed."""
        cwd, listing = self._screen.session.cwd, self._panes.listing
        paths = [shown_path(one.file.path, cwd) for one in listing.files]
        if comment.path not in paths:
            return False
        self._target, self._shown = comment, None
        listing.move_to(paths.index(comment.path))
        self.show_diff()
        return True

    def _go_to_target(self) -> None:
        """Mark the lines of the wanted comment, whose diff is shown now."""
        if self._target is None or self._read is None:
            return
        lines, self._target = self._target.lines, None
        if self._panes.diff.mark_lines(lines):
            self._screen.go_to_diff()
        else:
            self._screen.show_message("what the comment is about isn't shown here anymore")

    def _follow_lines(self, file: ChangedFile) -> None:
        """Move comments along with their lines, unless the diff is of an earlier turn, whose text
        is outdated.
        """
        session, comments = self._screen.session, self._screen.comments
        path = shown_path(file.path, session.cwd)
        is_now = self.scope.head is not None or self.scope.turn(session) is None
        texts = texts_of(file) if is_now and comments.on(path) else None
        if texts is not None:
            comments.follow(path, texts)

    def _comments_on(self, file: ChangedFile | None) -> list[Comment]:
        cwd = self._screen.session.cwd
        return self._screen.comments.on(shown_path(file.path, cwd)) if file else []
