"""A server that puts an agent of stdio on the network: one process for each connection.

HTTP/1.1 by hand, as small as it can be, so that tests can see and bend whatever goes over the line.
"""

import json
import os
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import anyio
from anyio.abc import SocketStream, TaskGroup
from anyio.streams.buffered import BufferedByteReceiveStream
from websockets.datastructures import Headers
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

COOKIE = "4711-a-secret-place"
GONE = (
    anyio.IncompleteRead,
    anyio.EndOfStream,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
)
CONNECTION_METHODS = ("session/new", "session/load", "session/list")


@dataclass
class Seen:
    """A request that came."""

    method: str
    headers: Headers
    body: bytes = b""

    @property
    def message(self) -> dict[str, Any]:
        try:
            return json.loads(self.body)
        except ValueError:  # nothing, or what is broken on purpose
            return {}

    @property
    def rpc(self) -> str:
        """The method of the message, empty for a response."""
        return str(self.message.get("method", ""))

    @property
    def session(self) -> str | None:
        return self.headers.get("Acp-Session-Id")


@dataclass(frozen=True)
class Answer:
    """What is answered in place of the agent."""

    status: int
    body: bytes = b""
    headers: tuple[str, ...] = ()
    pause: float = 0.0
    """Seconds before each byte of the body; without it, all comes at once."""


@dataclass
class Agent:
    """A process, and what it said that waits for a stream."""

    process: anyio.abc.Process
    streams: dict[str | None, list[bytes]] = field(default_factory=dict)
    routes: dict[Any, str | None] = field(default_factory=dict)
    first: bytes | None = None
    moved: anyio.Event = field(default_factory=anyio.Event)
    in_order: bool = False
    """Whether all goes by one way."""

    async def send(self, raw: bytes) -> None:
        try:
            message = json.loads(raw)
        except ValueError:
            message = {}  # the agent is to say what it thinks of it
        if "method" in message and "id" in message:
            to_connection = message["method"] in CONNECTION_METHODS
            session = None if to_connection else message.get("params", {}).get("sessionId")
            self.routes[message["id"]] = session
        await self.process.stdin.send(raw + b"\n")

    async def read(self) -> None:
        lines = BufferedByteReceiveStream(self.process.stdout)
        try:
            while True:
                self._take(await lines.receive_until(b"\n", 1 << 26))
        except GONE:
            pass

    def _take(self, line: bytes) -> None:
        message = json.loads(line)
        if "method" in message:
            session = message.get("params", {}).get("sessionId")
        else:
            session = self.routes.pop(message["id"], None)
        if self.in_order:
            self.streams.setdefault(None, []).append(line)
        elif self.first is None:
            self.first = line
        else:
            self.streams.setdefault(session, []).append(line)
        self.wake()

    def wake(self) -> None:
        self.moved.set()
        self.moved = anyio.Event()


