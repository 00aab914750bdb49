"""ACP over a WebSocket: each message is a text message (ACP: Streamable HTTP & WebSocket).

A proxy from the environment is used as for HTTP.
"""

import ssl
from base64 import b64encode
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from email.message import Message
from http.cookiejar import CookieJar
from io import SEEK_END, BytesIO
from typing import Any
from urllib.request import Request, getproxies

import anyio
from anyio.abc import ByteStream, TaskGroup
from anyio.streams.tls import TLSStream
from httpx2 import create_ssl_context
from websockets.client import ClientProtocol
from websockets.exceptions import InvalidProxy, InvalidStatus
from websockets.frames import Frame, Opcode
from websockets.protocol import Event as Received
from websockets.protocol import State
from websockets.proxy import Proxy, get_proxy, parse_proxy
from websockets.streams import StreamReader
from websockets.uri import parse_uri

from acp_tui.client.connection.transport import Outgoing
from acp_tui.client.errors import LineBroken
from acp_tui.client.remote.connection_failures import (
    describe_status,
    describe_tls,
    disconnection_for,
    explain_no_connection,
    is_untrusted,
)
from acp_tui.client.remote.credentials import Credentials
from acp_tui.client.remote.streams import CONNECT_TIMEOUT, SILENCE_TIMEOUT, Watcher
from acp_tui.config.remote import Remote
from acp_tui.protocol.events import Event
from acp_tui.protocol.frames import Flaw, Line
from acp_tui.state.changes import Change

READ_SIZE = 32 * 1024
"""Bytes per read. All frames of a read are parsed at once: if it were larger, a server that sends
empty frames would block the event loop for seconds.
"""
_CLOSED = (anyio.ClosedResourceError, anyio.BrokenResourceError)
LONGEST_HEAD = 64 * 1024
"""Longest header of a proxy's response, in bytes."""


class _PayloadReader(StreamReader):
    """Reads payloads into one buffer. The library's reader collects and then copies them, which
    takes several times the limit in memory.
    """

    def read_exact(self, n: int) -> Generator[None, None, bytes]:  # type: ignore[override]
        """Read exactly `n` bytes. Raises EOFError."""
        payload = BytesIO()
        while payload.tell() < n:
            wanted = n - payload.tell()
            if not self.buffer and self.eof:
                raise EOFError(f"stream ends after {payload.tell()} bytes, expected {n} bytes")
            payload.write(self.buffer[:wanted])
            del self.buffer[:wanted]
            if payload.tell() < n:
                yield
        return payload.getvalue()


class _Protocol(ClientProtocol):
    def parse(self) -> Generator[None, None, None]:
        """Parse incoming bytes with `_PayloadReader`."""
        self.reader = _PayloadReader()
        yield from super().parse()


