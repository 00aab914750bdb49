"""Bytes to lines: newline-delimited framing with a size limit."""

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
    """The reason why a line was not read as it is."""

    OVERSIZED = "oversized"
    UNFINISHED = "unfinished"


class Origin(StrEnum):
    """The origin of a frame that neither the client nor the agent sent on its own."""

    HAND = "hand"
    """A person made it."""
    BREAKPOINT = "breakpoint"
    """A person had it passed on, after it was held."""
    FAULT = "fault"
    """A fault on purpose."""


class FrameMark(NamedTuple):
    """The intervention in a frame on its way.

    `by` is the origin of a frame that its sender didn't send; it replaces the frame with the number
    `of`. A `stopped` frame never reached its receiver.
    """

    by: Origin | None = None
    of: int = 0
    stopped: Origin | None = None


UNMARKED = FrameMark()


class Frame(NamedTuple):
    """One line on the wire, without its newline.

    `at` is in seconds of a monotonic clock; `number` counts all frames of a recording from 1.
    A frame with a flaw holds only what was kept of the line; `size` is what was on the wire. The
    rest is as in a `Mark`.
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
        """Whether anything was done to it on its way."""
        return self.by is not None or self.stopped is not None

    @property
    def client_knows(self) -> bool:
        """Whether the client has sent or got it. It doesn't know what was stopped on its way here, nor
        what the agent was given in the place of what it has sent.
        """
        return not (self.of if self.direction is Direction.OUT else self.stopped)

    @property
    def agent_knows(self) -> bool:
        """Whether the agent has sent or got it: the same from the other side."""
        return not (self.of if self.direction is Direction.IN else self.stopped)


class Line(NamedTuple):
    """A line as the framer cuts it; `size` counts its bytes on the wire."""

    raw: bytes
    size: int
    flaw: Flaw | None = None


class Framer:
    """Cuts a stream of bytes into lines; never raises and never holds more than the limit.

    Blank lines are dropped, unless `blank` ones are wanted, and a trailing carriage return is taken
    off (both are legal padding).
    A line over the limit yields one `Line` with `Flaw.OVERSIZED` and its first bytes, and the
    framer goes on after its newline.
    """

    def __init__(self, limit: int = DEFAULT_LIMIT, *, blank: bool = False) -> None:
        self.limit = limit
        self._blank = blank
        self._held = BytesIO()  # grows in its place, and gives what it holds without a copy
        self._dropped = 0

    def feed(self, data: bytes) -> list[Line]:
        """Add the next bytes; return the lines that they complete."""
        *ended, rest = data.split(b"\n")
        lines = []
        for part in ended:
            if self._held.tell() or self._dropped or len(part) > self.limit:
                self._hold_part(part)
                line = self._pop_line()
            else:
                line = self._whole(part)
            if line is not None:
                lines.append(line)
        if rest:
            self._hold_part(rest)
        return lines

    def begun(self, size: int) -> bytes:
        """Return the first bytes of a line that has not ended, at most `size`."""
        return bytes(self._held.getbuffer()[: min(size, self._held.tell())])

    def end(self) -> list[Line]:
        """End the stream; return what came after the last newline, if anything did."""
        line = self._pop_line()
        if line is None or not line.raw:
            return []
        return [Line(line.raw, line.size, line.flaw or Flaw.UNFINISHED)]

    def _hold_part(self, part: bytes) -> None:
        if self._dropped:
            self._dropped += len(part)
        elif self._held.tell() + len(part) > self.limit:
            self._dropped = self._held.tell() + len(part)
            kept = min(KEPT_OF_OVERSIZED, self.limit)
            self._held.truncate(min(kept, self._held.tell()))
            self._held.seek(0, SEEK_END)
            self._held.write(part[: kept - self._held.tell()])
        else:
            self._held.write(part)

    def _pop_line(self) -> Line | None:
        raw = self._held.getvalue()
        size = self._dropped
        self._held = BytesIO()
        self._dropped = 0
        return Line(raw, size, Flaw.OVERSIZED) if size else self._whole(raw)

    def _whole(self, raw: bytes) -> Line | None:
        """Return a complete line; None for a blank one that isn't wanted."""
        text = raw.removesuffix(b"\r")
        return Line(text, len(raw)) if self._blank or (text and not text.isspace()) else None
