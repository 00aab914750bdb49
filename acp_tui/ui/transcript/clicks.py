"""What a click in a transcript does."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from textual import events
from textual.geometry import Offset

from acp_tui.ui.transcript.clicked_text import clicked_selection

if TYPE_CHECKING:
    from acp_tui.ui.transcript.document_view import DocumentView
    from acp_tui.ui.transcript.folds import Folds
    from acp_tui.ui.transcript.links import Links
    from acp_tui.ui.transcript.selection import ScreenSelection

_ACTS = {"link", "path", "end", "toggle", "open"}
"""The names by which a part of a line says what a click on it does."""


class Clicks:
    """Opens what is clicked on, else puts the cursor there; more clicks select text."""

    def __init__(
        self,
        view: "DocumentView",
        open_entry: Callable[[], object],
        selected: "ScreenSelection",
        folds: "Folds",
        links: "Links",
    ) -> None:
        """`open_entry` opens what the entry under the cursor leads to."""
        self._view = view
        self._open_entry = open_entry
        self._selected = selected
        self._folds = folds
        self._links = links

    def take(self, event: events.Click) -> bool:
        """Do what a click asks for; return whether that is something else than to select text."""
        if self._selects(event) or self._selected.current is not None:
            return False
        meta, line = event.style.meta, event.y + self._view.top
        if "link" in meta or "path" in meta:
            self._links.follow(event.x, event.y)
        elif "end" in meta:
            self._view.cursor.go_to_last()
        elif line < self._view.document.height:
            self._take_entry(self._view.document.locate(line).entry, meta.keys())
        return True

    def _take_entry(self, index: int, acts: Collection[str]) -> None:
        self._view.cursor.index = index
        if "toggle" in acts:
            self._folds.toggle(index)
        elif "open" in acts:
            self._open_entry()
        self._view.refresh()

    def _selects(self, event: events.Click) -> bool:
        """Select a word by two clicks on a text, its line by three; return whether it does so.

        Textual would select all there is.
        """
        if event.chain < 2:
            return False
        event.prevent_default()
        if event.style.meta.keys() & _ACTS:
            return False
        offset = Offset(event.x, event.y + self._view.top)
        selection = clicked_selection(self._view.document, offset, event.chain)
        if selection is not None:
            self._selected.show(selection)
        return True
