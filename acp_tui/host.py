"""Composes a client with a view, and sees to it that both end, whatever happens."""

import json
import signal
from collections.abc import AsyncIterable, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import anyio
from anyio import to_thread

from acp_tui.client.client import Client, Launch
from acp_tui.client.faults import reporting_faults
from acp_tui.client.hosting import Hosting
from acp_tui.client.launch import as_placed, in_folder, launch_of
from acp_tui.client.process.orphans import orphans
from acp_tui.client.process.watchdog import watchdog
from acp_tui.client.programs import program_facts, run_for
from acp_tui.client.recorder import Recorder
from acp_tui.config.settings import AgentSettings
from acp_tui.session.changes import Change
from acp_tui.session.commands import CompareFolder, ContinueSession, ListSessions, OpenSession
from acp_tui.session.state import Session
from acp_tui.wire.packed_log import PackedLog

if TYPE_CHECKING:
    from acp_tui.headless.findings import Findings
    from acp_tui.headless.one_shot import OneShotOptions
    from acp_tui.headless.run import TurnOptions
    from acp_tui.ui.sessions.agent import Agent

TWICE = 0.5
"""Seconds in which a signal that comes again is the same wish: those of a closed window, and those to
a group of processes, come by more than one way.
"""
KEEPING = 5.0
"""Seconds that a prompt waits for its folder to be read, at most."""
LAST_WORDS = 1.0
"""Seconds for what is still to be said once the turn and its report are over."""


class Leave:
    """A signal's wish that we leave; `number` is the signal's once it is `asked`."""

    def __init__(self) -> None:
        self.asked = anyio.Event()
        self.number = 0
        self.is_lent: Callable[[], bool] = bool
        """Whether another program has the terminal: a Ctrl+C there is for that one."""

    async def hear(self, signals: AsyncIterable[int], kill_now: Callable[[], None]) -> None:
        """Take a signal: the first asks us to quit, a second one ends the waiting."""
        asked_at = 0.0
        async for number in signals:
            if number == signal.SIGINT and self.is_lent():
                continue
            if not self.asked.is_set():
                asked_at = anyio.current_time()
                self.number = number
                self.asked.set()
            elif anyio.current_time() - asked_at > TWICE:
                kill_now()


@asynccontextmanager
async def hosting(*others: signal.Signals) -> AsyncIterator[tuple[Hosting, Leave]]:
    """Host agents; at the end nothing of them is left.

    Signals are heard until that end: none kills us before the agents have gone. The `others` of them
    are the caller's to hear.
    """
    orphans.adopt()
    watchdog.start()  # only now: whoever has children can't tell whose an orphan is
    async with anyio.create_task_group() as tasks:
        leave = Leave()
        with anyio.open_signal_receiver(*_without(others)) as signals:
            try:
                async with anyio.create_task_group() as clients:
                    hosts = Hosting(clients, tasks)
                    tasks.start_soon(leave.hear, signals, hosts.kill_now)
                    tasks.start_soon(orphans.reap)
                    tasks.start_soon(orphans.watch)
                    with reporting_faults(hosts.report_fault):
                        yield hosts, leave
                    clients.cancel_scope.cancel()
            finally:
                hosts.kill_now()
            tasks.cancel_scope.cancel()


def _without(others: Sequence[signal.Signals]) -> list[signal.Signals]:
    return [one for one in leaving_signals() if one not in others]


def leaving_signals() -> list[signal.Signals]:
    """The signals that ask us to leave."""
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


async def _on_signal(leave: Leave, interrupt: Callable[[], None]) -> None:
    await leave.asked.wait()
    interrupt()


async def with_one_shot(
    launch: Launch, recorder: Recorder | None, options: "OneShotOptions", say: Callable[[str], None]
) -> int:
    """Send an agent one message made by hand; return the exit code."""
    from acp_tui.headless.one_shot import OneShot

    async with hosting() as (hosts, leave), anyio.create_task_group() as tasks:
        memory = PackedLog()
        client = hosts.start(launch, recorder, memory)
        shot = OneShot(client.state, client.do, memory, options, say)
        client.listen(shot.follow)
        tasks.start_soon(_on_signal, leave, shot.interrupt)
        code = await shot.run()
        tasks.cancel_scope.cancel()
    return code


async def with_turn(
    launch: Launch, recorder: Recorder | None, options: "TurnOptions", report_format: str
) -> int:
    """Run one turn without a UI; return the exit code."""
    from acp_tui.headless.json_report import JsonReport
    from acp_tui.headless.report import TextReport
    from acp_tui.headless.run import Run

    async with hosting() as (hosts, leave), anyio.create_task_group() as tasks:
        memory = None if options.findings is None else PackedLog()
        client = hosts.start(launch, recorder, memory)
        if memory is not None:
            options = replace(options, find=partial(_find, hosts, client, memory))
            if options.checkpoints != "nowhere":
                anywhere = options.checkpoints == "everywhere"
                options = replace(options, keep_folder=partial(_keep_folder, client, anywhere))
        report = JsonReport() if report_format == "json" else TextReport()
        if options.person:
            options = replace(options, run_program=partial(run_for, launch))
        options = replace(options, settled=client.settled)
        run = Run(client.state, client.do, report, options)
        client.listen(run.follow)
        tasks.start_soon(_on_signal, leave, run.interrupt)
        code = await run.turn()
        tasks.cancel_scope.cancel()
    with anyio.move_on_after(LAST_WORDS):  # the end of the recording may have had something to say
        await report.output.written()
    return code


