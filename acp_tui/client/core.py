"""The core that all parts of a client share: its state, and emit, notify, request and spawn."""

from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from math import inf
from typing import Any

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.capabilities import (
    capabilities_in,
    read_capabilities,
    remote_capabilities,
    version_2_capabilities,
)
from acp_tui.client.connection.requests import Requests
from acp_tui.client.launch import Launch
from acp_tui.config.known_agents import Quirk, Remedy, quirks_of
from acp_tui.protocol.dialects import shape_of
from acp_tui.protocol.events import ClientNotice, Event, LocalEvent, NotSent, Record
from acp_tui.protocol.frames import Direction, Frame, FrameMark, Line
from acp_tui.protocol.initialization import ClientCapabilities
from acp_tui.protocol.jsonrpc import Id, Message
from acp_tui.protocol.model import Model
from acp_tui.protocol.wire_events import Responded, WireEvent
from acp_tui.state.changes import Change
from acp_tui.state.commands import Command
from acp_tui.state.fold import apply_event
from acp_tui.state.state import State


class Wakeup:
    """Wakes all waiting tasks at each change; each task then checks its own condition again."""

    def __init__(self) -> None:
        self._changed = anyio.Event()

    def wake(self) -> None:
        """Wake all waiting tasks."""
        changed, self._changed = self._changed, anyio.Event()
        changed.set()

    async def wait(self) -> None:
        """Wait for the next call of `wake`. Earlier calls don't count: check the condition just
        before.
        """
        await self._changed.wait()


Listener = Callable[[Event, list[Change]], None]
"""Called synchronously with each event, after it was folded, and its changes."""


