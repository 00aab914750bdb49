"""The client: hosts an agent's process, keeps the state, and does what a person asks."""

import time
from collections.abc import Callable, Coroutine
from typing import Any

import anyio
from anyio.abc import TaskGroup

from acp_tui import __version__
from acp_tui.client import options
from acp_tui.client.deadlines import Deadlines
from acp_tui.client.launch import Launch
from acp_tui.client.link import OUTBOX_LIMIT, Link
from acp_tui.client.managing import Managing
from acp_tui.client.process import AgentProcess, SpawnError
from acp_tui.client.prompting import Prompting
from acp_tui.client.recovery import Recovery
from acp_tui.client.restarting import Restarting
from acp_tui.client.rule_book import RuleBook
from acp_tui.client.serving import Services
from acp_tui.client.sessions import Sessions
from acp_tui.client.signing_in import SigningIn
from acp_tui.client.trusting import Trusting
from acp_tui.client.written import WrittenFiles
from acp_tui.config.quirks import Quirk, Remedy, quirks_of
from acp_tui.protocol.connection import Connection
from acp_tui.protocol.events import (
    Event,
    LocalEvent,
    Notified,
    ProcessExited,
    ProcessFailed,
    ProcessStarted,
    QuirkHelped,
    Requested,
    Responded,
    Said,
    Stalled,
    StderrLine,
    StdoutClosed,
    Unreadable,
)
from acp_tui.protocol.frames import Direction, Frame, Line
from acp_tui.protocol.jsonrpc import (
    Error,
    ErrorCode,
    Failure,
    Message,
    Notification,
    Request,
    Response,
)
from acp_tui.protocol.model import Model
from acp_tui.protocol.requests import CancelRequestParams, RequestPermissionResult
from acp_tui.protocol.setup import (
    Implementation,
    InitializeParams,
    PromptParams,
    SessionParams,
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
    Interrupt,
    Logout,
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
from acp_tui.session.elicitations import answer
from acp_tui.session.fold import apply
from acp_tui.session.forms import problems
from acp_tui.session.state import State

__all__ = ["Client", "Launch", "Record"]

GRACE = 1.0
"""Seconds an agent gets to leave after its stdin is closed, and again after SIGTERM."""
STALL = 2.0
"""Seconds without a byte taken after which an agent is said not to read."""
LAST_FRAMES = 0.5
"""Seconds that the output of an exited agent may still take to arrive."""

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
        self._tap = tap
        self._clock = clock
        self._listeners: list[Listener] = []
        self._number = 0
        self._connection = Connection()
        self._ready: dict[int, Model | Error] = {}
        self._process: AgentProcess | None = None
        self._link: Link | None = None
        self._services: Services | None = None
        self._tasks: TaskGroup | None = None
        self._over = anyio.Event()
        self._restart = anyio.Event()
        self._sessions = Sessions(self.state, launch, self._call, self._say, self._cancel)
        self._recovery = Recovery(self.state, self._sessions.reopen)
        self._restarting = Restarting(self.state, launch.restart, clock, self._happened)
        self._deadlines = Deadlines(
            self.state,
            launch.limits,
            clock,
            happened=self._happened,
            ended=self._recovery.unanswered,
        )
        self._rules = RuleBook(
            self.state,
            launch.project_rules,
            self._say,
            clock=clock,
            happened=self._happened,
            changed=self._weigh_anew,
            beside=self._beside,
        )
        self._managing = Managing(self.state, self._call)
        self._prompting = Prompting(
            self.state, self._call, self._say, obstacle=self._obstacle, cancel=self._cancel
        )
        self._signing_in = SigningIn(
            self.state,
            self._call,
            self._say,
            ended=self._happened,
            restart=self._start_again,
            clock=clock,
        )

        self._written = WrittenFiles(
            self.state, clock=clock, happened=self._happened, say=self._say
        )
        self._trusting = Trusting(
            self.state,
            launch,
            self._say,
            happened=self._happened,
            use=self._sessions.use,
            clock=clock,
        )

    def listen(self, listener: Listener) -> None:
        """Have every event and its changes told to `listener`."""
        self._listeners.append(listener)

    def warn(self, title: str, description: str) -> None:
        """Tell the person of a trouble of our own."""
        self._say(None, "warning", title, description)

    async def run(self) -> None:
        """Host the agent, and host it again at each `Restart`; until cancelled."""
        self._rules.begin(self._launch.rules, self._launch.cwd)
        try:
            async with anyio.create_task_group() as tasks:
                self._tasks = tasks
                while True:
                    self._over, self._restart = anyio.Event(), anyio.Event()
                    await self._host()
                    await self._restarting.wait(self._restart)
        finally:
            self._written.close()

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
                self._cancel(command.session_id)
            case AnswerPermission():
                self._answer_permission(command)
            case AnswerElicitation():
                self._answer_elicitation(command)
            case AnswerTrust(trusted=trusted):
                self._trusting.answer(trusted=trusted)
            case CancelRequest():
                self._cancel_own(command.number)
            case SetMode() | SetConfigOption() | SetModel():
                self._choose(command)
            case Prompt() | Steer() | Interrupt():
                self._prompting.do(command)
            case (
                ArchiveSession()
                | RenameSession()
                | AskStatus()
                | AskAccount()
                | SetProvider()
                | DisableProvider()
            ):
                self._managing.do(command)
            case Authenticate() | TerminalSignedIn() | Logout():
                self._signing_in.do(command)
            case UndoWrite():
                if self._tasks is not None:
                    self._tasks.start_soon(self._written.undo, command)
            case AddRule() | ForgetRule():
                self._rules.do(command)
            case Restart():
                self._start_again()
            case StopRestarting():
                self._restarting.stop()
            case _:
                self._sessions.do(command)

    def _beside(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do what waits for a disk beside everything else."""
        if self._tasks is not None:
            self._tasks.start_soon(work)

    def _weigh_anew(self) -> None:
        if self._services is not None:
            self._services.weigh_anew()

    def _start_again(self) -> None:
        self._restart.set()
        self._over.set()

    # The wire

    def _take(self, direction: Direction, line: Line, message: Message | None) -> None:
        """Record a frame, understand it, fold it, and do what it asks for."""
        self._number += 1
        frame = Frame(direction, line.raw, self._clock(), self._number, line.flaw, line.size)
        self._tap(frame)
        event = self._connection.receive(frame, message)
        self._fold(event)
        if direction is Direction.IN:
            self._react(event)

    def _happened(self, event: LocalEvent) -> None:
        self._tap(event)
        self._fold(event)

    def _fold(self, event: Event) -> None:
        changes = apply(self.state, event)
        for listener in self._listeners:
            listener(event, changes)

    def _react(self, event: Event) -> None:
        match event:
            case Requested():
                if self._services is not None:
                    self._services.serve(event)
            case Notified(method="$/cancel_request", params=CancelRequestParams() as params):
                self._cancel_request(params)
            case Responded():
                self._go_on(event)
            case Unreadable(wants_answer=True):
                self._send(Failure(None, Error(ErrorCode.INVALID_REQUEST, event.reason)))

    def _send(self, message: Request | Notification | Response | Failure) -> None:
        if self._link is not None:
            self._link.send(message)

    def _call(self, method: str, params: Model) -> None:
        """Send a request of ours, unless the agent doesn't offer the method: then say so."""
        peer = self.state.peer
        if peer.initialized is not None and not peer.offers(method):
            session = self.state.sessions.get(getattr(params, "session_id", ""))
            session_id = session.session_id if session is not None and session.opened else None
            self._say(session_id, "error", "Not possible", f"{peer.name} doesn't offer {method}.")
            return
        if self._launch.meta:
            meta = {**self._launch.meta, **(params.meta or {})}
            params = params.model_copy(update={"meta": meta})
        self._send(self._connection.request(method, params))

    def _say(
        self, session_id: str | None, severity: str, title: str, description: str | None = None
    ) -> None:
        self._happened(Said(self._clock(), session_id, severity, title, description))

    def _answer(self, request: Requested, answer: Model | Error) -> None:
        """Answer a request of the agent's, unless it has its answer.

        Requests with one id are answered in their order, for nothing else tells their answers
        apart: an answer may have to wait for that of an older request.
        """
        if self._connection.waits(request):
            self._ready[request.number] = answer
        while (oldest := self._connection.oldest(request.id)) is not None:
            if oldest.number not in self._ready:
                return
            self._put_answer(oldest, self._ready.pop(oldest.number))

    @property
    def _is_congested(self) -> bool:
        return self._link is not None and self._link.waiting > OUTBOX_LIMIT

    def _put_answer(self, request: Requested, answer: Model | Error) -> None:
        if self._is_congested:
            # An agent that asks for files and never reads the answers must not fill our memory.
            message = "You don't read your input: too many bytes of the client's wait there"
            answer = Error(ErrorCode.INTERNAL_ERROR, message)
        if isinstance(answer, Error):
            self._send(Failure(request.id, answer))
        else:
            self._send(Response(request.id, answer.wire()))

    # What follows from an answer

    def _go_on(self, event: Responded) -> None:
        """Take the next step of the set-up, and of whatever waited for this answer."""
        if event.request.method == "initialize":
            if self.state.peer.initialized is None:
                self._over.set()
                return
            for quirk in self._quirks():
                self._happened(QuirkHelped(self._clock(), quirk.remedy.value, quirk.why))
            again = self._signing_in.try_again() or self._sessions.open_first
            if not self._recovery.begin():
                self._trusting.when_decided(again)
        for session in self.state.open_sessions():
            self._rules.opened(session.cwd)
        self._signing_in.answered(event, self._prompting.do)
        self._recovery.answered(event)
        self._sessions.answered(event)
        self._managing.answered(event)
        self._prompting.answered(event)

    # What a person asks

    def _obstacle(self, session_id: str) -> str | None:
        """Why the agent can't take a prompt now."""
        session = self.state.sessions.get(session_id)
        if self._link is None or self.state.peer.exit is not None:
            return "The agent isn't running."
        if self.state.peer.stdout_closed:
            return "The agent has closed its output."
        if self._is_congested:
            return "The agent has stopped reading its input."
        if session is not None and session.loading is not None:
            return "The session is being loaded."
        if session is not None and session.subagent is not None:
            return "It is a subagent's session: only the agent talks to it."
        if session is not None and session.closed:
            return "The session is closed."
        if session is not None and session.turn is not None:
            return "The agent has not ended the turn before."
        return None

    def _cancel(self, session_id: str) -> None:
        session = self.state.sessions.get(session_id)
        subagent = session.subagent if session is not None else None
        works = subagent.can_cancel if subagent is not None else session and session.turn
        if session is None or not works:
            return
        params = SessionParams(session_id=session_id).wire()
        self._send(Notification("session/cancel", params))
        for permission in list(session.permissions):
            self._answer_permission(AnswerPermission(permission.number, None))
        for question in list(self.state.elicitations):
            if question.session_id == session_id:
                self._answer_elicitation(AnswerElicitation(question.number, "cancel"))

    def _answer_permission(self, command: AnswerPermission) -> None:
        permission = self.state.permission(command.number)
        if permission is None:
            return
        if permission.access is not None:
            if self._services is not None:
                self._services.settle_access(permission, command.option_id)
            return
        answer = (
            RequestPermissionResult.cancelled()
            if command.option_id is None
            else RequestPermissionResult.selected(command.option_id)
        )
        request = self._connection.numbered(command.number)
        if request is not None:
            self._answer(request, answer)

    def _cancel_request(self, params: CancelRequestParams) -> None:
        for asked in self._connection.pending(Direction.IN):
            if asked.id == params.request_id and self._services is not None:
                self._services.cancel(asked)

    def _answer_elicitation(self, command: AnswerElicitation) -> None:
        question = self.state.elicitation(command.number)
        if question is None:
            return
        content = dict(command.content) if command.content is not None else None
        if command.action == "accept" and question.form is not None:
            wrong = problems(question.form, content or {})
            if wrong:
                words = "\n".join(f"{name} {why}" for name, why in wrong.items())
                self._say(question.session_id, "error", "Not sent", words)
                return
        request = self._connection.numbered(command.number)
        if request is not None:
            self._answer(request, answer(request, command.action, content))

    def _cancel_own(self, number: int) -> None:
        """Take back a request of ours; a prompt is cancelled as a turn is."""
        call = self.state.calls.get(number)
        if call is None:
            return
        if isinstance(call.params, PromptParams):
            self._cancel(call.params.session_id)
            return
        params = CancelRequestParams(request_id=call.id).wire()
        self._send(Notification("$/cancel_request", params))
        for question in list(self.state.elicitations):
            if question.session_id is None and question.request_id == call.id:
                self._answer_elicitation(AnswerElicitation(question.number, "cancel"))

    def _choose(self, command: OptionCommand) -> None:
        try:
            method, params = options.request(command, self.state.session(command.session_id))
        except options.NotOffered as no:
            self._say(command.session_id, "error", "Not possible", str(no))
        else:
            self._call(method, params)

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
            self._happened(ProcessFailed(self._clock(), launch.argv, str(error)))
            return
        self._process = process
        self._connection = Connection()
        self._ready.clear()
        try:
            self._happened(ProcessStarted(self._clock(), launch.argv, launch.cwd, process.pid))
            async with anyio.create_task_group() as tasks:
                self._link = Link(process, self._take, self._clock, launch.line_limit)
                self._services = Services(
                    tasks,
                    self.state,
                    clock=self._clock,
                    answer=self._answer,
                    happened=self._happened,
                    answer_permission=self._answer_permission,
                    add_rule=self._rules.add,
                    remedies=self._remedies,
                    capabilities=launch.capabilities,
                    written=self._written,
                    ask_if_changed=launch.ask_if_changed,
                )
                tasks.start_soon(self._read, self._link, process)
                tasks.start_soon(self._link.write)
                tasks.start_soon(self._read_stderr, process)
                tasks.start_soon(self._watch, self._link)
                tasks.start_soon(self._trusting.remember)
                tasks.start_soon(self._deadlines.watch)
                for remark in launch.remarks:
                    self._say(None, "warning", remark)
                self._trusting.ask()
                self._initialize()
                await self._over.wait()
                await self._services.terminals.close_all()
                self._link = None  # before its writer ends: nothing can be sent any more
                tasks.cancel_scope.cancel()
        finally:
            await self._end(process)

    async def _end(self, process: AgentProcess) -> None:
        """Stop what is left; completes under cancellation."""
        with anyio.CancelScope(shield=True):
            if self._services is not None:
                await self._services.terminals.close_all()
            self._link = self._services = None
            gone = await process.stop(GRACE)
            if self.state.peer.exit is None:
                self._happened(ProcessExited(self._clock(), gone.code, gone.signal, asked=True))
            self._prompting.gone()
            self._process = None

    def _initialize(self) -> None:
        params = InitializeParams(
            client_capabilities=self._launch.capabilities,
            client_info=Implementation(name="acp-tui", title="acp-tui", version=__version__),
        )
        self._call("initialize", params)

    async def _read(self, link: Link, process: AgentProcess) -> None:
        """Read to the end; then tell whether the process is gone or only its output."""
        async with anyio.create_task_group() as tasks:
            finished = anyio.Event()
            tasks.start_soon(self._await_exit, process, finished)
            await link.read()
            finished.set()
            await anyio.sleep(LAST_FRAMES)
            if self.state.peer.exit is None:
                self._happened(StdoutClosed(self._clock()))

    async def _await_exit(self, process: AgentProcess, finished: anyio.Event) -> None:
        gone = await process.wait()
        with anyio.move_on_after(LAST_FRAMES):
            await finished.wait()
        await anyio.sleep(0.05)  # stderr's last lines
        self._happened(ProcessExited(self._clock(), gone.code, gone.signal))
        self._over.set()

    async def _read_stderr(self, process: AgentProcess) -> None:
        async for line in process.stderr_lines():
            self._happened(StderrLine(self._clock(), line))

    async def _watch(self, link: Link) -> None:
        """Now and then: say whether the agent reads."""
        while True:
            await anyio.sleep(STALL / 4)
            now = self._clock()
            since = link.writing_since
            waiting = link.waiting if since is not None and now - since > STALL else 0
            if waiting != self.state.peer.waiting:
                self._happened(Stalled(now, waiting))
