"""What a transcript asks of the world around it."""

from collections.abc import Mapping
from typing import Protocol

from acp_tui.protocol.content import ImageContent
from acp_tui.ui.transcript.entries.context import Fold


class Outside(Protocol):
    """Where links, files and copies go."""

    @property
    def split_diffs(self) -> bool | None:
        """Whether the sides of diffs stand side by side; None: the width decides."""

    def keep_split(self, split: bool) -> None:
        """Keep that diffs are drawn so."""

    @property
    def folds(self) -> Mapping[str, Fold]:
        """How much is wanted of the entries of a kind."""

    def keep_fold(self, kind: str, fold: Fold) -> None:
        """Keep how much is wanted of a kind, in later runs, too."""

    def say(self, words: str) -> None:
        """Show what a key did, or why it did nothing."""

    def copy(self, text: str, said: str = "copied") -> None:
        """Put a text on the clipboard, and say so."""

    def open_link(self, url: str) -> None:
        """Open a link, if it is a page or a file."""

    def ask_for_link(self, url: str) -> None:
        """Open a link after a yes, with all of its address shown."""

    def edit(self, path: str, line: int | None = None) -> None:
        """Open a file in the editor."""

    def show_session(self, session_id: str) -> None:
        """Show the session of a subagent in its tab."""

    def open_images(self, images: list[ImageContent]) -> None:
        """Open images where pictures are opened."""
