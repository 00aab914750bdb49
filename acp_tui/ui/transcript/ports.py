"""Protocols by which the transcript reaches its own parts and the rest of the window."""

from collections.abc import Mapping
from typing import Protocol

from acp_tui.protocol.content import ImageContent
from acp_tui.ui.transcript.document import Document, LinePlace
from acp_tui.ui.transcript.entries.context import Fold


class Outside(Protocol):
    """Opens links and files, copies text, and remembers how entries are shown."""

    @property
    def split_diffs(self) -> bool | None:
        """Whether diffs are side by side; None to decide by the width."""

    def remember_split(self, split: bool) -> None:
        """Remember whether diffs are side by side."""

    @property
    def folds(self) -> Mapping[str, Fold]:
        """The folds by kind of entry, as chosen in this or an earlier run."""

    def remember_fold(self, kind: str, fold: Fold) -> None:
        """Remember the fold of a kind, also for later runs."""

    def with_chips(self, text: str) -> str:
        """Return a prompt with its long pastes folded into chips, as in the editor."""

    def show_note(self, words: str) -> None:
        """Show the result of a key, or why it did nothing."""

    def copy(self, text: str, note: str = "copied") -> None:
        """Copy text, and confirm it with `note`."""

    def open_link(self, url: str) -> None:
        """Open a link to a page or a file."""

    def ask_for_link(self, url: str) -> None:
        """Ask before opening a link, showing its whole address."""

    def edit(self, path: str, line: int | None = None) -> None:
        """Open a file in the user's editor, at a line."""

    def show_session(self, session_id: str) -> None:
        """Show a subagent's session in its tab."""

    def open_images(self, images: list[ImageContent]) -> None:
        """Open images in an image viewer."""


class Viewport(Protocol):
    """The part of a document that is on screen."""

    document: Document

    @property
    def top(self) -> int:
        """The first line on screen."""

    @property
    def rows(self) -> int:
        """The number of lines on screen."""

    @property
    def following(self) -> bool:
        """Whether the end stays in view."""

    def frame(self) -> None:
        """Apply changes, and lay out as much as fits into one frame."""

    def scroll_to_line(self, y: int) -> None:
        """Make line `y` the first on screen."""

    def reveal(self, place: LinePlace, height: int = 1) -> None:
        """Scroll as little as needed to show `height` lines from a place, or the first of them."""

    def stop_following(self) -> None:
        """Stop following the end: as the document grows, the lines on screen don't move."""

    def pin_entry(self, index: int, *, reveal: bool = False) -> None:
        """Keep an entry's first line in its row while its height changes.

        With `reveal`, scroll up until the whole entry is on screen, or until it fills half of the
        screen.
        """

    def split_diffs(self) -> bool:
        """Toggle between side-by-side diffs and one column; return whether they are now split."""

    def refresh(self) -> object:
        """Redraw all lines."""
