"""Mouse clicks in a transcript: follow a link, fold an entry, select a word or a line."""

import re
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import events
from textual.geometry import Offset
from textual.selection import Selection

from acp_tui.ui.lines.lines import LineColumn
from acp_tui.ui.lines.stack import wrap_at
from acp_tui.ui.transcript.document import GUTTER, Document
from acp_tui.ui.transcript.row_text import Piece, RowText

if TYPE_CHECKING:
    from acp_tui.ui.transcript.document_view import DocumentView
    from acp_tui.ui.transcript.folds import Folds
    from acp_tui.ui.transcript.links import Links
    from acp_tui.ui.transcript.selection import ScreenSelection

_WORD = re.compile(r"[\w./~@%+=#?&:$-]*[\w/~%+=#&$-]|\S")
"""A word; paths, URLs and options count as one word."""
MOST_ROWS = 50
"""Rows searched up and down for the ends of a word: a line without spaces may fill thousands."""
_ACTS = {"link", "path", "end", "toggle", "open"}
"""Keys of a style's metadata that mark something clickable."""


def clicked_selection(document: Document, offset: Offset, clicks: int) -> Selection | None:
    """Return the word at an offset for a double click, its line of text for more clicks."""
    if offset.y >= document.height:
        return None
    if clicks > 2:
        return _line_selection(document, offset.y)
    return _word_selection(document, offset)


def _word_selection(document: Document, offset: Offset) -> Selection | None:
    """Return the word at an offset; it may be wrapped over several rows."""
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
    """Return the line of text at a row; it may be wrapped over several rows."""
    place = document.locate(line)
    view = document.view(place.entry)
    first = last = line
    if 0 <= place.line < view.height:
        rows, top = rows_of(view, place.line, view.height), line - place.line
        first, last = top + rows[0], top + rows[-1]
    end = GUTTER + len(document.plain(document.locate(last)))
    return Selection(Offset(GUTTER, first), Offset(end, last))


def rows_of(lines: LineColumn, row: int, most: int) -> range:
    """Return the rows of the text line that contains `row`, at most `most` in each direction."""
    first = last = row
    while first > max(0, row - most) and wrap_at(lines, first) is not None:
        first -= 1
    below = min(lines.height, row + most + 1)
    while last + 1 < below and wrap_at(lines, last + 1) is not None:
        last += 1
    return range(first, last + 1)


def word_at(lines: LineColumn, row: int, cell: int) -> tuple[Piece, Piece] | None:
    """Return the first and last piece of the word at a cell of a row; None if there is none."""
    near = rows_of(lines, row, MOST_ROWS)
    rows = RowText(near.start)
    rows.read(lines, len(near))
    column = _column(lines.plain(row), cell)
    for word in _WORD.finditer(rows.text(0, rows.size)):
        pieces = list(rows.pieces(*word.span()))
        if any(one.row == row and one.start <= column < one.end for one in pieces):
            return pieces[0], pieces[-1]
    return None


def _column(text: str, cell: int) -> int:
    """Return the index of the character at a cell; the text's length if the cell is after it."""
    for at, character in enumerate(text):
        cell -= cell_len(character)
        if cell < 0:
            return at
    return len(text)


class Clicks:
    """Opens what is clicked, else moves the cursor; double and triple clicks select text."""

    def __init__(
        self,
        view: "DocumentView",
        open_entry: Callable[[], object],
        selected: "ScreenSelection",
        folds: "Folds",
        links: "Links",
    ) -> None:
        """`open_entry` opens the target of the entry under the cursor."""
        self._view = view
        self._open_entry = open_entry
        self._selected = selected
        self._folds = folds
        self._links = links

    def handle(self, event: events.Click) -> bool:
        """Handle a click; return False if it only selects text."""
        if self._select_text(event) or self._selected.current is not None:
            return False
        meta, line = event.style.meta, event.y + self._view.top
        if "link" in meta or "path" in meta:
            self._links.follow(event.x, event.y)
        elif "end" in meta:
            self._view.cursor.go_to_last()
        elif line < self._view.document.height:
            self._click_entry(self._view.document.locate(line).entry, meta.keys())
        return True

    def _click_entry(self, index: int, acts: Collection[str]) -> None:
        self._view.cursor.index = index
        if "toggle" in acts:
            self._folds.toggle(index)
        elif "open" in acts:
            self._open_entry()
        self._view.refresh()

    def _select_text(self, event: events.Click) -> bool:
        """Select a word by a double click, its line by a triple one; return whether the click was
        handled.

        Textual's default, which is prevented here, would select the whole transcript.
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
