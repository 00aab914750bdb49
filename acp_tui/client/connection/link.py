"""The loop both ways: bytes of one agent process to frames, and frames back to bytes."""

import math
from collections.abc import Callable
from typing import Protocol

import anyio
from anyio.lowlevel import checkpoint

from acp_tui.deep_json import Reading
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.frames import DEFAULT_LIMIT, Direction, Flaw, Framer, Line
from acp_tui.protocol.jsonrpc import Failure, Message, Notification, Request, Response
from acp_tui.protocol.long_lines import LONG

OUTBOX_LIMIT = 64 * 1024 * 1024
"""How many bytes may wait for an agent that doesn't read; beyond it, prompts are refused."""

ROOM = 1024 * 1024
"""Bytes up to which more of the agent's requests for files are served."""


class Transport(Protocol):
    """What carries bytes to an agent and back."""

    async def receive(self) -> bytes:
        """Return the agent's next bytes; b"" when it has closed its output."""

    async def send(self, data: bytes) -> bool:
        """Write all bytes; false, at once, when the agent has closed its input."""


Take = Callable[[Direction, Line, Message | None], None]
"""Takes each line on the wire, with its message where that is known already."""


async def _in_slices(work: Reading) -> Message:
    while True:
        try:
            next(work)
        except StopIteration as end:
            message: Message = end.value
            return message
        await checkpoint()


class Link:
    """Carries the frames of one agent process. `take` gets each, in the order of the wire."""

    def __init__(
        self,
        transport: Transport,
        take: Take,
        clock: Callable[[], float],
        limit: int = DEFAULT_LIMIT,
    ) -> None:
        self._transport = transport
        self._take = take
        self._clock = clock
        self._limit = limit
        self._outbox, self._unsent = anyio.create_memory_object_stream[bytes](math.inf)
        self.waiting = 0
        self.writing_since: float | None = None

    def send(self, message: Request | Notification | Response | Failure) -> None:
        """Put a message on the wire; never waits. The frame is taken before the agent has it."""
        raw = jsonrpc.encode(message)
        self._take(Direction.OUT, Line(raw, len(raw)), message)
        self.waiting += len(raw) + 1
        self._outbox.send_nowait(raw + b"\n")

    async def read(self) -> None:
        """Read until the agent closes its output."""
        framer = Framer(self._limit)
        while data := await self._transport.receive():
            for line in framer.feed(data):
                await self._taken(line)
        for line in framer.end():
            await self._taken(line)

    async def _taken(self, line: Line) -> None:
        """Take a line of the agent's; a long one is read in slices, between which others work.

        It is taken whole or as it is, whatever comes between: nothing that was received is lost.
        """
        message: Message | None = None
        try:
            if len(line.raw) > LONG and line.flaw is not Flaw.OVERSIZED:
                message = await _in_slices(jsonrpc.parse_in_slices(line.raw))
        finally:
            self._take(Direction.IN, line, message)

    async def write(self) -> None:
        """Write one frame after the other, however slowly the agent reads."""
        with self._outbox, self._unsent:
            async for data in self._unsent:
                self.writing_since = self._clock()
                await self._transport.send(data)
                self.writing_since = None
                self.waiting -= len(data)
