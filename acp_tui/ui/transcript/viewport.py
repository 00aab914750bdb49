"""The port through which parts of the transcript see and move its widget."""

from typing import Protocol

from acp_tui.ui.transcript.document import Document, LinePlace


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
        """Keep the lines on screen where they are as the document grows."""

    def hold(self, index: int, *, reveal: bool = False) -> None:
        """Keep the first line of an entry where it is while its height changes; with `reveal`, move it up
        until the entry is on screen.
        """

    def split_diffs(self) -> bool:
        """Put the sides of diffs side by side, or below each other if they are; return which."""

    def refresh(self) -> object:
        """Draw all lines again."""
