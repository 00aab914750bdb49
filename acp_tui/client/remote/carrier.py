"""Connects to an agent over a network, watches the connection and closes it properly."""

from collections.abc import Callable
from http.cookiejar import CookieJar
from typing import Protocol

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.connection.transport import CarriedWire, Outgoing, Transport
from acp_tui.client.core import Core
from acp_tui.client.errors import LineBroken
from acp_tui.client.remote.credentials import Credentials
from acp_tui.config.remote import Remote
from acp_tui.protocol.events import Event
from acp_tui.protocol.process_events import Connecting, Disconnected, TransportFact
from acp_tui.state.changes import Change
from acp_tui.version import install_command

DISCONNECT_TIMEOUT = 1.0
"""Seconds for notifying the server that we disconnect."""


class NetworkLine(Transport, Protocol):
    """A network transport. `receive` raises LineBroken when the connection is lost."""

    async def open(self, tasks: TaskGroup) -> None:
        """Connect, and start background tasks. Raises LineBroken."""

    async def close(self) -> None:
        """Disconnect from the server."""

    def follow(self, event: Event, changes: list[Change], /) -> None:
        """Handle an event: some events determine which stream later messages belong to."""


class RemoteCarrier:
    """Runs one connection to a remote agent, and emits events about it."""

    transport: NetworkLine

    def __init__(self, core: Core, remote: Remote, cookies: CookieJar) -> None:
        self._core = core
        self._remote = remote
        self._credentials = Credentials()
        self._cookies = cookies
        for cookie in cookies:
            self._credentials.add_secret(cookie.value or "")
        self.limit = core.launch.line_limit
        self.clock: Callable[[], float] = core.clock

    async def start(self) -> bool:
        """Prepare the connection; return False if the required libraries aren't installed."""
        core = self._core
        core.requests.begin(core.version)
        core.emit(Connecting(core.clock(), self._remote.shown, core.launch.cwd))
        try:
            self.transport = _transport(self._remote, self._credentials, self._cookies, self)
        except ModuleNotFoundError as error:
            why = f"connections need the package {error.name}: {install_command('remote')}"
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
        core.requests.link = None  # the writer ends, too
        why = self._credentials.masked(str(broken))
        refused, misread = broken.refused, broken.misread
        core.emit(Disconnected(core.clock(), why, refused=refused, misread=misread))

    async def stop(self) -> None:
        """Disconnect from the server; completes under cancellation."""
        core = self._core
        with anyio.move_on_after(DISCONNECT_TIMEOUT, shield=True):
            await self.transport.close()
        if core.state.peer.process.exit is None:
            core.emit(Disconnected(core.clock(), "acp-tui ended the connection", asked=True))

    def kill_now(self) -> None:
        """Do nothing: the agent has no process here."""

    # Reports of transports

    def record_fact(self, what: str) -> None:
        """Record a fact about the transport."""
        self._core.emit(TransportFact(self._core.clock(), self._credentials.masked(what)))

    def refused(self, message: Outgoing, why: str) -> None:
        """Report a message that the server refused; the connection continues."""
        why = self._credentials.masked(why)
        if message.method is not None and message.id is not None:
            self._core.fail_unsent(message.id, why)
            return
        what = message.method or "An answer to the agent"
        session = self._core.state.sessions.get(message.session_id or "")
        place = session.session_id if session is not None and session.opened else None
        self._core.notify(place, "error", f"{what} did not get to the agent", why)


def _transport(
    remote: Remote, credentials: Credentials, cookies: CookieJar, carrier: RemoteCarrier
) -> NetworkLine:
    """Return the transport for an address; its library is only imported now."""
    if remote.is_websocket:
        from acp_tui.client.remote.websocket import WebSocketTransport

        return WebSocketTransport(remote, credentials, cookies, carrier)
    from acp_tui.client.remote.http import HttpTransport

    return HttpTransport(remote, credentials, cookies, carrier)
