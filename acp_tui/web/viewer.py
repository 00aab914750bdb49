"""One browser window: a program on a terminal of its own, carried over a WebSocket."""

import json
import os
import struct
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

import anyio

_OWN_TERMINAL = ': <"$0"; exec "$@"'
"""Opened by the leader of a session, a terminal becomes the session's own."""
_READ_SIZE = 64 * 1024
_MOST_CELLS = 1000
"""Rows and columns of the largest terminal that a browser may ask for."""
_END_TIMEOUT = 15.0
"""Seconds that the program gets to end what it has started."""
_PERIOD = 0.05


class Size(NamedTuple):
    """The size of a terminal in cells."""

    columns: int
    rows: int


class Socket(Protocol):
    """Sends bytes to a browser."""

    async def send_bytes(self, data: bytes) -> None:
        """Send what the terminal shows."""

    async def send_str(self, data: str) -> None:
        """Send an answer to the page."""


class BrowserViewer:
    """A running program and its terminal."""

    def __init__(self, command: Sequence[str], size: Size) -> None:
        """Start the program. Raises OSError."""
        self._master, slave = os.openpty()
        os.set_blocking(self._master, False)
        self._resize(size)
        argv = ["/bin/sh", "-c", _OWN_TERMINAL, os.ttyname(slave), *command]
        env = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        try:
            self._process = subprocess.Popen(
                argv, env=env, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
            )
        finally:
            os.close(slave)

    async def send_output(self, socket: Socket) -> None:
        """Send all that the program writes, to its end."""
        while data := await self._read():
            await socket.send_bytes(data)

    async def handle_message(self, text: str, socket: Socket) -> None:
        """Handle a message of the page: a key, or a new size. Invalid ones are dropped."""
        try:
            message: Any = json.loads(text)
            kind, value = message[0], message[1]
        except (ValueError, TypeError, LookupError, RecursionError):
            return
        if kind == "stdin" and isinstance(value, str):
            await self._write(value.encode("utf-8", "replace"))
        elif kind == "resize":
            self._resize(size_of(value))
        elif kind == "ping":
            await socket.send_str(json.dumps(["pong", value]))

    async def end(self) -> None:
        """Hang up, and wait until the program has gone; completes under cancellation."""
        os.close(self._master)
        with anyio.CancelScope(shield=True):
            with anyio.move_on_after(_END_TIMEOUT):
                while self._process.poll() is None:  # noqa: ASYNC110 - its end wakes nobody
                    await anyio.sleep(_PERIOD)
            with suppress(ProcessLookupError):
                self._process.kill()
            self._process.wait()

    async def _read(self) -> bytes:
        while True:
            try:
                return os.read(self._master, _READ_SIZE)
            except BlockingIOError:
                await anyio.wait_readable(self._master)
            except OSError:  # Linux's way of saying that nobody has the terminal anymore
                return b""

    async def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._master, rest) :]
            except BlockingIOError:
                await anyio.wait_writable(self._master)
            except OSError:
                return

    def _resize(self, size: Size) -> None:
        import fcntl
        import termios

        cells = struct.pack("HHHH", size.rows, size.columns, 0, 0)
        with suppress(OSError):
            fcntl.ioctl(self._master, termios.TIOCSWINSZ, cells)


def size_of(value: Any) -> Size:
    """Parse the page's size; an invalid one becomes the default."""
    facts = value if isinstance(value, Mapping) else {}
    return Size(_cells(facts.get("width"), 80), _cells(facts.get("height"), 24))


def _cells(value: Any, usual: int) -> int:
    try:
        return min(max(int(value), 1), _MOST_CELLS)
    except (TypeError, ValueError, OverflowError):
        return usual
