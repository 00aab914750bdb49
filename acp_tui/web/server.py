"""The web server: serves a page, and runs the UI in a terminal for each browser window.

Output and keys go over a WebSocket. A link can be opened once, and then only by the browser that
opened it.
"""

import json
import logging
import os
import secrets
import struct
import subprocess
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from hmac import compare_digest
from importlib.resources import files
from ipaddress import ip_address
from socket import socket
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit
from weakref import WeakSet

import anyio
from aiohttp import WSMsgType, web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.log import server_logger

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(address: str) -> bool:
    """Return whether an address can be reached only from this machine."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


class WebGate:
    """Has the link that can still be opened, and the browsers that were admitted.

    `url` is the address that browsers use. Requests for another host name are refused, even if it
    resolves to this machine (DNS rebinding).
    """

    def __init__(self, url: str, make_secret: Callable[[], str] = secrets.token_urlsafe) -> None:
        parts = urlsplit(url)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.is_secure = parts.scheme == "https"
        self.cookie = f"acp-tui-{parts.port or parts.scheme}"
        self._make_secret = make_secret
        self._hosts = {parts.netloc}
        if is_loopback(parts.hostname or ""):
            self._hosts |= {f"{name}:{parts.port}" for name in _LOOPBACK}
        self._token = make_secret()
        self._browsers: set[str] = set()

    @property
    def link(self) -> str:
        """The link that admits one browser."""
        return f"{self.origin}/?token={self._token}"

    def admit(self, token: str) -> str | None:
        """Admit a browser with the link's token, and create a new link; return the browser's
        cookie, or None.
        """
        if not _is_same(token, self._token):
            return None
        self._token = self._make_secret()
        browser = self._make_secret()
        self._browsers.add(browser)
        return browser

    def is_admitted(self, cookie: str) -> bool:
        """Return whether a cookie is an admitted browser's."""
        return any(_is_same(cookie, one) for one in self._browsers)

    def is_own_host(self, host: str) -> bool:
        """Return whether a request's Host is this server."""
        return host.lower() in self._hosts

    def is_own_origin(self, origin: str) -> bool:
        """Return whether a request's Origin is this server's page."""
        scheme, _, host = origin.lower().partition("://")
        return scheme == ("https" if self.is_secure else "http") and host in self._hosts


def _is_same(given: str, secret: str) -> bool:
    """Compare with a secret in constant time. `given` may contain surrogates, from bytes that
    aren't UTF-8.
    """
    return compare_digest(given.encode("utf-8", "replace"), secret.encode())


_OWN_TERMINAL = ': <"$0"; exec "$@"'
"""Shell code that makes a terminal the controlling one, by opening it as the session leader, and
runs the command.
"""
_READ_SIZE = 64 * 1024
_MOST_CELLS = 1000
"""Most rows and columns of a terminal that a browser may request."""
_END_TIMEOUT = 15.0
"""Seconds that the program has to end its agents before it is killed."""
_PERIOD = 0.05
"""Seconds between checks whether the program has ended."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
"""Responds to a request."""
_FONT_SIZES = range(8, 33)
"""Font sizes that a page may request, in pixels."""
_FONT_SIZE = 16
_NOT_ADMITTED = (
    "This page is for those who have its link. Open the one that acp-tui serve printed last: "
    "each lets one browser in, once.\n"
)
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        "font-src 'self' data:; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""Headers that keep the page from loading anything from elsewhere, and other pages from framing it,
or controlling its window.
"""
_LONGEST_PASTE = 64 * 1024 * 1024
"""Largest message from a browser, in bytes."""
_HEARTBEAT = 20.0
"""Seconds between pings; a browser that doesn't answer is gone."""


class Size(NamedTuple):
    """The size of a terminal in cells."""

    columns: int
    rows: int


class Socket(Protocol):
    """Sends bytes to a browser."""

    async def send_bytes(self, data: bytes) -> None:
        """Send terminal output."""

    async def send_str(self, data: str) -> None:
        """Send a message to the page."""


class BrowserViewer:
    """A running program and its pseudo-terminal, shown in a browser window."""

    def __init__(self, command: Sequence[str], size: Size) -> None:
        """Start the program. Raises OSError."""
        self._master, slave = os.openpty()
        os.set_blocking(self._master, False)
        self._resize_terminal(size)
        argv = ["/bin/sh", "-c", _OWN_TERMINAL, os.ttyname(slave), *command]
        env = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        try:
            self._process = subprocess.Popen(
                argv, env=env, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
            )
        finally:
            os.close(slave)

    async def send_output(self, socket: Socket) -> None:
        """Send the program's output until it ends."""
        while data := await self._read_output():
            await socket.send_bytes(data)

    async def handle_message(self, text: str, socket: Socket) -> None:
        """Handle a message of the page, such as a key or a new size. Invalid messages are ignored."""
        try:
            message: Any = json.loads(text)
            kind, value = message[0], message[1]
        except (ValueError, TypeError, LookupError, RecursionError):
            return
        if kind == "stdin" and isinstance(value, str):
            await self._write_input(value.encode("utf-8", "replace"))
        elif kind == "resize":
            self._resize_terminal(size_of(value))
        elif kind == "ping":
            await socket.send_str(json.dumps(["pong", value]))

    async def end(self) -> None:
        """Hang up, and wait until the program has exited; this completes even if it is canceled."""
        os.close(self._master)
        with anyio.CancelScope(shield=True):
            with anyio.move_on_after(_END_TIMEOUT):
                while self._process.poll() is None:  # noqa: ASYNC110  there is no event for the end of a process
                    await anyio.sleep(_PERIOD)
            with suppress(ProcessLookupError):
                self._process.kill()
            self._process.wait()

    async def _read_output(self) -> bytes:
        while True:
            try:
                return os.read(self._master, _READ_SIZE)
            except BlockingIOError:
                await anyio.wait_readable(self._master)
            # on Linux, this error means that the other end of the terminal is closed
            except OSError:
                return b""

    async def _write_input(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._master, rest) :]
            except BlockingIOError:
                await anyio.wait_writable(self._master)
            except OSError:
                return

    def _resize_terminal(self, size: Size) -> None:
        import fcntl
        import termios

        cells = struct.pack("HHHH", size.rows, size.columns, 0, 0)
        with suppress(OSError):
            fcntl.ioctl(self._master, termios.TIOCSWINSZ, cells)


