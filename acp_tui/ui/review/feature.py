"""The review of the agent's changes, and the undoing of its last write."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.state.reducers.file_writes import newest_write
from acp_tui.ui.feature import Feature
from acp_tui.ui.keys import key_name
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.checkpoints import CheckpointsFeature
    from acp_tui.ui.external.feature import ExternalFeature
    from acp_tui.ui.folders import FoldersFeature
    from acp_tui.ui.review.changes import ReviewChanges
    from acp_tui.ui.review.comments import ReviewComments


class ReviewFeature(Feature):
    """Opens the review. Comments are kept until the user sends them."""

    name = "review"

    def __init__(
        self,
        window: Window,
        external: "ExternalFeature",
        folder_for: Callable[[str | None], Path],
        folders: "FoldersFeature",
        checkpoints: "CheckpointsFeature",
    ) -> None:
        """`folder_for` returns the folder into which a session's patches are saved."""
        self._window = window
        self._checkpoints = checkpoints
        self._folder_for = folder_for
        self._folders = folders
        self._external = external

    @cached_property
    def _comments(self) -> "ReviewComments":
        from acp_tui.ui.review.comments import ReviewComments  # lazy import: not needed at startup

        return ReviewComments(self._window)

    @cached_property
    def _changes(self) -> "ReviewChanges":
        from acp_tui.ui.review.changes import ReviewChanges  # lazy import: not needed at startup

        return ReviewChanges(self._window, self._folders)

    def open(self) -> None:
        """Show the files that the agent changed in the shown session."""
        from acp_tui.ui.review.patches import PatchCopies
        from acp_tui.ui.review.screen import ReviewScreen

        tab = self._window.tabs.shown
        if tab.session is None:
            self._window.refuse("there is no session yet")
        else:
            screen = ReviewScreen(
                tab,
                tab.session.session_id,
                comments=self._comments,
                changes=self._changes,
                patches=PatchCopies(self._window, self._external, self._folder_for),
                external=self._external,
                checkpoints=self._checkpoints,
            )
            self._window.push(screen)

    def undo_newest(self) -> None:
        """Undo the agent's last write, after a yes."""
        tab = self._window.tabs.shown
        write = newest_write(tab.session) if tab.session is not None else None
        if tab.session is None or write is None:
            key = key_name("alt+u")
            self._window.refuse(f"no write of the agent's to undo; {key} rewinds its turns")
        else:
            self._changes.undo(tab.agent, tab.session.session_id, write)
