"""Changes that the user undoes, takes back or stages: always after a yes, and only if the files are
still as shown.
"""

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import to_thread
from textual.app import ComposeResult
from textual.widgets import Static

from acp_tui.edits.hunks import LineHunk, NotThereError, revert_hunk_in, split_lines
from acp_tui.edits.line_diff import describe_line_end_changes
from acp_tui.formatting import counted
from acp_tui.host.agent import Agent
from acp_tui.protocol.content import Diff
from acp_tui.state.commands import TakeBack, UndoWrite
from acp_tui.state.session import FileWrite
from acp_tui.text import clean_text, judged_text
from acp_tui.ui.ask import confirm
from acp_tui.ui.diff.diff_lines import DiffLines
from acp_tui.ui.diff.header import count_changes
from acp_tui.ui.keys import key_name
from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.lines.text_lines import wrapped_rows
from acp_tui.ui.lines.visible import shown_path, visible_line
from acp_tui.ui.review import bindings
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.toolkit.boxes import QUESTION_WIDTH
from acp_tui.ui.toolkit.choice_rows import AnswerChoice
from acp_tui.ui.toolkit.choices import KeyedChoices
from acp_tui.ui.toolkit.dialogs.question_dialogs import NO, AnswersDialog
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.rewind.against_head import HeadCommit, Version
    from acp_tui.ui.folders import FoldersFeature
    from acp_tui.ui.review.port import ReviewPort

SHOWN_LINES = 40
"""Most lines of a change that the question shows."""
AROUND = 4
"""Cells beside the diff; also the rows for the edges, the gap below the diff, and the last note."""


class ReviewChanges:
    """Asks before it changes a file or git's index, and reports the result on the review's screen."""

    def __init__(self, window: Window, folders: "FoldersFeature") -> None:
        self._window = window
        self._folders = folders

    def undo(self, agent: Agent, session_id: str, write: FileWrite) -> None:
        """Undo a write, after a yes."""

        def decided(agreed: bool | None) -> None:
            if agreed:
                agent.do(UndoWrite(session_id, write.number))

        cwd = agent.state.session(session_id).cwd
        self._window.push(UndoDialog(write, cwd, self._window.clock), decided)

    def revert_change(self, screen: "ReviewPort", path: str, diff: Diff, hunk: LineHunk) -> None:
        """Take one change back, if the file on disk still is as shown."""
        session = screen.tab.agent.state.session(screen.session_id)
        if screen.tab.agent.state.folder_here(session) is None:
            screen.show_message("the agent's files aren't here")
        else:
            self._window.spawn(self._ask_to_revert(screen, path, session.cwd, diff, hunk))

    async def _ask_to_revert(
        self, screen: "ReviewPort", path: str, cwd: str, diff: Diff, hunk: LineHunk
    ) -> None:
        """Resolve the file's path before asking, so that a link created later can't lead elsewhere."""
        try:
            find = partial(_find_places, path, cwd)
            place, folder = await to_thread.run_sync(find, abandon_on_cancel=True)
        except (OSError, ValueError) as error:
            screen.show_message(f"nothing was done: {error}")
            return
        if not screen.is_active:
            return  # the review was closed while the paths were being resolved
        lines = [
            f"-{one}" for one in split_lines(diff.old_text or "")[hunk.old_start : hunk.old_end]
        ]
        lines += [f"+{one}" for one in split_lines(diff.new_text)[hunk.new_start : hunk.new_end]]
        named, real = shown_path(path, cwd), shown_path(str(place), folder)
        facts = [named if named == real else f"{named}, which is {real}", ""]
        facts += [visible_line(one.rstrip("\n")) for one in lines[:SHOWN_LINES]]
        if len(lines) > SHOWN_LINES:
            facts.append(f"… {counted(len(lines) - SHOWN_LINES, 'more line')}")
        if not place.is_relative_to(folder):
            facts += ["", "It is outside the session's folder."]
        facts += ["", "Nothing is done if it has changed since."]

        def agreed() -> None:
            self._window.spawn(self._revert_change(screen, place, diff, hunk))

        confirm(self._window, "Take this change back?", facts, "Take it back", agreed)

    async def _revert_change(
        self, screen: "ReviewPort", place: Path, diff: Diff, hunk: LineHunk
    ) -> None:
        now = await to_thread.run_sync(_read_version, place, abandon_on_cancel=True)
        whole = hunk.new_start == 0 and diff.old_text is None
        if now.trouble:
            screen.show_message(f"nothing was done: {now.trouble}")
        elif whole and now.text is not None:
            screen.show_message("it is new: taking all of it back would delete it")
        else:
            try:
                text = revert_hunk_in(now.text or "", diff.old_text or "", diff.new_text, hunk)
            except NotThereError as error:
                screen.show_message(f"nothing was done: {error}")
            else:
                screen.tab.agent.do(TakeBack(screen.session_id, str(place), now.text, text))
                screen.show_message(
                    f"taken back; in the list of files {key_name('u', 'changed-files')} restores it"
                )

    # Git's index

    async def find_head(self, tab: Tab) -> "HeadCommit":
        """Find the last commit of the folder in which a tab's session was opened. Raises GitError."""
        from acp_tui.git.objects import GitError
        from acp_tui.rewind.against_head import HeadCommit

        try:
            folder = await self._folders.of(tab)
        except OSError as error:
            raise GitError(error.strerror or str(error)) from None
        return await to_thread.run_sync(HeadCommit, folder, abandon_on_cancel=True)

    def stage(self, screen: "ReviewPort", head: "HeadCommit", change: str) -> None:
        """Stage a patch, or unstage it."""

        def toggle() -> bool:
            is_staged = head.is_staged(change)
            head.stage(change, unstage=is_staged)
            return not is_staged

        self._window.spawn(self._toggle_staged(screen, toggle, "staged"))

    def stage_file(
        self, screen: "ReviewPort", head: "HeadCommit", path: str, shown: "Version | None"
    ) -> None:
        """Stage a whole file, or unstage it; if `shown` is given, only if the file still has that
        content.
        """
        toggle = partial(head.toggle_file, path, shown)
        self._window.spawn(self._toggle_staged(screen, toggle, "staged, the whole file"))

    async def _toggle_staged(
        self, screen: "ReviewPort", toggle: Callable[[], bool], done: str
    ) -> None:
        from acp_tui.git.objects import GitError
        from acp_tui.rewind.against_head import IndexDiffersError

        try:
            is_staged = await to_thread.run_sync(toggle)
            screen.show_message(done if is_staged else "taken out of the index")
        except IndexDiffersError as error:
            key = key_name("s", "changed-files")
            screen.show_message(f"not staged: {error}; in the list {key} stages the whole file")
        except GitError as error:
            screen.show_message(f"not staged: {error}")