async def with_talk(launch: Launch, recorder: Recorder | None, options: "TurnOptions") -> int:
    """Talk with an agent by lines, until the person leaves; return the exit code."""
    from acp_tui.headless.report import TextReport
    from acp_tui.headless.talk import Talk

    with anyio.open_signal_receiver(signal.SIGINT) as interrupts:
        async with hosting(signal.SIGINT) as (hosts, leave), anyio.create_task_group() as tasks:
            client = hosts.start(launch, recorder)
            if options.person:
                options = replace(options, run_program=partial(run_for, launch))
            report = TextReport()
            talk = Talk(client.state, client.do, report, options)
            client.listen(talk.follow)
            tasks.start_soon(_on_signal, leave, talk.leave)
            tasks.start_soon(_on_interrupts, interrupts, talk.cancel)
            code = await talk.run()
            tasks.cancel_scope.cancel()
    return code


async def _on_interrupts(interrupts: AsyncIterable[int], cancel: Callable[[], None]) -> None:
    async for _ in interrupts:
        cancel()


async def _keep_folder(client: Client, anywhere: bool, session: Session) -> None:
    """Keep what a session's folder is, to be compared after its turn; not where that takes too long."""
    from acp_tui.checkpoints.errors import CheckpointError
    from acp_tui.checkpoints.store import Checkpoints
    from acp_tui.config.paths import checkpoints_folder

    folder, place = client.state.folder_here(session), checkpoints_folder()
    if folder is None:
        return

    def keep() -> str | None:
        store = Checkpoints.of(Path(folder), place, anywhere=anywhere)
        return None if store is None else store.now()[0]

    tree = None
    with suppress(CheckpointError), anyio.move_on_after(KEEPING):
        tree = await to_thread.run_sync(keep, abandon_on_cancel=True)
    if tree is not None:
        client.do(CompareFolder(session.session_id, folder, str(place), tree))


async def _find(hosts: Hosting, client: Client, memory: PackedLog) -> "Findings":
    """End the agent; tell what of all that was said broke the protocol's rules."""
    from acp_tui.extensions import extensions
    from acp_tui.headless.findings import Findings
    from acp_tui.protocol.findings import Severity
    from acp_tui.wire.log import Log
    from acp_tui.wire.report.findings import findings_json, findings_text

    await hosts.end(client)
    log = Log(memory, extensions.linter())
    log.catch_up()
    log.finish()
    found = list(log.findings)
    return Findings(
        list(findings_text(log, found)),
        [json.loads(line) for line in findings_json(log, found)],
        log.findings.severities[Severity.ERROR],
        log.findings.severities[Severity.WARNING],
    )


class Start(NamedTuple):
    """An agent to be started: what a person calls it and says of it, and all that follows."""

    called: str
    settings: AgentSettings
    launch: Launch
    recorder: Recorder | None


class Viewer(Protocol):
    """What is shown agents: the app, or a kept run."""

    def changed(self, agent: "Agent", changes: list[Change]) -> None:
        """Follow what moved in the state of an agent."""


class AppHosts:
    """Starts agents for a view, and ends them. `record` makes their recordings, if any are wanted."""

    def __init__(
        self,
        hosts: Hosting,
        base: Launch,
        known: Mapping[str, AgentSettings],
        record: Callable[[Launch], Recorder] | None,
    ) -> None:
        self.known = known
        self.app: Viewer | None = None
        self.recordings: list[Path] = []
        self._hosts = hosts
        self._base = base
        self._record = record
        self._clients: dict[Agent, Client] = {}

    @property
    def agents(self) -> "list[Agent]":
        """Those that were started and not closed, in their order."""
        return list(self._clients)

    def start(self, start: Start) -> "Agent":
        """Start an agent that is fully described."""
        from acp_tui.ui.sessions.agent import Agent

        launch, memory = start.launch, PackedLog()
        if start.recorder is not None:
            self.recordings.append(start.recorder.path)
        client = self._hosts.start(launch, start.recorder, memory)
        opening, resumed, resumed_from = launch.opening, "", ""
        if isinstance(opening, OpenSession):
            resumed, resumed_from = opening.session_id, opening.recording
        elif isinstance(opening, ContinueSession):
            resumed, resumed_from = opening.recorded_id, opening.recording
        agent = Agent(
            client.state,
            client.do,
            records=memory,
            limits=launch.limits,
            run_program=partial(run_for, launch),
            settings=start.settings,
            place=(launch.cwd, *launch.argv, *([launch.remote.shown] if launch.remote else [])),
            program_facts=program_facts(launch),
            called=start.called,
            resumed=resumed,
            resumed_from=resumed_from,
            choosing=isinstance(opening, ListSessions),
        )
        self._clients[agent] = client
        client.listen(lambda _, changes: self._changed(agent, changes))
        return agent

    def _changed(self, agent: "Agent", changes: list[Change]) -> None:
        if self.app is not None:
            self.app.changed(agent, changes)

    def open(self, settings: AgentSettings, called: str = "") -> "Agent":
        """Start another agent."""
        launch, recorder = launch_of(settings, self._base), None
        launch = as_placed(in_folder(launch, launch.cwd))
        try:
            recorder = self._record(launch) if self._record is not None else None
        except OSError as error:
            words = f"This agent is not recorded: {error.strerror}: {error.filename!r}"
            launch = replace(launch, remarks=(*launch.remarks, words))
        return self.start(Start(called, settings, launch, recorder))

    def close(self, agent: "Agent") -> None:
        """End an agent and all that it started."""
        self._hosts.stop(self._clients.pop(agent))

    def warn(self, agent: "Agent", title: str, description: str) -> None:
        """Tell the person of a problem that is not the agent's."""
        self._clients[agent].warn(title, description)
