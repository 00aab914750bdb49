"""Runs clients with their recorders, ending both whatever happens; starts agents for the app."""

import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.client import Client
from acp_tui.client.errors import reporting_faults
from acp_tui.client.launch import Launch, as_placed, in_folder, launch_of
from acp_tui.client.process.orphans import orphans
from acp_tui.client.process.watchdog import watchdog
from acp_tui.client.programs import program_facts, run_for
from acp_tui.client.recorder import Recorder
from acp_tui.config.settings import AgentSettings
from acp_tui.host.leave import QuitSignal, quit_signals
from acp_tui.protocol.events import Event, Record
from acp_tui.protocol.process_events import AgentLogLine, AgentLogOmitted
from acp_tui.proxy.interceptor import Interceptor
from acp_tui.recordings.records import PackedLog
from acp_tui.state.changes import Change
from acp_tui.state.commands import AskSessionOptions, ContinueSession, ListSessions, OpenSession

if TYPE_CHECKING:
    from acp_tui.host.agent import Agent


class ClientGroup:
    """Runs agents concurrently, each with its own client. They end together or one by one."""

    def __init__(self, clients: TaskGroup, recorders: TaskGroup) -> None:
        self._clients = clients
        self._recorders = recorders
        self._scopes: dict[Client, anyio.CancelScope] = {}
        self._ends: dict[Client, anyio.Event] = {}

    def start(
        self, launch: Launch, recorder: Recorder | None, memory: PackedLog | None = None
    ) -> Client:
        """Start an agent. Its records go to the recorder and the memory, if given."""
        client = Client(
            launch,
            tap=_tap(recorder, memory, records_log=launch.records_agent_log),
            make_gatekeeper=Interceptor,
            limit_recording=None if recorder is None else recorder.limit_to,
        )
        if launch.export.follower is not None:
            follow = launch.export.follower(client.warn)
            client.listen(lambda event, _: follow(event))
        self._scopes[client] = anyio.CancelScope()
        self._ends[client] = anyio.Event()
        self._clients.start_soon(self._run_client, client, recorder)
        return client

    def stop(self, client: Client) -> None:
        """Stop an agent without waiting; it gets time to exit."""
        self._scopes[client].cancel()

    async def end(self, client: Client) -> None:
        """Stop an agent, and wait until it is gone."""
        if client in self._ends:
            self.stop(client)
            await self._ends[client].wait()

    def kill_now(self) -> None:
        """Kill all agents without waiting."""
        for client in self._scopes:
            client.kill_now()

    def report_fault(self, doing: str, error: BaseException) -> None:
        """Report a bug in acp-tui to all agents' users, or on stderr if there are no agents."""
        for client in self._scopes:
            client.report_fault(doing, error)
        if not self._scopes:
            sys.excepthook(type(error), error, error.__traceback__)

    async def _run_client(self, client: Client, recorder: Recorder | None) -> None:
        """Run a client, and record until its agent is gone."""
        recording = anyio.CancelScope()
        if recorder is not None:
            self._recorders.start_soon(_run_recorder, recorder, client, recording)
        with self._scopes[client]:
            try:
                await client.run()
            finally:
                client.kill_now()
        recording.cancel()
        del self._scopes[client]
        self._ends.pop(client).set()


async def _run_recorder(recorder: Recorder, client: Client, scope: anyio.CancelScope) -> None:
    with scope:
        await recorder.run(client.warn)


def _tap(
    recorder: Recorder | None, memory: PackedLog | None, *, records_log: bool
) -> Callable[[Record], None]:
    """Return a function that passes each record to the recorder and the memory.

    Without `records_log`, the recorder doesn't get the agent's own log, which may contain secrets.
    """

    def tap(record: Record) -> None:
        is_log = isinstance(record, AgentLogLine | AgentLogOmitted)
        if recorder is not None and (records_log or not is_log):
            recorder.record(record)
        if memory is not None:
            memory.append(record)

    return tap


@asynccontextmanager
async def host_agents(*others: signal.Signals) -> AsyncIterator[tuple[ClientGroup, QuitSignal]]:
    """Host agents; when the block ends, all their processes are gone.

    Signals are handled until then, so that none kills us before the agents are gone. The caller
    handles the `others`.
    """
    orphans.adopt()
    watchdog.start()  # after adopt(), which can't tell orphans apart if there is a child
    async with anyio.create_task_group() as tasks:
        leave = QuitSignal()
        with anyio.open_signal_receiver(
            *[one for one in quit_signals() if one not in others]
        ) as signals:
            try:
                async with anyio.create_task_group() as clients:
                    hosts = ClientGroup(clients, tasks)
                    tasks.start_soon(leave.handle, signals, hosts.kill_now)
                    tasks.start_soon(orphans.reap)
                    tasks.start_soon(orphans.watch)
                    with reporting_faults(hosts.report_fault):
                        yield hosts, leave
                    clients.cancel_scope.cancel()
            finally:
                hosts.kill_now()
            tasks.cancel_scope.cancel()


class AgentStart(NamedTuple):
    """An agent to start: its name, settings, launch and recorder."""

    called: str
    settings: AgentSettings
    launch: Launch
    recorder: Recorder | None


class AgentsViewer(Protocol):
    """Receives the changes of agents' states: the app, or a kept run."""

    def changed(self, agent: "Agent", changes: list[Change]) -> None:
        """Handle changes in an agent's state."""


class AppHosts:
    """Starts and ends agents for a view. `record` makes their recordings; None makes none."""

    def __init__(
        self,
        hosts: ClientGroup,
        base: Launch,
        known: Mapping[str, AgentSettings],
        record: Callable[[Launch], Recorder] | None,
    ) -> None:
        self.known = known
        self.app: AgentsViewer | None = None
        self.recordings: list[Path] = []
        self._hosts = hosts
        self._base = base
        self._record = record
        self._clients: dict[Agent, Client] = {}

    @property
    def agents(self) -> "list[Agent]":
        """The agents that were started and not closed, in order."""
        return list(self._clients)

    def start(self, start: AgentStart) -> "Agent":
        """Start an agent with a complete launch."""
        from acp_tui.host.agent import Agent

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
            place=(launch.cwd, *launch.shown_command),
            program_facts=program_facts(launch),
            called=start.called,
            resumed=resumed,
            resumed_from=resumed_from,
            choosing=isinstance(opening, ListSessions),
            choosing_options=isinstance(opening, AskSessionOptions),
        )
        self._clients[agent] = client

        def report(_: Event, changes: list[Change]) -> None:
            if self.app is not None:
                self.app.changed(agent, changes)

        client.listen(report)
        return agent

    def open(self, settings: AgentSettings, called: str = "") -> "Agent":
        """Start another agent, configured like the first one except for its own settings."""
        launch, recorder = launch_of(settings, self._base), None
        launch = as_placed(in_folder(launch, launch.cwd))
        try:
            recorder = self._record(launch) if self._record is not None else None
        except OSError as error:
            words = f"This agent is not recorded: {error.strerror}: {error.filename!r}"
            launch = replace(launch, remarks=(*launch.remarks, words))
        return self.start(AgentStart(called, settings, launch, recorder))

    def close(self, agent: "Agent") -> None:
        """End an agent and everything that it started."""
        self._hosts.stop(self._clients.pop(agent))

    def warn(self, agent: "Agent", title: str, description: str) -> None:
        """Notify the user of a problem that isn't the agent's."""
        self._clients[agent].warn(title, description)
