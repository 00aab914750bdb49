"""The server as browsers meet it, and the terminals behind it."""

import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

pytest.importorskip("aiohttp", reason="without the extra [web]")
pytest.importorskip("textual_serve", reason="without the extra [web]")

import aiohttp

from acp_tui.web.server import Size, WebGate, WebServer, serve_windows, size_of
from tests.hosting import PATIENCE, eventually

pytestmark = pytest.mark.anyio


class Site:
    """A server, and a browser that can come in."""

    def __init__(self, gate: WebGate, links: list[str], browser: "aiohttp.ClientSession") -> None:
        self.gate = gate
        self.links = links
        self.browser = browser

    async def status(self, path: str = "/", **more: object) -> int:
        async with self.browser.get(self.gate.origin + path, **more) as answer:
            return int(answer.status)

    def terminal(
        self, origin: str | None = None, query: str = ""
    ) -> "aiohttp.client._WSRequestContextManager":
        given = self.gate.origin if origin is None else origin
        return self.browser.ws_connect(
            f"{self.gate.origin}/ws{query}", headers={"Origin": given} if given else {}
        )


@asynccontextmanager
async def site(*command: str) -> AsyncIterator[Site]:
    """Serve a command until the block ends."""
    listener = socket.create_server(("127.0.0.1", 0))
    gate, links, until = WebGate(f"http://127.0.0.1:{listener.getsockname()[1]}"), [], anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(serve_windows, WebServer(gate, command, links.append), listener, until)
        jar = aiohttp.CookieJar(unsafe=True)  # it is no name, but an address
        async with aiohttp.ClientSession(cookie_jar=jar) as browser:
            with anyio.fail_after(PATIENCE):
                yield Site(gate, links, browser)
        until.set()


async def read(window: "aiohttp.ClientWebSocketResponse", words: str) -> str:
    """Read what a terminal shows until these words come, or it ends."""
    shown = ""
    async for message in window:
        if message.type is aiohttp.WSMsgType.BINARY:
            shown += message.data.decode()
        if words and words in shown:
            break
    return shown


async def test_who_has_no_cookie_gets_only_a_sentence() -> None:
    async with site("true") as one:
        for path in ("/", "/page.js", "/static/js/textual.js", "/ws", "/?token=wrong", "/none"):
            assert await one.status(path) == 403
        assert await one.status(headers={"Host": "evil.example"}) == 421
        assert one.links == []


async def test_a_link_gives_a_cookie_that_no_script_and_no_other_site_has() -> None:
    async with site("true") as one:
        link = one.gate.link
        async with one.browser.get(link, allow_redirects=False) as answer:
            assert answer.status == 303
            assert answer.headers["Location"] == "/"
            cookie = answer.headers["Set-Cookie"]
            assert "HttpOnly" in cookie
            assert "SameSite=Strict" in cookie
            assert "Secure" not in cookie
        async with one.browser.get(one.gate.origin) as answer:
            assert answer.status == 200
            assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
            assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
            page = await answer.text()
        assert 'data-font-size="16"' in page
        assert "http" not in page
        for path in ("/page.js", "/page.css", "/static/js/textual.js", "/?fontsize=20&x=1"):
            assert await one.status(path) == 200
        async with one.browser.post(one.gate.origin) as answer:
            assert answer.status == 405
        assert await one.status(link.removeprefix(one.gate.origin)) == 403
        assert one.links == [one.gate.link]


@pytest.mark.parametrize("size", ["1" * 5000, "²", "٢٠", "-16", "1e1"])
async def test_a_font_size_that_makes_no_sense_is_the_usual_one(size: str) -> None:
    async with site("true") as one:
        await one.status(one.gate.link.removeprefix(one.gate.origin))
        async with one.browser.get(one.gate.origin, params={"fontsize": size}) as answer:
            assert answer.status == 200
            assert 'data-font-size="16"' in await answer.text()


async def test_requests_of_strangers_print_no_faults(caplog: pytest.LogCaptureFixture) -> None:
    async with site("true") as one:
        await one.status(one.gate.link.removeprefix(one.gate.origin))
        host = one.gate.origin.removeprefix("http://").encode()
        for first, more in (
            (b"/", b"Cookie: %s=\xff\xfe" % one.gate.cookie.encode()),
            (b"/?token=\xff", b"X: 1"),
            (b"/", b"X y: 1"),
            (b"/", b"Host: evil.example"),
        ):
            stream = await anyio.connect_tcp(*host.decode().split(":"))
            async with stream:
                await stream.send(
                    b"GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n\r\n" % (first, host, more)
                )
                assert int((await stream.receive()).split()[1]) in (400, 403)
    assert caplog.records == []


@pytest.mark.parametrize("origin", ["", "null", "http://evil.example", "http://127.0.0.1:1"])
async def test_no_terminal_for_pages_of_others(origin: str, tmp_path: Path) -> None:
    async with site("touch", str(tmp_path / "ran")) as one:
        assert await one.status(one.gate.link.removeprefix(one.gate.origin)) == 200
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await one.terminal(origin)
        assert refused.value.status == 403
    assert not (tmp_path / "ran").exists()


async def test_each_window_has_a_terminal_of_its_own_with_its_size_and_keys() -> None:
    script = "tty; stty size; read x; stty size; echo got $x; exec 2>/dev/tty; echo own >&2"
    async with site("sh", "-c", script) as one:
        await one.status(one.gate.link.removeprefix(one.gate.origin))
        async with one.terminal(query="?width=61&height=17") as first, one.terminal() as second:
            shown = await read(first, "17 61")
            other = await read(second, "24 80")
            assert shown.split()[0] != other.split()[0]
            endless = '["resize", {"width": Infinity}]'
            for nonsense in ("{", "[]", "1", '["resize", 3]', '["stdin", 3]', '["blur"]', "{}"):
                await first.send_str(nonsense)
            for nonsense in ("[" * 100_000, endless):
                await first.send_str(nonsense)
            await first.send_str('["ping", "7"]')
            assert await first.receive_json() == ["pong", "7"]
            await first.send_str(json.dumps(["resize", {"width": 50, "height": 10}]))
            await first.send_str(json.dumps(["stdin", "tea ☕\r"]))
            shown = await read(first, "own")
            assert "10 50" in shown
            assert "got tea ☕" in shown
            assert await read(first, "") in ("", "\r\n")
            assert first.closed


async def test_a_window_that_is_closed_hangs_up(tmp_path: Path) -> None:
    told = tmp_path / "told"
    script = f"trap 'echo hup > {told}; exit' HUP; echo up; while :; do sleep 0.05; done"
    async with site("sh", "-c", script) as one:
        await one.status(one.gate.link.removeprefix(one.gate.origin))
        async with one.terminal() as window:
            await read(window, "up")
        await eventually(told.exists)


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"width": 10, "height": "5"}, Size(10, 5)),
        ({"width": 0, "height": 10**9}, Size(1, 1000)),
        ({"width": "x", "height": None}, Size(80, 24)),
        (None, Size(80, 24)),
    ],
)
def test_sizes_that_make_no_sense_are_usual_ones(value: object, size: Size) -> None:
    assert size_of(value) == size
