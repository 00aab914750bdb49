"""What is shown of the entry under the cursor once keys rest."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from acp_tui.ui.toolkit.idle import Rest
from acp_tui.ui.transcript.document import LinePlace

if TYPE_CHECKING:
    from acp_tui.ui.transcript.document_view import DocumentView


MOSTLY = "open"
"""What Enter does where the keys go to a transcript: the cursor is put on what is folded, if it can be."""


class RestingMark:
    """A ground for its first line on screen, and a word for what Enter does there."""

    def __init__(self, view: "DocumentView", tell: Callable[[], object]) -> None:
        """`tell` says that Enter does something else now."""
        self._view = view
        self._tell = tell
        self._rest = Rest(view, self._settle)
        self.place: LinePlace | None = None
        """The line that stands on the ground."""
        self.enter = MOSTLY
        """What Enter does, in a word; empty if nothing."""

    def wait(self) -> None:
        """Look at the cursor when no other key comes meanwhile."""
        self._rest.wait()

    def look(self) -> None:
        """Do the same if the document has changed there. A line that scrolls away by itself keeps its ground:
        another would be drawn twice with each line that arrives.
        """
        entry = self.place.entry if self.place is not None else None
        if not self._rest.is_waiting and self._found() != (entry, self.enter):
            self._rest.wait()

    def _found(self) -> tuple[int | None, str]:
        entry, document = self._view.cursor.index, self._view.document
        if not self._view.has_focus:
            return None, MOSTLY
        if entry is None or entry >= len(document):
            return None, ""
        return entry, document.view(entry).toggle_word

    def _settle(self) -> None:
        entry, enter = self._found()
        place = self._first_on_screen(entry) if entry is not None else None
        if place != self.place:
            self.place = place
            self._view.refresh_changed()
        if enter != self.enter:
            self.enter = enter
            self._tell()

    def _first_on_screen(self, entry: int) -> LinePlace:
        """Return the line at which an entry begins on the screen, its first one if it isn't there."""
        document, top = self._view.document, self._view.top
        first = LinePlace(entry, 0)
        if document.offset(first) >= top:
            return first
        place = document.locate(min(top, document.height - 1))
        return place if place.entry == entry else first
