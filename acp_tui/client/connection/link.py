"""The loop both ways: lines of one agent to frames, and messages of ours to lines."""

import math
from collections.abc import Callable

import anyio

from acp_tui.client.connection.transport import Outgoing, Transport
from acp_tui.client.connection.wire import WireGate
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.frames import UNMARKED, Direction, FrameMark, Line, Origin
from acp_tui.protocol.json_decoder import LONGEST
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
"""How many bytes may wait for an agent that doesn't read; beyond it, prompts are refused."""

ROOM = 1024 * 1024
"""Bytes up to which more of the agent's requests for files are served."""


Take = Callable[[Direction, Line, Message | None, FrameMark], int]
"""Takes each line on the wire, with its message where that is known already, and what was done to it;
returns the number of its frame."""


class AgentLink:
    """Carries the frames of one connection. `take` gets each, in the order of the wire, unless there is
    a `gate`, which decides on them.
    """

    def __init__(self, transport: Transport, take: Take, clock: Callable[[], float]) -> None:
        self._transport = transport
        self._take = take
        self._clock = clock
        self._outbox, self._unsent = anyio.create_memory_object_stream[Outgoing](math.inf)
        self.gate: WireGate | None = None
        self.stalled = dict.fromkeys(Direction, 0.0)
        """Until when nothing is read from one side, or written to the other, on purpose."""
        self.waiting = 0
        self.writing_since: float | None = None

    def send(self, message: Request | Notification | Response | Failure) -> None:
        """Put a message on the wire; never waits. The frame is taken before the agent has it.

        An answer over the limit for lines becomes an error: whoever reads the recording would refuse it.
        """
        raw = jsonrpc.encode(message)
        if isinstance(message, Response) and len(raw) > LONGEST:
            words = (
                f"The answer is too long: {len(raw):,} bytes, and a line has at most {LONGEST:,}"
            )
            message = Failure(message.id, Error(ErrorCode.INTERNAL_ERROR, words))
            raw = jsonrpc.encode(message)
        line = Line(raw, len(raw))
        if self.gate is not None:
            self.gate.feed(Direction.OUT, line, message)
            return
        self._take(Direction.OUT, line, message, UNMARKED)
        self._put(_outgoing(raw, message))

    def send_line(self, raw: bytes, by: Origin) -> None:
        """Put a line on the wire as it is, whatever it means; never waits. No gate stops it."""
        message = jsonrpc.parse(raw)
        self._take(Direction.OUT, Line(raw, len(raw)), message, FrameMark(by))
        self._put(_outgoing(raw, message))

    def pass_on(self, raw: bytes, cuts: tuple[int, ...] = ()) -> None:
        """Give a line to the agent that was taken before; never waits."""
        self._put(_outgoing(raw, jsonrpc.parse(raw))._replace(cuts=cuts))

    def _put(self, outgoing: Outgoing) -> None:
        self.waiting += len(outgoing.raw)
        self._outbox.send_nowait(outgoing)

    async def read(self) -> None:
        """Read until the agent says no more."""
        while lines := await self._transport.receive():
            for line in lines:
                self._receive(line)
            if self.stalled[Direction.IN]:
                await self._stall(Direction.IN)

    def _receive(self, line: Line) -> None:
        if self.gate is not None:
            self.gate.feed(Direction.IN, line, None)
        else:
            self._take(Direction.IN, line, None, UNMARKED)

    async def write(self) -> None:
        """Write one frame after the other, however slowly the agent reads."""
        async for message in self._unsent:
            if self.stalled[Direction.OUT]:
                await self._stall(Direction.OUT)
            self.writing_since = self._clock()
            await self._transport.send(message)
            self.writing_since = None
            self.waiting -= len(message.raw)

    async def _stall(self, side: Direction) -> None:
        """Wait as long as a fault stops this side."""
        await anyio.sleep(max(0.0, self.stalled[side] - self._clock()))
        self.stalled[side] = 0.0

    def close(self) -> None:
        """Drop what was not sent: nothing will be sent anymore."""
        self._outbox.close()
        self._unsent.close()


def _outgoing(raw: bytes, message: Message) -> Outgoing:
    if isinstance(message, Malformed):
        return Outgoing(raw)
    if isinstance(message, Response | Failure):
        return Outgoing(raw, id=message.id)
    params = message.params
    session_id = params.get("sessionId") if isinstance(params, dict) else None
    id = message.id if isinstance(message, Request) else None
    return Outgoing(raw, message.method, id, session_id if isinstance(session_id, str) else None)
