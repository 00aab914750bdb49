"""Serves a tap to the screens that attach to it, and lets them hold frames."""

import socket
import sys
from collections.abc import Mapping
from pathlib import Path

from anyio.abc import TaskGroup

from acp_tui.config.settings import AgentSettings
from acp_tui.host.agent import Agent
from acp_tui.kept.messages import MessageError
from acp_tui.kept.run_places import KeptRunError, RunPlace, living_runs
from acp_tui.kept.server import RunServer
from acp_tui.proxy.interceptor import Interceptor
from acp_tui.recordings.records import PackedLog
from acp_tui.state.commands import Command
from acp_tui.state.state import State


class _NoHosts:
    """Refuses to start agents, and ends none: the only agent belongs to the editor."""

    known: Mapping[str, AgentSettings] = {}

    def open(self, settings: AgentSettings, called: str = "") -> Agent:  # noqa: ARG002
        """Refuse to start an agent."""
        raise MessageError("a tap starts no agents")

    def close(self, agent: Agent) -> None:
        """Do nothing: the editor ends the agent."""


class TappedServer:
    """Serves the screens of one tap. When the last one leaves, held frames are released and its
    faults removed.
    """

    def __init__(
        self, place: RunPlace, records: PackedLog, holding: Interceptor, tasks: TaskGroup
    ) -> None:
        self._holding = holding
        self._agent = Agent(State(), self._run_command, records=records, called="the tapped agent")
        self._server = RunServer(
            place, _NoHosts(), _print_note, _report_fault, tasks, holding.reset
        )
        self._server.add_agent(self._agent)

    async def listen(self, listener: socket.socket) -> None:
        """Accept screens until canceled."""
        await self._server.listen(listener)

    def wake(self) -> None:
        """Wake the screens, as there are new records."""
        self._server.changed(self._agent, [])

    def _run_command(self, command: Command) -> None:
        """Hold or release frames; other commands are up to the editor."""
        do = self._holding.commands.get(type(command))
        if do is not None:
            do(command)


def _print_note(_: Agent, title: str, description: str) -> None:
    sys.stderr.write(f"acp-tui tap: {title}: {description}\n")


def _report_fault(doing: str, error: BaseException) -> None:
    sys.stderr.write(f"acp-tui tap: a bug in acp-tui, in {doing}: {error!r}\n")


def find_tap(folder: Path, name: str) -> RunPlace:
    """Return the tap with this name; without a name, the only tap. Raises KeptRunError."""
    places = living_runs(folder)
    if not name and len(places) == 1:
        return places[0]
    for place in places:
        if place.name == name:
            return place
    if not places:
        raise KeptRunError("no tap runs; begin one in an editor's settings: acp-tui tap -- COMMAND")
    names = ", ".join(place.name for place in places)
    words = f"no tap is called {name!r}" if name else "name one of the taps"
    raise KeptRunError(f"{words}; there are: {names}")