class Core:
    """The shared core of a client. `state` is only a fold over the records given to `tap`.

    The parts of a client get it, and register their handlers: for the user's `commands`, and for
    the agent's `responses`.
    """

    def __init__(
        self, launch: Launch, tap: Callable[[Record], None], clock: Callable[[], float]
    ) -> None:
        self.launch = launch
        self.place = launch.find_place()
        self.speaks = 1 if launch.protocol == "1" else 2
        """The protocol version to propose, unless another client's `initialize` is sent."""
        self.offer(None if launch.profile is None else launch.profile.params)
        self.clock = clock
        self.state = State()
        self.requests = Requests(self.state, launch.meta, self.place.names(), launch.export.trace)
        self.commands: dict[type[Command], Callable[[Any], None]] = {}
        self.responses: defaultdict[str, list[Callable[[Responded], None]]] = defaultdict(list)
        self.tasks: TaskGroup | None = None
        self.reading: dict[int, anyio.Event] = {}
        """Questions whose named places are being read, by their request's number. The answer waits for
        that, as the agent may change them right after it.
        """
        self.own_commands: list[float] = []
        """When the user ran commands, oldest first: later changes of files may be theirs."""
        self._tap = tap
        self._listeners: list[Listener] = []
        self._number = 0

    def offer(self, params: Mapping[str, Any] | None) -> None:
        """Send another client's `initialize` params from the next start on, or our own if None.

        Capabilities that can't be served to this agent are removed.
        """
        claims = self.launch.capabilities if params is None else read_capabilities(params)
        offered = capabilities_in(self.place, claims)
        self._capabilities = offered if self.launch.remote is None else remote_capabilities(offered)
        self.initialize_params = (
            None if params is None else _as_served(params, claims, self._capabilities)
        )

    @property
    def version(self) -> int:
        """The protocol version to propose."""
        return self.speaks if self.initialize_params is None else shape_of(self.initialize_params)

    @property
    def capabilities(self) -> ClientCapabilities:
        """The capabilities to advertise in that version."""
        return (
            self._capabilities if self.version == 1 else version_2_capabilities(self._capabilities)
        )

    def register(
        self,
        commands: Mapping[type[Command], Callable[[Any], None]] | None = None,
        responses: Mapping[str, Callable[[Responded], None]] | None = None,
    ) -> None:
        """Register handlers for commands, and for responses to methods (by version 1 names)."""
        for kind, do in (commands or {}).items():
            assert kind not in self.commands, kind
            self.commands[kind] = do
        for method, go_on in (responses or {}).items():
            self.responses[method].append(go_on)

    def listen(self, listener: Listener) -> None:
        """Call `listener` with every event from now on."""
        self._listeners.append(listener)

    def own_command_since(self, since: float) -> float:
        """Return when the user first ran a command at or after `since`, or infinity."""
        return next((at for at in self.own_commands if at >= since), inf)

    @property
    def folder(self) -> str:
        """The folder in which new sessions work: the place's, if the agent's files are there."""
        return self.launch.cwd if self.place.folder is None else self.place.folder

    @contextmanager
    def listening(self, listener: Listener) -> Iterator[None]:
        """Call `listener` with every event until the block ends."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    def record_frame(
        self, direction: Direction, line: Line, message: Message | None, mark: FrameMark
    ) -> WireEvent:
        """Record a frame, fold its event, and return the event."""
        self._number += 1
        at, number = self.clock(), self._number
        frame = Frame(direction, line.raw, at, number, line.flaw, line.size, *mark)
        self._tap(frame)
        event = self.requests.receive(frame, message)
        self._fold(event)
        return event

    def emit(self, event: LocalEvent) -> None:
        """Record a local event and fold it."""
        self._tap(event)
        self._fold(event)

    def notify(
        self, session_id: str | None, severity: str, title: str, description: str | None = None
    ) -> None:
        """Notify the user in a session's transcript, or outside all sessions if `session_id` is
        None.
        """
        self.emit(ClientNotice(self.clock(), session_id, severity, title, description))

    def fail_unsent(self, id: Id, why: str) -> None:
        """Fail a request that was never sent, as if the agent had returned an error."""
        call = next((call for call in self.state.calls.values() if call.id == id), None)
        event = NotSent(self.clock(), id, why)
        self.emit(event)
        if call is not None:
            for go_on in self.responses.get(call.call, ()):
                go_on(event.answering(call))

    def request(self, call: str, params: Model) -> None:
        """Send a request, or notify the user why it can't be sent. `call` is the method's name in
        version 1.
        """
        refusal = self.requests.refusal(call, params)
        if refusal is None:
            self.requests.request(call, params)
            return
        session = self.state.sessions.get(getattr(params, "session_id", ""))
        session_id = session.session_id if session is not None and session.opened else None
        self.notify(session_id, "error", "Not possible", refusal)

    def spawn(self, work: Callable[..., Coroutine[Any, Any, object]], *args: Any) -> None:
        """Run a coroutine function in a task that lives as long as the client is hosted."""
        if self.tasks is not None:
            self.tasks.start_soon(work, *args)

    def _fold(self, event: Event) -> None:
        changes = apply_event(self.state, event)
        for listener in tuple(self._listeners):
            listener(event, changes)


def _as_served(
    params: Mapping[str, Any], claims: ClientCapabilities, served: ClientCapabilities
) -> dict[str, Any]:
    """Return another client's params without the capabilities that can't be served here."""
    before, after = claims.wire(), served.wire()
    gone = [name for name in before if before[name] != after.get(name)]
    if not gone:
        return dict(params)
    capabilities = {**params["clientCapabilities"], **{name: after.get(name) for name in gone}}
    kept = {name: value for name, value in capabilities.items() if value is not None}
    return {**params, "clientCapabilities": kept}


def known_quirks(core: Core) -> tuple[Quirk, ...]:
    """Return the known quirks of the agent, unless they are switched off."""
    initialized = core.state.peer.initialized
    info = initialized.agent_info if initialized is not None else None
    if info is None or core.launch.quirks is None:
        return ()
    return quirks_of(info.name, info.version, core.launch.quirks)


def remedies_for(core: Core) -> frozenset[Remedy]:
    """Return the remedies for the agent's quirks."""
    return frozenset(quirk.remedy for quirk in known_quirks(core))
