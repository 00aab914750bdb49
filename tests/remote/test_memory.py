"""What a server sends is held about once, and holds up nobody, in however many pieces it arrives."""

import tracemalloc
from collections.abc import Iterator
from http.cookiejar import CookieJar
from io import BytesIO
from itertools import chain
from types import SimpleNamespace
from typing import Any

import anyio.lowlevel
import httpx2
import pytest
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

from acp_tui.client.remote.credentials import Credentials
from acp_tui.client.remote.streams import read_body
from acp_tui.client.remote.websocket import READ_SIZE, WebSocketTransport
from acp_tui.config.remote import Remote
from acp_tui.protocol.frames import Flaw
from tests.examples import parametrize

pytestmark = pytest.mark.anyio
LIMIT = 8 * 1024 * 1024


class Arriving:
    """A stream of bytes that are made when they are read."""

    def __init__(self, data: Iterator[bytes]) -> None:
        self._data = data

    async def receive(self, _: int) -> bytes:
        try:
            return next(self._data)
        except StopIteration:
            raise anyio.EndOfStream from None

    async def send(self, _: bytes) -> None:
        pass

    async def send_eof(self) -> None:
        pass


def connected(data: Iterator[bytes]) -> WebSocketTransport:
    """A WebSocket whose server has agreed, and now sends `data`."""
    watcher: Any = SimpleNamespace(limit=LIMIT, clock=lambda: 0.0, record_fact=lambda _: None)
    remote = Remote("ws://localhost:1/acp")
    transport = WebSocketTransport(remote, Credentials(), CookieJar(), watcher)
    stream: Any = Arriving(data)
    transport._stream = stream
    server, client = ServerProtocol(), transport._protocol
    client.send_request(client.connect())
    server.receive_data(b"".join(client.data_to_send()))
    (request,) = server.events_received()
    assert isinstance(request, Request)
    server.send_response(server.accept(request))
    client.receive_data(b"".join(server.data_to_send()))
    client.events_received()
    return transport


def message(size: int, fragment: int) -> Iterator[bytes]:
    """The frames of one message, a chunk at a time."""
    count = size // fragment
    for number in range(count):
        opcode = Opcode.CONT if number else Opcode.TEXT
        frame = Frame(opcode, b"", fin=number == count - 1).serialize(mask=False)
        head = frame[:1] + b"\x7f" + fragment.to_bytes(8, "big")
        yield head
        yield from (b"x" * min(READ_SIZE, fragment - at) for at in range(0, fragment, READ_SIZE))


@parametrize(1, "fragment", [LIMIT, LIMIT // 2, LIMIT // 64, 1024])
async def test_a_message_of_a_websocket_is_held_about_once(fragment: int) -> None:
    transport = connected(message(LIMIT, fragment))
    tracemalloc.start()
    try:
        (line,) = await transport.receive()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (line.size, line.flaw, line.raw[:1], line.raw[-1:]) == (LIMIT, None, b"x", b"x")
    # a large fragment is there twice while it is added to what came before it
    assert peak < 1.3 * LIMIT + (fragment if fragment < LIMIT else 0)


async def test_fragments_without_an_end_are_what_came_of_a_message() -> None:
    begun = list(message(2048, 1024))[:2]
    transport = connected(chain(begun))
    (line,) = await transport.receive()
    assert (line.raw, line.flaw) == (b"x" * 1024, Flaw.UNFINISHED)


async def test_frames_without_data_leave_others_their_turn() -> None:
    begin, empty, end = (
        Frame(opcode, data, fin=fin).serialize(mask=False)
        for opcode, data, fin in (
            (Opcode.TEXT, b"{", False),
            (Opcode.CONT, b"", False),
            (Opcode.CONT, b"}", True),
        )
    )
    arrived, turns = BytesIO(begin + 100_000 * empty + end), 0

    async def receive(size: int) -> bytes:
        await anyio.lowlevel.checkpoint()
        return arrived.read(size)

    async def take_turns() -> None:
        nonlocal turns
        while True:
            await anyio.lowlevel.checkpoint()
            turns += 1

    transport = connected(iter(()))
    stream: Any = transport._stream
    stream.receive = receive
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(take_turns)
        (line,) = await transport.receive()
        tasks.cancel_scope.cancel()
    assert line.raw == b"{}"
    assert turns > 5


async def test_a_body_over_the_limit_is_read_no_further() -> None:
    class Endless(httpx2.AsyncByteStream):
        async def __aiter__(self) -> Any:
            while True:
                yield b"x" * READ_SIZE

    tracemalloc.start()
    try:
        body = await read_body(httpx2.Response(200, stream=Endless()), LIMIT)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(body) == LIMIT
    assert peak < 1.3 * LIMIT
