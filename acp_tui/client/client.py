"""The client: hosts an agent's process, keeps the state, and does what a person asks."""

import time
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

import anyio
from anyio.abc import TaskGroup

from acp_tui import __version__
from acp_tui.client import session_options
from acp_tui.client.authentication import Authentication
from acp_tui.client.connection.deadlines import Deadlines
from acp_tui.client.connection.link import ROOM, Link
from acp_tui.client.connection.replies import Replies
from acp_tui.client.connection.requests import Requests
from acp_tui.client.faults import own_fault
from acp_tui.client.files.backups import Backups
from acp_tui.client.files.edit_reader import EditReader
from acp_tui.client.files.edit_watch import EditWatch
from acp_tui.client.files.history import FileHistory
from acp_tui.client.files.resolved_roots import ResolvedRoots
from acp_tui.client.launch import Launch
from acp_tui.client.permissions.mcp_trust import McpTrust
from acp_tui.client.permissions.rule_book import RuleBook
from acp_tui.client.process.agent_process import AgentProcess, SpawnError
from acp_tui.client.process.monitor import ProcessMonitor
from acp_tui.client.prompts import Prompts
from acp_tui.client.providers import Providers
from acp_tui.client.restarts import Restarts
from acp_tui.client.services import Services
from acp_tui.client.session_recovery import SessionRecovery
from acp_tui.client.sessions import Sessions
from acp_tui.config.paths import backups_folder
from acp_tui.config.quirks import Quirk, Remedy, quirks_of
from acp_tui.protocol.events import (
    ClientNotice,
    Event,
    LocalEvent,
    Notified,
    ProcessExited,
    ProcessFailed,
    ProcessStarted,
    QuirkHelped,
    Requested,
    Responded,
    Unreadable,
)
from acp_tui.protocol.frames import Direction, Frame, Line
from acp_tui.protocol.jsonrpc import (
    Error,
    ErrorCode,
    Failure,
    Message,
)
from acp_tui.protocol.requests import CancelRequestParams
from acp_tui.protocol.setup import (
    Implementation,
    InitializeParams,
)
from acp_tui.session.changes import Change
from acp_tui.session.commands import (
    AddRule,
    AnswerElicitation,
    AnswerPermission,
    AnswerTrust,
    ArchiveSession,
    AskAccount,
    AskStatus,
    Authenticate,
    Cancel,
    CancelRequest,
    Command,
    DisableProvider,
    ForgetRule,
    ForkSession,
    Interrupt,
    Logout,
    OpenSession,
    OptionCommand,
    Prompt,
    RenameSession,
    Restart,
    SetConfigOption,
    SetMode,
    SetModel,
    SetProvider,
    Steer,
    StopRestarting,
    TerminalSignedIn,
    UndoWrite,
)
from acp_tui.session.fold import apply
from acp_tui.session.state import State

__all__ = ["Client", "Launch", "Record"]

GRACE = 1.0
"""Seconds an agent gets to leave after its stdin is closed, and again after SIGTERM."""

Record = Frame | LocalEvent
Listener = Callable[[Event, list[Change]], None]
"""Told each event after it was folded, and what moved; synchronously."""


