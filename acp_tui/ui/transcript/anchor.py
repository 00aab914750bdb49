"""What stays where it is on the screen while lines come and go around it."""

from dataclasses import dataclass

from acp_tui.ui.transcript.document import Document, Place

REACH = 200
"""How many lines around the expected one are looked at to find a text again."""
TELLING = 12
"""How many characters of a line tell it from its neighbors."""


@dataclass(slots=True)
class Anchor:
    """A line, `row` rows below the top of the screen.

    When lines are wrapped anew the line is found again by its `text`, near the same `share` of
    its entry.
    """

    place: Place
    row: int = 0
    text: str | None = None
    share: float = 0.0

    def remember(self, document: Document) -> None:
        """Keep in mind what the line says, because the document is about to be wrapped anew."""
        if self.text is None and self.place.line > 0:
            self.text = document.plain(self.place).strip()[:TELLING]
            self.share = self.place.line / max(1, document.view(self.place.entry).height)

    def find(self, document: Document) -> None:
        """Find the line in what is laid out so far."""
        if self.text is None:
            return None
        index = self.place.entry
        height = document.view(index).height
        near = min(int(self.share * height), height - 1)
        self.place = Place(index, max(0, near))
        for distance in range(REACH if self.text else 0):
            for line in (near - distance, near + distance):
                if self.text in document.plain(Place(index, line)):
                    self.place = Place(index, line)
                    return self._found(document)
        return self._found(document)

    def _found(self, document: Document) -> None:
        if not document.is_pending(self.place.entry):
            self.text = None
