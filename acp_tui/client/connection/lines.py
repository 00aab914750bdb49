"""The transport over two streams of bytes, as ACP has it on stdio: a message is a line."""

from collections.abc import Sequence
from typing import Protocol

import anyio

from acp_tui.client.connection.transport import Outgoing
from acp_tui.protocol.frames import DEFAULT_LIMIT, Framer, Line

BETWEEN = 0.005
"""Seconds between two pieces of a line that is taken apart."""


class Pipes(Protocol):
    """What carries bytes to an agent and back."""

    async def receive(self) -> bytes:
        """Return the agent's next bytes; b"" when it has closed its output."""

    async def send(self, data: bytes) -> bool:
        """Write all bytes; false, at once, when the agent has closed its input."""


class LineTransport:
    """Cuts what comes into lines, and ends each of ours with a newline."""

    def __init__(self, pipes: Pipes, limit: int = DEFAULT_LIMIT) -> None:
        self._pipes = pipes
        self._framer = Framer(limit)

    async def receive(self) -> Sequence[Line]:
        """Return the lines that the next bytes complete; at the end what is left of one."""
        while data := await self._pipes.receive():
            if lines := self._framer.feed(data):
                return lines
        return self._framer.end()

    def begun(self, size: int) -> bytes:
        """Return the first bytes of a line that has no end so far, at most `size`."""
        return self._framer.begun(size)

    def rest(self) -> Sequence[Line]:
        """Return what came of a line that has no end so far; nothing is received after that."""
        return self._framer.end()

    async def send(self, message: Outgoing) -> None:
        """Write a line, however slowly the agent reads; dropped if it has closed its input."""
        data, start = message.raw + b"\n", 0
        for cut in message.cuts:
            await self._pipes.send(data[start:cut])
            await anyio.sleep(BETWEEN)  # so that it is read in pieces, too
            start = cut
        await self._pipes.send(data[start:] if start else data)
