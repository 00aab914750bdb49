"""Finds, opens and ends sessions (ACP: Session Setup, Session List)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from acp_tui.client.launch import Call, Launch, Notify
from acp_tui.protocol.events import Responded
from acp_tui.protocol.sessions import ListSessionsParams, OpenSessionParams
from acp_tui.protocol.setup import NewSessionParams, SessionParams
from acp_tui.session.commands import (
    CloseSession,
    ContinueSession,
    DeleteSession,
    ForkSession,
    ListSessions,
    NewSession,
    OpenSession,
    SessionCommand,
)
from acp_tui.session.state import State

PAGES = 1000
"""How many pages of a list are asked for, at most."""


class Sessions:
    """The sessions of one agent process."""

    def __init__(
        self,
        state: State,
        launch: Launch,
        call: Call,
        notify: Notify,
        cancel: Callable[[str], None],
    ) -> None:
        self._state = state
        self._launch = launch
        self._call = call
        self._notify = notify
        self._cancel = cancel
        self._mcp_servers = list(launch.mcp_servers)
        self._continuing = False
        self._unarchiving: dict[str, bool] = {}
        self._told: set[str] = set()

    def open_first(self) -> None:
        """Do what was asked for at the start; where that is a list nobody offers, begin anew."""
        opening = self._launch.opening
        if opening is None:
            return
        needs_list = isinstance(opening, ListSessions | ContinueSession)
        if needs_list and not self._state.peer.offers("session/list"):
            words = "It keeps no list of sessions that could be chosen from."
            self._notify(None, "warning", "The agent can't go on with an earlier session", words)
            opening = NewSession()
        self.do(opening)

    def use(self, servers: Sequence[Mapping[str, Any]]) -> None:
        """Have these MCP servers too, from the next session on; one's name is given once."""
        known = {server["name"] for server in self._mcp_servers}
        self._mcp_servers += [server for server in servers if server["name"] not in known]

    def do(self, command: SessionCommand) -> None:
        """Ask the agent; never waits."""
        match command:
            case NewSession(cwd=cwd):
                params = NewSessionParams(cwd=cwd or self._launch.cwd, **self._setup())
                self._call("session/new", params)
            case OpenSession(session_id=session_id, history=history):
                self._open(session_id, history=history)
            case ContinueSession():
                self._continuing = True
                self._call("session/list", ListSessionsParams(cwd=self._launch.cwd))
            case ListSessions(cwd=cwd):
                archived = "include" if self._state.peer.offers("session/archive") else None
                self._call("session/list", ListSessionsParams(cwd=cwd, archived=archived))
            case ForkSession(session_id=session_id):
                self._call("session/fork", self._known(session_id))
            case CloseSession(session_id=session_id):
                self._cancel(session_id)
                self._call("session/close", SessionParams(session_id=session_id))
            case DeleteSession(session_id=session_id):
                self._call("session/delete", SessionParams(session_id=session_id))

    def answered(self, event: Responded) -> None:
        """Ask for the list's next page; after the last one, continue if that was the aim."""
        if event.request.method == "session/unarchive" and event.result is not None:
            self._open_unarchived(event)
        if event.request.method != "session/list":
            return
        catalogue = self._state.catalogue
        cursor = catalogue.next_cursor if event.result is not None else None
        if (
            cursor is not None
            and cursor not in catalogue.cursors
            and len(catalogue.cursors) < PAGES
        ):
            asked = event.request.params
            assert isinstance(asked, ListSessionsParams)
            self._call("session/list", asked.model_copy(update={"cursor": cursor}))
        elif self._continuing and self._state.peer.sign_in is None:
            self._continuing = False
            if event.result is not None:
                self._continue()

    def _continue(self) -> None:
        here = [
            info for info in self._state.catalogue.sessions.values() if info.cwd == self._launch.cwd
        ]
        if here:
            newest = max(here, key=lambda info: info.updated_at or "")
            self._open(newest.session_id, history=True)
        else:
            self._notify(None, "info", "There is no earlier session of this directory", None)
            self.do(NewSession())

    def _open(self, session_id: str, *, history: bool) -> None:
        """Load or resume, whichever is wanted and offered; without either, say so."""
        peer, session = self._state.peer, self._state.sessions.get(session_id)
        if session is not None and (session.turn is not None or session.loading is not None):
            self._notify(session_id, "warning", "The session is at work", "Cancel its turn first.")
            return
        listed = self._state.catalogue.sessions.get(session_id)
        if listed is not None and listed.archived and peer.offers("session/unarchive"):
            self._unarchiving[session_id] = history
            self._call("session/unarchive", SessionParams(session_id=session_id))
            return
        wanted = ["session/load", "session/resume"]
        offered = [
            method for method in (wanted if history else wanted[::-1]) if peer.offers(method)
        ]
        self._call((offered or wanted)[0], self._known(session_id))

    def _open_unarchived(self, event: Responded) -> None:
        """An archived session was brought back, perhaps to go on with it."""
        assert isinstance(event.request.params, SessionParams)
        history = self._unarchiving.pop(event.request.params.session_id, None)
        if history is not None:
            self._open(event.request.params.session_id, history=history)

    def reopen(self, session_id: str, method: str) -> None:
        """After a restart: resume or load a session, or begin a new one in its directory."""
        if method == "session/new":
            self.do(NewSession(self._state.sessions[session_id].cwd))
        else:
            self._call(method, self._known(session_id))

    def _known(self, session_id: str) -> OpenSessionParams:
        """Params for a session that the agent keeps, in its own directory."""
        listed = self._state.catalogue.sessions.get(session_id)
        session = self._state.sessions.get(session_id)
        cwd = listed.cwd if listed is not None else session.cwd if session is not None else ""
        return OpenSessionParams(
            session_id=session_id, cwd=cwd or self._launch.cwd, **self._setup()
        )

    def _setup(self) -> dict[str, Any]:
        """What sessions are opened with, as far as the agent takes it; told once if it doesn't."""
        capabilities = self._state.peer.capabilities
        directories = list(self._launch.additional_directories)
        if directories and capabilities.session_capabilities.additional_directories is None:
            self._tell_once("The agent takes no additional directories", ", ".join(directories))
            directories = []
        servers = []
        for server in self._mcp_servers:
            kind = server.get("type", "stdio")
            if kind == "stdio" or getattr(capabilities.mcp_capabilities, kind, False):
                servers.append(dict(server))
            else:
                words = f"The agent can't connect to servers by {kind}."
                self._tell_once(f"The MCP server {server['name']} was left out", words)
        return {"mcp_servers": servers, "additional_directories": directories or None}

    def _tell_once(self, title: str, description: str) -> None:
        if title not in self._told:
            self._told.add(title)
            self._notify(None, "warning", title, description)