class Client:
    """One agent and its sessions. `state` is a fold over what `tap` was given, nothing else."""

    def __init__(
        self,
        launch: Launch,
        *,
        tap: Callable[[Record], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.state = State()
        self._launch = launch
        self._remarks = deque(launch.remarks)
        self._tap = tap
        self._clock = clock
        self._listeners: list[Listener] = []
        self._number = 0
        self._process: AgentProcess | None = None
        self._services: Services | None = None
        self._edits: EditWatch | None = None
        self._tasks: TaskGroup | None = None
        self._over = anyio.Event()
        self._restart = anyio.Event()
        self._requests = Requests(self.state, launch.meta, self._notify)
        self._replies = Replies(
            self.state, self._requests, self._notify, services=lambda: self._services
        )
        call, cancel = self._requests.call, self._replies.cancel
        self._sessions = Sessions(self.state, launch, call, self._notify, cancel)
        self._recovery = SessionRecovery(self.state, self._sessions.reopen)
        self._restarts = Restarts(self.state, launch.restart, clock, self._emit)
        self._deadlines = Deadlines(
            self.state,
            launch.limits,
            clock,
            emit=self._emit,
            ended=self._recovery.unanswered,
            late=self._replies.late,
        )
        self._roots = ResolvedRoots([launch.cwd, *launch.additional_directories])
        self._rules = RuleBook(
            self.state,
            self._roots,
            launch.project_rules,
            self._notify,
            clock=clock,
            emit=self._emit,
            changed=self.reevaluate_pending,
            beside=self._beside,
        )
        self._providers = Providers(self.state, call)
        self._prompts = Prompts(self.state, self._requests, self._notify, cancel)
        self._authentication = Authentication(
            self.state,
            call,
            self._notify,
            ended=self._emit,
            restart=self._start_again,
            clock=clock,
        )
        self._history = FileHistory(
            self.state,
            Backups(backups_folder(), wanted=launch.backups),
            clock=clock,
            emit=self._emit,
            notify=self._notify,
        )
        self._mcp_trust = McpTrust(
            self.state,
            launch,
            self._notify,
            emit=self._emit,
            use=self._sessions.use,
            clock=clock,
        )

    def listen(self, listener: Listener) -> None:
        """Have every event and its changes told to `listener`."""
        self._listeners.append(listener)

    def warn(self, title: str, description: str) -> None:
        """Tell the person of a trouble of our own."""
        self._notify(None, "warning", title, description)

    def tell_fault(self, doing: str, error: BaseException) -> None:
        """Tell the person of a fault of our own that broke nothing else."""
        self._emit(own_fault(self._clock(), doing, error))

    async def run(self) -> None:
        """Host the agent, and host it again at each `Restart`; until cancelled."""
        await self._rules.begin(self._launch.rules, self._launch.cwd)
        try:
            async with anyio.create_task_group() as tasks:
                self._tasks = tasks
                while True:
                    self._over, self._restart = anyio.Event(), anyio.Event()
                    await self._host()
                    await self._restarts.wait(self._restart)
        finally:
            self._history.close()

    def kill_now(self) -> None:
        """The last resort: kill all processes without waiting."""
        if self._services is not None:
            self._services.terminals.kill_now()
        if self._process is not None:
            self._process.kill_now()

    def do(self, command: Command) -> None:
        """Do what a person asks. Never waits: the answer comes back as state."""
        match command:
            case Cancel():
                self._replies.cancel(command.session_id)
            case AnswerPermission():
                self._replies.permission(command)
            case AnswerElicitation():
                self._replies.elicitation(command)
            case AnswerTrust(trusted=trusted):
                self._mcp_trust.answer(trusted=trusted)
            case CancelRequest():
                self._replies.cancel_request(command.number)
            case SetMode() | SetConfigOption() | SetModel():
                self._choose(command)
            case Prompt() | Steer() | Interrupt():
                self._prompts.do(command)
            case (
                ArchiveSession()
                | RenameSession()
                | AskStatus()
                | AskAccount()
                | SetProvider()
                | DisableProvider()
            ):
                self._providers.do(command)
            case Authenticate() | TerminalSignedIn() | Logout():
                self._authentication.do(command)
            case UndoWrite():
                if self._tasks is not None:
                    self._tasks.start_soon(self._history.undo, command)
            case AddRule() | ForgetRule():
                self._rules.do(command)
            case Restart():
                self._start_again()
            case StopRestarting():
                self._restarts.stop()
            case _:
                if isinstance(command, OpenSession | ForkSession) and command.folder is not None:
                    self._roots.choose(command.folder)
                self._sessions.do(command)

    def _beside(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do what waits for a disk beside everything else."""
        if self._tasks is not None:
            self._tasks.start_soon(work)

    def reevaluate_pending(self) -> None:
        if self._services is not None:
            self._services.reevaluate_pending()

    def _start_again(self) -> None:
        self._restart.set()
        self._over.set()

    # The wire

    def _take(self, direction: Direction, line: Line, message: Message | None) -> None:
        """Record a frame, understand it, fold it, and do what it asks for."""
        self._number += 1
        frame = Frame(direction, line.raw, self._clock(), self._number, line.flaw, line.size)
        self._tap(frame)
        event = self._requests.receive(frame, message)
        self._fold(event)
        if direction is Direction.IN:
            self._react(event)

    def _emit(self, event: LocalEvent) -> None:
        self._tap(event)
        self._fold(event)
        if self._restarts.gives_up(event):
            self._over.set()

    def _fold(self, event: Event) -> None:
        changes = apply(self.state, event)
        if self._edits is not None:
            self._edits.follow(event)
        for listener in self._listeners:
            listener(event, changes)

    def _react(self, event: Event) -> None:
        match event:
            case Requested():
                waiting = self._requests.numbered(event.number)
                if self._services is not None and waiting is not None:
                    self._services.serve(waiting)
            case Notified(method="$/cancel_request", params=CancelRequestParams() as params):
                self._replies.on_agent_cancelled(params)
            case Responded():
                self._go_on(event)
            case Unreadable(wants_answer=True):
                self._requests.send(Failure(None, Error(ErrorCode.INVALID_REQUEST, event.reason)))

    def _notify(
        self, session_id: str | None, severity: str, title: str, description: str | None = None
    ) -> None:
        self._emit(ClientNotice(self._clock(), session_id, severity, title, description))

    # What follows from an answer

    def _go_on(self, event: Responded) -> None:
        """Take the next step of the set-up, and of whatever waited for this answer."""
        if event.request.method == "initialize":
            if self.state.peer.initialized is None:
                self._over.set()
                return
            for quirk in self._quirks():
                self._emit(QuirkHelped(self._clock(), quirk.remedy.value, quirk.why))
            again = self._authentication.try_again() or self._sessions.open_first
            if not self._recovery.begin():
                self._mcp_trust.when_decided(again)
        for session in self.state.open_sessions():
            self._rules.opened(session.cwd)
        self._authentication.answered(event, self._prompts.do)
        self._recovery.answered(event)
        self._sessions.answered(event)
        self._providers.answered(event)
        self._prompts.answered(event)

    # What a person asks

    def _choose(self, command: OptionCommand) -> None:
        try:
            method, params = session_options.request(
                command, self.state.session(command.session_id)
            )
        except session_options.NotOffered as no:
            self._notify(command.session_id, "error", "Not possible", str(no))
        else:
            self._requests.call(method, params)

    def _quirks(self) -> tuple[Quirk, ...]:
        initialized = self.state.peer.initialized
        info = initialized.agent_info if initialized is not None else None
        if info is None or not self._launch.quirks:
            return ()
        return quirks_of(info.name, info.version)

    def _remedies(self) -> frozenset[Remedy]:
        return frozenset(quirk.remedy for quirk in self._quirks())

    # The process

    async def _host(self) -> None:
        """One life of the agent's process, from its start to the end of its last child."""
        launch = self._launch
        try:
            process = await AgentProcess.spawn(launch.argv, launch.cwd, launch.env)
        except SpawnError as error:
            self._emit(ProcessFailed(self._clock(), launch.argv, str(error)))
            return
        self._process = process
        self._requests.begin()
        try:
            self._emit(ProcessStarted(self._clock(), launch.argv, launch.cwd, process.pid))
            async with anyio.create_task_group() as tasks:
                link = Link(process, self._take, self._clock, launch.line_limit)
                self._requests.link = link
                self._services = Services(
                    tasks,
                    self.state,
                    clock=self._clock,
                    answer=self._requests.answer,
                    emit=self._emit,
                    answer_permission=self._replies.permission,
                    add_rule=self._rules.add,
                    remedies=self._remedies,
                    capabilities=launch.capabilities,
                    history=self._history,
                    roots=self._roots,
                    ask_if_changed=launch.ask_if_changed,
                    disk_limit=launch.limits.disk,
                    has_room=lambda: link.waiting < ROOM,
                )
                self._edits = EditWatch(
                    tasks,
                    self.state,
                    EditReader(self._roots, launch.limits.disk),
                    self._history,
                    clock=self._clock,
                    emit=self._emit,
                )
                life = ProcessMonitor(
                    process,
                    link,
                    self.state,
                    clock=self._clock,
                    emit=self._emit,
                    over=self._over,
                )
                life.begin(tasks)
                tasks.start_soon(self._mcp_trust.remember)
                tasks.start_soon(self._deadlines.watch)
                while self._remarks:
                    self._notify(None, "warning", self._remarks.popleft())
                self._mcp_trust.ask()
                self._initialize()
                await self._over.wait()
                await self._services.terminals.close_all()
                self._requests.link = None  # before its writer ends: nothing can be sent any more
                tasks.cancel_scope.cancel()
        finally:
            await self._end(process)

    async def _end(self, process: AgentProcess) -> None:
        """Stop what is left; completes under cancellation."""
        with anyio.CancelScope(shield=True):
            if self._services is not None:
                await self._services.terminals.close_all()
            self._requests.link = self._services = self._edits = None
            gone = await process.stop(GRACE)
            if self.state.peer.exit is None:
                self._emit(ProcessExited(self._clock(), gone.code, gone.signal, asked=True))
            self._prompts.gone()
            self._process = None

    def _initialize(self) -> None:
        params = InitializeParams(
            client_capabilities=self._launch.capabilities,
            client_info=Implementation(name="acp-tui", title="acp-tui", version=__version__),
        )
        self._requests.call("initialize", params)
