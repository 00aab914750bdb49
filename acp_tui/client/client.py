"""The client of one agent: hosts it, folds its events into a state, runs the user's commands."""

import time
from collections import deque
from collections.abc import Callable
from functools import partial
from uuid import uuid4

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.agent_connection import AgentConnection, ClientWire
from acp_tui.client.authentication import Authentication, Providers
from acp_tui.client.budget_keeper import BudgetKeeper
from acp_tui.client.connection.deadlines import Deadlines
from acp_tui.client.connection.link import AgentLink
from acp_tui.client.connection.replies import Cancellations
from acp_tui.client.connection.transport import Carrier, MakeGatekeeper
from acp_tui.client.core import Core, Listener, known_quirks
from acp_tui.client.errors import own_fault
from acp_tui.client.files.edits import Edits
from acp_tui.client.files.folder_watch import FolderWatch
from acp_tui.client.files.history import FileHistory
from acp_tui.client.last_seen import LastSeen
from acp_tui.client.launch import Launch
from acp_tui.client.mcp_trust import McpTrust
from acp_tui.client.permissions.policy import Permissions
from acp_tui.client.process.carrier import carriers_of
from acp_tui.client.prompts import Prompts
from acp_tui.client.restarts import Negotiation, Restarts
from acp_tui.client.session_options import SessionOptions
from acp_tui.client.session_recovery import SessionRecovery
from acp_tui.client.sessions import Sessions
from acp_tui.client.settings_in_use import SettingsInUse
from acp_tui.client.source_watch import SourceWatch
from acp_tui.protocol.events import QuirkHelped, Record
from acp_tui.protocol.frames import Direction, FrameMark, Line, Origin
from acp_tui.protocol.initialization import GivenInitializeParams, Implementation, InitializeParams
from acp_tui.protocol.jsonrpc import Message
from acp_tui.protocol.process_events import OwnCommandRan
from acp_tui.protocol.wire_events import Responded
from acp_tui.state.commands import (
    Command,
    OfferAs,
    RecordOwnCommand,
    SendByHand,
    SetBreakpoint,
    SetFault,
)
from acp_tui.state.state import State
from acp_tui.version import __version__


class RawLineSender:
    """Sends raw lines that the user typed; their responses only change the state."""

    def __init__(self, core: Core) -> None:
        self._core = core
        core.register({SendByHand: self._send_lines})

    def _send_lines(self, command: SendByHand) -> None:
        requests = self._core.requests
        if requests.link is None:
            self._core.notify(None, "error", "Not sent", "The agent isn't running.")
        elif requests.is_congested:
            words = "The agent has stopped reading its input."
            self._core.notify(None, "error", "Not sent", words)
        else:
            for line in command.raw.split(b"\n"):
                if line:
                    requests.send_line(line, Origin.HAND)


