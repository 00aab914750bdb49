"""The UI on a terminal of its own, and all that it wrote there."""

import os
import re
import select
import struct
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

import pyte

try:
    import fcntl
    import termios
except ImportError:  # not POSIX: there is no terminal to be had
    pass

_OWN_TERMINAL = ': <"$0"; exec "$@"'
"""Opened by the leader of a session, a terminal becomes the session's own."""
_CHUNK = 64 * 1024
_PATIENCE = 15.0
"""Seconds that the program gets to end what it has started."""
_OTHERS = ("COLUMNS", "LINES", "NO_COLOR", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX", "STY")
"""Variables that tell of the terminal that we run in, which is not this one."""
_FOR_PYTE = re.compile(
    rb"\x1b\[[<>=][0-9;]*[A-Za-z]|\x1b[P_^X](?:[^\x1b]|\x1b(?!\\))*\x1b\\|\x1b\[[0-9;]* q"
)
"""What pyte would print: the keyboard's modes, strings of the device, the cursor's form."""
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|[\]P_^X](?:[^\x07\x1b]|\x1b(?!\\))*)?\Z")


class Size(NamedTuple):
    """The size of a terminal in cells."""

    columns: int
    rows: int


class Written(NamedTuple):
    """What was written at once; `at` is on the monotonic clock."""

    at: float
    data: bytes


class Drawing:
    """Draws what was written on a screen."""

    def __init__(self, size: Size) -> None:
        self.screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self.screen)
        self._rest = b""

    def draw(self, data: bytes) -> None:
        """Draw; a sequence that isn't finished waits for its end."""
        data = self._rest + data
        cut = _UNFINISHED.search(data)
        self._rest = data[cut.start() :] if cut is not None else b""
        data = data[: len(data) - len(self._rest)]
        self._stream.feed(_FOR_PYTE.sub(b"", data))

    def row(self, y: int) -> Iterator[pyte.screens.Char]:
        """Return the cells of a row; the right half of a wide character is empty."""
        line = self.screen.buffer[y]
        return (line[x] for x in range(self.screen.columns))

    @property
    def text(self) -> str:
        """What can be read."""
        rows = ("".join(one.data for one in self.row(y)) for y in range(self.screen.lines))
        return "\n".join(row.rstrip() for row in rows)


class Window:
    """A running program. Nothing is read but by `look`."""

    def __init__(self, command: Sequence[str], size: Size) -> None:
        """Start the program. Raises OSError."""
        self.written: list[Written] = []
        self.drawing = Drawing(size)
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size.rows, size.columns, 0, 0))
        kept = {name: value for name, value in os.environ.items() if name not in _OTHERS}
        env = {**kept, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        argv = ["/bin/sh", "-c", _OWN_TERMINAL, os.ttyname(slave), *command]
        try:
            self._process = subprocess.Popen(
                argv, env=env, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
            )
        except OSError:
            os.close(self._master)
            raise
        finally:
            os.close(slave)

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def look(self, seconds: float) -> bool:
        """Draw what is written within this time; return False if nothing was."""
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        data = b""
        with suppress(OSError):  # Linux says so that nobody has the terminal open anymore
            data = os.read(self._master, _CHUNK)
            while len(data) < 16 * _CHUNK and select.select([self._master], [], [], 0.004)[0]:
                more = os.read(self._master, _CHUNK)
                if not more:
                    break
                data += more
        if not data:
            time.sleep(min(seconds, 0.05))
            return False
        self.written.append(Written(time.monotonic(), data))
        self.drawing.draw(data)
        return True

    def press(self, keys: str) -> None:
        """Press keys."""
        with suppress(OSError):  # it has ended: who looks for what they do finds that out
            os.write(self._master, keys.encode())

    def close(self) -> None:
        """End the program as one whose terminal is gone, and see that it ends."""
        with suppress(ProcessLookupError):
            self._process.terminate()
        until = time.monotonic() + _PATIENCE
        while not self.has_ended and time.monotonic() < until:
            self.look(0.05)  # it may have to write before it can end
        with suppress(ProcessLookupError):
            if not self.has_ended:
                os.killpg(self._process.pid, 9)
        self._process.wait()
        os.close(self._master)