class UndoDialog(AnswersDialog[bool]):
    """Asks whether to undo one of the agent's writes, and shows its diff."""

    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.UNDO  # type: ignore[assignment]

    def __init__(self, write: FileWrite, cwd: str, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self._write = write
        self._cwd = cwd
        self._facts = Static(self._words(), markup=False, id="facts")
        self._diff = LinesView()
        self._note = Static("Nothing is done if it has changed since.", id="note")

    def compose(self) -> ComposeResult:
        with self._box:
            yield self._facts
            yield self._diff
            yield self._note
            yield self._choices

    def on_mount(self) -> None:
        self._box.ask("Undo this write?")
        write = self._write
        self._diff.display = bool(write.text)
        if write.text:
            diff = Diff(path=write.path, old_text=write.old_text, new_text=write.text)
            self._diff.show(DiffLines(diff, cwd=self._cwd, judged=True, head=False))
        self.offer_answers([NO, AnswerChoice("Undo it", "✓", "$warning")], self._diff)

    def on_resize(self) -> None:
        """Give the diff the rows that the rest leaves."""
        width, height = max(1, min(self.size.width, QUESTION_WIDTH) - AROUND), self.size.height
        facts = sum(1 for _ in wrapped_rows(self._words(), width))
        taken = facts + AROUND + self._choices.rows_in(width)
        self._diff.styles.max_height = max(1, height - taken)

    def _words(self) -> str:
        return clean_text("\n".join(map(judged_text, self._lines())))

    def _lines(self) -> Iterator[str]:
        write = self._write
        yield shown_path(write.path, self._cwd)
        if write.created:
            yield "The agent made it: it is deleted."
        elif write.text is None:
            yield "What the agent changed is too long to be shown here."
        else:
            diff = Diff(path=write.path, old_text=write.old_text, new_text=write.text)
            added, removed = count_changes(diff)
            yield f"The agent's +{added} −{removed} are undone:"
            if note := describe_line_end_changes(diff.old_text, diff.new_text):
                yield f"So is this: {note}"

    def on_keyed_choices_chosen(self, event: KeyedChoices.Chosen) -> None:
        """Close with the answer."""
        event.stop()
        self.dismiss(event.index == 1)


def _find_places(path: str, cwd: str) -> tuple[Path, str]:
    """Return a file's path with its folder resolved (the file itself may be a link), and the
    resolved path of the session's folder.
    """
    folder, name = os.path.split(os.path.join(cwd, path))  # noqa: PTH118  Path would drop a /. at the end
    return Path(os.path.realpath(folder), name), os.path.realpath(cwd)


def _read_version(place: Path) -> "Version":
    """Read the file at a path whose folder was resolved, if the folder still resolves to itself."""
    from acp_tui.rewind.against_head import Version, on_disk

    if os.path.realpath(place.parent) != str(place.parent):
        return Version(None, "it leads elsewhere now")
    return on_disk(place)
