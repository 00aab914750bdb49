"""Reaches an agent over a network: connected, watched, and left in good order."""

from collections.abc import Callable
from http.cookiejar import CookieJar
from typing import Protocol

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.connection.transport import CarriedWire, Outgoing, Transport
from acp_tui.client.core import Core
from acp_tui.client.remote.credentials import Credentials
from acp_tui.client.remote.disconnection import LineBroken
from acp_tui.config.remote import Remote
from acp_tui.protocol.events import Connecting, Disconnected, Event, TransportFact
from acp_tui.state.changes import Change

LEAVING = 1.0
"""Seconds that the server gets to hear that we leave."""


class NetworkLine(Transport, Protocol):
    """A transport over a network. When the connection is lost, `receive` raises LineBroken."""

    async def open(self, tasks: TaskGroup) -> None:
        """Connect; start what has to run beside. Raises LineBroken."""

    async def close(self) -> None:
        """Tell the server that we leave, and let go of it."""

    def follow(self, event: Event, changes: list[Change], /) -> None:
        """Listen to what is said: some of it says by which way more will come."""


class RemoteCarrier:
    """One connection to an agent elsewhere; emits what becomes of it."""

    transport: NetworkLine

    def __init__(self, core: Core, remote: Remote, cookies: CookieJar) -> None:
        self._core = core
        self._remote = remote
        self._credentials = Credentials()
        self._cookies = cookies
        for cookie in cookies:
            self._credentials.keep_secret(cookie.value or "")
        self.limit = core.launch.line_limit
        self.clock: Callable[[], float] = core.clock

    async def start(self) -> bool:
        """Begin: from here on it is there, or lost. False where the libraries are not installed."""
        core = self._core
        core.requests.begin(core.version)
        core.emit(Connecting(core.clock(), self._remote.shown, core.launch.cwd))
        try:
            self.transport = _transport(self._remote, self._credentials, self._cookies, self)
        except ModuleNotFoundError as error:
            why = f"connections need the package {error.name}: pip install 'acp-tui[remote]'"
            core.emit(Disconnected(core.clock(), why, refused=True))
            return False
        return True

    def watch(self, tasks: TaskGroup, wire: CarriedWire, over: anyio.Event) -> None:
        """Connect, read and write; `over` is set when the connection is lost."""
        tasks.start_soon(self._carry, wire, over)

    async def _carry(self, wire: CarriedWire, over: anyio.Event) -> None:
        with self._core.listening(self.transport.follow):
            async with anyio.create_task_group() as tasks:
                try:
                    await self._credentials.load(self._remote)
                    await self.transport.open(tasks)
                    tasks.start_soon(wire.write)
                    await wire.read()
                except LineBroken as broken:
                    self._lost(broken)
                tasks.cancel_scope.cancel()
        over.set()

    def _lost(self, broken: LineBroken) -> None:
        core = self._core
        core.requests.link = None  # its writer ends now, too
        why = self._credentials.masked(str(broken))
        refused, misread = broken.refused, broken.misread
        core.emit(Disconnected(core.clock(), why, refused=refused, misread=misread))

    async def stop(self) -> None:
        """Leave the server; completes under cancellation."""
        core = self._core
        with anyio.move_on_after(LEAVING, shield=True):
            await self.transport.close()
        if core.state.peer.exit is None:
            core.emit(Disconnected(core.clock(), "acp-tui ended the connection", asked=True))

    def kill_now(self) -> None:
        """Do nothing: no process of it runs here."""

    # What transports tell

    def tell(self, what: str) -> None:
        """Put a fact into the log."""
        self._core.emit(TransportFact(self._core.clock(), self._credentials.masked(what)))

    def refused(self, message: Outgoing, why: str) -> None:
        """A message was refused on its way; the connection goes on."""
        why = self._credentials.masked(why)
        if message.method is not None and message.id is not None:
            self._core.end_unsent(message.id, why)
            return
        what = message.method or "An answer to the agent"
        session = self._core.state.sessions.get(message.session_id or "")
        place = session.session_id if session is not None and session.opened else None
        self._core.notify(place, "error", f"{what} did not get to the agent", why)


def _transport(
    remote: Remote, credentials: Credentials, cookies: CookieJar, carrier: RemoteCarrier
) -> NetworkLine:
    """Make the transport of an address; what it needs is imported only now."""
    if remote.is_websocket:
        from acp_tui.client.remote.websocket import WebSocketTransport

        return WebSocketTransport(remote, credentials, cookies, carrier)
    from acp_tui.client.remote.http import HttpTransport

    return HttpTransport(remote, credentials, cookies, carrier)
