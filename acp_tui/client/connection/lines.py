"""ACP's stdio transport: one message per line over two byte streams."""

from collections.abc import Sequence
from typing import Protocol

import anyio

from acp_tui.client.connection.transport import Outgoing
from acp_tui.protocol.frames import DEFAULT_LIMIT, Framer, Line

SPLIT_DELAY = 0.005
"""Seconds between two pieces of a line that a fault splits."""


class Pipes(Protocol):
    """Carries bytes to an agent and back."""

    async def receive(self) -> bytes:
        """Return the agent's next bytes, or b"" after EOF."""

    async def send(self, data: bytes) -> bool:
        """Write all bytes; return False at once if the agent has closed its input."""


class LineTransport:
    """Splits incoming bytes into lines and ends each outgoing line with a newline."""

    def __init__(self, pipes: Pipes, limit: int = DEFAULT_LIMIT) -> None:
        self._pipes = pipes
        self._framer = Framer(limit)

    async def receive(self) -> Sequence[Line]:
        """Return the lines that the next bytes complete; at EOF, the unfinished one."""
        while data := await self._pipes.receive():
            if lines := self._framer.feed(data):
                return lines
        return self._framer.end()

    def begun(self, size: int) -> bytes:
        """Return up to `size` bytes of the line that is still unfinished."""
        return self._framer.begun(size)

    def rest(self) -> Sequence[Line]:
        """Return the unfinished line; nothing is received after that."""
        return self._framer.end()

    async def send(self, message: Outgoing) -> None:
        """Write a line, however slowly the agent reads; drop it if the agent closed its input."""
        data, start = message.raw + b"\n", 0
        for cut in message.cuts:
            await self._pipes.send(data[start:cut])
            await anyio.sleep(SPLIT_DELAY)  # without a pause, one read would return all pieces
            start = cut
        await self._pipes.send(data[start:] if start else data)
