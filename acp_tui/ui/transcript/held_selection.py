"""A selection while its lines are wrapped again: its ends are found again by what they say."""

from dataclasses import dataclass

from textual.geometry import Offset
from textual.selection import Selection

from acp_tui.ui.transcript.document import Document
from acp_tui.ui.transcript.line_place import GUTTER, LinePlace
from acp_tui.ui.transcript.reading_place import TELLING, nearest

FAR = 1 << 20
"""A column behind the end of any line."""


@dataclass(slots=True)
class End:
    """An end of a selection: before (`is_end`: behind) what it says."""

    place: LinePlace
    share: float  # of its entry that is above
    words: tuple[str, str]  # what it says, and the word of it that is nearest to the end
    is_end: bool
    lost: bool = True

    @classmethod
    def at(cls, offset: Offset, document: Document, is_end: bool) -> "End":
        """Return the end that is at an offset in the document now."""
        place = document.locate(max(0, min(offset.y, document.height - 1)))
        line, column = document.plain(place), max(0, offset.x - GUTTER)
        said = line[:column].rstrip()[-TELLING:] if is_end else line[column:].strip()[:TELLING]
        word = said.split()[-1 if is_end else 0] if said.split() else ""
        share = max(0, place.line) / max(1, document.view(place.entry).height)
        return cls(place, share, (said, word), is_end)

    def find(self, document: Document) -> Offset:
        """Return where the end is in what is laid out so far."""
        entry, line = self.place
        if self.lost and line >= 0:
            height = document.view(entry).height
            near = LinePlace(entry, max(0, min(int(self.share * height), height - 1)))
            found = (nearest(document, near, word) for word in self.words if word)
            self.place = LinePlace(entry, next((at for at in found if at is not None), near.line))
        self.lost = document.is_pending(entry)
        return Offset(self._column(document) + GUTTER, document.offset(self.place))

    def _column(self, document: Document) -> int:
        line = document.plain(self.place)
        word = next((word for word in self.words if word and word in line), None)
        if word is None:
            return len(line) if self.is_end else 0
        return line.index(word) + (len(word) if self.is_end else 0)


class HeldSelection:
    """Where a selection begins and ends, whatever the width."""

    def __init__(self, selection: Selection, document: Document) -> None:
        first = selection.start or Offset(0, 0)
        last = selection.end or Offset(FAR, document.height - 1)
        self._ends = (End.at(first, document, False), End.at(last, document, True))

    @property
    def is_found(self) -> bool:
        """Whether both ends are where they will stay."""
        return not any(end.lost for end in self._ends)

    @property
    def places(self) -> tuple[LinePlace, LinePlace]:
        """The lines of both ends."""
        first, last = self._ends
        return first.place, last.place

    def find(self, document: Document) -> Selection:
        """Return the selection as far as it is laid out now."""
        first, last = self._ends
        return Selection(first.find(document), last.find(document))
