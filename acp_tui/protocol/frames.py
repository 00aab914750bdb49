"""Splits a byte stream into newline-delimited frames, with a size limit for lines."""

from enum import StrEnum
from io import SEEK_END, BytesIO
from typing import NamedTuple

DEFAULT_LIMIT = 256 * 1024 * 1024
KEPT_OF_OVERSIZED = 4096


class Direction(StrEnum):
    """The direction of a frame, as seen from the client."""

    IN = "in"
    OUT = "out"


class Flaw(StrEnum):
    """Why a frame's bytes are not the whole line."""

    OVERSIZED = "oversized"
    UNFINISHED = "unfinished"


class Origin(StrEnum):
    """Who sent, released or stopped a frame, if not the client or the agent itself."""

    HAND = "hand"
    """The user wrote it."""
    BREAKPOINT = "breakpoint"
    """The user released it from a breakpoint."""
    FAULT = "fault"
    """An injected fault."""


class FrameMark(NamedTuple):
    """How a frame was changed or stopped on its way.

    `by` is who sent the frame, if not its sender; it replaces the frame with the number `of`. A
    `stopped` frame never reached its receiver.
    """

    by: Origin | None = None
    of: int = 0
    stopped: Origin | None = None


UNMARKED = FrameMark()


class Frame(NamedTuple):
    """One line on the wire, without its newline.

    `at` is in seconds of a monotonic clock; `number` counts all frames of a recording from 1. The
    `raw` of a frame with a flaw may be only the beginning of the line; `size` is the line's size on
    the wire. The other fields are those of `FrameMark`.
    """

    direction: Direction
    raw: bytes
    at: float
    number: int = 0
    flaw: Flaw | None = None
    size: int = 0
    by: Origin | None = None
    of: int = 0
    stopped: Origin | None = None

    @property
    def is_marked(self) -> bool:
        """Whether the frame was sent or stopped by anyone but the client or the agent."""
        return self.by is not None or self.stopped is not None

    @property
    def client_knows(self) -> bool:
        """Whether the client has sent or received this frame. It doesn't know an incoming frame
        that was stopped, nor one that the agent got instead of the client's.
        """
        return not (self.of if self.direction is Direction.OUT else self.stopped)

    @property
    def agent_knows(self) -> bool:
        """Whether the agent has sent or received this frame; the counterpart of `client_knows`."""
        return not (self.of if self.direction is Direction.IN else self.stopped)


class Line(NamedTuple):
    """A line as the framer splits it off; `size` is its size in bytes on the wire."""

    raw: bytes
    size: int
    flaw: Flaw | None = None


class Framer:
    """Splits a stream of bytes into lines. Never raises, and never buffers more than the limit.

    Blank lines are dropped, unless `blank` is true, and a trailing carriage return is removed (both
    are legal padding). A line over the limit becomes one `Line` with `Flaw.OVERSIZED` and its first
    bytes; the framer continues after its newline.
    """

    def __init__(self, limit: int = DEFAULT_LIMIT, *, blank: bool = False) -> None:
        self.limit = limit
        self._blank = blank
        self._buffered = BytesIO()  # grows in place, and returns its contents without a copy
        self._dropped = 0

    def feed(self, data: bytes) -> list[Line]:
        """Add the next bytes; return the lines that they complete."""
        *ended, rest = data.split(b"\n")
        lines = []
        for part in ended:
            if self._buffered.tell() or self._dropped or len(part) > self.limit:
                self._buffer_part(part)
                line = self._pop_line()
            else:
                line = self._whole(part)
            if line is not None:
                lines.append(line)
        if rest:
            self._buffer_part(rest)
        return lines

    def unfinished_line(self, size: int) -> bytes:
        """Return the first bytes of the current, unfinished line; at most `size`."""
        return bytes(self._buffered.getbuffer()[: min(size, self._buffered.tell())])

    def end(self) -> list[Line]:
        """End the stream; return the unfinished last line, if there is one."""
        line = self._pop_line()
        if line is None or not line.raw:
            return []
        return [Line(line.raw, line.size, line.flaw or Flaw.UNFINISHED)]

    def _buffer_part(self, part: bytes) -> None:
        if self._dropped:
            self._dropped += len(part)
        elif self._buffered.tell() + len(part) > self.limit:
            self._dropped = self._buffered.tell() + len(part)
            kept = min(KEPT_OF_OVERSIZED, self.limit)
            self._buffered.truncate(min(kept, self._buffered.tell()))
            self._buffered.seek(0, SEEK_END)
            self._buffered.write(part[: kept - self._buffered.tell()])
        else:
            self._buffered.write(part)

    def _pop_line(self) -> Line | None:
        raw = self._buffered.getvalue()
        size = self._dropped
        self._buffered = BytesIO()
        self._dropped = 0
        return Line(raw, size, Flaw.OVERSIZED) if size else self._whole(raw)

    def _whole(self, raw: bytes) -> Line | None:
        """Return a complete line; None for a blank one if those are dropped."""
        text = raw.removesuffix(b"\r")
        return Line(text, len(raw)) if self._blank or (text and not text.isspace()) else None
