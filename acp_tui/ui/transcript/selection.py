"""Selecting lines by keys, across entries, and words and lines by clicks."""

from textual import events
from textual.actions import SkipAction
from textual.geometry import Offset
from textual.message import Message
from textual.selection import Selection

from acp_tui.ui.transcript.clicked_word import rows_of, word_at
from acp_tui.ui.transcript.document import Place
from acp_tui.ui.transcript.document_view import DocumentView
from acp_tui.ui.transcript.held_selection import HeldSelection
from acp_tui.ui.transcript.painter import GUTTER
from acp_tui.ui.transcript.selected_text import selected_source

_ACTS = {"link", "path", "end", "toggle", "open"}
"""What a part of a line says that a click on it does."""


class SelectingView(DocumentView):
    """Whole lines are selected from a mark to where the keys lead; a mouse selects as it likes."""

    class Selecting(Message, namespace="transcript"):
        """A selection by keys began or ended."""

    _selected: tuple[Place, Place] | None = None
    """The line where a selection by keys began, and the one where it ends."""
    _held: HeldSelection | None = None
    """The selection, while its lines are being wrapped anew."""

    @property
    def current(self) -> int | None:
        """The entry that keys work on."""
        raise NotImplementedError

    @property
    def is_selecting(self) -> bool:
        """Whether the keys that move extend a selection."""
        return self._selected is not None

    def _resized(self) -> None:
        selection = self.text_selection
        if selection is not None and self._held is None and self._document.height:
            self._held = HeldSelection(selection, self._document)
        super()._resized()

    def _frame(self) -> None:
        super()._frame()
        if self._held is not None:
            self._find_selection(self._held)

    def _find_selection(self, held: HeldSelection) -> None:
        """Select in the new lines what was selected in the old ones."""
        selection = held.find(self._document)
        if held.is_found:
            self._held = None
        if self._selected is not None:
            first, last = held.places
            forward = self._selected[0] <= self._selected[1]
            self._selected = (first, last) if forward else (last, first)
        self.screen.selections = {self: selection}

    def action_select(self) -> None:
        """Begin at the entry under the cursor, as far as it is on screen; or end."""
        if self.is_selecting:
            self.screen.clear_selection()
        elif self.current is not None:
            start = max(self._document.offset(Place(self.current, 0)), self.scroll_offset.y)
            place = self._document.locate(min(start, self._document.height - 1))
            self._select(place, place)

    def action_end_selection(self) -> None:
        """End a selection; without one the key means something else."""
        if self.text_selection is None:
            raise SkipAction
        self.screen.clear_selection()

    def action_extend(self, lines: int) -> None:
        """Extend the selection by lines; begin one first."""
        if self._selected is None:
            self.action_select()
        if self._selected is not None:
            start, end = self._selected
            y = self._document.offset(end) + lines
            end = self._document.locate(max(0, min(y, self._document.height - 1)))
            self._select(start, end)
            self.reveal(end)

    def _select(self, start: Place, end: Place) -> None:
        if self._selected is None:
            self.post_message(self.Selecting())
        self._selected = (start, end)
        first, last = sorted(map(self._document.offset, self._selected))
        width = GUTTER + len(self._document.plain(self._document.locate(last)))
        selection = Selection(Offset(0, first), Offset(width, last))
        self.screen.selections = {self: selection}
        self.selection_updated(selection)

    def selects(self, event: events.Click) -> bool:
        """Select a word by two clicks on a text, its line by three; whether there were so many.
        Textual would select all there is.
        """
        if event.chain < 2:
            return False
        event.prevent_default()
        if event.style.meta.keys() & _ACTS:
            return False
        line = event.y + self.scroll_offset.y
        if line < self._document.height and event.chain == 2:
            self._select_word(event.x, line)
        elif line < self._document.height:
            self._select_line(line)
        return True

    def _select_word(self, x: int, line: int) -> None:
        place = self._document.locate(line)
        view = self._document.view(place.entry)
        inside = x >= GUTTER and 0 <= place.line < view.height
        word = word_at(view, place.line, x - GUTTER) if inside else None
        if word is not None:
            first, last = word
            top = line - place.line
            start = Offset(GUTTER + first.start, top + first.row)
            self._select_text(start, Offset(GUTTER + last.end, top + last.row))

    def _select_line(self, line: int) -> None:
        """Select a line of text, however many rows it takes."""
        place = self._document.locate(line)
        view = self._document.view(place.entry)
        first = last = line
        if 0 <= place.line < view.height:
            rows, top = rows_of(view, place.line, view.height), line - place.line
            first, last = top + rows[0], top + rows[-1]
        end = GUTTER + len(self._document.plain(self._document.locate(last)))
        self._select_text(Offset(GUTTER, first), Offset(end, last))

    def _select_text(self, start: Offset, end: Offset) -> None:
        selection = Selection(start, end)
        self.screen.selections = {self: selection}
        self.selection_updated(selection)

    def selection_updated(self, selection: Selection | None) -> None:
        super().selection_updated(selection)
        if selection is None:
            if self._selected is not None:
                self.post_message(self.Selecting())
            self._selected = self._held = None

    def selected_markdown(self) -> str | None:
        """The source of the lines that are selected here, if any."""
        selection = self.text_selection
        if selection is None:
            return None
        return selected_source(self._document, selection)
