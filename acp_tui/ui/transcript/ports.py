"""The protocols between a transcript, its parts and the rest of the window."""

from collections.abc import Mapping
from typing import Protocol

from acp_tui.protocol.content import ImageContent
from acp_tui.ui.transcript.document import Document, LinePlace
from acp_tui.ui.transcript.entries.context import Fold


class Outside(Protocol):
    """Opens links and files, copies text, and remembers how entries are shown."""

    @property
    def split_diffs(self) -> bool | None:
        """Whether diffs are side by side; None if the width decides."""

    def remember_split(self, split: bool) -> None:
        """Remember whether diffs are side by side."""

    @property
    def folds(self) -> Mapping[str, Fold]:
        """How much of the entries of each kind is shown, as chosen in this or an earlier run."""

    def remember_fold(self, kind: str, fold: Fold) -> None:
        """Remember how much of a kind is shown, also for later runs."""

    def with_chips(self, text: str) -> str:
        """Return a prompt with its long pastes folded into chips, as in the editor."""

    def say(self, words: str) -> None:
        """Show what a key did, or why it did nothing."""

    def copy(self, text: str, note: str = "copied") -> None:
        """Copy a text, and confirm it with `note`."""

    def open_link(self, url: str) -> None:
        """Open a link to a page or a file."""

    def ask_for_link(self, url: str) -> None:
        """Ask before opening a link, with its whole address shown."""

    def edit(self, path: str, line: int | None = None) -> None:
        """Open a file in the editor."""

    def show_session(self, session_id: str) -> None:
        """Show the session of a subagent in its tab."""

    def open_images(self, images: list[ImageContent]) -> None:
        """Open images in the program for pictures."""


class Viewport(Protocol):
    """The lines of a document that are on screen."""

    document: Document

    @property
    def top(self) -> int:
        """The first line on screen."""

    @property
    def rows(self) -> int:
        """How many lines the screen has."""

    @property
    def following(self) -> bool:
        """Whether the end stays in view."""

    def frame(self) -> None:
        """Apply what changed, and lay out what fits in the time of one frame."""

    def scroll_to_line(self, y: int) -> None:
        """Make line `y` the first on screen."""

    def reveal(self, place: LinePlace, height: int = 1) -> None:
        """Scroll as little as needed to see `height` lines from a place on, or its beginning."""

    def stay(self) -> None:
        """Stop following the end: as the document grows, the lines on screen don't move."""

    def hold(self, index: int, *, reveal: bool = False) -> None:
        """Keep an entry's first line in its row on screen while the entry's height changes. With `reveal`,
        scroll the entry up until all of it, or half a screen, is in view.
        """

    def split_diffs(self) -> bool:
        """Put the sides of diffs side by side, or below each other if they are; return which."""

    def refresh(self) -> object:
        """Draw all lines again."""