class Client:
    """Hosts one agent and its sessions. `state` is only a fold over the records given to `tap`."""

    def __init__(
        self,
        launch: Launch,
        *,
        tap: Callable[[Record], None],
        make_gatekeeper: MakeGatekeeper,
        clock: Callable[[], float] = time.monotonic,
        limit_recording: Callable[[int], None] | None = None,
    ) -> None:
        core = self._core = Core(launch, tap, clock)
        core.register(
            {
                OfferAs: lambda command: core.offer(command.params),
                RecordOwnCommand: self._record_own_command,
            },
            {"initialize": self._initialized},
        )
        permissions = self._permissions = Permissions(core)
        replies = permissions.replies
        self._sessions = Sessions(core, replies, permissions.roots)
        self._recovery = SessionRecovery(core, self._sessions)
        self._deadlines = Deadlines(core, replies, self._recovery)
        self._restarts = Restarts(core)
        self._negotiation = Negotiation(core, self._restarts)
        self._source = SourceWatch(core, self._restarts)
        self._budget = BudgetKeeper(core, replies)
        self._prompts = Prompts(core, replies, self._budget)
        self._authentication = Authentication(core, self._prompts, self._restarts)
        self._mcp_trust = McpTrust(core, self._sessions)
        self._history = FileHistory(core)
        self._folders = FolderWatch(core, self._edits_settled)
        if launch.last_seen is not None:
            LastSeen(core, launch.last_seen)
        SettingsInUse(core, limit_recording)  # these five only register handlers
        SessionOptions(core)
        Cancellations(core)
        Providers(core)
        RawLineSender(core)
        complain = partial(core.notify, None, "warning")
        self._gatekeeper = make_gatekeeper(core.clock, core.emit, complain, launch.gate.seed)
        core.register(self._gatekeeper.commands)
        self._remarks = deque(launch.remarks)
        if launch.profile is not None:
            name, known = launch.profile.name, launch.profile.known
            self._remarks.append(f"The agent is told what {name} would tell it. {known}")
        self._make_carrier = carriers_of(core)
        self._carrier: Carrier | None = None
        self._connection: AgentConnection | None = None
        self._edits: Edits | None = None

    @property
    def state(self) -> State:
        """The current state of the agent and its sessions."""
        return self._core.state

    def listen(self, listener: Listener) -> None:
        """Call `listener` with every event from now on, and the event's changes."""
        self._core.listen(listener)

    def warn(self, title: str, description: str) -> None:
        """Notify the user of a problem that is not the agent's."""
        self._core.notify(None, "warning", title, description)

    def report_fault(self, doing: str, error: BaseException) -> None:
        """Report a bug in acp-tui that did no further damage."""
        self._core.emit(own_fault(self._core.clock(), doing, error))

    def _record_own_command(self, command: RecordOwnCommand) -> None:
        terminal_id = f"own-{uuid4().hex}"
        self._core.emit(
            OwnCommandRan(
                at=self._core.clock(),
                session_id=command.session_id,
                terminal_id=terminal_id,
                command=command.command,
                cwd=command.cwd,
                data=command.output,
                dropped=command.dropped,
                code=command.code,
            )
        )

    def do(self, command: Command) -> None:
        """Run a command. Never waits: the result arrives as state."""
        self._core.commands[type(command)](command)

    async def run(self) -> None:
        """Run the agent, restarting it as requested or planned, until canceled."""
        await self._permissions.rules.begin()
        for text in self._core.launch.gate.breakpoints:
            self.do(SetBreakpoint(text))
        for text in self._core.launch.gate.faults:
            self.do(SetFault(text))
        try:
            async with anyio.create_task_group() as tasks:
                self._core.tasks = tasks
                self._source.watch(tasks)
                await self._follow_log(tasks)
                while True:
                    self._restarts.begin()
                    await self._host()
                    why = self._negotiation.fall_back()
                    if why is None:
                        await self._restarts.wait()
                    else:
                        self._remarks.append(
                            f"acp-tui speaks version 1 of ACP with this agent: {why}"
                        )
        finally:
            self._history.close()

    async def settled(self) -> None:
        """Wait until all changed files are compared with what was reported and what was allowed."""
        await self._edits_settled()
        await self._folders.settled()

    async def _edits_settled(self) -> None:
        if self._edits is not None:
            await self._edits.settled()

    async def _follow_log(self, tasks: TaskGroup) -> None:
        """Start following the agent's own log, if the launch names one, before the agent can write
        to it.
        """
        path = self._core.launch.agent_log
        if path is not None:
            from acp_tui.client.agent_log import AgentLog

            log = AgentLog(self._core)
            tasks.start_soon(log.follow, path)
            await log.wait_until_ready()

    def kill_now(self) -> None:
        """Kill all processes without waiting, as a last resort."""
        if self._connection is not None:
            self._connection.services.terminals.kill_now()
        if self._carrier is not None:
            self._carrier.kill_now()

    # The wire

    def _record_frame(
        self, direction: Direction, line: Line, message: Message | None, mark: FrameMark
    ) -> int:
        """Record a frame, fold its event and react to it; return its number."""
        event = self._core.record_frame(direction, line, message, mark)
        connection = self._connection
        if connection is not None:
            if direction is Direction.IN:
                connection.react(event)
            elif mark.by is not None and isinstance(event, Responded):
                connection.yield_to_other_answer(event.request)
        return event.number

    # The agent

    async def _host(self) -> None:
        """Run the agent once, until its processes have ended."""
        core, over = self._core, self._restarts.over
        carrier = self._make_carrier()
        if not await carrier.start():
            return
        self._carrier = carrier
        permissions, history = self._permissions, self._history
        try:
            async with anyio.create_task_group() as tasks:
                connection = self._connection = AgentConnection(
                    core, tasks, carrier.transport, self._record_frame, permissions, history
                )
                edits = self._edits = Edits(core, tasks, permissions.roots, history)
                self._connect_gate(connection.link, carrier, tasks)
                carrier.watch(tasks, connection.link, over)
                tasks.start_soon(self._mcp_trust.remember)
                tasks.start_soon(self._deadlines.watch)
                tasks.start_soon(self._budget.watch)
                while self._remarks:
                    core.notify(None, "warning", self._remarks.popleft())
                self._mcp_trust.ask()
                if core.launch.handshake:
                    self._initialize()
                with core.listening(edits.follow):
                    await over.wait()
                    await connection.stop_serving()
                tasks.cancel_scope.cancel()
        finally:
            await self._end_run(carrier)

    def _connect_gate(self, link: AgentLink, carrier: Carrier, tasks: TaskGroup) -> None:
        """Connect the gatekeeper, which may put a gate on this connection's wire."""

        def way() -> ClientWire:
            return ClientWire(self._core, self._record_frame, link, carrier, tasks)

        self._gatekeeper.connect(way, self._core.requests.waiting_frames)

    async def _end_run(self, carrier: Carrier) -> None:
        """Close the connection and stop the carrier; completes under cancellation."""
        with anyio.CancelScope(shield=True):
            if self._connection is not None:
                await self._connection.close()
            self._gatekeeper.disconnect()
            self._connection = self._edits = None
            await carrier.stop()
            self._prompts.return_waiting()
            self._carrier = None

    def _initialize(self) -> None:
        core = self._core
        params = (
            GivenInitializeParams(
                given=core.initialize_params, client_capabilities=core.capabilities
            )
            if core.initialize_params is not None
            else InitializeParams(
                client_capabilities=core.capabilities,
                client_info=Implementation(name="acp-tui", title="acp-tui", version=__version__),
            )
        )
        self._negotiation.begin()
        core.request("initialize", params)

    def _initialized(self, _: Responded) -> None:
        """Open the first session, or restore the sessions that were open before a restart."""
        core = self._core
        if core.state.peer.initialized is None:
            self._restarts.over.set()
            return
        for quirk in known_quirks(core):
            core.emit(QuirkHelped(core.clock(), quirk.remedy.value, quirk.why))
        again = self._authentication.try_again() or self._sessions.open_first
        if not self._recovery.begin():
            self._mcp_trust.when_decided(again)
