"""The user's reading place in a document: a line that stays in its row, or the end."""

from dataclasses import dataclass
from typing import NamedTuple

from acp_tui.ui.transcript.document import Document, LinePlace

MOST_DISTANCE = 200
"""Lines searched in each direction from the expected one."""
TELLING = 12
"""Characters at the beginning of a line that distinguish it from its neighbors."""


@dataclass(slots=True)
class Anchor:
    """A line of the document that is kept `row` rows below the top of the screen.

    After lines are wrapped again, it is found by its `text`, near the same `share` of its entry's
    height. While its entry is laid out again, the anchor is `pinned`; if it `reveals`, it moves up
    until the rest of the entry is on screen.
    """

    place: LinePlace
    row: int = 0
    pinned: bool = False
    reveals: bool = False
    text: str | None = None
    share: float = 0.0
    lost: bool = False

    def top(self, document: Document, rows: int) -> int:
        """Return the first line on a screen of `rows` lines that puts the anchor in its row."""
        line = document.offset(self.place)
        top = line - self.row
        if self.reveals:
            height = document.view(self.place.entry).height
            top = max(top, line + (height if height <= rows else rows // 2) - rows)
        return max(0, top)

    def release(self, row: int) -> None:
        """Keep the anchor in this row from now on; called once its entry is laid out."""
        self.row, self.pinned, self.reveals = row, False, False

    def remember(self, document: Document) -> None:
        """Remember the line's text before the document is wrapped again."""
        if self.place.line <= 0:
            return
        if self.text is None:
            self.text = document.plain(self.place).strip()
            self.share = self.place.line / max(1, document.view(self.place.entry).height)
        self.lost = True

    def find(self, document: Document) -> None:
        """Find the line in what is laid out so far."""
        if not self.lost or self.text is None:
            return
        entry = self.place.entry
        height = document.view(entry).height
        near = max(0, min(int(self.share * height), height - 1))
        self.place = LinePlace(entry, near)
        self.lost = document.is_pending(entry)
        for beginning in (self.text[:TELLING], self.text.partition(" ")[0]):
            line = nearest_line(document, self.place, beginning) if beginning else None
            if line is not None:
                self.place = LinePlace(entry, line)
                return


def nearest_line(document: Document, place: LinePlace, text: str) -> int | None:
    """Return the line of an entry nearest to `place` that contains a text; None if none is near."""
    for distance in range(MOST_DISTANCE):
        for line in (place.line - distance, place.line + distance):
            if text in document.plain(LinePlace(place.entry, line)):
                return line
    return None


class Standpoint(NamedTuple):
    """The entry under the cursor, and the first line on screen; None while the end is followed."""

    cursor: int | None
    line: int | None


class ReadingPlace:
    """Follows the end of a document, or stays at an anchor while lines around it change."""

    def __init__(self) -> None:
        self._anchor: Anchor | None = None
        self.has_new_below = False

    @property
    def following(self) -> bool:
        """Whether the end stays in view."""
        return self._anchor is None

    def follow(self) -> None:
        """Go to the end, and stay there as the document grows."""
        self._anchor = None
        self.has_new_below = False

    def anchor_at(self, place: LinePlace) -> None:
        """Keep a line at the top of the screen."""
        self._anchor = Anchor(place)

    def pin(self, place: LinePlace, row: int, *, reveal: bool) -> None:
        """Keep a line in its row until its entry is laid out; `reveal` what opens below it."""
        self._anchor = Anchor(place, max(0, row), pinned=True, reveals=reveal)

    def top(self, document: Document, rows: int) -> int:
        """Return the line that belongs at the top of a screen of `rows` lines."""
        last = max(0, document.height - rows)
        return last if self._anchor is None else min(last, self._anchor.top(document, rows))

    def remember(self, document: Document) -> None:
        """Remember the anchor's text before the document is wrapped again."""
        if self._anchor is not None:
            self._anchor.remember(document)

    def find(self, document: Document) -> None:
        """Find the anchor's line in what is laid out so far."""
        if self._anchor is not None:
            self._anchor.find(document)

    def release(self, document: Document, top: int, last: int) -> None:
        """Release the anchor once its entry is laid out; follow the end if `top` is at `last`."""
        anchor = self._anchor
        if anchor is not None and anchor.pinned and not document.is_pending(anchor.place.entry):
            anchor.release(document.offset(anchor.place) - top)
            if top >= last:
                self._anchor = None