class WebSocketTransport:
    """One WebSocket: the protocol of the `websockets` library, on anyio's streams."""

    _stream: ByteStream

    def __init__(
        self, remote: Remote, credentials: Credentials, cookies: CookieJar, watcher: Watcher
    ) -> None:
        self._remote = remote
        self._credentials = credentials
        self._cookies = cookies
        self._watcher = watcher
        self._protocol = _Protocol(parse_uri(remote.url), max_size=watcher.limit)
        self._writing = anyio.Lock()
        self._arrived: deque[Received] = deque()
        self._message: BytesIO | None = None
        """The fragments received so far of an unfinished message."""
        self._last_received = watcher.clock()
        self._silent = False

    async def open(self, tasks: TaskGroup) -> None:
        """Connect and upgrade to a WebSocket. Raises LineBroken."""
        with anyio.move_on_after(CONNECT_TIMEOUT) as patience:
            proxy = find_proxy(self._remote)
            self._stream = await _open_websocket(self._remote, proxy)
            await self._handshake("" if proxy is None else f", by {name_proxy(proxy)}")
        if patience.cancelled_caught:
            raise LineBroken(f"{self._remote.host} did not answer within {CONNECT_TIMEOUT:g} s")
        tasks.start_soon(self._ping)

    async def receive(self) -> Sequence[Line]:
        """Return the next messages. Raises LineBroken after the last messages."""
        while True:
            if lines := self._lines():
                return lines
            if self._protocol.state is not State.OPEN:
                raise LineBroken(self._describe_end())
            await self._read_bytes()

    async def send(self, message: Outgoing) -> None:
        """Send a message; drop it if the WebSocket is closed."""
        if self._protocol.state is State.OPEN:
            self._protocol.send_text(message.raw)
            await self._flush()

    async def close(self) -> None:
        """Close the WebSocket."""
        if not hasattr(self, "_stream"):
            return
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(1000)
            await self._flush()
        await anyio.aclose_forcefully(self._stream)

    def follow(self, _: Event, __: list[Change]) -> None:
        """Do nothing: all messages share one WebSocket."""

    async def _handshake(self, way: str) -> None:
        protocol = self._protocol
        request = protocol.connect()
        for name, value in self._credentials.headers.items():
            request.headers[name] = value
        cookie = cookie_header(self._cookies, self._remote.url)
        if cookie is not None:
            request.headers["Cookie"] = cookie
        protocol.send_request(request)
        await self._flush()
        while protocol.state is State.CONNECTING and protocol.handshake_exc is None:
            await self._read_bytes()
        if protocol.handshake_exc is not None:
            raise _refusal(protocol.handshake_exc, self._credentials)
        response = self._arrived.popleft()
        assert not isinstance(response, Frame)
        self._credentials.add_cookies(response.headers.get_all("Set-Cookie"))
        store_cookies(self._cookies, self._remote.url, response.headers.get_all("Set-Cookie"))
        ids = response.headers.get_all("Acp-Connection-Id")
        named = f", Acp-Connection-Id {', '.join(ids)}" if ids else ""
        self._watcher.record_fact(
            f"connected: WebSocket, HTTP 101{describe_tls(self._stream)}{way}{named}"
        )

    async def _read_bytes(self) -> None:
        """Read the next bytes, and answer pings."""
        try:
            self._protocol.receive_data(await self._stream.receive(READ_SIZE))
        except (anyio.EndOfStream, *_CLOSED):
            self._protocol.receive_eof()
        self._last_received = self._watcher.clock()
        self._arrived += self._protocol.events_received()
        await self._flush()

    async def _flush(self) -> None:
        """Write the data that the protocol has queued; a lost connection is left to the reader."""
        async with self._writing:
            for data in self._protocol.data_to_send():
                try:
                    await (self._stream.send(data) if data else self._end_writing())
                except _CLOSED:
                    return

    async def _end_writing(self) -> None:
        if not isinstance(self._stream, TLSStream):  # TLS has no half-close
            await self._stream.send_eof()

    def _lines(self) -> list[Line]:
        lines = []
        while self._arrived:
            frame = self._arrived.popleft()
            assert isinstance(frame, Frame)
            if frame.opcode is Opcode.TEXT:
                self._message = BytesIO(frame.data)  # shares the data until more is written
                self._message.seek(0, SEEK_END)
            elif frame.opcode is Opcode.CONT and self._message is not None:
                self._message.write(frame.data)
            if frame.opcode in (Opcode.TEXT, Opcode.CONT) and frame.fin:
                lines += self._end_message()
            elif frame.opcode is Opcode.BINARY:
                self._watcher.record_fact(
                    f"a binary message of {len(frame.data):,} bytes was ignored"
                )
        if self._protocol.state is not State.OPEN:
            lines += self._end_message(Flaw.UNFINISHED)
        return lines

    def _end_message(self, flaw: Flaw | None = None) -> list[Line]:
        """Return the current message, which ends here, if there is one."""
        if self._message is None:
            return []
        raw, self._message = self._message.getvalue(), None
        return [Line(raw, len(raw), flaw)]

    def _describe_end(self) -> str:
        """Return how the WebSocket ended."""
        if self._silent:
            return f"the server has been silent for {SILENCE_TIMEOUT:g} s, even to a ping"
        ended = self._protocol.close_rcvd or self._protocol.close_sent
        if ended is None:
            return "the connection was cut"
        who = "the server" if self._protocol.close_rcvd is not None else "acp-tui"
        said = f": {ended.reason}" if ended.reason else ""
        return f"{who} closed the WebSocket with code {int(ended.code)}{said}"

    async def _ping(self) -> None:
        """Ping the server when it is silent: a dead connection would go unnoticed otherwise."""
        while True:
            before = self._last_received
            await anyio.sleep(SILENCE_TIMEOUT / 2)
            if self._last_received != before:
                continue
            self._protocol.send_ping(b"")
            with anyio.move_on_after(SILENCE_TIMEOUT / 4):
                await self._flush()
            await anyio.sleep(SILENCE_TIMEOUT / 4)
            await anyio.sleep(SILENCE_TIMEOUT / 4)  # what has just arrived is read first
            if self._last_received == before:
                self._silent = True
                self._protocol.receive_eof()
                await anyio.aclose_forcefully(self._stream)
                return


async def _open_websocket(remote: Remote, proxy: Proxy | None) -> ByteStream:
    context = None
    if remote.is_encrypted or (proxy is not None and proxy.scheme == "https"):
        context = create_ssl_context()
    try:
        if proxy is not None:
            return await open_tunnel(proxy, remote, context)
        if context is None:
            return await anyio.connect_tcp(remote.host, remote.port)
        return await anyio.connect_tcp(remote.host, remote.port, tls=True, ssl_context=context)
    except (OSError, *_CLOSED) as error:
        words = explain_no_connection(remote.host, remote.port, error)
        raise LineBroken(words, refused=is_untrusted(error)) from error