def size_of(value: Any) -> Size:
    """Parse the page's size; invalid values become the default."""
    facts = value if isinstance(value, Mapping) else {}
    return Size(_cells(facts.get("width"), 80), _cells(facts.get("height"), 24))


def _cells(value: Any, usual: int) -> int:
    try:
        return min(max(int(value), 1), _MOST_CELLS)
    except (TypeError, ValueError, OverflowError):
        return usual


class WebServer:
    """Serves terminals with a command to browsers that the gate admits; calls `report` with each
    new link.
    """

    def __init__(
        self, gate: WebGate, command: Sequence[str], report: Callable[[str], None]
    ) -> None:
        self._gate = gate
        self._command = command
        self._report = report
        self._windows: WeakSet[web.WebSocketResponse] = WeakSet()

    def app(self) -> web.Application:
        """Build the aiohttp application."""

        async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
            return await self._guard_request(request, handler)

        def send_file(name: str, kind: str) -> Handler:
            async def send(_: web.Request) -> web.StreamResponse:
                return web.Response(text=_read_text(name), content_type=kind)

            return send

        async def close_windows(_: web.Application) -> None:
            for window in set(self._windows):
                await window.close()

        app = web.Application(middlewares=[web.middleware(guard)])
        app.router.add_get("/", self._page)
        for name, kind in (("page.css", "text/css"), ("page.js", "text/javascript")):
            app.router.add_get(f"/{name}", send_file(name, kind))
        app.router.add_get("/ws", self._terminal)
        app.router.add_static("/static", str(files("textual_serve") / "static"))
        app.on_shutdown.append(close_windows)
        return app

    async def _guard_request(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Handle requests of admitted browsers only; all others get an error."""
        if not self._gate.is_own_host(request.headers.get("Host", "")):
            return web.Response(status=421, text="This is no machine of that name.\n")
        if request.method != "GET":
            return web.Response(status=405, text="There is nothing to change here.\n")
        if request.path == "/" and "token" in request.query:
            return self._exchange_token(request.query["token"])
        if not self._gate.is_admitted(request.cookies.get(self._gate.cookie, "")):
            return web.Response(status=403, text=_NOT_ADMITTED)
        response = await handler(request)
        if not response.prepared:
            response.headers.update(_HEADERS)
        return response

    def _exchange_token(self, token: str) -> web.StreamResponse:
        """Exchange a link's token for a cookie, and redirect, so that the URL no longer has the
        token.
        """
        browser = self._gate.admit(token)
        if browser is None:
            return web.Response(status=403, text=_NOT_ADMITTED)
        self._report(self._gate.link)
        response = web.Response(status=303, headers={"Location": "/", **_HEADERS})
        response.set_cookie(
            self._gate.cookie,
            browser,
            path="/",
            httponly=True,
            samesite="Strict",
            secure=self._gate.is_secure,
        )
        return response

    async def _page(self, request: web.Request) -> web.StreamResponse:
        given = request.query.get("fontsize", "")
        size = given if given in map(str, _FONT_SIZES) else str(_FONT_SIZE)
        text = _read_text("page.html").replace("@FONT_SIZE@", size)
        return web.Response(text=text, content_type="text/html")

    async def _terminal(self, request: web.Request) -> web.StreamResponse:
        """Run the command for this window until either of them ends."""
        if not self._gate.is_own_origin(request.headers.get("Origin", "")):
            return web.Response(status=403, text="Another page asks.\n")
        window = web.WebSocketResponse(heartbeat=_HEARTBEAT, max_msg_size=_LONGEST_PASTE)
        await window.prepare(request)
        self._windows.add(window)
        viewer = BrowserViewer(self._command, size_of(request.query))
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._show_window, viewer, window)
                async for message in window:
                    if message.type is WSMsgType.TEXT:
                        await viewer.handle_message(message.data, window)
                tasks.cancel_scope.cancel()
        finally:
            await viewer.end()
        return window

    async def _show_window(self, viewer: BrowserViewer, window: web.WebSocketResponse) -> None:
        try:
            await viewer.send_output(window)
        except ConnectionError:  # the browser is gone
            return
        await window.close()


def _read_text(name: str) -> str:
    return (files("acp_tui.web") / name).read_text("utf-8")


def _is_own_fault(record: logging.LogRecord) -> bool:
    """Return False for a log record of a malformed request, as anyone can send those."""
    return record.exc_info is None or not isinstance(record.exc_info[1], HttpProcessingError)


async def serve_windows(server: WebServer, listener: socket, until: anyio.Event) -> None:
    """Serve until the event `until`, then end all programs."""
    server_logger.addFilter(_is_own_fault)
    runner = web.AppRunner(server.app(), access_log=None, shutdown_timeout=20.0)
    await runner.setup()
    try:
        await web.SockSite(runner, listener).start()
        await until.wait()
    finally:
        with anyio.CancelScope(shield=True):
            await runner.cleanup()
