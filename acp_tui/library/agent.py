"""A hosted agent and its sessions, as the library's callers see them."""

import os
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import anyio

from acp_tui.errors import NotPossibleError, SignInRequiredError
from acp_tui.library.connection import Changes, ClientConnection
from acp_tui.library.turn import Findings, Turn
from acp_tui.protocol.content import ContentBlock, TextContent
from acp_tui.protocol.events import Record
from acp_tui.protocol.initialization import AgentCapabilities
from acp_tui.protocol.setup import NewSessionResult, SessionInfo
from acp_tui.protocol.wire_events import Responded
from acp_tui.state import session
from acp_tui.state.commands import (
    Cancel,
    CloseSession,
    ListSessions,
    NewSession,
    OpenSession,
    SendPrompt,
    SessionCommand,
    SetConfigOption,
    SetMode,
)

CANCEL_GRACE = 5.0
"""Seconds that an agent has to end a canceled turn."""


class Session:
    """A session with an agent. `Agent.new_session` opens one."""

    session_id: str
    turns: list[Turn]
    """The turns that have ended, including failed ones, oldest first."""

    def __init__(self, connection: ClientConnection, session_id: str) -> None:
        self.session_id = session_id
        self.turns = []
        self._connection = connection

    @property
    def cwd(self) -> str:
        """The session's working directory."""
        return self._session.cwd

    @property
    def title(self) -> str | None:
        """The session's title, if the agent set one."""
        return self._session.title

    @property
    def mode(self) -> str | None:
        """The name of the current mode."""
        return self._session.config.mode

    @property
    def model(self) -> str | None:
        """The name of the current model."""
        return self._session.config.model

    @property
    def commands(self) -> tuple[str, ...]:
        """The names of the agent's slash commands."""
        return tuple(one.name for one in self._session.commands)

    @property
    def _session(self) -> session.Session:
        return self._connection.state.session(self.session_id)

    async def prompt(self, prompt: str | Sequence[ContentBlock]) -> Turn:
        """Send a prompt, and wait for the end of its turn.

        If the wait is canceled, so is the turn (`session/cancel`). Exceptions of a permission or
        elicitation callback are raised here.

        Raises:
            AgentExitedError: the agent is gone, or exits before the turn ends.
            NotPossibleError: a turn is running, or the session is closed.
            RequestError: the agent responds with an error.
        """
        if not prompt:
            raise ValueError("the prompt is empty")
        blocks = (TextContent(text=prompt),) if isinstance(prompt, str) else tuple(prompt)
        request = self._connection.send(SendPrompt(self.session_id, blocks))
        try:
            await self._connection.answer(request)
            await self._connection.ended(self.session_id)
            await self._connection.wait_for_comparisons(request.number)
        except BaseException:
            with anyio.move_on_after(CANCEL_GRACE, shield=True):
                await self.cancel()
            raise
        finally:
            turn = self._connection.turns.pop(request.number, None)
            if turn is not None:
                self.turns.append(turn)
        return self.turns[-1]

    async def cancel(self) -> None:
        """Cancel the running turn, and wait for its end."""
        self._connection.do(Cancel(self.session_id))
        await self._connection.until(lambda: self._session.turn is None)

    def changes(self) -> Changes:
        """Return an iterator over the changes in this session from now on."""
        return self._connection.subscribe(self.session_id)

    async def set_mode(self, mode_id: str) -> None:
        """Switch to another mode. Raises as `prompt` does."""
        await self._connection.call(SetMode(self.session_id, mode_id))

    async def set_config_option(self, config_id: str, value: bool | str) -> None:
        """Set a config option. Raises as `prompt` does."""
        await self._connection.call(SetConfigOption(self.session_id, config_id, value))

    async def close(self) -> None:
        """Close the session (`session/close`), if the agent supports it. Raises as `prompt` does."""
        await self._connection.call(CloseSession(self.session_id))


class Agent:
    """A running agent. `open_agent` starts one."""

    recording: Path | None
    """The file of the recording, or None."""
    sessions: list[Session]
    """The sessions that were opened in this connection, oldest first."""

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
        """The agent's name in its `agentInfo`, or its command."""
        return self._connection.state.peer.name

    @property
    def version(self) -> str:
        """The agent's version in its `agentInfo`, or ""."""
        initialized = self._connection.state.peer.initialized
        info = initialized.agent_info if initialized is not None else None
        return info.version if info is not None else ""

    @property
    def capabilities(self) -> AgentCapabilities:
        """The agent's capabilities."""
        return self._connection.state.peer.capabilities

    @property
    def pid(self) -> int | None:
        """The process id of the agent; None if it isn't a process of this machine."""
        return self._connection.state.peer.process.pid

    @property
    def stderr(self) -> tuple[str, ...]:
        """The last lines of the agent's stderr."""
        return tuple(self._connection.state.peer.output.stderr)

    @property
    def records(self) -> Sequence[Record]:
        """All records of the connection so far."""
        return self._connection.records

    @property
    def findings(self) -> Findings:
        """The errors and warnings found so far."""
        log = self._connection.follower.log
        log.catch_up()
        return Findings.among(log.findings)

    async def new_session(self, cwd: str | PathLike[str] | None = None) -> Session:
        """Open a session in `cwd`; by default in the agent's folder.

        Raises:
            AgentExitedError: the agent is gone.
            AgentTimeoutError: no response came within the limit.
            SignInRequiredError: the agent requires a sign-in, and `auth` names no method that
        works.
            RequestError: the agent responds with an error.
        """
        folder = None if cwd is None else real_folder(cwd)
        answer = await self._open_signed_in(NewSession(folder))
        assert isinstance(answer.result, NewSessionResult)
        return self._opened(answer.result.session_id)

    async def load_session(self, session_id: str) -> Session:
        """Open a session that the agent stores (`session/load`). Raises as `new_session` does."""
        await self._open_signed_in(OpenSession(session_id))
        return self._opened(session_id)

    async def list_sessions(
        self, cwd: str | PathLike[str] | None = None
    ) -> tuple[SessionInfo, ...]:
        """Return the sessions that the agent stores (`session/list`): all, or those of `cwd`.

        Raises as `new_session` does; NotPossibleError also if the list is incomplete.
        """
        folder = None if cwd is None else real_folder(cwd)
        await self._open_signed_in(ListSessions(folder))
        catalogue = self._connection.state.catalogue
        await self._connection.until(lambda: not catalogue.loading)
        if catalogue.next_cursor is not None:
            raise NotPossibleError("session/list: the agent didn't send all of its list")
        return tuple(catalogue.sessions.values())

    def _opened(self, session_id: str) -> Session:
        session = Session(self._connection, session_id)
        self.sessions.append(session)
        return session

    async def _open_signed_in(self, command: SessionCommand) -> Responded:
        """Open a session; sign in first if the agent requires it."""
        async with self._opening:
            try:
                return await self._connection.call(command)
            except SignInRequiredError:
                if self._auth is None:
                    raise
            return await self._connection.sign_in(self._auth)


def real_folder(folder: str | PathLike[str]) -> str:
    """Return the absolute path of a folder, with symlinks resolved."""
    return os.path.realpath(folder)
