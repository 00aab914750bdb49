"""The process of a kept run: hosts its agents, and shows them to whoever attaches."""

import gc
import os
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import anyio

from acp_tui.client.faults import reporting_faults
from acp_tui.client.launch import Launch
from acp_tui.client.recorder import Recorder
from acp_tui.config.settings import AgentSettings
from acp_tui.daemon.places import Place
from acp_tui.daemon.server import Server
from acp_tui.host import AppHosts, Leave, Start, hosting

GARBAGE = (10_000, 10, 50)
"""When garbage is looked for: less than at a start, which leaves none behind."""
GOODBYE = 0.5
"""Seconds that screens get at the end to hear why."""


async def serve(
    place: Place,
    listener: socket.socket,
    starts: Sequence[Start],
    known: Mapping[str, AgentSettings],
    record: Callable[[Launch], Recorder] | None,
) -> int:
    """Host the agents until a person ends the run, or they have ended; return the exit code."""
    gc.freeze()  # what is loaded stays, and is one memory with the process that we come from
    gc.set_threshold(*GARBAGE)
    async with anyio.create_task_group() as connections:
        async with hosting() as (hosts, leave):

            def report(doing: str, error: BaseException) -> None:
                sys.excepthook(type(error), error, error.__traceback__)
                hosts.report_fault(doing, error)

            with reporting_faults(report):
                app_hosts = AppHosts(hosts, starts[0].launch, known, record)
                server = Server(place, app_hosts, app_hosts.warn, report, connections)
                app_hosts.app = server
                for start in starts:
                    server.add(app_hosts.start(start))
                connections.start_soon(server.listen, listener)
                await _until_over(server, leave)
        with anyio.move_on_after(GOODBYE):
            await server.deserted()
        connections.cancel_scope.cancel()
    return 0


async def _until_over(server: Server, leave: Leave) -> None:
    async with anyio.create_task_group() as tasks:

        async def end_on_signal() -> None:
            await leave.asked.wait()
            server.end(f"ended by signal {leave.number}")

        tasks.start_soon(end_on_signal)
        await server.over.wait()
        tasks.cancel_scope.cancel()


def leave_terminal(log: Path) -> None:
    """Let go of the terminal: nothing is read any more, and what is said goes into a file."""
    sys.stdout.flush()
    sys.stderr.flush()
    null = os.open(os.devnull, os.O_RDONLY)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    for number, descriptor in ((0, null), (1, out), (2, out)):
        os.dup2(descriptor, number)
    os.close(null)
    os.close(out)
