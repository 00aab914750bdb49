"""The wire: long lines are read in slices, and nothing that came is lost."""

import json

import anyio
import anyio.lowlevel
import pytest

from acp_tui.client.connection.lines import LineTransport
from acp_tui.client.connection.link import Link
from acp_tui.protocol.frames import UNMARKED, Direction, Line, Mark
from acp_tui.protocol.jsonrpc import Message, Notification, parse
from acp_tui.protocol.long_lines import LONG, SLICE

pytestmark = pytest.mark.anyio
TEXT = "many words " * 2_000_000
LINE = json.dumps({"method": "m", "params": {"text": TEXT}}).encode()


class Pipe:
    """An agent that has written this, and then waits."""

    def __init__(self, *reads: bytes) -> None:
        self._reads = list(reads)

    async def receive(self) -> bytes:
        await anyio.lowlevel.checkpoint()
        return self._reads.pop(0) if self._reads else b""

    async def send(self, _: bytes) -> bool:
        return True


class Taken:
    """What was taken from a link, and how many turns others had until then."""

    def __init__(self, *reads: bytes) -> None:
        self.lines: list[Line] = []
        self.messages: list[Message | None] = []
        self.turns = 0
        self.turns_before: list[int] = []
        self.link = Link(LineTransport(Pipe(*reads)), self._take, lambda: 0.0)

    def _take(self, direction: Direction, line: Line, message: Message | None, mark: Mark) -> int:
        assert direction is Direction.IN
        assert mark == UNMARKED
        self.lines.append(line)
        self.messages.append(message)
        self.turns_before.append(self.turns)
        return len(self.lines)

    def close(self) -> None:
        self.link.close()

    async def others(self) -> None:
        while True:
            self.turns += 1
            await anyio.lowlevel.checkpoint()


async def test_while_a_long_line_is_read_others_have_their_turns() -> None:
    short = b'{"method":"n"}'
    it = Taken(short + b"\n" + LINE, b"\n" + short + b"\n")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(it.others)
        await it.link.read()
        tasks.cancel_scope.cancel()
    it.close()
    assert [line.raw for line in it.lines] == [short, LINE, short]
    assert it.messages == [None, Notification("m", {"text": TEXT}), None]
    assert it.turns_before[1] - it.turns_before[0] > len(LINE) // SLICE


async def test_a_long_line_is_taken_though_its_reading_is_cancelled() -> None:
    it = Taken(LINE + b"\n")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(it.link.read)
        tasks.start_soon(it.others)
        while it.turns < 3:
            await anyio.lowlevel.checkpoint()
        assert it.lines == []
        tasks.cancel_scope.cancel()
    it.close()
    assert [line.raw for line in it.lines] == [LINE]
    assert it.messages == [None]


async def test_a_long_line_that_is_no_message_is_told_as_such() -> None:
    it = Taken(b"x" * (LONG + 1) + b"\n", LINE[:-1])
    await it.link.read()
    it.close()
    assert it.messages == [parse(b"x" * (LONG + 1)), parse(LINE[:-1])]
