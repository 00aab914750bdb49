"""Folding of entries, the layout of diffs, and the mark on what Enter opens or folds."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from acp_tui.ui.toolkit.timers import DeferredWork
from acp_tui.ui.transcript.document import LinePlace
from acp_tui.ui.transcript.entries.context import Fold
from acp_tui.ui.transcript.entry_cursor import EntryCursor
from acp_tui.ui.transcript.ports import Outside, Viewport

if TYPE_CHECKING:
    from acp_tui.ui.transcript.document_view import DocumentView


class Folds:
    """Opens and folds single entries or all of a kind; the choice for a kind is remembered.

    `deselect` is called before lines change, as the selection would then cover other lines.
    """

    def __init__(
        self, view: Viewport, cursor: EntryCursor, outside: Outside, deselect: Callable[[], object]
    ) -> None:
        self._view = view
        self._cursor = cursor
        self._outside = outside
        self._deselect = deselect

    def toggle(self, index: int) -> None:
        """Open or fold an entry; its first line stays in its row if the opened entry fits."""
        self._cursor.index = index
        self._deselect()
        self._view.document.view(index).toggle()
        self._view.pin_entry(index, reveal=True)

    def toggle_kind(self) -> None:
        """Open or fold all entries of the marked one's kind, now and in later runs."""
        current = self._cursor.current
        view = self._view.document.view(current) if current is not None else None
        if view is None or view.kind is None:
            self._outside.show_note("there is nothing to fold of this kind")
            return
        opens = view.fold is Fold.FOLDED
        fold = Fold.OPEN if opens else Fold.FOLDED
        self._fold_all({view.kind: fold})
        self._outside.remember_fold(view.kind, fold)
        self._outside.show_note(
            f"all {view.kind} {'open' if opens else 'folded'}, in later runs, too"
        )

    def apply_folds(self) -> None:
        """Apply the folds that were chosen in an earlier run."""
        known = self._view.document.context.folds
        chosen = self._outside.folds.items()
        self._fold_all({kind: fold for kind, fold in chosen if kind not in known})

    def _fold_all(self, folds: Mapping[str, Fold]) -> None:
        """Apply these folds to all entries of their kinds; the marked entry stays where it is."""
        for kind, fold in folds.items():
            self._view.document.fold_all(kind, fold)
        if folds:
            self._deselect()
            current = self._cursor.current
            if current is not None:
                self._view.pin_entry(current)
            else:
                self._view.frame()

    def split_diffs(self) -> None:
        """Toggle between side-by-side diffs and one column, and remember the choice."""
        split = self._view.split_diffs()
        self._outside.remember_split(split)
        self._outside.show_note("diffs side by side" if split else "diffs in one column")

    def apply_split(self) -> None:
        """Apply the diff layout that was chosen in an earlier run."""
        chosen, context = self._outside.split_diffs, self._view.document.context
        if chosen is not None and context.split is None:
            context.split = not chosen
            self._view.split_diffs()


MOSTLY = "open"
"""The `enter` word when a transcript gets the focus: the cursor goes to a folded entry."""


class RowMark:
    """The background of the marked entry's first line on screen, and a word for Enter there."""

    def __init__(self, view: "DocumentView", enter_changed: Callable[[], object]) -> None:
        """Create a mark; `enter_changed` is called when Enter gets another meaning."""
        self._view = view
        self._enter_changed = enter_changed
        self._deferred = DeferredWork(view, self._update_mark)
        self.place: LinePlace | None = None
        """The line with the background."""
        self.enter = MOSTLY
        """A word for what Enter does; "" if nothing."""

    def defer_update(self) -> None:
        """Update the mark once no key was pressed for a moment."""
        self._deferred.defer()

    def follow_document(self) -> None:
        """Update the mark if the document has changed at the cursor.

        A marked line keeps its background when it scrolls away: marking another one would redraw
        two more rows for each new line.
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
        """Return the entry's first line on screen, or its very first line if none is on screen."""
        document, top = self._view.document, self._view.top
        first = LinePlace(entry, 0)
        if document.offset(first) >= top:
            return first
        place = document.locate(min(top, document.height - 1))
        return place if place.entry == entry else first