def _refusal(error: Exception, credentials: Credentials) -> LineBroken:
    if isinstance(error, InvalidStatus):
        response = error.response
        credentials.add_cookies(response.headers.get_all("Set-Cookie"))
        body = credentials.error_text(bytes(response.body or b""))
        location = ", ".join(response.headers.get_all("Location"))
        return disconnection_for(response.status_code, body, begun=False, location=location)
    if isinstance(error.__cause__, EOFError):
        return LineBroken("the server closed the connection without an answer")
    return LineBroken(f"what answers there is not a WebSocket: {error}", refused=True)


class _CookieResponse:
    """A response with the interface that a cookie jar expects."""

    def __init__(self, cookies: Iterable[str]) -> None:
        self._headers = Message()
        for cookie in cookies:
            self._headers["Set-Cookie"] = cookie

    def info(self) -> Message:
        return self._headers


def store_cookies(jar: CookieJar, url: str, cookies: Iterable[str]) -> None:
    """Store the cookies of the response to a WebSocket request."""
    response: Any = _CookieResponse(cookies)
    jar.extract_cookies(response, _http_request(url))


def cookie_header(jar: CookieJar, url: str) -> str | None:
    """Return the Cookie header for the next request, or None."""
    request = _http_request(url)
    jar.add_cookie_header(request)
    return request.get_header("Cookie")


def _http_request(url: str) -> Request:
    return Request(f"http{url.removeprefix('ws')}")  # noqa: S310  never opened


def find_proxy(remote: Remote) -> Proxy | None:
    """Return the proxy for an address, or None. A server on this machine is connected to directly.

    Raises LineBroken.
    """
    uri = parse_uri(remote.url)
    if remote.is_here:
        return None
    address = get_proxy(uri) or getproxies().get("all")  # ALL_PROXY
    if address is None:
        return None
    try:
        proxy = parse_proxy(address)
    except InvalidProxy as error:  # the error's message contains the address, and maybe a password
        why = "the environment names a proxy that is not a valid address: write http://HOST:PORT"
        raise LineBroken(why, refused=True) from error
    if not proxy.scheme.startswith("http"):
        raise LineBroken(
            f"{name_proxy(proxy)} is a SOCKS proxy, which WebSockets can't use here", refused=True
        )
    return proxy


def name_proxy(proxy: Proxy) -> str:
    """Return the name of a proxy, without its address's user and password."""
    return f"the proxy {proxy.host} port {proxy.port}"


async def open_tunnel(proxy: Proxy, remote: Remote, context: ssl.SSLContext | None) -> ByteStream:
    """Connect through a proxy; with a `context`, encrypt end to end.

    Raises LineBroken, or anyio's exceptions.
    """
    try:
        stream: ByteStream
        if proxy.scheme == "http":
            stream = await anyio.connect_tcp(proxy.host, proxy.port)
        else:
            stream = await anyio.connect_tcp(proxy.host, proxy.port, tls=True, ssl_context=context)
        await stream.send(_request(proxy, remote))
        status = await _status(stream)
    except (OSError, anyio.EndOfStream, *_CLOSED) as error:
        why = explain_no_connection(proxy.host, proxy.port, error)
        raise LineBroken(f"by a proxy: {why}", refused=is_untrusted(error)) from error
    if status != 200:
        await anyio.aclose_forcefully(stream)
        refused = f"{name_proxy(proxy)} does not let us through"
        raise LineBroken(f"{refused} ({describe_status(status)})", refused=status in (403, 407))
    if not remote.is_encrypted:
        return stream
    return await TLSStream.wrap(stream, hostname=remote.host, ssl_context=context)


def _request(proxy: Proxy, remote: Remote) -> bytes:
    host = f"[{remote.host}]" if ":" in remote.host else remote.host
    head = f"CONNECT {host}:{remote.port} HTTP/1.1\r\nHost: {host}:{remote.port}\r\n"
    if proxy.username is not None:
        login = b64encode(f"{proxy.username}:{proxy.password}".encode()).decode()
        head += f"Proxy-Authorization: Basic {login}\r\n"
    return f"{head}\r\n".encode()


async def _status(stream: ByteStream) -> int:
    """Read exactly the proxy's response head, since the server's bytes follow; return its status,
    or 0.
    """
    head = b""
    while b"\r\n\r\n" not in head and len(head) < LONGEST_HEAD:
        head += await stream.receive()
    words = head.split(b" ", 2)
    return int(words[1]) if words[0].startswith(b"HTTP/1") and words[1].isdigit() else 0
