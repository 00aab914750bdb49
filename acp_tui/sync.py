"""The library without `async`: the same names, run by an event loop in a thread of its own.

Callbacks are plain functions here; each runs in a worker thread, so that it may take its time.
"""

from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeVar

from anyio import to_thread
from anyio.from_thread import BlockingPortal, start_blocking_portal

from acp_tui.config.limits import Limits
from acp_tui.config.remote import Remote
from acp_tui.config.settings import Protocol
from acp_tui.library import agent as hosted
from acp_tui.library import hosting
from acp_tui.library import session as conversation
from acp_tui.library.changes import Change, Changes
from acp_tui.library.hosting import Files
from acp_tui.library.questions import Content, Declined, Elicitation, PermissionRequest
from acp_tui.library.turn import Findings, Turn
from acp_tui.protocol.content import ContentBlock
from acp_tui.protocol.requests import PermissionOption
from acp_tui.protocol.sessions import SessionInfo
from acp_tui.protocol.setup import AgentCapabilities
from acp_tui.wire.recording import Record

__all__ = ["Agent", "Session", "open_agent"]

T = TypeVar("T")
Permissions = (
    Literal["allow", "allow-reads", "reject"]
    | Callable[[PermissionRequest], PermissionOption | None]
)


class Session:
    """`acp_tui.Session`, each of whose methods returns when it is done."""

    def __init__(self, portal: BlockingPortal, session: conversation.Session) -> None:
        self._portal = portal
        self._session = session

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self._session.session_id

    @property
    def turns(self) -> Sequence[Turn]:
        """The turns that have ended, including failed ones, oldest first."""
        return self._session.turns

    @property
    def cwd(self) -> str:
        """The folder in which the session works."""
        return self._session.cwd

    @property
    def title(self) -> str | None:
        """The title that the agent gave it."""
        return self._session.title

    @property
    def mode(self) -> str | None:
        """The name of the current mode."""
        return self._session.mode

    @property
    def model(self) -> str | None:
        """The name of the current model."""
        return self._session.model

    @property
    def commands(self) -> tuple[str, ...]:
        """The names of the agent's slash commands."""
        return self._session.commands

    def prompt(self, prompt: str | Sequence[ContentBlock]) -> Turn:
        """Send a prompt and wait for the end of its turn."""
        return self._portal.call(self._session.prompt, prompt)

    def cancel(self) -> None:
        """Cancel the turn that another thread waits for, and wait for its end."""
        self._portal.call(self._session.cancel)

    def changes(self) -> Iterator[Change]:
        """Return the changes in this session from now on; read them in a thread of their own."""
        return self._each(self._session.changes())

    def _each(self, changes: Changes) -> Iterator[Change]:
        while (change := self._portal.call(_next, changes)) is not None:
            yield change

    def set_mode(self, mode_id: str) -> None:
        """Switch to another mode."""
        self._portal.call(self._session.set_mode, mode_id)

    def set_config_option(self, config_id: str, value: bool | str) -> None:
        """Set a config option."""
        self._portal.call(self._session.set_config_option, config_id, value)

    def close(self) -> None:
        """End the session, if the agent offers that."""
        self._portal.call(self._session.close)


class Agent:
    """`acp_tui.Agent`, each of whose methods returns when it is done."""

    sessions: list[Session]
    """The sessions that were opened here, oldest first."""

    def __init__(self, portal: BlockingPortal, agent: hosted.Agent) -> None:
        self.sessions = []
        self._portal = portal
        self._agent = agent

    @property
    def name(self) -> str:
        """The agent's name for itself; without one, its command."""
        return self._agent.name

    @property
    def version(self) -> str:
        """The agent's version, if it gives one; otherwise empty."""
        return self._agent.version

    @property
    def capabilities(self) -> AgentCapabilities:
        """What the agent offers."""
        return self._agent.capabilities

    @property
    def pid(self) -> int | None:
        """The id of the agent's process."""
        return self._agent.pid

    @property
    def stderr(self) -> tuple[str, ...]:
        """The last lines that the agent wrote to stderr."""
        return self._agent.stderr

    @property
    def recording(self) -> Path | None:
        """The file that the connection is recorded into."""
        return self._agent.recording

    @property
    def records(self) -> Sequence[Record]:
        """Everything recorded from the connection so far."""
        return self._agent.records

    @property
    def findings(self) -> Findings:
        """What broke the rules of the protocol so far."""

        async def look() -> Findings:  # in the loop's thread, where the log grows
            return self._agent.findings

        return self._portal.call(look)

    def new_session(self, cwd: str | PathLike[str] | None = None) -> Session:
        """Open a session in `cwd`; by default in the agent's folder."""
        return self._opened(self._portal.call(self._agent.new_session, cwd))

    def load_session(self, session_id: str) -> Session:
        """Open a session that the agent keeps (`session/load`)."""
        return self._opened(self._portal.call(self._agent.load_session, session_id))

    def list_sessions(self, cwd: str | PathLike[str] | None = None) -> tuple[SessionInfo, ...]:
        """Return the sessions that the agent keeps (`session/list`): all, or those of `cwd`."""
        return self._portal.call(self._agent.list_sessions, cwd)

    def _opened(self, session: conversation.Session) -> Session:
        self.sessions.append(Session(self._portal, session))
        return self.sessions[-1]


@contextmanager
def open_agent(  # noqa: PLR0913  the keywords of the library
    argv: Sequence[str] | Remote,
    cwd: str | PathLike[str],
    *,
    env: Mapping[str, str] | None = None,
    record: str | PathLike[str] | None = None,
    permissions: Permissions = "reject",
    elicitations: Callable[[Elicitation], Content | Declined] | None = None,
    files: Files | None = None,
    terminals: bool = True,
    mcp_servers: Sequence[Mapping[str, Any]] = (),
    auth: str | None = None,
    limits: Limits | None = None,
    protocol: Protocol = "1",
    watchdog: bool = False,
    otel: bool = False,
) -> Iterator[Agent]:
    """Host an agent until the block ends; the arguments and errors are those of
    `acp_tui.open_agent`.
    """
    opening = hosting.open_agent(
        argv,
        cwd,
        env=env,
        record=record,
        permissions=_in_thread(permissions) if callable(permissions) else permissions,
        elicitations=_in_thread(elicitations) if elicitations is not None else None,
        files=files,
        terminals=terminals,
        mcp_servers=mcp_servers,
        auth=auth,
        limits=limits,
        protocol=protocol,
        watchdog=watchdog,
        otel=otel,
    )
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opening) as agent:
        yield Agent(portal, agent)


def _in_thread(callback: Callable[[Any], T]) -> Callable[[Any], Coroutine[Any, Any, T]]:
    async def call(asked: Any) -> T:
        return await to_thread.run_sync(partial(callback, asked))

    return call


async def _next(changes: Changes) -> Change | None:
    return await anext(changes, None)
