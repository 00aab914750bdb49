"""Runs clients concurrently, each with its recording."""

import sys
from collections.abc import Callable

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.client import Client, Launch, Record
from acp_tui.client.recorder import Recorder
from acp_tui.protocol.events import AgentLogLine, AgentLogOmitted, Event
from acp_tui.proxy.interceptor import Interceptor
from acp_tui.recordings.packed_log import PackedLog


class ClientGroup:
    """Runs agents concurrently, each with a client of its own. They end together, or one by one."""

    def __init__(self, clients: TaskGroup, recorders: TaskGroup) -> None:
        self._clients = clients
        self._recorders = recorders
        self._scopes: dict[Client, anyio.CancelScope] = {}
        self._ends: dict[Client, anyio.Event] = {}

    def start(
        self, launch: Launch, recorder: Recorder | None, memory: PackedLog | None = None
    ) -> Client:
        """Start an agent. Its events go to the recorder and the memory, if given."""
        records_log = launch.records_agent_log
        client = Client(
            launch,
            tap=_tap(recorder, memory, records_log=records_log),
            make_gatekeeper=Interceptor,
            limit_recording=None if recorder is None else recorder.limit_to,
        )
        for follower in launch.followers:
            _follow(client, follower(client.warn))
        self._scopes[client] = anyio.CancelScope()
        self._ends[client] = anyio.Event()
        self._clients.start_soon(self._run, client, recorder)
        return client

    def stop(self, client: Client) -> None:
        """Stop an agent, with time to exit."""
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
        """Report a bug of acp-tui to all agents' users, or to stderr without agents."""
        for client in self._scopes:
            client.report_fault(doing, error)
        if not self._scopes:
            sys.excepthook(type(error), error, error.__traceback__)

    async def _run(self, client: Client, recorder: Recorder | None) -> None:
        """Run a client, with its recording until the agent is gone."""
        recording = anyio.CancelScope()
        if recorder is not None:
            self._recorders.start_soon(_record, recorder, client, recording)
        with self._scopes[client]:
            try:
                await client.run()
            finally:
                client.kill_now()
        recording.cancel()
        del self._scopes[client]
        self._ends.pop(client).set()


async def _record(recorder: Recorder, client: Client, scope: anyio.CancelScope) -> None:
    with scope:
        await recorder.run(client.warn)


def _follow(client: Client, follow: Callable[[Event], None]) -> None:
    client.listen(lambda event, _: follow(event))


def _tap(
    recorder: Recorder | None, memory: PackedLog | None, *, records_log: bool
) -> Callable[[Record], None]:
    """Return a function that passes each record to the recorder and the memory."""
    takers: list[Callable[[Record], None]] = []
    if recorder is not None:
        takers.append(recorder.record if records_log else _without_log(recorder.record))
    if memory is not None:
        takers.append(memory.append)

    def tap(record: Record) -> None:
        for take in takers:
            take(record)

    return tap


def _without_log(record: Callable[[Record], None]) -> Callable[[Record], None]:
    """Return a recorder without the agent's own log."""

    def take(one: Record) -> None:
        if not isinstance(one, AgentLogLine | AgentLogOmitted):
            record(one)

    return take
