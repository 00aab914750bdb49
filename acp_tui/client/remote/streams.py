"""The server's HTTP event streams, reopened when they end: the connection's and each session's."""

from collections.abc import Awaitable, Callable, Mapping
from io import BytesIO
from typing import NamedTuple, Protocol

import anyio
import httpx2

from acp_tui.client.connection.transport import Outgoing
from acp_tui.client.errors import LineBroken
from acp_tui.client.remote.connection_failures import ENDING, describe_status, disconnection_for
from acp_tui.client.remote.credentials import MOST_ERROR_BYTES, Credentials
from acp_tui.protocol.event_stream import EventStream
from acp_tui.protocol.frames import Line

RETRY_DELAYS = (0.0, 0.5, 2.0)
"""Seconds to wait before each attempt to reopen a stream."""
STABLE_SECONDS = 1.0
"""Seconds that a stream must have lasted to be reopened at once when it ends."""


EVENTS = "text/event-stream"
CONNECT_TIMEOUT = 20.0
"""Seconds in which connecting to a server must succeed."""
SILENCE_TIMEOUT = 60.0
"""Seconds without a byte after which a server that owes a response counts as gone."""
_TIMEOUT = httpx2.Timeout(SILENCE_TIMEOUT, connect=CONNECT_TIMEOUT, read=None, pool=None)
"""No read timeout: an agent may think for a long time."""


class Watcher(Protocol):
    """Receives reports from transports."""

    limit: int
    clock: Callable[[], float]

    def record_fact(self, what: str) -> None:
        """Record a fact about the transport."""

    def refused(self, message: Outgoing, why: str) -> None:
        """Report a message that the server refused; the connection continues."""


class Refusal(NamedTuple):
    """The server's refusal to open the stream of one session."""

    status: int
    words: str


class Stream:
    """One event stream. `run` reads it, across several responses if no message was lost between."""

    def __init__(
        self,
        client: httpx2.AsyncClient,
        url: str,
        headers: Mapping[str, str],
        session_id: str | None,
        put: Callable[[list[Line]], Awaitable[None]],
        is_waited_on: Callable[[], bool],
        credentials: Credentials,
        watcher: Watcher,
    ) -> None:
        self.refusal: Refusal | None = None
        self.opened = anyio.Event()
        """Set when the server first responds, even with an error."""
        self._client = client
        self._url = url
        self._headers = headers
        self._session_id = session_id
        self._put = put
        self._is_waited_on = is_waited_on
        self._credentials = credentials
        self._watcher = watcher
        self._events = EventStream(watcher.limit)
        self.last_received = watcher.clock()
        self._received_anything = False
        self._name = "the connection" if session_id is None else f"session {session_id}"

    @property
    def is_kept_alive(self) -> bool:
        """Whether the server sends keep-alive comments."""
        return self._events.is_kept_alive

    async def run(self) -> None:
        """Read the stream until it is refused. Raises LineBroken if messages may have been lost."""
        attempt = 0
        while True:
            began = self._watcher.clock()
            how = await self._try_once()
            if self.refusal is not None:
                return
            if self._received_anything:
                attempt = 0 if self._watcher.clock() - began > STABLE_SECONDS else min(attempt, 1)
            if not self._can_resume(how) or attempt == len(RETRY_DELAYS):
                raise LineBroken(f"the event stream of {self._name} {how or 'ended'}")
            await anyio.sleep(RETRY_DELAYS[attempt])
            attempt += 1
            self._received_anything = False
            after = f" after event {self._events.last_id}" if self._events.last_id else ""
            self._watcher.record_fact(
                f"the event stream of {self._name} {how or 'ended'}; asked for again{after}"
            )

    def _can_resume(self, how: str) -> bool:
        """Return whether no message was lost: the server can resume the stream, or the stream ended
        cleanly while no response was pending.
        """
        return bool(self._events.last_id) or (not how and not self._is_waited_on())

    async def _try_once(self) -> str:
        """Read one response to its end; return how it was cut, or ""."""
        headers = {**self._headers, "Accept": EVENTS}
        if self._session_id is not None:
            headers["Acp-Session-Id"] = self._session_id
        if self._events.last_id:
            headers["Last-Event-ID"] = self._events.last_id
        how = ""
        try:
            async with self._client.stream(
                "GET", self._url, headers=encode_headers(headers), timeout=_TIMEOUT
            ) as response:
                self._credentials.add_cookies(response.headers.get_list("Set-Cookie"))
                if response.status_code != 200:
                    await self._refused(response)
                    return ""
                if not self.opened.is_set():
                    kind = response.headers.get("Content-Type", EVENTS).partition(";")[0]
                    other = "" if kind.strip().lower() == EVENTS else f", but its type is {kind}"
                    self._watcher.record_fact(
                        f"event stream of {self._name}: {response.http_version} 200{other}"
                    )
                self.opened.set()
                await self._read_events(response)
        except httpx2.HTTPError as error:
            how = f"was cut: {error or type(error).__name__}"
        # Even if the server resumes the stream: the next response starts a new message.
        rest = self._events.end()
        if rest and not self._events.last_id:
            how = how or "ended in the middle of a message"
            await self._put(rest)
        return how

    async def _read_events(self, response: httpx2.Response) -> None:
        async for data in response.aiter_raw():
            self._received_anything = True
            self.last_received = self._watcher.clock()
            if lines := self._events.feed(data):
                await self._put(lines)

    async def _refused(self, response: httpx2.Response) -> None:
        """Raise LineBroken for a refused stream, unless the refusal is only about this session."""
        body = await read_body(response, MOST_ERROR_BYTES + 1)
        status, text = response.status_code, self._credentials.error_text(body)
        words = describe_status(status, text)
        self._watcher.record_fact(f"event stream of {self._name}: {words}")
        first = not self.opened.is_set()
        gone = status in ENDING and not (first and status == 404)
        if self._session_id is None or gone or not first:
            raise disconnection_for(status, text, begun=True)
        self.refusal = Refusal(status, words)
        self.opened.set()


async def read_body(response: httpx2.Response, limit: int) -> bytes:
    """Read a response's body undecoded, up to the limit."""
    body = BytesIO()  # returns its bytes without copying them
    async for data in response.aiter_raw():
        body.write(data[: limit - body.tell()])
        if body.tell() >= limit:
            break
    return body.getvalue()


def encode_headers(headers: Mapping[str, str]) -> httpx2.Headers:
    """Return headers encoded in UTF-8: ids from servers and agents may be any text."""
    return httpx2.Headers(
        {name.encode(): value.encode("utf-8", "replace") for name, value in headers.items()}
    )
