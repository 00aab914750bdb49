"""Selecting whole lines by keys, across entries, and words and lines by clicks."""

from collections.abc import Callable

from textual.geometry import Offset
from textual.selection import Selection

from acp_tui.ui.transcript.clicked_word import rows_of, word_at
from acp_tui.ui.transcript.document import Document
from acp_tui.ui.transcript.entry_cursor import EntryCursor
from acp_tui.ui.transcript.held_selection import HeldSelection
from acp_tui.ui.transcript.place import GUTTER, Place
from acp_tui.ui.transcript.viewport import Viewport


class LineSelection:
    """The lines from where a selection by keys began to where the keys led.

    `show` gets what is to be selected on screen, None for nothing; `toggled` is called when a
    selection by keys begins or ends.
    """

    def __init__(
        self,
        view: Viewport,
        cursor: EntryCursor,
        show: Callable[[Selection | None], object],
        toggled: Callable[[], object],
    ) -> None:
        self._view = view
        self._cursor = cursor
        self._show = show
        self._toggled = toggled
        self._ends: tuple[Place, Place] | None = None
        """The line where it began, and the one where it ends."""
        self._held: HeldSelection | None = None
        """What is selected, by keys or not, while its lines are wrapped again."""

    @property
    def is_active(self) -> bool:
        """Whether the keys that move extend a selection."""
        return self._ends is not None

    def toggle(self) -> None:
        """Begin at the entry under the cursor, as far as it is on screen; or end."""
        current, document = self._cursor.current, self._view.document
        if self.is_active:
            self._show(None)
        elif current is not None:
            start = max(document.offset(Place(current, 0)), self._view.top)
            place = document.locate(min(start, document.height - 1))
            self._toggled()
            self._select(place, place)

    def extend(self, lines: int) -> None:
        """Select so many lines more, or fewer; begin a selection first."""
        if not self.is_active:
            self.toggle()
        if self._ends is not None:
            start, end = self._ends
            document = self._view.document
            y = max(0, min(document.offset(end) + lines, document.height - 1))
            end = document.locate(y)
            self._select(start, end)
            self._view.reveal(end)

    def _select(self, start: Place, end: Place) -> None:
        self._ends = (start, end)
        document = self._view.document
        first, last = sorted(map(document.offset, self._ends))
        width = GUTTER + len(document.plain(document.locate(last)))
        self._show(Selection(Offset(0, first), Offset(width, last)))

    def clear(self) -> None:
        """Forget what was selected."""
        if self.is_active:
            self._toggled()
        self._ends = self._held = None

    def hold(self, selection: Selection) -> None:
        """Keep in mind what is selected, because the lines are about to be wrapped again."""
        if self._held is None and self._view.document.height:
            self._held = HeldSelection(selection, self._view.document)

    def find(self) -> Selection | None:
        """Find in the new lines what was selected in the old ones; return None if nothing is held."""
        held = self._held
        if held is None:
            return None
        selection = held.find(self._view.document)
        if held.is_found:
            self._held = None
        if self._ends is not None:
            first, last = held.places
            forward = self._ends[0] <= self._ends[1]
            self._ends = (first, last) if forward else (last, first)
        return selection


def clicked_selection(document: Document, offset: Offset, clicks: int) -> Selection | None:
    """Select the word at an offset by two clicks, its line of text by more."""
    if offset.y >= document.height:
        return None
    if clicks > 2:
        return _line_selection(document, offset.y)
    return _word_selection(document, offset)


def _word_selection(document: Document, offset: Offset) -> Selection | None:
    """Select the word at an offset, however many rows it takes."""
    x, line = offset
    place = document.locate(line)
    view = document.view(place.entry)
    inside = x >= GUTTER and 0 <= place.line < view.height
    word = word_at(view, place.line, x - GUTTER) if inside else None
    if word is None:
        return None
    first, last = word
    top = line - place.line
    start = Offset(GUTTER + first.start, top + first.row)
    return Selection(start, Offset(GUTTER + last.end, top + last.row))


def _line_selection(document: Document, line: int) -> Selection:
    """Select the line of text that a line is a row of, however many rows it takes."""
    place = document.locate(line)
    view = document.view(place.entry)
    first = last = line
    if 0 <= place.line < view.height:
        rows, top = rows_of(view, place.line, view.height), line - place.line
        first, last = top + rows[0], top + rows[-1]
    end = GUTTER + len(document.plain(document.locate(last)))
    return Selection(Offset(GUTTER, first), Offset(end, last))
