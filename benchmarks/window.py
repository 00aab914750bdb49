"""A terminal that counts what a program writes to it, and takes it as fast as its line allows."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from tempfile import TemporaryDirectory

from benchmarks.startup import cpu_seconds

PATIENCE = 30.0
PATIENCE_FOR_A_KEY = 0.2
ASKED = b"\x1b[6n"
"""Where is the cursor? A terminal answers once it has drawn what came before."""
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
        self._tail = b""
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
        for _ in range((self._tail[-3:] + data).count(ASKED) if self._answers else 0):
            os.write(self._terminal, b"\x1b[1;1R")
        self.written += len(data)
        self._tail = (self._tail + data)[-100_000:]
        return data

    def forget(self) -> None:
        """Wait only for what comes from now on."""
        self._tail = b""

    def take(self) -> bytes:
        """What came since it was last forgotten or taken."""
        taken, self._tail = self._tail, b""
        return taken

    def wait_for(self, words: str) -> float:
        """Read until some words have come; the seconds that took."""
        began, wanted = time.perf_counter(), words.encode()
        while wanted not in self._tail:
            self.read(0.05)
            if time.perf_counter() - began > PATIENCE:
                raise TimeoutError(f"no {words!r}: {self._tail[-2000:]!r}")
        return time.perf_counter() - began

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
