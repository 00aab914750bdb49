"""Limits how much output of a program is logged: of a terminal, or of the agent itself.

Small output is logged completely. Bulk output would fill memory and disk, and nobody reads it: only
its end is logged periodically, with a note of how much was omitted.
"""

import codecs
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from acp_tui.protocol.events import LocalEvent
from acp_tui.protocol.process_events import (
    AgentLogLine,
    AgentLogOmitted,
    OutputOmitted,
    StderrLine,
    StderrOmitted,
    TerminalOutput,
)
from acp_tui.text import clean_line

if TYPE_CHECKING:
    from hashlib import _Hash

BURST = 8 * 1024 * 1024
LOGGED_BYTES_PER_SECOND = 64 * 1024
"""Bytes logged per second after an initial `BURST`, for all terminals of an agent together."""
PERIOD = 0.5
SAMPLE = 32 * 1024
"""Bytes of bulk output that are logged every `PERIOD` seconds."""
LAST = 1024 * 1024
"""Bytes logged of the end of bulk output, if the allowance permits; else `SAMPLE`."""
LINE_COST = 100
"""Bytes that the log needs for a stderr line besides its text."""
LINE_LIMIT = 8 * 1024
"""Longest line that is returned, in bytes."""


class LogAllowance:
    """Bytes that may be logged now. The allowance is refilled over time, and may be overdrawn."""

    def __init__(
        self, clock: Callable[[], float], *, burst: int = BURST, rate: int = LOGGED_BYTES_PER_SECOND
    ) -> None:
        self._clock = clock
        self._burst = burst
        self._rate = rate
        self._left = float(burst)
        self._at = clock()

    @property
    def available(self) -> int:
        """The bytes that may be logged now."""
        now = self._clock()
        self._left = min(self._burst, self._left + max(0.0, now - self._at) * self._rate)
        self._at = now
        return int(self._left)

    def spend(self, size: int) -> None:
        """Subtract `size` bytes from the allowance."""
        self._left -= size


class OutputLog:
    """Logs output in order: each byte is either logged once or counted as omitted.

    `write` gets the chunks of output to log, and `omit` the size and the SHA-256 digest of what is
    left out. With `cut`, the first chunk may be a part of one; without it, each chunk is logged or
    omitted as a whole. A chunk `costs` this many bytes of the allowance in addition to its size.
    """

    def __init__(
        self,
        allowance: LogAllowance,
        clock: Callable[[], float],
        *,
        write: Callable[[list[bytes]], None],
        omit: Callable[[int, str], None],
        cut: bool = True,
        costs: int = 0,
    ) -> None:
        self._allowance = allowance
        self._clock = clock
        self._write = write
        self._omit = omit
        self._cuts = cut
        self._costs = costs
        self._buffered: deque[bytes] = deque()
        self._size = 0
        self._since = 0.0
        self._omitted = 0
        self._digest: _Hash | None = None

    @property
    def seconds_until_due(self) -> float | None:
        """Seconds until the held output is due, or None if none is held."""
        return max(0.0, self._since + PERIOD - self._clock()) if self._buffered else None

    def add_output(self, data: bytes) -> None:
        """Log more output, or hold it back for a moment."""
        if not self._buffered and self._allowance.available >= self._size_of(data):
            self._write_pieces([data])
            return
        if not self._buffered:
            self._since = self._clock()
        self._buffered.append(data)
        self._size += self._size_of(data)
        self._drop_beyond(LAST)
        if self.seconds_until_due == 0.0:
            self.flush(SAMPLE)

    def finish(self) -> None:
        """Log the end of the held output; more output may still come."""
        if self._buffered:
            self.flush(max(SAMPLE, min(LAST, self._allowance.available)))

    def flush(self, most: int = SAMPLE) -> None:
        """Log the last `most` bytes of held output, and how much was omitted before them."""
        self._drop_beyond(most)
        over = self._size - most
        if over > 0 and self._cuts:
            first = self._buffered.popleft()
            self._count_bytes(first[:over])
            self._buffered.appendleft(first[over:])
        if self._digest is not None:
            self._omit(self._omitted, self._digest.hexdigest())
            self._omitted, self._digest = 0, None
        pieces = list(self._buffered)
        self._buffered.clear()
        self._size = 0
        self._write_pieces(pieces)

    def _write_pieces(self, pieces: list[bytes]) -> None:
        self._allowance.spend(sum(map(self._size_of, pieces)))
        self._write(pieces)

    def _size_of(self, piece: bytes) -> int:
        return len(piece) + self._costs

    def _drop_beyond(self, most: int) -> None:
        """Omit the oldest chunks while at least `most` bytes remain."""
        while self._size - (size := self._size_of(self._buffered[0])) >= most:
            self._size -= size
            self._count_bytes(self._buffered.popleft())

    def _count_bytes(self, data: bytes) -> None:
        if self._digest is None:
            from hashlib import sha256  # only for bulk output

            self._digest = sha256()
        self._omitted += len(data)
        self._digest.update(data)


