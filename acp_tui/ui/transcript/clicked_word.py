"""The word under the mouse, also where it is wrapped over several rows."""

import re

from rich.cells import cell_len

from acp_tui.ui.lines.lines import Lines
from acp_tui.ui.lines.stack import wrap_at
from acp_tui.ui.transcript.row_text import Piece, RowText

_WORD = re.compile(r"[\w./~@%+=#?&:$-]*[\w/~%+=#&$-]|\S")
"""What is taken for a word: a path, an address or an option is one, too."""
REACH = 50
"""How many rows a word is followed over, up and down."""


def rows_of(lines: Lines, row: int, reach: int) -> range:
    """Return the rows of the line of text that a row belongs to, so many at most up and down."""
    first = last = row
    while first > max(0, row - reach) and wrap_at(lines, first) is not None:
        first -= 1
    below = min(lines.height, row + reach + 1)
    while last + 1 < below and wrap_at(lines, last + 1) is not None:
        last += 1
    return range(first, last + 1)


def word_at(lines: Lines, row: int, cell: int) -> tuple[Piece, Piece] | None:
    """Return the first and the last piece of the word that is drawn at a cell of a row."""
    near = rows_of(lines, row, REACH)
    rows = RowText(near.start)
    rows.read(lines, len(near))
    column = _column(lines.plain(row), cell)
    for word in _WORD.finditer(rows.text(0, rows.size)):
        pieces = list(rows.pieces(*word.span()))
        if any(one.row == row and one.start <= column < one.end for one in pieces):
            return pieces[0], pieces[-1]
    return None


def _column(text: str, cell: int) -> int:
    """Return the character that is drawn at a cell; the one after the last where none is."""
    for at, character in enumerate(text):
        cell -= cell_len(character)
        if cell < 0:
            return at
    return len(text)
