"""What goes into the log of what a program prints beside the wire, a terminal's or the agent itself:
all of it while it is little; of bulk the end.

Bulk would fill the memory and the disk, and nobody reads it: now and then its last lines go into
the log, with a note of how much was left out before them.
"""

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from acp_tui.protocol.events import (
    AgentLogLine,
    AgentLogOmitted,
    LocalEvent,
    OutputOmitted,
    StderrLine,
    StderrOmitted,
    TerminalOutput,
)

if TYPE_CHECKING:
    from hashlib import _Hash

BURST = 8 * 1024 * 1024
RATE = 64 * 1024
"""Bytes that go into the log at once, and in each second, of all terminals of an agent together."""
PERIOD = 0.5
SAMPLE = 32 * 1024
"""Of bulk, so many bytes go into the log after so many seconds."""
LAST = 1024 * 1024
"""And so many at its end, which the state keeps to be shown; `SAMPLE` if there is no room left."""
LINE_COST = 100
"""Bytes that a line of stderr takes in the log beside its text."""


class LogAllowance:
    """Bytes that may go into the log by now; may be overdrawn, and is filled again by the clock."""

    def __init__(self, clock: Callable[[], float], *, burst: int = BURST, rate: int = RATE) -> None:
        self._clock = clock
        self._burst = burst
        self._rate = rate
        self._left = float(burst)
        self._at = clock()

    @property
    def left(self) -> int:
        """How many bytes there is room for."""
        now = self._clock()
        self._left = min(self._burst, self._left + max(0.0, now - self._at) * self._rate)
        self._at = now
        return int(self._left)

    def spend(self, size: int) -> None:
        """Take so many bytes off the allowance."""
        self._left -= size


class OutputLog:
    """Tells of output, in its order: each byte once, or in a note of what is left out.

    `write` gets the pieces in which it came; what is left of one that was cut is a piece, too. Without
    `cut` each is told or left out whole. A piece `costs` so many bytes of the allowance beside its own.
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
        self._pass_on = write
        self._note = omit
        self._cuts = cut
        self._costs = costs
        self._held: deque[bytes] = deque()
        self._size = 0
        self._since = 0.0
        self._omitted = 0
        self._digest: _Hash | None = None

    @property
    def due(self) -> float | None:
        """In how many seconds what is held back is due; None if nothing is."""
        return max(0.0, self._since + PERIOD - self._clock()) if self._held else None

    def add(self, data: bytes) -> None:
        """Take more output: tell it, or hold it back for a moment."""
        if not self._held and self._allowance.left >= self._size_of(data):
            self._write([data])
            return
        if not self._held:
            self._since = self._clock()
        self._held.append(data)
        self._size += self._size_of(data)
        self._drop_beyond(LAST)
        if self.due == 0.0:
            self.flush(SAMPLE)

    def finish(self) -> None:
        """Tell the end of what is held back; more may come all the same."""
        if self._held:
            self.flush(max(SAMPLE, min(LAST, self._allowance.left)))

    def flush(self, most: int = SAMPLE) -> None:
        """Tell the end of what is held back, and how much was left out before it."""
        self._drop_beyond(most)
        over = self._size - most
        if over > 0 and self._cuts:
            first = self._held.popleft()
            self._count(first[:over])
            self._held.appendleft(first[over:])
        if self._digest is not None:
            self._note(self._omitted, self._digest.hexdigest())
            self._omitted, self._digest = 0, None
        pieces = list(self._held)
        self._held.clear()
        self._size = 0
        self._write(pieces)

    def _write(self, pieces: list[bytes]) -> None:
        self._allowance.spend(sum(map(self._size_of, pieces)))
        self._pass_on(pieces)

    def _size_of(self, piece: bytes) -> int:
        return len(piece) + self._costs

    def _drop_beyond(self, most: int) -> None:
        """Leave out the oldest pieces without which there is as much left."""
        while self._size - (size := self._size_of(self._held[0])) >= most:
            self._size -= size
            self._count(self._held.popleft())

    def _count(self, data: bytes) -> None:
        if self._digest is None:
            from hashlib import sha256  # most programs print little

            self._digest = sha256()
        self._omitted += len(data)
        self._digest.update(data)


def terminal_log(
    terminal_id: str,
    allowance: LogAllowance,
    clock: Callable[[], float],
    emit: Callable[[LocalEvent], None],
) -> OutputLog:
    """What goes into the log of a terminal's output."""

    def write(pieces: list[bytes]) -> None:
        emit(TerminalOutput(clock(), terminal_id, b"".join(pieces)))

    def omit(size: int, sha256: str) -> None:
        emit(OutputOmitted(clock(), terminal_id, size, sha256))

    return OutputLog(allowance, clock, write=write, omit=omit)


class LineLog:
    """What goes into the log of lines, the agent's on stderr or in its own log: each whole, or in a
    note.
    """

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
            write=self._write,
            omit=self._omit,
            cut=False,
            costs=LINE_COST,
        )

    @property
    def due(self) -> float | None:
        """In how many seconds what is held back is due; None if nothing is."""
        return self._log.due

    def add(self, line: str) -> None:
        """Take another line."""
        self._log.add(f"{line}\n".encode())

    def flush(self) -> None:
        """Tell the end of what is held back."""
        self._log.flush()

    def finish(self) -> None:
        """Record more of the end, now that the agent is gone."""
        self._log.finish()

    def _write(self, lines: list[bytes]) -> None:
        for line in lines:
            self._emit(self._line(self._clock(), line.decode()[:-1]))

    def _omit(self, size: int, sha256: str) -> None:
        self._emit(self._omitted(self._clock(), size, sha256))
