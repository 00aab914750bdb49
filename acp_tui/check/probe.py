"""One connection to the agent, for one check: whatever can be said, and all that is heard."""

import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.carriers import carriers_of
from acp_tui.client.connection.link import Link
from acp_tui.client.connection.transport import Carrier
from acp_tui.client.core import Core
from acp_tui.client.files.history import FileHistory
from acp_tui.client.launch import Launch
from acp_tui.client.permissions.permissions import Permissions
from acp_tui.client.process.carrier import ProcessCarrier
from acp_tui.client.process.orphans import orphans
from acp_tui.client.recorder import recorder_at
from acp_tui.client.services import Services
from acp_tui.errors import AcpTuiError
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Notified, Requested, Responded, Unreadable
from acp_tui.protocol.findings import Finding
from acp_tui.protocol.frames import Direction, Line, Mark, Origin
from acp_tui.protocol.jsonrpc import Error, ErrorCode, Failure, Id, Message, Request, Response
from acp_tui.protocol.requests import CancelRequestParams
from acp_tui.session.commands import AnswerPermission
from acp_tui.wire.lint.linter import Linter
from acp_tui.wire.log import Log
from acp_tui.wire.recording import Record

Json = dict[str, Any]
Answer = Callable[[Json], Json | Error | None]
"""Makes the answer to a request of the agent's, by its params. None leaves it unanswered for now."""

LAST_MOMENT = 0.3
"""Seconds that what a process started gets to end after it."""


class CannotStart(AcpTuiError):  # noqa: N818 - a fact about the agent, no error of ours
    """The agent's command can't be started, or its address can't be reached."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A message: the number of its frame, when it came, which way it went, and what it says."""

    number: int
    at: float
    direction: Direction
    body: Json

    @property
    def method(self) -> str:
        """The method that it calls; empty for a response."""
        method = self.body.get("method")
        return method if isinstance(method, str) else ""

    @property
    def params(self) -> Json:
        """The params of a call; empty if they are no object."""
        return _object(self.body.get("params"))

    @property
    def result(self) -> Json:
        """The result of a response; empty if it is no object."""
        return _object(self.body.get("result"))

    @property
    def error(self) -> Json | None:
        """The error of a response."""
        error = self.body.get("error")
        return error if isinstance(error, dict) else None

    @property
    def code(self) -> Any:
        """The error's code; None without an error."""
        return None if self.error is None else self.error.get("code")

    @property
    def update(self) -> Json:
        """What a session/update updates."""
        return _object(self.params.get("update"))

    @property
    def kind(self) -> str:
        """The kind of that update."""
        kind = self.update.get("sessionUpdate")
        return kind if isinstance(kind, str) else ""

    @property
    def session(self) -> Any:
        """The id of the session that a call is about."""
        return self.params.get("sessionId")


class Left(NamedTuple):
    """How a process left after its stdin was closed: `orphans` are what it started and left running."""

    by_itself: bool
    seconds: float
    orphans: tuple[str, ...]


