"""A kept run in this process: its agents are conversations that a test holds."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio

from acp_tui.config.settings import AgentSettings
from acp_tui.host.agent import Agent
from acp_tui.kept.messages import SocketConnection, format_hello, read_message
from acp_tui.kept.remote import RemoteHosts
from acp_tui.kept.run_places import RunPlace
from acp_tui.kept.server import RunServer
from acp_tui.protocol.events import LocalEvent
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.recordings.records import PackedLog
from acp_tui.state.changes import Change
from acp_tui.state.commands import Command
from tests.hosting import eventually
from tests.unit.state.conversation import INITIALIZED, STARTED, Conversation


class Talk(Conversation):
    """A conversation with a log; the run is told of what it changes. `done` is what was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.log = PackedLog(limit=20_000)
        self.done: list[Command] = []
        self.server: RunServer | None = None
        self.agent = Agent(
            self.state, self.done.append, records=self.log, place=("/work", "agent"), called="Tea"
        )

    def begin(self) -> None:
        """Open the session `s`."""
        self.happened(STARTED)
        self.call("initialize", {"protocolVersion": 1}, result=INITIALIZED)
        self.call("session/new", {"cwd": "/work"}, result={"sessionId": "s"})

    def frame_bytes(self, raw: bytes, direction: Direction = Direction.IN) -> list[Change]:
        self.log.append(Frame(direction, raw, float(self.number + 1), self.number + 1))
        return self._told(super().frame_bytes(raw, direction))

    def happened(self, event: LocalEvent) -> list[Change]:
        self.log.append(event)
        return self._told(super().happened(event))

    def _told(self, changes: list[Change]) -> list[Change]:
        if self.server is not None:
            self.server.changed(self.agent, changes)
        return changes


class Kept:
    """The run, what it hosts, and the screens that a test has."""

    def __init__(self, folder: Path, tasks: anyio.abc.TaskGroup) -> None:
        self.known: dict[str, AgentSettings] = {}
        self.notes: list[tuple[str, str]] = []
        self.faults: list[str] = []
        self.closed: list[Agent] = []
        self.opened: list[Talk] = []
        self._tasks = tasks
        self._connections: list[SocketConnection] = []
        self.server = RunServer(RunPlace(folder, "tea"), self, self._note, self._report, tasks)

    def add(self, talk: Talk) -> Talk:
        """Host one more agent."""
        talk.server = self.server
        self.server.add_agent(talk.agent)
        return talk

    def open(self, settings: AgentSettings, called: str = "") -> Agent:
        talk = Talk()
        talk.server = self.server
        self.opened.append(talk)
        return talk.agent

    def close(self, agent: Agent) -> None:
        self.closed.append(agent)

    def _note(self, agent: Agent, title: str, words: str) -> None:
        self.notes.append((title, words))

    def _report(self, doing: str, error: BaseException) -> None:
        self.faults.append(f"{doing}: {error!r}")

    def connect(self) -> SocketConnection:
        """Connect to the run."""
        ours, theirs = socket.socketpair()
        self._tasks.start_soon(self.server._serve_connection, theirs)
        self._connections.append(SocketConnection(ours))
        return self._connections[-1]

    def close_all(self) -> None:
        """Close what is left of connections."""
        for connection in self._connections:
            connection.close()

    async def asked(self, wants: str, **more: object) -> dict[str, object]:
        """Ask for one answer."""
        connection = self.connect()
        await connection.send(format_hello(wants, "pts/9", **more))
        async for line in connection.lines():
            connection.close()
            return read_message(line)
        raise EOFError

    async def attach(self, name: str) -> "Shown":
        """Attach a screen, and follow what comes."""
        connection = self.connect()
        hosts = RemoteHosts(connection, {})
        shown = Shown(hosts, connection)
        await hosts.begin(name)
        hosts.view = shown
        self._tasks.start_soon(hosts.follow)
        self._tasks.start_soon(hosts.write)
        return shown


class Shown:
    """What a screen has been told."""

    def __init__(self, hosts: RemoteHosts, connection: SocketConnection) -> None:
        self.hosts = hosts
        self.connection = connection
        self.words: list[str] = []
        self.gone: list[Agent] = []
        self.new: list[Agent] = []

    @property
    def agent(self) -> Agent:
        return self.hosts.agents[0]

    def changed(self, agent: Agent, changes: list[Change]) -> None:
        """The state says it all."""

    def appeared(self, agent: Agent) -> None:
        self.new.append(agent)

    def vanished(self, agent: Agent) -> None:
        self.gone.append(agent)

    def show_message(self, words: str) -> None:
        self.words.append(words)

    def leave(self) -> None:
        """Be gone, as after a crash."""
        self.connection._end.shutdown(socket.SHUT_RDWR)

    async def hears(self, words: str) -> None:
        """Wait until something is said."""
        await eventually(lambda: any(words in one for one in self.words))


@asynccontextmanager
async def kept(folder: Path) -> AsyncIterator[Kept]:
    """Have a run until the block ends; nothing broke in it."""
    async with anyio.create_task_group() as tasks:
        run = Kept(folder, tasks)
        yield run
        tasks.cancel_scope.cancel()
    run.close_all()
    assert run.faults == []
