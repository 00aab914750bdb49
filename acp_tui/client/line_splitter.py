"""Splits the output that a program writes for people, on stderr or in a log, into lines."""

import codecs
from collections.abc import Iterator

from acp_tui.text import clean_line

LINE_LIMIT = 8 * 1024
"""Bytes of one line that are returned."""


class LineSplitter:
    """Splits chunks of output into lines.

    Text overwritten by a carriage return is dropped. A line over LINE_LIMIT bytes is cut and ends
    in "…"; its rest uses no memory.
    """

    def __init__(self) -> None:
        self.open = b""
        """The line that has no end yet."""
        self._cut = False

    def feed(self, data: bytes) -> Iterator[str]:
        """Yield the completed lines, ready for display."""
        *ended, rest = data.split(b"\n")
        for piece in ended:
            yield from self._grow(piece)
            if not self._cut:
                yield _readable(self.open.removesuffix(b"\r"))
            self.open, self._cut = b"", False
        yield from self._grow(rest)

    def _grow(self, piece: bytes) -> Iterator[str]:
        """Extend the unfinished line; yield one that gets too long, and drop its rest."""
        if self._cut:
            return
        self.open += piece[: LINE_LIMIT + 1 - len(self.open)]
        if len(self.open) > LINE_LIMIT:
            yield _readable(self.open[:LINE_LIMIT]) + "…"
            self.open, self._cut = b"", True


def _readable(line: bytes) -> str:
    """Decode and clean a line, dropping half a character at its end."""
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(line)
    return clean_line(text.rpartition("\r")[2])
