"""ACP over HTTP: our messages are POSTed, the agent's come as events (ACP: Streamable HTTP)."""

import ssl
from collections.abc import Mapping, Sequence
from http.cookiejar import CookieJar
from typing import Any

import anyio
import httpx2
from anyio.abc import TaskGroup
from h2.settings import SettingCodes

from acp_tui.client.connection.transport import Outgoing
from acp_tui.client.errors import LineBroken
from acp_tui.client.remote.connection_failures import (
    ENDING,
    describe_status,
    disconnection_for,
    explain_no_connection,
    is_untrusted,
)
from acp_tui.client.remote.credentials import Credentials
from acp_tui.client.remote.streams import (
    CONNECT_TIMEOUT,
    SILENCE_TIMEOUT,
    Stream,
    Watcher,
    encode_headers,
    read_body,
)
from acp_tui.config.remote import Remote
from acp_tui.protocol.events import Event
from acp_tui.protocol.frames import Direction, Line
from acp_tui.protocol.json_parts import value_at
from acp_tui.protocol.jsonrpc import Id
from acp_tui.protocol.kinds import REOPENING_METHODS
from acp_tui.protocol.wire_events import Requested, Responded
from acp_tui.state.changes import Change

BATCHES = 16
"""Most batches of lines that may be unread before the streams are paused."""
KEEP_ALIVE_INTERVAL = 15.0
"""Seconds between checks of streams with keep-alive."""


_SETTINGS = "http2.receive_remote_settings.complete"


class StreamLimit:
    """Detects from the first request whether the server limits the number of streams.

    Without a stated limit any number is allowed, but httpcore then assumes one stream, so a second
    one would wait forever.
    """

    def __init__(self) -> None:
        self._is_named = False

    async def trace(self, name: str, info: dict[str, Any]) -> None:
        """Handle a trace event of httpcore."""
        if name == _SETTINGS:
            changed = info["return_value"].changed_settings
            self._is_named = self._is_named or SettingCodes.MAX_CONCURRENT_STREAMS in changed

    def is_one(self, version: str) -> bool:
        """Return whether one connection with this HTTP version can carry only one stream."""
        return version == "HTTP/2" and not self._is_named


