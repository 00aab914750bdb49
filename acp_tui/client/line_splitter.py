"""Lines that a program writes for people: on stderr, or into a log."""

import codecs
from collections.abc import Iterator

from acp_tui.text import clean_line

LINE_LIMIT = 8 * 1024
"""Bytes kept of one line."""


class LineSplitter:
    """Splits what comes in pieces.

    What a carriage return has overwritten is left out. A line over LINE_LIMIT bytes is cut and
    ends in "…"; the rest of it costs no memory.
    """

    def __init__(self) -> None:
        self.open = b""
        """The line that has no end yet."""
        self._cut = False

    def feed(self, data: bytes) -> Iterator[str]:
        """Return the lines that have ended, ready to show."""
        *ended, rest = data.split(b"\n")
        for piece in ended:
            yield from self._grow(piece)
            if not self._cut:
                yield _readable(self.open.removesuffix(b"\r"))
            self.open, self._cut = b"", False
        yield from self._grow(rest)

    def _grow(self, piece: bytes) -> Iterator[str]:
        """Add to the open line; one that gets too long is given out, and its rest dropped."""
        if self._cut:
            return
        self.open += piece[: LINE_LIMIT + 1 - len(self.open)]
        if len(self.open) > LINE_LIMIT:
            yield _readable(self.open[:LINE_LIMIT]) + "…"
            self.open, self._cut = b"", True


def _readable(line: bytes) -> str:
    """Decode, without half a character at the end, and clean."""
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(line)
    return clean_line(text.rpartition("\r")[2])
