"""Hosts an agent for a run without a screen: one message made by hand, one turn, or a talk by lines."""

import json
import signal
import sys
from collections.abc import AsyncIterable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from anyio import to_thread

from acp_tui.client.client import Client
from acp_tui.client.launch import Launch
from acp_tui.client.programs import run_for
from acp_tui.client.recorder import Recorder
from acp_tui.headless.outcome import Ended, ExitCode, Watch
from acp_tui.headless.permission import NOBODY, rejecting_option
from acp_tui.headless.printer import Say
from acp_tui.host.hosts import ClientGroup, host_agents
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Event, Record
from acp_tui.protocol.frames import Direction, Frame, Origin
from acp_tui.protocol.jsonrpc import Request
from acp_tui.protocol.wire_events import Responded, Stray
from acp_tui.recordings.records import PackedLog
from acp_tui.state.changes import Change
from acp_tui.state.commands import (
    AnswerElicitation,
    AnswerPermission,
    CompareFolder,
    Do,
    SendByHand,
)
from acp_tui.state.peer import Phase
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.text import clean_line

if TYPE_CHECKING:
    from acp_tui.headless.outcome import RunFindings
    from acp_tui.headless.turns import TurnOptions


@dataclass(frozen=True, slots=True)
class OneShotOptions:
    """The message to send: `lines` makes it from the id of the session, or from None if it needs none.

    With `bare` nothing is sent before it. `listen` is how many seconds to listen if there is no answer to
    wait for, `max_time` how many the run may take.
    """

    lines: Callable[[str | None], list[bytes]]
    needs_session: bool
    bare: bool
    listen: float
    max_time: float


class OneShot:
    """Sends, waits for the answers, and prints them as they came."""

    def __init__(
        self, state: State, do: Do, records: Sequence[Record], options: OneShotOptions, say: Say
    ) -> None:
        self._state = state
        self._do = do
        self._records = records
        self._options = options
        self._say: Say = lambda words: say(clean_line(words))
        self._watch = Watch()
        self._waiting = 0
        self._failed = False

    def interrupt(self) -> None:
        """Stop: a signal asked for it."""
        self._watch.interrupt()

    def follow(self, event: Event, _: list[Change]) -> None:
        """Listen to the client."""
        self._watch.wake()
        if not isinstance(event, Responded | Stray) or event.direction is not Direction.IN:
            return
        ours = isinstance(event, Responded) and event.request.by is Origin.HAND
        if ours or isinstance(event, Stray):
            self._waiting -= ours
            self._failed = self._failed or event.error is not None
            self._print_answer(event.number)

    def _print_answer(self, number: int) -> None:
        """Print the frame of an answer, byte for byte; made safe to show on a terminal."""
        for record in reversed(self._records):
            if isinstance(record, Frame) and record.number == number:
                raw = record.raw
                if sys.stdout.isatty():
                    raw = clean_line(raw.decode("utf-8", "replace")).encode()
                sys.stdout.buffer.write(raw + b"\n")
                sys.stdout.buffer.flush()
                return

    async def run(self) -> int:
        """Send, and wait; return the exit code."""
        try:
            with anyio.move_on_after(self._options.max_time) as limit:
                await self._exchange()
        except Ended as stop:
            self._say(stop.why)
            return int(stop.code)
        if limit.cancelled_caught:
            self._say(f"no answer within {self._options.max_time:g} s")
            return int(ExitCode.TIMEOUT)
        return int(ExitCode.ERROR if self._failed else ExitCode.END_TURN)

    async def _exchange(self) -> None:
        lines = self._options.lines(await self._session())
        self._waiting += sum(isinstance(jsonrpc.parse(line), Request) for line in lines)
        heard = not self._waiting
        self._do(SendByHand(b"\n".join(lines)))
        while self._waiting > 0:
            self._answer_questions()
            self._check_alive()
            await self._watch.wait()
        if heard:
            with anyio.move_on_after(self._options.listen):
                while self._state.peer.gone is None and not self._watch.interrupted:
                    self._answer_questions()
                    await self._watch.wait()

    async def _session(self) -> str | None:
        """Wait until the message can be sent; return the session that was opened for it."""
        peer = self._state.peer
        while not self._is_ready():
            self._check_alive()
            peer = self._state.peer
            if peer.phase is Phase.SIGN_IN:
                assert peer.sign_in is not None
                why = f"the agent wants a sign-in first: {peer.sign_in.error.words}"
                raise Ended(ExitCode.ERROR, why)
            await self._watch.wait()
        if not self._options.needs_session:
            return None
        (session,) = self._state.open_sessions()
        self._say(f"it needs a session: opened {session.session_id} in {session.cwd}")
        return session.session_id

    def _is_ready(self) -> bool:
        if self._options.bare:
            return self._state.peer.process.started is not None
        if self._options.needs_session:
            return bool(self._state.open_sessions())
        return self._state.peer.initialized is not None

    def _check_alive(self) -> None:
        peer = self._state.peer
        if self._watch.interrupted:
            raise Ended(ExitCode.INTERRUPTED, "interrupted")
        if peer.trouble is not None:
            raise Ended(ExitCode.ERROR, peer.trouble)
        if peer.process.exit is not None and not peer.falls_back:
            raise Ended(ExitCode.ERROR, peer.process.exit.words)

    def _answer_questions(self) -> None:
        """Reject what the agent asks: there is nobody to answer."""
        for permission in self._state.waiting_permissions():
            choice = rejecting_option(permission.options)
            words = choice.name if choice is not None else "canceled"
            self._say(f"the agent asks for permission, and nobody answers: {words}")
            answer: Any = choice.option_id if choice is not None else None
            self._do(AnswerPermission(permission.number, answer, by=NOBODY))
        for question in list(self._state.elicitations):
            self._say(f"the agent asks, and nobody answers: {question.message}")
            self._do(AnswerElicitation(question.number, "cancel"))


