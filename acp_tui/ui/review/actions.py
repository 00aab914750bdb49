"""What is done with what is marked in the review: undone, staged, commented, copied, opened."""

from typing import TYPE_CHECKING

from acp_tui.edits.comments import Comment
from acp_tui.edits.hunks import LineHunk
from acp_tui.protocol.content import Diff
from acp_tui.state.changed_files import ChangedFile, changed_files
from acp_tui.state.state import FileWrite
from acp_tui.ui.keys import key_name
from acp_tui.ui.lines.paths import shown_path
from acp_tui.ui.review.commented_diff import FoundLine
from acp_tui.ui.review.file_parts import letter_of
from acp_tui.ui.review.offered_keys import PLACE
from acp_tui.ui.review.patches import patch_against_head, patch_in_session
from acp_tui.ui.review.scopes import Reviewed

if TYPE_CHECKING:
    from acp_tui.ui.review.feature import ReviewFeature
    from acp_tui.ui.review.screen import ReviewScreen


class Deeds:
    """Runs an action on what is marked, or says why it doesn't apply; the feature asks before it writes."""

    def __init__(self, screen: "ReviewScreen", review: "ReviewFeature") -> None:
        self._screen = screen
        self._review = review

    def undo(self) -> None:
        """Ask for the last write of the marked file to be undone; in the diff for the marked change."""
        screen, marked = self._screen, self._screen.marked
        kept = self.last_write(marked.file) if marked is not None else None
        if not screen.in_diff or marked is None:
            if kept is None:
                screen.app.bell()
            else:
                self._undo(kept)
            return
        line = self._marked_change()
        if line is None or line.hunk is None:
            return
        if kept is not None and kept.created and line.diff.old_text is None:
            # all that it changed is new
            self._undo(kept)
        else:
            self._review.take_back(screen, marked.file.path, line.diff, line.hunk)

    def _undo(self, write: FileWrite) -> None:
        """Ask for a write to be undone, in the session whose agent wrote it."""
        sessions = self._screen.sessions
        writer = next(one for one in sessions if any(write is own for own in one.writes))
        self._review.undo(self._screen.tab.agent, writer.session_id, write)

    def last_write(self, file: ChangedFile) -> FileWrite | None:
        """Return the last write of a file in this session or by its subagents, if it can be undone."""
        session, *subagents = self._screen.sessions
        every = changed_files(session, subagents=subagents)
        return next((one.kept for one in every if one.path == file.path), None)

    def stage(self) -> None:
        """Stage the marked change, or take it out of the index; in the list the marked file. What is new
        or deleted is one change, whatever the index has of it.
        """
        from acp_tui.rewind.against_head import Version

        screen, marked, head = self._screen, self._screen.marked, self._screen.scope.head
        if head is None:
            key = key_name("h", PLACE)
            screen.tell(f"{key} shows what differs from the last commit: there it can be staged")
            return
        if not screen.in_diff and marked is not None:
            self._review.stage_file(screen, head, marked.relative, None)
            return
        line = self._marked_change()
        if line is None or line.hunk is None or marked is None:
            return
        letter = letter_of(marked)
        if letter in "AD":
            shown = Version(line.diff.new_text if letter == "A" else None)
            self._review.stage_file(screen, head, marked.relative, shown)
        else:
            self._review.stage(screen, head, self._patch(line.diff, [line.hunk], marked))

    def comment(self) -> None:
        """Comment on the marked lines."""
        screen, marked = self._screen, self._screen.marked
        lines = screen.diff.marked_lines
        if not lines or marked is None:
            screen.tell("no line is marked; Tab goes to the diff")
            return
        about = Comment(shown_path(marked.file.path, screen.session.cwd), lines)
        self._review.comments.ask(screen.comments, about, screen.show_comments)

    def copy(self) -> None:
        """Copy the marked change as a patch."""
        line, marked = self._marked_change(), self._screen.marked
        if line is not None and line.hunk is not None and marked is not None:
            made = self._patch(line.diff, [line.hunk], marked)
            self._review.patches.copy(self._screen, made, "the change")

    def open_file(self) -> None:
        """Ask for the marked file to be opened, at the marked line."""
        screen, marked = self._screen, self._screen.marked
        if marked is not None:
            line = screen.diff.marked if screen.in_diff else None
            at = line.place.line if line is not None and line.place.sign != "-" else 0
            self._review.external.edit(marked.file.path, at or None)

    def _marked_change(self) -> FoundLine | None:
        line = self._screen.diff.marked
        if line is None or line.hunk is None:
            next_change = key_name("n", PLACE)
            self._screen.tell(f"no change is marked; {next_change} goes to the next one")
            return None
        return line

    def _patch(self, diff: Diff, hunks: list[LineHunk], marked: Reviewed) -> str:
        """Make a patch of changes in the file that is marked."""
        if self._screen.scope.head is not None:
            return patch_against_head(marked, diff, hunks)
        return patch_in_session(marked.file, diff, hunks, self._screen.session.cwd)
