"""Where the reader of a document is: at a line that stays on the screen, or at the end."""

from typing import TYPE_CHECKING, NamedTuple

from acp_tui.ui.transcript.anchor import Anchor

if TYPE_CHECKING:
    from acp_tui.ui.transcript.document import Document
    from acp_tui.ui.transcript.line_place import LinePlace


class Standpoint(NamedTuple):
    """The entry under the cursor, and the first line on screen; None at the end, which is followed."""

    cursor: int | None
    line: int | None


class ReadingPlace:
    """Follows the end of a document, or stays at an anchor while lines come and go around it."""

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

    def stay(self, place: "LinePlace") -> None:
        """Keep a line at the top of the screen."""
        self._anchor = Anchor(place)

    def hold(self, place: "LinePlace", row: int, *, reveal: bool) -> None:
        """Keep a line in its row until its entry is laid out; `reveal` what opens below it."""
        self._anchor = Anchor(place, max(0, row), held=True, reveals=reveal)

    def top(self, document: "Document", rows: int) -> int:
        """Return the line that belongs at the top of a screen of `rows` lines."""
        last = max(0, document.height - rows)
        return last if self._anchor is None else min(last, self._anchor.top(document, rows))

    def remember(self, document: "Document") -> None:
        """Remember what the line says, because the document is about to be wrapped again."""
        if self._anchor is not None:
            self._anchor.remember(document)

    def find(self, document: "Document") -> None:
        """Find the line again in what is laid out so far."""
        if self._anchor is not None:
            self._anchor.find(document)

    def settle(self, document: "Document", top: int, last: int) -> None:
        """Let go of a held entry once it is laid out; follow the end if `top` has reached `last`."""
        anchor = self._anchor
        if anchor is not None and anchor.held and not document.is_pending(anchor.place.entry):
            anchor.settle(document.offset(anchor.place) - top)
            if top >= last:
                self._anchor = None
