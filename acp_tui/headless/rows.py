"""Breaks text into marked terminal rows as it arrives."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TextIO
from unicodedata import east_asian_width

MARK = "| "
"""In ASCII, so that every terminal displays it and every screen reader reads it."""
MOST_EMPTY = 4
"""Consecutive empty lines that are shown; more are counted."""
_WIDTH = 80
"""Width of a terminal that doesn't report it, in columns."""
_TAB = 8
_PARTS = re.compile(r"\n|[ \t]+|[^ \t\n]+")


class Rows:
    """Breaks cleaned text into rows before the terminal does, as the text arrives.

    Each row begins with a mark, so that none can pass for a line of the client's. If `first` is
    empty, the text is one line, and its first row has no mark.
    """

    def __init__(self, stream: TextIO, first: str = MARK) -> None:
        """Create rows for the width of the terminal `stream`; `first` precedes each line."""
        self._stream = stream
        self._first = first
        self._width = _WIDTH
        self._column = 0
        self._blanks = ""
        """Blanks before the next word, which will be written with it."""
        self._empty = 0

    @property
    def is_open(self) -> bool:
        """Whether the last row is incomplete."""
        return self._column > 0

    def feed(self, text: str) -> str:
        """Return the rows of the next piece of text."""
        with suppress(OSError):  # the terminal is gone
            columns = os.get_terminal_size(self._stream.fileno()).columns or _WIDTH
            # some terminals wrap after the last column already
            self._width = max(columns - 1, len(MARK) + 2)
        shown = text.encode(self._stream.encoding, self._stream.errors or "strict")
        return "".join(self._rows(shown.decode(self._stream.encoding)))

    def finish(self) -> str:
        """Return what is left to print: the count of empty lines, and the end of the last row."""
        return "".join([*self._counted(), *self._end_row()])

    def restart(self) -> None:
        """Continue at the start of a row: something else has ended the last one."""
        self._column, self._blanks = 0, ""

    def _rows(self, text: str) -> Iterator[str]:
        for part in _PARTS.findall(text):
            if part == "\n":
                yield from self._end_line()
            elif part[0] in " \t":
                self._blanks += part
            else:
                yield from self._word(part)

    def _end_line(self) -> Iterator[str]:
        if self._column:
            yield from self._end_row()
            return
        self._blanks = ""
        self._empty += 1
        if self._empty <= MOST_EMPTY:
            yield f"{MARK.rstrip()}\n"

    def _end_row(self) -> Iterator[str]:
        if self._column:
            yield "\n"
        self.restart()

    def _counted(self) -> Iterator[str]:
        """Yield a line with the number of omitted empty lines, if any."""
        more, self._empty = self._empty - MOST_EMPTY, 0
        if more > 0:
            blanks, self._blanks = self._blanks, ""
            yield from self._rows(f"⋯ {more:,} more empty lines\n")
            self._blanks = blanks

    def _word(self, word: str) -> Iterator[str]:
        yield from self._counted()
        begins = not self._column
        if begins:
            yield self._first
            self._column = len(self._first)
        # Tabs expand from the column in the text, which begins after the mark.
        before = " " * ((self._column - len(self._first)) % _TAB)
        blanks = (before + self._blanks).expandtabs(_TAB)[len(before) :]
        self._blanks = ""
        room = self._width - self._column
        whole = len(blanks) + count_cells(word)
        if self._first and len(blanks) >= room:
            blanks = ""
            if not begins:
                yield self._next_row()
        elif blanks and not begins and room < whole <= self._width - len(MARK):
            yield self._next_row()
            blanks = "" if self._first else blanks  # a line of the client's keeps all blanks
        yield from self._break_word(blanks)
        yield from self._break_word(word)

    def _next_row(self) -> str:
        self._column = len(MARK)
        return f"\n{MARK}"

    def _break_word(self, text: str) -> Iterator[str]:
        """Yield a text without breaking points, cut at the end of each row."""
        at = 0
        while at < len(text):
            end = at + _fitting(text, at, self._width - self._column)
            if end == at:
                yield self._next_row()
                continue
            yield text[at:end]
            self._column += count_cells(text[at:end])
            at = end


def count_cells(text: str) -> int:
    """Return the most terminal cells that a text can take, however the terminal joins characters."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def _cells_of(char: str) -> int:
    return 2 if char >= "\U0001f000" or east_asian_width(char) in "WF" else 1


def _fitting(text: str, at: int, room: int) -> int:
    """Return how many characters from `at` on fit into `room` cells."""
    piece = text[at : at + max(room, 0)]
    if piece.isascii():
        return len(piece)
    taken = 0
    for count, char in enumerate(piece):
        taken += _cells_of(char)
        if taken > room:
            return count
    return len(piece)
