"""A hosted agent: its capabilities, and its sessions."""

import os
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import anyio

from acp_tui.errors import NotPossibleError, SignInRequiredError
from acp_tui.library.connection import ClientConnection
from acp_tui.library.session import Session
from acp_tui.library.turn import Findings
from acp_tui.protocol.events import Record, Responded
from acp_tui.protocol.setup import AgentCapabilities, NewSessionResult, SessionInfo
from acp_tui.state.commands import ListSessions, NewSession, OpenSession, SessionCommand


class Agent:
    """A running agent. `open_agent` starts one."""

    recording: Path | None
    """The file that the connection is recorded into."""
    sessions: list[Session]
    """The sessions that were opened here, oldest first."""

    def __init__(
        self, connection: ClientConnection, *, auth: str | None, recording: Path | None
    ) -> None:
        self.recording = recording
        self.sessions = []
        self._connection = connection
        self._auth = auth
        self._opening = anyio.Lock()

    @property
    def name(self) -> str:
        """The agent's name for itself; without one, its command."""
        return self._connection.state.peer.name

    @property
    def version(self) -> str:
        """The agent's version, if it gives one; otherwise empty."""
        initialized = self._connection.state.peer.initialized
        info = initialized.agent_info if initialized is not None else None
        return info.version if info is not None else ""

    @property
    def capabilities(self) -> AgentCapabilities:
        """Return the agent's capabilities."""
        return self._connection.state.peer.capabilities

    @property
    def pid(self) -> int | None:
        """The id of the agent's process."""
        return self._connection.state.peer.pid

    @property
    def stderr(self) -> tuple[str, ...]:
        """The last lines that the agent wrote to stderr."""
        return tuple(self._connection.state.peer.stderr)

    @property
    def records(self) -> Sequence[Record]:
        """Everything recorded from the connection so far."""
        return self._connection.records

    @property
    def findings(self) -> Findings:
        """Return the findings so far: errors and warnings."""
        log = self._connection.follower.log
        log.catch_up()
        return Findings.among(log.findings)

    async def new_session(self, cwd: str | PathLike[str] | None = None) -> Session:
        """Open a session in `cwd`; by default in the agent's folder.

        Raises:
            AgentExitedError: the agent is gone.
            AgentTimeoutError: there is no answer within the limit.
            SignInRequiredError: the agent wants a sign-in, and `auth` names none that works.
            RequestError: the agent answers with an error.
        """
        folder = None if cwd is None else _real(cwd)
        answer = await self._open(NewSession(folder))
        assert isinstance(answer.result, NewSessionResult)
        return self._opened(answer.result.session_id)

    async def load_session(self, session_id: str) -> Session:
        """Open a session that the agent keeps (`session/load`). Raises as `new_session` does."""
        await self._open(OpenSession(session_id))
        return self._opened(session_id)

    async def list_sessions(
        self, cwd: str | PathLike[str] | None = None
    ) -> tuple[SessionInfo, ...]:
        """Return the sessions that the agent keeps (`session/list`): all, or those of `cwd`.

        Raises as `new_session` does; NotPossibleError also if the list can't be read to its end.
        """
        folder = None if cwd is None else _real(cwd)
        await self._open(ListSessions(folder))
        catalogue = self._connection.state.catalogue
        await self._connection.until(lambda: not catalogue.loading)
        if catalogue.next_cursor is not None:
            raise NotPossibleError("session/list: the agent didn't send all of its list")
        return tuple(catalogue.sessions.values())

    def _opened(self, session_id: str) -> Session:
        session = Session(self._connection, session_id)
        self.sessions.append(session)
        return session

    async def _open(self, command: SessionCommand) -> Responded:
        """Open a session; sign in first if the agent requires it."""
        async with self._opening:
            try:
                return await self._connection.call(command)
            except SignInRequiredError:
                if self._auth is None:
                    raise
            return await self._connection.sign_in(self._auth)


def _real(folder: str | PathLike[str]) -> str:
    return os.path.realpath(folder)
