"""A terminal that counts what a program writes to it, and takes it as fast as its line allows."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from tempfile import TemporaryDirectory

import pyte

from benchmarks.startup import cpu_seconds

PATIENCE = 30.0
PATIENCE_FOR_A_KEY = 0.2
ASKED = b"\x1b[6n"
"""Where is the cursor? A terminal answers once it has drawn what came before."""
UNKNOWN_TO_PYTE = (b"\x1b[<u", b"\x1b[>1u")
"""The kitty keyboard protocol on and off; pyte would print the letter."""
STEP = 0.01
"""Seconds between two looks at a slow line."""


class Window:
    """The program on a pty. Nothing is read but in the waits."""

    def __init__(
        self,
        argv: Sequence[str],
        size: tuple[int, int],
        rate: float | None,
        folder: str,
        *,
        answers: bool = True,
    ) -> None:
        self.written = 0
        self._answers = answers
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self._undrawn = b""
        self._since = b""
        self._rate = rate
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.environ |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
            os.environ |= {"XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder}
            os.environ["ACP_TUI_CHECKPOINTS_WHERE"] = "nowhere"  # this checkout's repository
            for name in ("COLUMNS", "LINES", "NO_COLOR", "PYTHONDONTWRITEBYTECODE"):
                os.environ.pop(name, None)
            time.sleep(0.05)  # until the size is set
            os.execv(argv[0], list(argv))
        columns, rows = size
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    @property
    def cpu(self) -> float:
        """Seconds of CPU that the program has used, without its agents."""
        return cpu_seconds(self.pid)

    @property
    def cells(self) -> list[pyte.screens.Char]:
        """The cells of the screen, row by row."""
        for sequence in UNKNOWN_TO_PYTE:
            self._undrawn = self._undrawn.replace(sequence, b"")
        self._stream.feed(self._undrawn)
        self._undrawn = b""
        rows, columns = range(self._screen.lines), range(self._screen.columns)
        return [self._screen.buffer[y][x] for y in rows for x in columns]

    @property
    def text(self) -> str:
        """The text of the screen."""
        text, width = "".join(cell.data for cell in self.cells), self._screen.columns
        return "\n".join(text[at : at + width] for at in range(0, len(text), width))

    def type(self, keys: str) -> None:
        """Type."""
        os.write(self._terminal, keys.encode())

    def read(self, seconds: float) -> bytes:
        """What comes within so many seconds, or b"" if nothing does."""
        if not select.select([self._terminal], [], [], seconds)[0]:
            return b""
        if self._rate is None:
            data = os.read(self._terminal, 65536)
        else:
            data = os.read(self._terminal, int(self._rate * STEP))
            time.sleep(STEP)
        for _ in range((self._since[-3:] + data).count(ASKED) if self._answers else 0):
            os.write(self._terminal, b"\x1b[1;1R")
        self.written += len(data)
        self._undrawn += data
        self._since += data
        return data

    def wait_for(self, words: str) -> None:
        """Read until the screen shows some words. They may be written in pieces, in any order."""
        self._read_until(lambda: words in self.text, words)

    def wait_for_letter(self, letter: str) -> float:
        """Type a letter, and read until it is written; return the seconds that took. Its bytes come in
        one piece, and drawing the screen would be counted, too.
        """
        self._since = b""
        began, wanted = time.perf_counter(), letter.encode()
        self.type(letter)
        self._read_until(lambda: wanted in self._since, letter)
        return time.perf_counter() - began

    def _read_until(self, condition: Callable[[], bool], what: str) -> None:
        until = time.perf_counter() + PATIENCE
        while not condition():
            self.read(0.05)
            if time.perf_counter() > until:
                raise TimeoutError(f"no {what!r} on the screen:\n{self.text}")

    def rest(self, seconds: float = 0.4) -> int:
        """Read until nothing comes for a while; how many bytes came."""
        before = self.written
        while self.read(seconds):
            pass
        return self.written - before

    def watch_first(self, silence: float) -> int:
        """Read what comes first, until nothing comes for so long; how many bytes came."""
        before = self.written
        self.read(PATIENCE_FOR_A_KEY)
        while self.read(silence):
            pass
        return self.written - before

    def watch(self, seconds: float) -> int:
        """Read for so many seconds; how many bytes came."""
        before, until = self.written, time.perf_counter() + seconds
        while (left := until - time.perf_counter()) > 0:
            self.read(left)
        return self.written - before

    def close(self) -> None:
        """End the program."""
        os.kill(self.pid, signal.SIGTERM)
        self._rate = None
        with suppress(OSError):
            while self.read(PATIENCE):
                pass
        os.close(self._terminal)
        os.waitpid(self.pid, 0)


@contextmanager
def window(
    argv: Sequence[str],
    size: tuple[int, int] = (120, 40),
    rate: float | None = None,
    *,
    answers: bool = True,
) -> Iterator[Window]:
    """Run a program in a terminal that takes `rate` bytes a second, or all that comes, and that
    `answers` where its cursor is.
    """
    with TemporaryDirectory() as folder:
        it = Window(argv, size, rate, folder, answers=answers)
        try:
            yield it
        finally:
            it.close()
