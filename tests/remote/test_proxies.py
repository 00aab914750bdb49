"""WebSockets by way of a proxy that the environment names."""

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream

from tests.fake_agent.script import Script
from tests.remote.bridge import bridged
from tests.remote.hosts import reaching

pytestmark = pytest.mark.anyio

FAR = "agents.test"
"""No such machine is known here: only the proxy finds it."""


class ConnectProxy:
    """A proxy that leads all tunnels to one port, or answers with another `status`."""

    def __init__(self, to: int, status: str) -> None:
        self.to = to
        self.status = status
        self.heads: list[str] = []

    async def serve(self, down: SocketStream) -> None:
        head = b""
        async with down:
            while not head.endswith(b"\r\n\r\n"):
                head += await down.receive()
            self.heads.append(head.decode())
            await down.send(f"HTTP/1.1 {self.status}\r\nX-A: b\r\n\r\n".encode())
            if not self.status.startswith("200"):
                return
            up = await anyio.connect_tcp("127.0.0.1", self.to)
            async with up, anyio.create_task_group() as tasks:
                tasks.start_soon(_relay, down, up)
                await _relay(up, down)
                tasks.cancel_scope.cancel()


async def _relay(source: SocketStream, target: SocketStream) -> None:
    try:
        async for data in source:
            await target.send(data)
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass


@asynccontextmanager
async def proxy(
    monkeypatch: pytest.MonkeyPatch, to: int = 0, status: str = "200 Connection established"
) -> AsyncIterator[ConnectProxy]:
    """The proxy that the environment names until the block ends."""
    one = ConnectProxy(to, status)
    for name in ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port = listener.extra(SocketAttribute.local_port)
    monkeypatch.setenv("HTTPS_PROXY", f"http://me:pass%20word@127.0.0.1:{port}")
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, one.serve)
        yield one
        tasks.cancel_scope.cancel()


async def test_a_websocket_goes_through_the_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script().handshake().prompt().chunk("from afar").end_turn()
    async with (
        bridged(script.argv(tmp_path), tmp_path) as bridge,
        proxy(monkeypatch, int(bridge.url("ws").split(":")[2].split("/")[0])) as it,
        reaching(f"ws://{FAR}:81/acp", tmp_path) as host,
    ):
        await host.opened()
        (head,) = it.heads
        assert head.startswith(f"CONNECT {FAR}:81 HTTP/1.1\r\n")
        login = base64.b64encode(b"me:pass word").decode()
        assert f"Proxy-Authorization: Basic {login}\r\n" in head
        assert ", by the proxy 127.0.0.1 port " in host.facts[0]
        assert "pass" not in str(host.facts)


async def test_none_is_between_this_machine_and_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        bridged(Script().handshake().argv(tmp_path), tmp_path) as bridge,
        proxy(monkeypatch) as it,
        reaching(bridge.url("ws"), tmp_path) as host,
    ):
        await host.opened()
        assert it.heads == []


@pytest.mark.parametrize(
    ("status", "refused"), [("407 Who are you", True), ("502 Nobody", False), ("x", False)]
)
async def test_a_proxy_that_refuses_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: str, refused: bool
) -> None:
    async with proxy(monkeypatch, status=status), reaching(f"ws://{FAR}/acp", tmp_path) as host:
        lost = await host.disconnected()
        assert "does not let us through" in lost.why
        assert lost.refused is refused


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("http://127.0.0.1:9", "by a proxy: nothing listens at 127.0.0.1 port 9"),
        ("socks5://me:hidden@127.0.0.1:9", "is a SOCKS proxy"),
        ("http://me:hidden@/x", "not a valid address: write http://HOST:PORT"),
    ],
)
async def test_a_proxy_that_can_t_be_used_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, says: str
) -> None:
    async with proxy(monkeypatch):
        monkeypatch.setenv("HTTPS_PROXY", address)
        async with reaching(f"ws://{FAR}/acp", tmp_path) as host:
            lost = await host.disconnected()
            assert says in lost.why
            assert "hidden" not in lost.why