def terminal_log(
    terminal_id: str,
    allowance: LogAllowance,
    clock: Callable[[], float],
    emit: Callable[[LocalEvent], None],
) -> OutputLog:
    """Return the log of a terminal's output."""

    def write(pieces: list[bytes]) -> None:
        emit(TerminalOutput(clock(), terminal_id, b"".join(pieces)))

    def omit(size: int, sha256: str) -> None:
        emit(OutputOmitted(clock(), terminal_id, size, sha256))

    return OutputLog(allowance, clock, write=write, omit=omit)


class LineLog:
    """Logs lines from the agent's stderr or log file; each line is logged completely or omitted."""

    def __init__(
        self,
        clock: Callable[[], float],
        emit: Callable[[LocalEvent], None],
        *,
        line: type[StderrLine | AgentLogLine] = StderrLine,
        omitted: type[StderrOmitted | AgentLogOmitted] = StderrOmitted,
    ) -> None:
        self._clock = clock
        self._emit = emit
        self._line = line
        self._omitted = omitted
        self._log = OutputLog(
            LogAllowance(clock),
            clock,
            write=self._write_lines,
            omit=self._omit,
            cut=False,
            costs=LINE_COST,
        )

    @property
    def seconds_until_due(self) -> float | None:
        """Seconds until the held lines are due, or None if none are held."""
        return self._log.seconds_until_due

    def add_line(self, line: str) -> None:
        """Log another line, or hold it back for a moment."""
        self._log.add_output(f"{line}\n".encode())

    def flush(self) -> None:
        """Log the end of the held lines, and how much was omitted before them."""
        self._log.flush()

    def finish(self) -> None:
        """Log more of the end, since the agent is gone."""
        self._log.finish()

    def _write_lines(self, lines: list[bytes]) -> None:
        for line in lines:
            self._emit(self._line(self._clock(), line.decode()[:-1]))

    def _omit(self, size: int, sha256: str) -> None:
        self._emit(self._omitted(self._clock(), size, sha256))


class LineSplitter:
    """Splits chunks of output into lines.

    Text that a carriage return overwrites is dropped. A line longer than LINE_LIMIT bytes is cut
    and ends in "…"; the rest of it is discarded.
    """

    def __init__(self) -> None:
        self.open = b""
        """The unfinished line."""
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
        """Extend the unfinished line; if it gets too long, yield its beginning and discard the
        rest.
        """
        if self._cut:
            return
        self.open += piece[: LINE_LIMIT + 1 - len(self.open)]
        if len(self.open) > LINE_LIMIT:
            yield _readable(self.open[:LINE_LIMIT]) + "…"
            self.open, self._cut = b"", True


def _readable(line: bytes) -> str:
    """Decode and clean a line, dropping an incomplete character at its end."""
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(line)
    return clean_line(text.rpartition("\r")[2])