KEEPING = 5.0
"""Seconds that a prompt waits for its folder to be read, at most."""
LAST_WORDS = 1.0
"""Seconds for what is still to be said once the turn and its report are over."""


async def run_one_shot(
    launch: Launch, recorder: Recorder | None, options: "OneShotOptions", say: Say
) -> int:
    """Send an agent one message made by hand; return the exit code."""
    async with host_agents() as (hosts, leave):
        memory = PackedLog()
        client = hosts.start(launch, recorder, memory)
        shot = OneShot(client.state, client.do, memory, options, say)
        client.listen(shot.follow)
        async with leave.calling(shot.interrupt):
            return await shot.run()


async def run_turn(
    launch: Launch, recorder: Recorder | None, options: "TurnOptions", report_format: str
) -> int:
    """Run one turn without a UI; return the exit code."""
    from acp_tui.headless.json_events import JsonReport
    from acp_tui.headless.report import TextReport
    from acp_tui.headless.run import HeadlessRun

    async with host_agents() as (hosts, leave):
        memory = None if options.findings is None else PackedLog()
        client = hosts.start(launch, recorder, memory)
        if memory is not None:
            options = replace(options, find=partial(_find_broken_rules, hosts, client, memory))
            if options.checkpoints != "nowhere":
                anywhere = options.checkpoints == "everywhere"
                options = replace(options, keep_folder=partial(_keep_folder, client, anywhere))
        report = JsonReport() if report_format == "json" else TextReport()
        if options.person:
            options = replace(options, run_program=partial(run_for, launch))
        options = replace(options, settled=client.settled)
        run = HeadlessRun(client.state, client.do, report, options)
        client.listen(run.follow)
        async with leave.calling(run.interrupt):
            code = await run.turn()
    with anyio.move_on_after(LAST_WORDS):  # the end of the recording may have had something to say
        await report.output.written()
    return code


async def run_talk(launch: Launch, recorder: Recorder | None, options: "TurnOptions") -> int:
    """Talk with an agent by lines, until the person leaves; return the exit code."""
    from acp_tui.headless.conversation import Talk
    from acp_tui.headless.report import TextReport

    with anyio.open_signal_receiver(signal.SIGINT) as interrupts:
        async with host_agents(signal.SIGINT) as (hosts, leave), anyio.create_task_group() as tasks:
            client = hosts.start(launch, recorder)
            if options.person:
                options = replace(options, run_program=partial(run_for, launch))
            report = TextReport(holds_stderr=options.holds_stderr)
            talk = Talk(client.state, client.do, report, options)
            client.listen(talk.follow)
            tasks.start_soon(_on_interrupts, interrupts, talk.cancel)
            async with leave.calling(talk.leave):
                code = await talk.run()
            tasks.cancel_scope.cancel()
    return code


async def _on_interrupts(interrupts: AsyncIterable[int], cancel: Callable[[], None]) -> None:
    async for _ in interrupts:
        cancel()


async def _keep_folder(client: Client, anywhere: bool, session: Session) -> None:
    """Store a session's folder, to compare it after the turn, unless that takes too long."""
    from acp_tui.config.paths import checkpoints_folder
    from acp_tui.git.objects import CheckpointError
    from acp_tui.rewind.store import Checkpoints
    from acp_tui.rewind.unkept_files import find_usual

    folder, place = client.state.folder_here(session), checkpoints_folder()
    if folder is None:
        return

    def keep() -> CompareFolder | None:
        store = Checkpoints.of(Path(folder), place, anywhere=anywhere)
        if store is None:
            return None
        tree, usual = store.now()[0], find_usual(store)
        return CompareFolder(session.session_id, folder, str(place), tree, usual)

    kept = None
    with suppress(CheckpointError), anyio.move_on_after(KEEPING):
        kept = await to_thread.run_sync(keep, abandon_on_cancel=True)
    if kept is not None:
        client.do(kept)


async def _find_broken_rules(
    hosts: ClientGroup, client: Client, memory: PackedLog
) -> "RunFindings":
    """End the agent; return the findings about all of its messages."""
    from acp_tui.debug.findings_report import findings_json, findings_text
    from acp_tui.debug.log import Log
    from acp_tui.extensions import extensions
    from acp_tui.headless.outcome import RunFindings
    from acp_tui.protocol.findings import Severity

    await hosts.end(client)
    log = Log.of_all(memory, extensions.linter())
    found = list(log.findings)
    return RunFindings(
        list(findings_text(log, found)),
        [json.loads(line) for line in findings_json(log, found)],
        log.findings.severities[Severity.ERROR],
        log.findings.severities[Severity.WARNING],
    )
