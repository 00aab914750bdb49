"""The selection in a transcript: lines by keyboard, text by mouse."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.geometry import Offset
from textual.selection import Selection

from acp_tui.ui.transcript.document import GUTTER, LinePlace
from acp_tui.ui.transcript.entry_cursor import EntryCursor
from acp_tui.ui.transcript.ports import Viewport

if TYPE_CHECKING:
    from acp_tui.ui.transcript.document_view import DocumentView


class LineSelection:
    """A selection of lines by keyboard.

    `show` selects text on screen, or nothing for None; `toggled` is called when the selection
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
        """The anchor and the moving end of the selection; None without one."""

    @property
    def is_active(self) -> bool:
        """Whether movement keys extend a selection."""
        return self._ends is not None

    def toggle(self) -> None:
        """Begin a selection at the first line on screen of the marked entry, or end it."""
        current, document = self._cursor.current, self._view.document
        if self.is_active:
            self._show(None)
        elif current is not None:
            start = max(document.offset(LinePlace(current, 0)), self._view.top)
            place = document.locate(min(start, document.height - 1))
            self._toggled()
            self._select_range(place, place)

    def extend(self, lines: int) -> None:
        """Extend the selection by `lines` (negative shrinks it); begin one if there is none."""
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
        self._ends = None


class ScreenSelection:
    """Selects text of a view; `toggled` is called when a selection by keyboard begins or ends."""

    def __init__(self, view: "DocumentView", toggled: Callable[[], object]) -> None:
        self._view = view
        self.lines = LineSelection(view, view.cursor, self.show, toggled)
        """The selection by keyboard."""

    @property
    def current(self) -> Selection | None:
        """The selection; None if there is none."""
        return self._view.text_selection

    def clear(self) -> None:
        """Clear the selection."""
        self._view.screen.clear_selection()

    def show(self, selection: Selection | None) -> None:
        """Replace the selection; None clears it."""
        if selection is None:
            self.clear()
        else:
            self._view.screen.selections = {self._view: selection}
            self._view.selection_updated(selection)

    def select_rows(self, first: int, last: int) -> None:
        """Select rows of text, to the right edge of the screen."""
        self.show(Selection(Offset(GUTTER, first), Offset(self._view.size.width, last)))

    def drop(self) -> None:
        """End a selection by keyboard, before other lines are shown."""
        if self.lines.is_active:
            self.lines.clear()
            self.clear()
