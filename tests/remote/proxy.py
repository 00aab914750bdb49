"""A line that breaks: bytes go through it as they come, until it cuts, stalls or chops them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from anyio.abc import SocketStream


@dataclass
class Proxy:
    """`chop` is the most bytes that go at one go. `room` is how many more come down before the cut."""

    to: int
    port: int = 0
    chop: int = 1 << 20
    room: int | None = None
    stalled: bool = False
    is_down: bool = False
    """Whether new connections are closed at once."""
    streams: list[SocketStream] = field(default_factory=list)

    async def cut(self) -> None:
        """Cut all that is open."""
        streams, self.streams = self.streams, []
        for stream in streams:
            await anyio.aclose_forcefully(stream)

    async def serve(self, down: SocketStream) -> None:
        async with down:
            if self.is_down:
                return
            async with await anyio.connect_tcp("127.0.0.1", self.to) as up:
                self.streams += [down, up]
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._relay, down, up, False)
                    await self._relay(up, down, True)
                    tasks.cancel_scope.cancel()

    async def _relay(self, source: SocketStream, target: SocketStream, counted: bool) -> None:
        try:
            while True:
                data = await source.receive(self.chop)
                while self.stalled:
                    await anyio.sleep(0.01)
                if counted and self.room is not None:
                    data, self.room = data[: self.room], self.room - len(data)
                await target.send(data)
                if counted and self.room is not None and self.room <= 0:
                    self.room = None
                    await self.cut()
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            await anyio.aclose_forcefully(target)


@asynccontextmanager
async def proxied(port: int) -> AsyncIterator[Proxy]:
    """Put a line before a server until the block ends."""
    proxy = Proxy(port)
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    proxy.port = listener.extra(anyio.abc.SocketAttribute.local_port)
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, proxy.serve)
        yield proxy
        tasks.cancel_scope.cancel()
