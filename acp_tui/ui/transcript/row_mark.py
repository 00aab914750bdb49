"""The mark of the entry under the cursor, which is drawn once no key was pressed for a moment."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from acp_tui.ui.toolkit.timers import DeferredWork
from acp_tui.ui.transcript.document import LinePlace

if TYPE_CHECKING:
    from acp_tui.ui.transcript.document_view import DocumentView

MOSTLY = "open"
"""What Enter does when a transcript gets the focus: the cursor is put on a folded entry, if one is on screen."""


class RowMark:
    """A background for the marked entry's first line on screen, and a word for what Enter does there."""

    def __init__(self, view: "DocumentView", enter_changed: Callable[[], object]) -> None:
        """Make a mark; `enter_changed` is called when Enter does something else."""
        self._view = view
        self._enter_changed = enter_changed
        self._deferred = DeferredWork(view, self._update_mark)
        self.place: LinePlace | None = None
        """The line with the background."""
        self.enter = MOSTLY
        """What Enter does, in a word; empty if nothing."""

    def defer_update(self) -> None:
        """Update the mark once no key was pressed for a moment."""
        self._deferred.defer()

    def follow_document(self) -> None:
        """Update the mark if the document has changed at the cursor.

        A marked line that scrolls away keeps its background: marking another one would draw two rows more for each
        line that arrives.
        """
        entry = self.place.entry if self.place is not None else None
        if not self._deferred.is_pending and self._marked_entry() != (entry, self.enter):
            self._deferred.defer()

    def _marked_entry(self) -> tuple[int | None, str]:
        entry, document = self._view.cursor.index, self._view.document
        if not self._view.has_focus:
            return None, MOSTLY
        if entry is None or entry >= len(document):
            return None, ""
        return entry, document.view(entry).toggle_word

    def _update_mark(self) -> None:
        entry, enter = self._marked_entry()
        place = self._first_on_screen(entry) if entry is not None else None
        if place != self.place:
            self.place = place
            self._view.refresh_changed()
        if enter != self.enter:
            self.enter = enter
            self._enter_changed()

    def _first_on_screen(self, entry: int) -> LinePlace:
        """Return the entry's first line on screen; its first line of all if none is."""
        document, top = self._view.document, self._view.top
        first = LinePlace(entry, 0)
        if document.offset(first) >= top:
            return first
        place = document.locate(min(top, document.height - 1))
        return place if place.entry == entry else first
