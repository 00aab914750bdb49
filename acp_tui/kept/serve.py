"""The process of a kept run: hosts the agents, and serves the screens that attach."""

import gc
import os
import socket
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.errors import reporting_faults
from acp_tui.client.launch import Launch
from acp_tui.client.recorder import Recorder
from acp_tui.config.settings import AgentSettings
from acp_tui.host.agent import Agent
from acp_tui.host.hosts import AgentStart, AppHosts, ClientGroup, host_agents
from acp_tui.host.leave import QuitSignal
from acp_tui.kept.foreground import Foreground
from acp_tui.kept.run_places import RunPlace
from acp_tui.kept.server import RunServer
from acp_tui.kept.summary import how_to_attach

GARBAGE = (10_000, 10, 50)
"""The garbage collector's thresholds: rarer than those for the start, which creates no garbage."""
GOODBYE = 0.5
"""Seconds that screens have at the end to receive the reason."""


class Service:
    """Serves this process's agents to the screens that connect to a place."""

    def __init__(self, place: RunPlace, listener: socket.socket, connections: TaskGroup) -> None:
        self._place = place
        self._listener = listener
        self._connections = connections
        self._server: RunServer | None = None

    def leave_window(self, foreground: Foreground, agents: Iterable[Agent]) -> None:
        """Continue without the window that has shown the agents so far."""
        place = self._place
        sys.stdout.write(how_to_attach(place.name, agents, place.continue_command))
        with suppress(OSError):
            leave_terminal(place.log)
        foreground.leave()
        gc.unfreeze()
        gc.collect()  # free the window

    async def host(
        self, hosts: ClientGroup, app_hosts: AppHosts, leave: QuitSignal, *, was_seen: bool
    ) -> None:
        """Host the agents until the user ends the run, or all have exited. `was_seen`: a screen has
        shown them before.
        """
        # loaded objects stay; not touching them keeps their memory shared with the parent process
        gc.freeze()
        gc.set_threshold(*GARBAGE)

        def report(doing: str, error: BaseException) -> None:
            sys.excepthook(type(error), error, error.__traceback__)
            hosts.report_fault(doing, error)

        with reporting_faults(report):
            server = RunServer(self._place, app_hosts, app_hosts.warn, report, self._connections)
            self._server = app_hosts.app = server
            server.was_seen = was_seen
            for agent in app_hosts.agents:
                server.add_agent(agent)
            self._connections.start_soon(server.listen, self._listener)
            async with leave.calling(lambda: server.end(f"ended by signal {leave.number}")):
                await server.over.wait()

    async def say_goodbye(self) -> None:
        """Give the screens time to receive the agents' end, then close their connections."""
        with anyio.move_on_after(GOODBYE):
            if self._server is not None:
                await self._server.deserted()
        self._connections.cancel_scope.cancel()


async def serve_agents(
    place: RunPlace,
    listener: socket.socket,
    starts: Sequence[AgentStart],
    known: Mapping[str, AgentSettings],
    record: Callable[[Launch], Recorder] | None,
) -> int:
    """Host agents that no window has shown yet; return the exit code."""
    async with anyio.create_task_group() as connections:
        service = Service(place, listener, connections)
        async with host_agents() as (hosts, leave):
            app_hosts = AppHosts(hosts, starts[0].launch, known, record)
            for start in starts:
                app_hosts.start(start)
            await service.host(hosts, app_hosts, leave, was_seen=False)
        await service.say_goodbye()
    return 0


def leave_terminal(log: Path) -> None:
    """Detach from the terminal: stdin is empty from then on, and output is appended to a file."""
    sys.stdout.flush()
    sys.stderr.flush()
    null = os.open(os.devnull, os.O_RDONLY)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    for number, descriptor in ((0, null), (1, out), (2, out)):
        os.dup2(descriptor, number)
    os.close(null)
    os.close(out)