class HttpTransport:
    """One HTTP connection: POSTs in order, and event streams for itself and each session."""

    _tasks: TaskGroup
    _client: httpx2.AsyncClient

    def __init__(
        self, remote: Remote, credentials: Credentials, cookies: CookieJar, watcher: Watcher
    ) -> None:
        self._remote = remote
        self._credentials = credentials
        self._cookies = cookies
        self._watcher = watcher
        self._put, self._arrived = anyio.create_memory_object_stream[Sequence[Line]](BATCHES)
        self._broken: LineBroken | None = None
        self._clients: list[httpx2.AsyncClient] = []
        self._limit = StreamLimit()
        self._is_shared = True
        """Whether all streams share one HTTP/2 connection."""
        self._headers: dict[str, str] | None = None
        """The headers of each request; None until connected."""
        self._is_known = False
        """Whether the server knows the connection: it confirmed it, and hasn't denied it since."""
        self._streams: dict[str, Stream] = {}
        self._request_sessions: dict[Id, str] = {}
        """The session of each pending request from the agent."""
        self._waiting: set[Id] = set()
        """The ids of our pending requests."""

    async def open(self, tasks: TaskGroup) -> None:
        """Prepare the connection; only the first message connects."""
        self._tasks = tasks
        self._client = self._new_client()
        tasks.start_soon(self._watch_server)

    def _new_client(self) -> httpx2.AsyncClient:
        client = httpx2.AsyncClient(
            http2=True,
            verify=make_tls_context(self._remote),
            headers={**self._credentials.headers, "Accept-Encoding": "identity"},
            cookies=self._cookies,
            limits=httpx2.Limits(max_connections=None),
            trust_env=not self._remote.is_here,  # no proxy to a server on this machine
        )
        self._clients.append(client)
        return client

    async def receive(self) -> Sequence[Line]:
        """Return the next lines from any stream. Raises LineBroken after the last lines."""
        try:
            return await self._arrived.receive()
        except anyio.EndOfStream:
            assert self._broken is not None
            raise self._broken from None

    async def send(self, message: Outgoing) -> None:
        """POST a message; drop it if disconnected. An error fails the message or the connection."""
        if self._broken is not None:
            return
        try:
            if self._headers is None:
                self._headers = await self._initialize(message)
                self._start_stream(None, self._headers)
            else:
                await self._post_message(message, self._headers)
        except LineBroken as broken:
            self._break_off(broken)

    async def close(self) -> None:
        """Notify the server that the connection ends, and close it."""
        self._put.close()
        self._arrived.close()
        if not hasattr(self, "_client"):
            return
        try:
            if self._headers is not None and self._is_known:
                response = await self._client.delete(
                    self._remote.url, headers=encode_headers(self._headers)
                )
                self._watcher.record_fact(f"DELETE: {describe_status(response.status_code)}")
        except httpx2.HTTPError:
            pass  # the connection ends anyway
        finally:
            for client in self._clients:
                await client.aclose()

    def follow(self, event: Event, _: list[Change]) -> None:
        """Record each agent request's session, and open the streams of opened sessions."""
        match event:
            case Requested(direction=Direction.IN, raw={"sessionId": str(session_id)}):
                self._request_sessions[event.id] = session_id
            case Responded(direction=Direction.IN, request=request):
                self._waiting.discard(request.id)
                opened = _opened(event)
                if opened is not None and self._headers is not None:
                    self._stream(opened, self._headers)

    # POST

    async def _initialize(self, message: Outgoing) -> dict[str, str]:
        """Connect with the first message; return the headers of all later requests."""
        response, body = await self._request(message, {}, self._watcher.limit)
        if response.status_code != 200:
            text = self._credentials.error_text(body)
            location = response.headers.get("Location", "")
            raise disconnection_for(response.status_code, text, begun=False, location=location)
        id = response.headers.get("Acp-Connection-Id")
        self._watcher.record_fact(
            f"connected: {response.http_version} 200, Acp-Connection-Id {id or 'missing'}"
        )
        self._is_shared = not self._limit.is_one(response.http_version)
        await self._add_lines([Line(body, len(body))])
        if id is None:
            raise LineBroken(
                "what answers there is not an agent: no Acp-Connection-Id", refused=True
            )
        self._is_known = True
        return {"Acp-Connection-Id": id}

    async def _post_message(self, message: Outgoing, headers: Mapping[str, str]) -> None:
        session_id, refusal = await self._session_of(message, headers)
        if refusal is not None:
            self._watcher.refused(message, refusal)
            return
        if session_id is not None:
            headers = {**headers, "Acp-Session-Id": session_id}
        if message.method is not None and message.id is not None:
            self._waiting.add(message.id)
        response, body = await self._request(message, headers, self._watcher.limit)
        status = response.status_code
        if status in ENDING:
            self._is_known = status not in (404, 410)
            text = self._credentials.error_text(body)
            raise disconnection_for(status, text, begun=True)
        if not response.is_success:
            if message.method is not None and message.id is not None:
                self._waiting.discard(message.id)
            text = self._credentials.error_text(body)
            self._watcher.record_fact(
                f"POST {message.method or 'an answer'}: {describe_status(status, text)}"
            )
            concerned = message._replace(session_id=session_id or message.session_id)
            self._watcher.refused(concerned, describe_status(status, text))
        elif body and not body.isspace():
            await self._add_lines([Line(body, len(body))])

    async def _session_of(
        self, message: Outgoing, headers: Mapping[str, str]
    ) -> tuple[str | None, str | None]:
        """Return the session for which a message is sent, and the reason why it can't be sent; or
        None.

        The session's stream is opened first, so that nothing after it is lost. To a server that
        doesn't know the session yet (404), the message is sent without the session.
        """
        session_id = message.session_id
        if message.method is None and message.id is not None:
            session_id = self._request_sessions.pop(message.id, None)
        if session_id is None:
            return None, None
        stream = self._stream(session_id, headers)
        with anyio.move_on_after(SILENCE_TIMEOUT) as patience:
            await stream.opened.wait()
        if patience.cancelled_caught:
            raise LineBroken(
                f"no event stream for session {session_id} within {SILENCE_TIMEOUT:g} s"
            )
        if stream.refusal is None:
            return session_id, None
        del self._streams[session_id]  # so that the next message retries
        return None, None if stream.refusal.status == 404 else stream.refusal.words

    async def _request(
        self, message: Outgoing, headers: Mapping[str, str], limit: int
    ) -> tuple[httpx2.Response, bytes]:
        headers = {**headers, "Content-Type": "application/json"}
        request = self._client.build_request(
            "POST",
            self._remote.url,
            content=message.raw,
            headers=encode_headers(headers),
            timeout=httpx2.Timeout(SILENCE_TIMEOUT, connect=CONNECT_TIMEOUT, pool=None),
            extensions={"trace": self._limit.trace} if self._headers is None else None,
        )
        try:
            response = await self._client.send(request, stream=True)
            try:
                self._credentials.add_cookies(response.headers.get_list("Set-Cookie"))
                with anyio.fail_after(SILENCE_TIMEOUT):  # later messages wait for this one
                    return response, await read_body(response, limit)
            finally:
                await response.aclose()
        except (httpx2.ReadTimeout, TimeoutError) as error:
            words = f"no answer to a POST of {message.method or 'an answer'} within {SILENCE_TIMEOUT:g} s"
            raise LineBroken(words) from error
        except httpx2.HTTPError as error:
            words = explain_no_connection(self._remote.host, self._remote.port, error)
            if self._headers is not None:
                words = f"a POST of {message.method or 'an answer'} was cut: {words}"
            raise LineBroken(words, refused=is_untrusted(error)) from error

    # Event streams

    def _stream(self, session_id: str, headers: Mapping[str, str]) -> Stream:
        """Return the stream of a session, opening it if there is none."""
        stream = self._streams.get(session_id)
        return stream or self._start_stream(session_id, headers)

    def _start_stream(self, session_id: str | None, headers: Mapping[str, str]) -> Stream:
        stream = Stream(
            client=self._client if self._is_shared else self._new_client(),
            url=self._remote.url,
            headers=headers,
            session_id=session_id,
            put=self._add_lines,
            is_waited_on=lambda: bool(self._waiting),
            credentials=self._credentials,
            watcher=self._watcher,
        )
        self._streams[session_id or ""] = stream
        self._tasks.start_soon(self._run_stream, stream)
        return stream

    async def _run_stream(self, stream: Stream) -> None:
        try:
            await stream.run()
        except LineBroken as broken:
            self._break_off(broken)

    async def _watch_server(self) -> None:
        """Check periodically whether a server with keep-alive has become silent."""
        while True:
            await anyio.sleep(KEEP_ALIVE_INTERVAL)
            now = self._watcher.clock()
            for stream in self._streams.values():
                if stream.is_kept_alive and now - stream.last_received > SILENCE_TIMEOUT:
                    self._break_off(
                        LineBroken(f"the server has been silent for {SILENCE_TIMEOUT:g} s")
                    )

    async def _add_lines(self, lines: Sequence[Line]) -> None:
        if self._broken is None:
            await self._put.send(lines)

    def _break_off(self, broken: LineBroken) -> None:
        """End the connection once everything that has arrived is read."""
        if self._broken is None:
            self._broken = broken
            self._put.close()
            for stream in self._streams.values():
                stream.opened.set()


def _opened(event: Responded) -> str | None:
    """Return the id of the session that a response has opened, or None."""
    if event.error is not None:
        return None
    session_id = value_at(event.raw, "sessionId")
    if session_id is None and event.request.method in REOPENING_METHODS:
        session_id = getattr(event.request.params, "session_id", None)
    return session_id if isinstance(session_id, str) else None


def make_tls_context(remote: Remote) -> ssl.SSLContext:
    """Return a context that trusts the system's authorities or, if the connection isn't encrypted,
    none: loading them takes up to 0.1 s, in which nothing else is read. Raises OSError.
    """
    if remote.is_encrypted:
        return httpx2.create_ssl_context()
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
