"""A socket as lines, for both of its ends."""

import os
import socket
import struct
from collections.abc import AsyncIterator

import anyio

from acp_tui.formatting import size
from acp_tui.kept.messages import MessageError
from acp_tui.protocol.frames import DEFAULT_LIMIT

PIECE = 64 * 1024


class SocketConnection:
    """Sends and receives bytes without blocking the loop. Raises OSError once the other end is
    gone.
    """

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        self._end = end

    async def lines(self, limit: int = DEFAULT_LIMIT) -> AsyncIterator[bytes]:
        """Yield what comes, line by line, until the other end closes. Raises MessageError for a line
        of more bytes than the limit.
        """
        parts: list[bytes] = []
        waiting = 0
        while data := await self._receive():
            head, newline, tail = data.rpartition(b"\n")
            if not newline:
                parts.append(data)
                waiting += len(data)
                if waiting > limit:
                    raise MessageError(f"a line is longer than {size(limit)}")
                continue
            for line in b"".join([*parts, head]).split(b"\n"):
                yield line
            parts, waiting = [tail], len(tail)

    async def _receive(self) -> bytes:
        while True:
            try:
                return self._end.recv(PIECE)
            except BlockingIOError:
                await anyio.wait_readable(self._end)

    async def send(self, data: bytes) -> None:
        """Send all data, at the speed of the other end."""
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self._end.send(rest) :]
            except BlockingIOError:
                await anyio.wait_writable(self._end)

    def close(self) -> None:
        """Close our end."""
        anyio.notify_closing(self._end)
        self._end.close()


def is_ours(end: socket.socket) -> bool:
    """Return whether the peer is a process of the same user, where the system reports it (Linux does)."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True  # the folder lets nobody else in
    size = struct.calcsize("3i")
    _, user, _ = struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return bool(user == os.getuid())
