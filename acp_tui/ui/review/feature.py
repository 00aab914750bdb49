"""Reviewing what the agent changed: undoing it, staging it."""

import os
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import to_thread

from acp_tui.formatting import counted
from acp_tui.host.agent import Agent
from acp_tui.protocol.content import Diff
from acp_tui.state.commands import TakeBack, UndoWrite
from acp_tui.state.reducers.file_writes import newest
from acp_tui.state.state import FileWrite
from acp_tui.ui.ask import confirm
from acp_tui.ui.feature import Feature
from acp_tui.ui.keys import key_name
from acp_tui.ui.lines.paths import shown_path
from acp_tui.ui.lines.visible import visible
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.edits.hunks import LineHunk
    from acp_tui.rewind.against_head import HeadCommit, Version
    from acp_tui.ui.checkpoints import CheckpointsFeature
    from acp_tui.ui.external.feature import ExternalFeature
    from acp_tui.ui.folders import FoldersFeature
    from acp_tui.ui.review.comments import ReviewComments
    from acp_tui.ui.review.patches import PatchCopies
    from acp_tui.ui.review.port import ReviewPort
    from acp_tui.ui.tabs.tab import Tab

SHOWN_LINES = 40
"""How many lines of a change the question shows."""


class ReviewFeature(Feature):
    """Changes files only after a yes, and only where they are what is shown; comments wait until a person
    sends them.
    """

    name = "review"

    def __init__(
        self,
        window: Window,
        external: "ExternalFeature",
        folder_for: Callable[[str | None], Path],
        folders: "FoldersFeature",
        checkpoints: "CheckpointsFeature",
    ) -> None:
        self._window = window
        self.checkpoints = checkpoints
        self._folder_for = folder_for
        self._folders = folders
        self.external = external

    @cached_property
    def comments(self) -> "ReviewComments":
        """What a person says about changes."""
        from acp_tui.ui.review.comments import ReviewComments

        return ReviewComments(self._window)

    @cached_property
    def patches(self) -> "PatchCopies":
        """What is copied of changes."""
        from acp_tui.ui.review.patches import PatchCopies

        return PatchCopies(self._window, self.external, self._folder_for)

    def open(self) -> None:
        """Show the files that the agent changed in the session that is shown."""
        from acp_tui.ui.review.screen import ReviewScreen

        tab = self._window.tabs.shown
        if tab.session is None:
            self._window.refuse("there is no session yet")
        else:
            self._window.push(ReviewScreen(tab, tab.session.session_id, self))

    # Undoing

    def undo_newest(self) -> None:
        """Undo the agent's last write, after a yes."""
        tab = self._window.tabs.shown
        write = newest(tab.session) if tab.session is not None else None
        if tab.session is None or write is None:
            key = key_name("alt+u")
            self._window.refuse(f"no write of the agent's to undo; {key} rewinds its turns")
        else:
            self.undo(tab.agent, tab.session.session_id, write)

    def undo(self, agent: Agent, session_id: str, write: FileWrite) -> None:
        """Undo a write, after a yes."""
        from acp_tui.ui.review.undo_dialog import UndoDialog

        def decided(agreed: bool | None) -> None:
            if agreed:
                agent.do(UndoWrite(session_id, write.number))

        cwd = agent.state.session(session_id).cwd
        self._window.push(UndoDialog(write, cwd, self._window.clock), decided)

    def take_back(self, screen: "ReviewPort", path: str, diff: Diff, hunk: "LineHunk") -> None:
        """Take one change back, if it stands on disk as it is shown."""
        session = screen.tab.agent.state.session(screen.session_id)
        if screen.tab.agent.state.folder_here(session) is None:
            screen.tell("the agent's files aren't here")
        else:
            self._window.spawn(self._ask(screen, path, session.cwd, diff, hunk))

    async def _ask(
        self, screen: "ReviewPort", path: str, cwd: str, diff: Diff, hunk: "LineHunk"
    ) -> None:
        """Ask about the place that the file has now: no link laid meanwhile leads elsewhere."""
        from acp_tui.edits.hunks import lines_of

        try:
            look = partial(_places, path, cwd)
            place, folder = await to_thread.run_sync(look, abandon_on_cancel=True)
        except (OSError, ValueError) as error:
            screen.tell(f"nothing was done: {error}")
            return
        if not screen.is_active:
            return  # left meanwhile
        lines = [f"-{one}" for one in lines_of(diff.old_text or "")[hunk.old_start : hunk.old_end]]
        lines += [f"+{one}" for one in lines_of(diff.new_text)[hunk.new_start : hunk.new_end]]
        named, real = shown_path(path, cwd), shown_path(str(place), folder)
        facts = [named if named == real else f"{named}, which is {real}", ""]
        facts += [visible(one.rstrip("\n")) for one in lines[:SHOWN_LINES]]
        if len(lines) > SHOWN_LINES:
            facts.append(f"… {counted(len(lines) - SHOWN_LINES, 'more line')}")
        if not place.is_relative_to(folder):
            facts += ["", "It lies outside of the session's folder."]
        facts += ["", "Nothing is done if it has changed since."]

        def agreed() -> None:
            self._window.spawn(self._take_back(screen, place, diff, hunk))

        confirm(self._window, "Take this change back?", facts, "Take it back", agreed)

    async def _take_back(
        self, screen: "ReviewPort", place: Path, diff: Diff, hunk: "LineHunk"
    ) -> None:
        from acp_tui.edits.hunks import NotThereError, taken_back_in

        now = await to_thread.run_sync(_found, place, abandon_on_cancel=True)
        whole = hunk.new_start == 0 and diff.old_text is None
        if now.trouble:
            screen.tell(f"nothing was done: {now.trouble}")
        elif whole and now.text is not None:
            screen.tell("it is new: taking all of it back would delete it")
        else:
            try:
                text = taken_back_in(now.text or "", diff.old_text or "", diff.new_text, hunk)
            except NotThereError as error:
                screen.tell(f"nothing was done: {error}")
            else:
                screen.tab.agent.do(TakeBack(screen.session_id, str(place), now.text, text))
                screen.tell(
                    f"taken back; in the list of files {key_name('u', 'changed-files')} restores it"
                )

    # git's index

    async def find_head(self, tab: "Tab") -> "HeadCommit":
        """Find the last commit of the folder that a tab's session was opened in. Raises GitError."""
        from acp_tui.git.errors import GitError
        from acp_tui.rewind.against_head import HeadCommit

        try:
            folder = await self._folders.of(tab)
        except OSError as error:
            raise GitError(error.strerror or str(error)) from None
        return await to_thread.run_sync(HeadCommit, folder, abandon_on_cancel=True)

    def stage(self, screen: "ReviewPort", head: "HeadCommit", change: str) -> None:
        """Put a patch into the index, or take it out of there."""

        def toggle() -> bool:
            is_staged = head.is_staged(change)
            head.stage(change, take_out=is_staged)
            return not is_staged

        self._window.spawn(self._stage(screen, toggle, "staged"))

    def stage_file(
        self, screen: "ReviewPort", head: "HeadCommit", path: str, shown: "Version | None"
    ) -> None:
        """Put a whole file into the index, or take it out; with what is `shown` only if it is that."""
        toggle = partial(head.toggle_file, path, shown)
        self._window.spawn(self._stage(screen, toggle, "staged, the whole file"))

    async def _stage(self, screen: "ReviewPort", toggle: Callable[[], bool], done: str) -> None:
        from acp_tui.git.errors import GitError
        from acp_tui.rewind.against_head import IndexDiffersError

        try:
            is_staged = await to_thread.run_sync(toggle)
            screen.tell(done if is_staged else "taken out of the index")
        except IndexDiffersError as error:
            key = key_name("s", "changed-files")
            screen.tell(f"not staged: {error}; in the list {key} stages the whole file")
        except GitError as error:
            screen.tell(f"not staged: {error}")


def _places(path: str, cwd: str) -> tuple[Path, str]:
    """Where a file is behind links and `..`, though it may be a link itself, and where its session's
    folder is.
    """
    folder, name = os.path.split(os.path.join(cwd, path))  # noqa: PTH118  Path would drop a /. at the end
    return Path(os.path.realpath(folder), name), os.path.realpath(cwd)


def _found(place: Path) -> "Version":
    """What stands at the place that was shown, if that still leads there."""
    from acp_tui.rewind.against_head import Version, on_disk

    if os.path.realpath(place.parent) != str(place.parent):
        return Version(None, "it leads elsewhere by now")
    return on_disk(place)
