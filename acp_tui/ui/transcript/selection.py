"""The selection in a transcript: of lines by keys, of text by the mouse."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.geometry import Offset
from textual.selection import Selection

from acp_tui.ui.transcript.document import GUTTER, Document, LinePlace
from acp_tui.ui.transcript.entry_cursor import EntryCursor
from acp_tui.ui.transcript.reading_place import TELLING, nearest_line
from acp_tui.ui.transcript.viewport import Viewport

if TYPE_CHECKING:
    from acp_tui.ui.transcript.document_view import DocumentView

FAR = 1 << 20
"""A column after the end of any line."""


@dataclass(slots=True)
class SelectionEnd:
    """One end of a selection, with the text next to it by which it is found again."""

    place: LinePlace
    share: float  # of its entry that is above
    words: tuple[str, str]  # the text next to it, and the nearest word of that
    is_end: bool
    lost: bool = True

    @classmethod
    def at(cls, offset: Offset, document: Document, is_end: bool) -> "SelectionEnd":
        """Return the end at an offset in the document."""
        place = document.locate(max(0, min(offset.y, document.height - 1)))
        line, column = document.plain(place), max(0, offset.x - GUTTER)
        text = line[:column].rstrip()[-TELLING:] if is_end else line[column:].strip()[:TELLING]
        word = text.split()[-1 if is_end else 0] if text.split() else ""
        share = max(0, place.line) / max(1, document.view(place.entry).height)
        return cls(place, share, (text, word), is_end)

    def find(self, document: Document) -> Offset:
        """Return where an end of the selection is in what is laid out so far."""
        entry, line = self.place
        if self.lost and line >= 0:
            height = document.view(entry).height
            near = LinePlace(entry, max(0, min(int(self.share * height), height - 1)))
            found = (nearest_line(document, near, word) for word in self.words if word)
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
    """A selection while its lines are wrapped again: its ends are found by their text."""

    def __init__(self, selection: Selection, document: Document) -> None:
        first = selection.start or Offset(0, 0)
        last = selection.end or Offset(FAR, document.height - 1)
        self._ends = (
            SelectionEnd.at(first, document, False),
            SelectionEnd.at(last, document, True),
        )

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
        """Return the selection in the part that is laid out so far."""
        first, last = self._ends
        return Selection(first.find(document), last.find(document))


class LineSelection:
    """The lines selected by keys.

    `show` selects text on screen, or nothing for None; `toggled` is called when a selection by keys
    begins or ends.
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
        self._ends: tuple[LinePlace, LinePlace] | None = None
        """The line where it began, and the one where it ends."""
        self._held: HeldSelection | None = None
        """The selection, by keys or not, while its lines are wrapped again."""

    @property
    def is_active(self) -> bool:
        """Whether the keys that move extend a selection."""
        return self._ends is not None

    def toggle(self) -> None:
        """Begin a selection at the first line on screen of the entry under the cursor; or end it."""
        current, document = self._cursor.current, self._view.document
        if self.is_active:
            self._show(None)
        elif current is not None:
            start = max(document.offset(LinePlace(current, 0)), self._view.top)
            place = document.locate(min(start, document.height - 1))
            self._toggled()
            self._select_range(place, place)

    def extend(self, lines: int) -> None:
        """Extend the selection by `lines` (negative: shrink it); begin one if there is none."""
        if not self.is_active:
            self.toggle()
        if self._ends is not None:
            start, end = self._ends
            document = self._view.document
            y = max(0, min(document.offset(end) + lines, document.height - 1))
            end = document.locate(y)
            self._select_range(start, end)
            self._view.reveal(end)

    def _select_range(self, start: LinePlace, end: LinePlace) -> None:
        self._ends = (start, end)
        document = self._view.document
        first, last = sorted(map(document.offset, self._ends))
        width = GUTTER + len(document.plain(document.locate(last)))
        self._show(Selection(Offset(0, first), Offset(width, last)))

    def clear(self) -> None:
        """End the selection."""
        if self.is_active:
            self._toggled()
        self._ends = self._held = None

    def hold(self, selection: Selection) -> None:
        """Remember the text at the ends, because the lines are about to be wrapped again."""
        if self._held is None and self._view.document.height:
            self._held = HeldSelection(selection, self._view.document)

    def find(self) -> Selection | None:
        """Return the held selection in the new lines; None if nothing is held."""
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


class ScreenSelection:
    """Selects text of a view; `toggled` is called when a selection by keys begins or ends."""

    def __init__(self, view: "DocumentView", toggled: Callable[[], object]) -> None:
        self._view = view
        self.lines = LineSelection(view, view.cursor, self.show, toggled)
        """The selection by keys."""

    @property
    def current(self) -> Selection | None:
        """The selected text; None if there is none."""
        return self._view.text_selection

    def clear(self) -> None:
        """Select nothing."""
        self._view.screen.clear_selection()

    def show(self, selection: Selection | None) -> None:
        """Select this instead; None selects nothing."""
        if selection is None:
            self.clear()
        else:
            self._set_selection(selection)
            self._view.selection_updated(selection)

    def _set_selection(self, selection: Selection) -> None:
        self._view.screen.selections = {self._view: selection}

    def select_rows(self, first: int, last: int) -> None:
        """Select rows of text, to the width of the screen."""
        self.show(Selection(Offset(GUTTER, first), Offset(self._view.size.width, last)))

    def hold(self) -> None:
        """Remember the selection, because the lines are about to be wrapped again."""
        if self.current is not None:
            self.lines.hold(self.current)

    def find(self) -> None:
        """Select the same text again after the lines were wrapped again."""
        selection = self.lines.find()
        if selection is not None:
            self._set_selection(selection)

    def drop(self) -> None:
        """End a selection by keys, before other lines are shown."""
        if self.lines.is_active:
            self.lines.clear()
            self.clear()
