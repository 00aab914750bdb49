"""What goes into the log of what a program prints: all of it while it is little; of bulk the end.

Bulk would fill the memory and the disk, and nobody reads it: now and then its last lines go into
the log, with a note of how much was left out before them.
"""

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from acp_tui.protocol.events import LocalEvent, OutputOmitted, TerminalOutput

if TYPE_CHECKING:
    from hashlib import _Hash

BURST = 8 * 1024 * 1024
RATE = 64 * 1024
"""Bytes that go into the log at once, and in each second, of all terminals of an agent together."""
PERIOD = 0.5
SAMPLE = 32 * 1024
"""Of bulk so many bytes go into the log after so many seconds."""
LAST = 1024 * 1024
"""And so many at its end, which the state keeps to be shown; `SAMPLE` if there is no room left."""


class Allowance:
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
        """So many bytes go into the log."""
        self._left -= size


class OutputLog:
    """Tells of one terminal's output, in its order: each byte once, or in a note of what is left out."""

    def __init__(
        self,
        terminal_id: str,
        allowance: Allowance,
        clock: Callable[[], float],
        emit: Callable[[LocalEvent], None],
    ) -> None:
        self._terminal_id = terminal_id
        self._allowance = allowance
        self._clock = clock
        self._emit = emit
        self._held: deque[bytes] = deque()
        self._size = 0
        self._since = 0.0
        self._omitted = 0
        self._digest: _Hash | None = None

    @property
    def due(self) -> float | None:
        """In how many seconds what is held back has to be told; None if nothing is."""
        return max(0.0, self._since + PERIOD - self._clock()) if self._held else None

    def add(self, data: bytes) -> None:
        """Take more output: tell it, or hold it back for a moment."""
        if not self._held and self._allowance.left >= len(data):
            self._tell(data)
            return
        if not self._held:
            self._since = self._clock()
        self._held.append(data)
        self._size += len(data)
        while self._size - len(self._held[0]) >= LAST:
            self._omit(self._held.popleft())
        if self.due == 0.0:
            self.tell(SAMPLE)

    def finish(self) -> None:
        """Tell the end of what is held back; more may come all the same."""
        if self._held:
            self.tell(max(SAMPLE, min(LAST, self._allowance.left)))

    def tell(self, most: int = SAMPLE) -> None:
        """Tell the end of what is held back, and how much was left out before it."""
        while self._size - len(self._held[0]) >= most:
            self._omit(self._held.popleft())
        data = b"".join(self._held)
        self._held.clear()
        self._size = 0
        if len(data) > most:
            self._count(data[:-most])
            data = data[-most:]
        if self._digest is not None:
            digest = self._digest.hexdigest()
            self._emit(OutputOmitted(self._clock(), self._terminal_id, self._omitted, digest))
            self._omitted, self._digest = 0, None
        self._tell(data)

    def _tell(self, data: bytes) -> None:
        self._allowance.spend(len(data))
        self._emit(TerminalOutput(self._clock(), self._terminal_id, data))

    def _omit(self, data: bytes) -> None:
        self._size -= len(data)
        self._count(data)

    def _count(self, data: bytes) -> None:
        if self._digest is None:
            from hashlib import sha256  # most programs print little

            self._digest = sha256()
        self._omitted += len(data)
        self._digest.update(data)