class Probe:
    """Speaks to one agent process. What is sent by `call`, `start` and `notify` is judged as any
    client's; what is sent by `say` is by hand, and no agent is blamed for how it takes that.

    `answers` has, by method, what the agent's requests are answered with. What isn't there, the
    client serves as usual, if that was offered. `permission` is the kind of option that a permission
    request is answered with; None cancels it.
    """

    def __init__(
        self,
        launch: Launch,
        recording: Path,
        tap: Callable[[Record], None],
        patience: float,
    ) -> None:
        self.launch = launch
        self.recording = recording
        self.patience = patience
        self.records: list[Record] = []
        self.messages: list[Heard] = []
        """All messages of both sides, in their order."""
        self.noise: list[int] = []
        """The numbers of the agent's frames that are no messages."""
        self.answers: dict[str, Answer] = {}
        self.permission: str | None = "reject_once"
        self.initialized: Json = {}
        """The result of `initialize`."""
        self.signed_in = False
        self.offer: Json = {}
        """The capabilities that `initialize` names."""
        self._tap = tap
        self._core = Core(launch, self._keep, time.monotonic)
        self._permissions = Permissions(self._core)
        self._history = FileHistory(self._core)
        self._services: Services | None = None
        self._link: Link | None = None
        self._carrier: Carrier | None = None
        self._ids = 0
        self._moved = anyio.Event()

    # What is said

    def start(self, method: str, params: Json | None = None, *, id: Id = None) -> Id:
        """Send a request; return its id, which is a number of its own if none is given."""
        if id is None:
            self._ids += 1
            id = self._ids
        assert self._link is not None
        self._link.send(Request(id, method, {} if params is None else params))
        return id

    async def call(
        self,
        method: str,
        params: Json | None = None,
        *,
        id: Id = None,
        within: float | None = None,
    ) -> Heard | None:
        """Send a request, and wait for its answer; None if there is none in time."""
        return await self.answer(self.start(method, params, id=id), within=within)

    def notify(self, method: str, params: Json | None = None) -> None:
        """Send a notification."""
        assert self._link is not None
        self._link.send(jsonrpc.Notification(method, {} if params is None else params))

    def say(self, line: bytes | Json) -> None:
        """Send a line by hand, whatever it is."""
        raw = line if isinstance(line, bytes) else _encode(line)
        assert self._link is not None
        self._link.send_line(raw, Origin.HAND)

    def reply(self, request: Heard, answer: Json | Error) -> None:
        """Answer a request of the agent's that was left unanswered."""
        id = request.body.get("id")
        message = Failure(id, answer) if isinstance(answer, Error) else Response(id, answer)
        self._core.requests.send(message)

    # What is heard

    @property
    def heard(self) -> list[Heard]:
        """The agent's messages, in their order."""
        return [one for one in self.messages if one.direction is Direction.IN]

    @property
    def folder(self) -> str:
        """The agent's folder, as it is called here."""
        return self.launch.cwd

    @property
    def cwd(self) -> str:
        """The same as the agent calls it: it may run in another place."""
        return self._core.folder

    @property
    def gone(self) -> str | None:
        """How the agent left by itself; None if it is there, or was there when it was ended."""
        peer = self._core.state.peer
        return None if peer.exit is not None and peer.exit.asked else peer.gone

    def silent_about(self, what: str) -> str:
        """Say that there was no answer to something, and why if that is known."""
        return f"no answer to {what}{' in time' if self.gone is None else f': {self.gone}'}"

    @property
    def stderr(self) -> list[str]:
        """The last lines of the agent's stderr."""
        return list(self._core.state.peer.stderr)

    async def until(self, wanted: Callable[[], Any], *, within: float | None = None) -> bool:
        """Wait until a condition holds; false if it doesn't in time, or can't any more."""
        with anyio.move_on_after(self.patience if within is None else within):
            while not wanted():
                if self._core.state.peer.gone is not None:
                    return bool(wanted())
                await self._moved.wait()
                self._moved = anyio.Event()
            return True
        return bool(wanted())

    async def answer(self, id: Any, *, within: float | None = None) -> Heard | None:
        """Wait for the answer to a request; None if there is none in time."""
        await self.until(lambda: self.answered(id) is not None, within=within)
        return self.answered(id)

    def answered(self, id: Any) -> Heard | None:
        """Return the answer to a request of ours, if there is one."""
        found = self.responses(id)
        return found[0] if found else None

    def responses(self, id: Any) -> list[Heard]:
        """Return all responses with an id: there should be one."""
        return [
            one
            for one in self.heard
            if "method" not in one.body
            and one.body.get("id") == id
            and type(one.body.get("id")) is type(id)
        ]

    def last_frames(self, count: int) -> tuple[int, ...]:
        """Return the numbers of the last messages."""
        return tuple(one.number for one in self.messages[-count:])

    async def hang_up(self, within: float) -> "Left | None":
        """Close the agent's stdin, and wait; return how it left, or None if it is no process."""
        if not isinstance(self._carrier, ProcessCarrier):
            return None
        process = self._carrier.process
        began = time.monotonic()
        process.close_stdin()
        with anyio.move_on_after(within) as patience:
            await process.wait()
        await anyio.sleep(LAST_MOMENT)
        left = await orphans.members(process.pid)
        names = tuple(f"process {one.pid}" for one in left)
        return Left(not patience.cancelled_caught, time.monotonic() - began - LAST_MOMENT, names)

    async def listen(self, seconds: float) -> None:
        """Hear what else the agent says."""
        await self.until(lambda: False, within=seconds)

    def called(self, *methods: str) -> list[Heard]:
        """Return the agent's calls of some methods; a name that ends in / stands for all below."""
        return [
            one
            for one in self.heard
            if any(
                one.method == m or (m.endswith("/") and one.method.startswith(m)) for m in methods
            )
        ]

    def updates(self, *kinds: str) -> list[Heard]:
        """Return the updates of sessions, or those of some kinds."""
        found = [one for one in self.heard if one.method == "session/update"]
        return [one for one in found if not kinds or one.kind in kinds]

    def findings(self, *rules: str) -> list[Finding]:
        """Return what breaks the rules of the protocol, or some of the rules, on the agent's side."""
        log = Log(self.records, Linter())
        log.catch_up()
        log.finish()
        return [
            one
            for one in log.findings
            if (not rules or one.rule.id in rules) and log[one.index].direction != "out"
        ]

    def frame(self, finding: Finding) -> int:
        """Return the number of the frame that a finding is about; 0 if it is about none."""
        return getattr(self.records[finding.index], "number", 0)

    # The wire

    def _keep(self, record: Record) -> None:
        self.records.append(record)
        self._tap(record)

    def _take(self, direction: Direction, line: Line, message: Message | None, mark: Mark) -> int:
        event = self._core.take(direction, line, message, mark)
        body = jsonrpc.decode(line.raw)
        if isinstance(body, dict) and not isinstance(event, Unreadable):
            self.messages.append(Heard(event.number, event.at, direction, body))
        elif direction is Direction.IN:
            self.noise.append(event.number)
        if direction is Direction.IN:
            self._react(event, body)
        self._wake()
        return event.number

    def _react(self, event: Any, body: Any) -> None:
        """Answer what the agent asks."""
        assert self._services is not None
        match event:
            case Requested() if event.method in self.answers:
                heard = Heard(event.number, event.at, Direction.IN, body)
                answer = self.answers[event.method](heard.params)
                if answer is not None:
                    self.reply(heard, answer)
            case Requested():
                self._services.serve(event)
                self._decide()
            case Responded(request=request):
                for go_on in self._core.responses.get(request.method, ()):
                    go_on(event)
            case Notified(method="$/cancel_request", params=CancelRequestParams() as params):
                self._services.on_agent_cancelled(params)
            case Unreadable(wants_answer=True):
                error = Error(ErrorCode.INVALID_REQUEST, event.reason)
                self._core.requests.send(Failure(None, error))

    def _decide(self) -> None:
        """Answer the permission requests that wait; what would leave the folder is rejected."""
        for waiting in self._core.state.waiting_permissions():
            kind = "reject_once" if waiting.access is not None else self.permission
            kinds = [kind, (kind or "").replace("_once", "_always")]
            option = next((one for one in waiting.options if one.kind in kinds), None)
            chosen = None if option is None else option.option_id
            self._core.commands[AnswerPermission](AnswerPermission(waiting.number, chosen))

    def _wake(self) -> None:
        moved, self._moved = self._moved, anyio.Event()
        moved.set()

    @asynccontextmanager
    async def connected(self, tasks: TaskGroup) -> AsyncIterator[None]:
        """Reach the agent until the block ends. Raises CannotStart."""
        core = self._core
        core.listen(lambda _, __: self._wake())
        core.tasks = tasks
        await self._permissions.rules.begin()
        carrier = self._carrier = carriers_of(core)()
        if not await carrier.start():
            raise CannotStart(core.state.peer.trouble or "the agent can't be started")
        link = self._link = core.requests.link = Link(carrier.transport, self._take, core.clock)
        services = self._services = Services(core, tasks, self._permissions, self._history)
        over = anyio.Event()
        try:
            async with anyio.create_task_group() as inner:
                carrier.watch(inner, link, over)
                yield
                await services.terminals.close_all()
                core.requests.link = None
                inner.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await services.terminals.close_all()
                core.requests.link = None
                link.close()
                await carrier.stop()
                self._history.close()


@asynccontextmanager
async def probing(launch: Launch, recording: Path, patience: float) -> AsyncIterator[Probe]:
    """Start the agent, and end it with the block; all is recorded. Raises CannotStart, OSError."""
    recorder = recorder_at(recording, launch)
    probe = Probe(launch, recording, recorder.record, patience)
    raised: Exception | None = None
    async with anyio.create_task_group() as recorders:
        recorders.start_soon(recorder.run, lambda _title, _words: None)
        async with anyio.create_task_group() as tasks:
            try:
                async with probe.connected(tasks):
                    try:
                        yield probe
                    except Exception as error:  # to be raised as it is, not in a group
                        raised = error
            except CannotStart as error:
                raised = error
            tasks.cancel_scope.cancel()
        recorders.cancel_scope.cancel()
    if raised is not None:
        raise raised


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _encode(body: Mapping[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **body}, ensure_ascii=False).encode()
