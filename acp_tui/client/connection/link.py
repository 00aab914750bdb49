"""The read and write loops of a connection, which record and queue its frames."""

import math
from collections.abc import Callable

import anyio

from acp_tui.client.connection.transport import Outgoing, Transport, WireGate
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.frames import UNMARKED, Direction, FrameMark, Line, Origin
from acp_tui.protocol.json_decoder import LONGEST_LINE
from acp_tui.protocol.json_parts import text_or_none_at
from acp_tui.protocol.jsonrpc import (
    Error,
    ErrorCode,
    Failure,
    Malformed,
    Message,
    Notification,
    Request,
    Response,
)

OUTBOX_LIMIT = 64 * 1024 * 1024
"""Bytes that may be pending for an agent that doesn't read; beyond that, prompts are refused."""

ROOM = 1024 * 1024
"""The agent's file requests are served only while fewer bytes than this are pending for it."""


RecordFrame = Callable[[Direction, Line, Message | None, FrameMark], int]
"""Records a line of the wire, its message if already parsed, and how it was changed; returns the
frame's number.
"""


class AgentLink:
    """Sends and receives the frames of one connection.

    Each frame is passed to `record` in wire order, unless a `gate` handles it first.
    """

    def __init__(
        self, transport: Transport, record: RecordFrame, clock: Callable[[], float]
    ) -> None:
        self._transport = transport
        self._record = record
        self._clock = clock
        self._outbox, self._unsent = anyio.create_memory_object_stream[Outgoing](math.inf)
        self.gate: WireGate | None = None
        self.stalled = dict.fromkeys(Direction, 0.0)
        """The time until which a fault stops reading from the agent, or writing to it."""
        self.waiting = 0
        self.writing_since: float | None = None

    def send(self, message: Request | Notification | Response | Failure) -> None:
        """Queue a message for the agent; never waits. Its frame is recorded before it is sent.

        A response over the line limit becomes an error: a reader of the recording would refuse the
        line.
        """
        raw = jsonrpc.encode(message)
        if isinstance(message, Response) and len(raw) > LONGEST_LINE:
            words = f"The answer is too long: {len(raw):,} bytes, and a line has at most {LONGEST_LINE:,}"
            message = Failure(message.id, Error(ErrorCode.INTERNAL_ERROR, words))
            raw = jsonrpc.encode(message)
        line = Line(raw, len(raw))
        if self.gate is not None:
            self.gate.feed(Direction.OUT, line, message)
            return
        self._record(Direction.OUT, line, message, UNMARKED)
        self._queue_line(_outgoing(raw, message))

    def send_line(self, raw: bytes, by: Origin) -> None:
        """Record and queue a raw line, valid or not; never waits. No gate stops it."""
        message = jsonrpc.parse(raw)
        self._record(Direction.OUT, Line(raw, len(raw)), message, FrameMark(by))
        self._queue_line(_outgoing(raw, message))

    def pass_on(self, raw: bytes, cuts: tuple[int, ...] = ()) -> None:
        """Queue a line that was already recorded; never waits."""
        self._queue_line(_outgoing(raw, jsonrpc.parse(raw))._replace(cuts=cuts))

    def _queue_line(self, outgoing: Outgoing) -> None:
        self.waiting += len(outgoing.raw)
        self._outbox.send_nowait(outgoing)

    async def read(self) -> None:
        """Read until EOF."""
        while lines := await self._transport.receive():
            for line in lines:
                self._receive_line(line)
            if self.stalled[Direction.IN]:
                await self._wait_for_fault(Direction.IN)

    def _receive_line(self, line: Line) -> None:
        if self.gate is not None:
            self.gate.feed(Direction.IN, line, None)
        else:
            self._record(Direction.IN, line, None, UNMARKED)

    async def write(self) -> None:
        """Write the queued messages in order, however slowly the agent reads them."""
        async for message in self._unsent:
            if self.stalled[Direction.OUT]:
                await self._wait_for_fault(Direction.OUT)
            self.writing_since = self._clock()
            await self._transport.send(message)
            self.writing_since = None
            self.waiting -= len(message.raw)

    async def _wait_for_fault(self, side: Direction) -> None:
        """Wait until the fault that stalls this direction is over."""
        await anyio.sleep(max(0.0, self.stalled[side] - self._clock()))
        self.stalled[side] = 0.0

    def close(self) -> None:
        """Drop unsent messages; nothing is sent after this."""
        self._outbox.close()
        self._unsent.close()


def _outgoing(raw: bytes, message: Message) -> Outgoing:
    if isinstance(message, Malformed):
        return Outgoing(raw)
    if isinstance(message, Response | Failure):
        return Outgoing(raw, id=message.id)
    id = message.id if isinstance(message, Request) else None
    return Outgoing(raw, message.method, id, text_or_none_at(message.params, "sessionId"))