@dataclass
class Bridge:
    """What the server serves, has seen, and answers otherwise: `bend` may return an Answer."""

    argv: list[str]
    cwd: str
    port: int = 0
    seen: list[Seen] = field(default_factory=list)
    agents: dict[str, Agent] = field(default_factory=dict)
    bend: Callable[[Seen], Answer | None] = lambda _: None
    ids: bool = False
    """Whether events have ids, by which a stream goes on where it was cut."""
    keeps_alive: bool = False
    """Whether each event stream begins with a sign of life; there are no others."""
    late: anyio.Event | None = None
    """What the streams of sessions wait for, so that the connection's overtakes them."""

    def url(self, scheme: str, port: int | None = None) -> str:
        return f"{scheme}://127.0.0.1:{port or self.port}/acp"

    def posts(self, rpc: str) -> list[Seen]:
        return [one for one in self.seen if one.method == "POST" and one.rpc == rpc]

    async def start(self, tasks: TaskGroup) -> tuple[str, Agent]:
        # It is no child of the client's, which is to leave none of its own behind.
        env = {name: value for name, value in os.environ.items() if name != "ACP_TUI_TEST"}
        process = await anyio.open_process(
            self.argv, cwd=self.cwd, env=env, stderr=subprocess.DEVNULL
        )
        agent, id = Agent(process), f"connection-{len(self.agents) + 1}"
        self.agents[id] = agent
        tasks.start_soon(agent.read)
        return id, agent

    async def serve(self, stream: SocketStream) -> None:
        async with stream:
            try:
                received = BufferedByteReceiveStream(stream)
                while True:
                    head = await received.receive_until(b"\r\n\r\n", 1 << 16)
                    line, *rest = head.decode().split("\r\n")
                    headers = Headers([tuple(one.split(": ", 1)) for one in rest])
                    body = await received.receive_exactly(int(headers.get("Content-Length", 0)))
                    seen = Seen(line.split()[0], headers, body)
                    self.seen.append(seen)
                    answer = self.bend(seen)
                    if answer is not None:
                        await _answer(stream, answer)
                    elif "Upgrade" in headers:
                        await self._websocket(stream, received, seen)
                        break
                    else:
                        await self._http(stream, seen)
            except GONE:
                pass

    async def _http(self, stream: SocketStream, seen: Seen) -> None:
        agent = self.agents.get(seen.headers.get("Acp-Connection-Id", ""))
        if seen.rpc == "initialize":
            id, agent = await self.start(self.tasks)
            await agent.send(seen.body)
            while agent.first is None:
                await agent.moved.wait()
            await _answer(
                stream,
                Answer(
                    200, agent.first, (f"Acp-Connection-Id: {id}", f"Set-Cookie: place={COOKIE}")
                ),
            )
        elif agent is None:
            await _answer(stream, Answer(404, b"unknown connection"))
        elif seen.method == "GET":
            await self._events(stream, agent, seen)
        elif seen.method == "DELETE":
            await agent.process.stdin.aclose()
            await _answer(stream, Answer(202))
        else:
            await agent.send(seen.body)
            await _answer(stream, Answer(202))

    async def _events(self, stream: SocketStream, agent: Agent, seen: Seen) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        await stream.send(head)
        if self.keeps_alive:
            await stream.send(b"2\r\n:\n\r\n")
        lines = agent.streams.setdefault(seen.session, [])
        at = int(seen.headers.get("Last-Event-ID", 0))
        while True:
            while at < len(lines):
                if self.late is not None and seen.session is not None:
                    await self.late.wait()
                name = b"id: %d\n" % (at + 1) if self.ids else b""
                event = b"%sdata: %s\n\n" % (name, lines[at])
                at += 1
                await stream.send(b"%x\r\n%s\r\n" % (len(event), event))
                if not self.ids:
                    at -= 1
                    del lines[at]
            await agent.moved.wait()

    async def _websocket(
        self, stream: SocketStream, received: BufferedByteReceiveStream, seen: Seen
    ) -> None:
        id, agent = await self.start(self.tasks)
        agent.in_order = True
        response = ServerProtocol().accept(Request("/acp", seen.headers))
        response.headers["Acp-Connection-Id"] = id
        response.headers["Set-Cookie"] = f"place={COOKIE}; HttpOnly"
        await stream.send(response.serialize())
        protocol = ServerProtocol(state=State.OPEN, max_size=None)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_say, stream, protocol, agent)
            with suppress(*GONE):
                while protocol.state is State.OPEN:
                    protocol.receive_data(await received.receive())
                    await self._take(protocol, seen, agent)
                    await _flush(stream, protocol)
            tasks.cancel_scope.cancel()
        await agent.process.stdin.aclose()

    async def _take(self, protocol: ServerProtocol, seen: Seen, agent: Agent) -> None:
        for frame in protocol.events_received():
            if isinstance(frame, Frame) and frame.opcode is Opcode.TEXT:
                self.seen.append(Seen("POST", seen.headers, bytes(frame.data)))
                await agent.send(bytes(frame.data))


async def _flush(stream: SocketStream, protocol: ServerProtocol) -> None:
    with suppress(*GONE):
        for data in filter(None, protocol.data_to_send()):
            await stream.send(data)


async def _say(stream: SocketStream, protocol: ServerProtocol, agent: Agent) -> None:
    while True:
        for line in agent.streams.pop(None, []):
            protocol.send_text(line)
        await _flush(stream, protocol)
        if None not in agent.streams:
            await agent.moved.wait()


async def _answer(stream: SocketStream, answer: Answer) -> None:
    head = [f"HTTP/1.1 {answer.status} Whatever", f"Content-Length: {len(answer.body)}"]
    begun = "\r\n".join([*head, *answer.headers, "", ""]).encode()
    if not answer.pause:
        await stream.send(begun + answer.body)
        return
    await stream.send(begun)
    for byte in answer.body:
        await anyio.sleep(answer.pause)
        await stream.send(bytes([byte]))


@asynccontextmanager
async def bridged(argv: list[str], cwd: object) -> AsyncIterator[Bridge]:
    """Serve an agent until the block ends."""
    bridge = Bridge(argv, str(cwd))
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    bridge.port = listener.extra(anyio.abc.SocketAttribute.local_port)
    async with listener, anyio.create_task_group() as tasks:
        bridge.tasks = tasks
        tasks.start_soon(listener.serve, bridge.serve)
        try:
            yield bridge
        finally:
            tasks.cancel_scope.cancel()
            for agent in bridge.agents.values():
                if agent.process.returncode is None:
                    agent.process.kill()
            with anyio.CancelScope(shield=True):
                for agent in bridge.agents.values():
                    await agent.process.aclose()
