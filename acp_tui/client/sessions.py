"""Opens, lists, forks, closes and deletes sessions (ACP: Session Setup, Session List)."""

from collections.abc import Mapping, Sequence
from typing import Any

from acp_tui.client.connection.replies import Replies
from acp_tui.client.core import Core
from acp_tui.client.files.resolved_roots import ResolvedRoots
from acp_tui.client.session_options import initial_values, make_initial_value
from acp_tui.protocol.config_options import InitialValue
from acp_tui.protocol.jsonrpc import ErrorCode
from acp_tui.protocol.setup import (
    ForkSessionParams,
    ListSessionsParams,
    NewSessionParams,
    NewSessionResult,
    OpenSessionParams,
    SessionParams,
    SessionSetup,
)
from acp_tui.protocol.unstable import SessionOptionsParams, SetTitleParams
from acp_tui.protocol.wire_events import Responded
from acp_tui.state.commands import (
    ArchiveSession,
    AskSessionOptions,
    AskStatus,
    CloseSession,
    ContinueSession,
    DeleteSession,
    ForkSession,
    ListSessions,
    NewSession,
    OpenSession,
    RenameSession,
    SetMode,
)

PAGES = 1000
"""Most pages of a session list that are requested, in case an agent never stops returning a next
page.
"""
_OPENS_NOTHING = (ErrorCode.AUTH_REQUIRED, ErrorCode.REQUEST_CANCELLED)


class Sessions:
    """Opens, lists and closes the sessions of one agent."""

    def __init__(self, core: Core, replies: Replies, roots: ResolvedRoots) -> None:
        self._core = core
        self._replies = replies
        self._roots = roots
        self._mcp_servers = list(core.launch.mcp.servers)
        self._continuing: ContinueSession | None = None
        self._instead = ""
        self._first_mode, self._last_call_before = "", 0
        """The mode to set in the next new session, and the newest request's number before its
        `session/new`.
        """
        self._reopening: dict[str, str] = {}
        """The method to reopen each earlier session with, by session id, while its options are
        requested first.
        """
        self._unarchiving: dict[str, bool] = {}
        self._notified: set[str] = set()
        core.register(
            {
                NewSession: self._new_session,
                AskSessionOptions: self._request_options,
                OpenSession: self._open_chosen,
                ContinueSession: self._continue_session,
                ListSessions: self._list_sessions,
                ForkSession: self._fork_session,
                CloseSession: self._close_session,
                DeleteSession: self._delete_session,
                ArchiveSession: self._archive_session,
                RenameSession: self._rename_session,
                AskStatus: self._request_status,
            },
            {
                "session/list": self._follow_list,
                "session/new": self._follow_new,
                "session/options": self._open_with_choices,
                "session/unarchive": self._open_unarchived,
            },
        )

    def open_first(self) -> None:
        """Open the first session as the launch says.

        If the agent can't list its sessions, open the newest recorded session, else a new one.
        """
        opening = self._core.launch.opening
        if opening is None:
            return
        peer = self._core.state.peer
        if isinstance(opening, ListSessions | ContinueSession) and not peer.offers("session/list"):
            recorded = opening.recorded_id if isinstance(opening, ContinueSession) else ""
            self._open_recorded(recorded, "The agent keeps no list of sessions")
            return
        self._core.commands[type(opening)](opening)

    def add_servers(self, servers: Sequence[Mapping[str, Any]]) -> None:
        """Add MCP servers for the next sessions, unless a server with the same name is known."""
        known = {server["name"] for server in self._mcp_servers}
        self._mcp_servers += [server for server in servers if server["name"] not in known]

    def _new_session(self, command: NewSession) -> None:
        cwd = command.cwd or self._core.folder
        setup = self._session_setup()
        if command.values:
            setup["config_options"] = [
                make_initial_value(id, value) for id, value in command.values
            ]
        self._first_mode = command.mode
        self._last_call_before = max(self._core.state.calls, default=0)
        self._request_session("session/new", NewSessionParams(cwd=cwd, **setup))

    def _request_options(self, _: AskSessionOptions) -> None:
        if self._core.state.peer.offers("session/options"):
            asked = SessionOptionsParams(cwd=self._core.folder)
            self._core.request("session/options", asked)
        else:
            words = "F4 changes those of the session."
            self._notify_once("The agent lists no options before a session", words)
            self._new_session(NewSession())

    def _request_session(self, method: str, params: NewSessionParams | OpenSessionParams) -> None:
        """Open a session. If the user chose options and the agent lists them in advance, request
        the list first.
        """
        if not (
            self._core.launch.session.choices and self._core.state.peer.offers("session/options")
        ):
            self._core.request(method, params)
            return
        session_id = params.session_id if isinstance(params, OpenSessionParams) else None
        if session_id is not None:
            self._reopening[session_id] = method
        asked = SessionOptionsParams(
            cwd=params.cwd,
            additional_directories=params.additional_directories,
            session_id=session_id,
        )
        self._core.request("session/options", asked)

    def _open_with_choices(self, event: Responded) -> None:
        """Open a session with the chosen values, or none if the agent doesn't offer one of them."""
        asked = event.request.params
        assert isinstance(asked, SessionOptionsParams)
        # After a sign-in the options are requested again; a user who canceled wants no session.
        if event.error is not None and event.error.code in _OPENS_NOTHING:
            return
        if not self._core.launch.session.choices:  # the user chooses from the list
            if event.result is None and not self._core.state.open_sessions():
                self._new_session(NewSession(asked.cwd))
            return
        values: list[InitialValue] = []
        if isinstance(event.result, SessionSetup):
            values, refusal = initial_values(event.result, self._core.launch.session.choices)
            if refusal:
                self._core.notify(None, "error", "No session was opened", refusal)
                return
        setup = {**self._session_setup(), "config_options": values or None}
        if asked.session_id is None:
            self._core.request("session/new", NewSessionParams(cwd=asked.cwd, **setup))
        else:
            params = OpenSessionParams(session_id=asked.session_id, cwd=asked.cwd, **setup)
            self._core.request(self._reopening[asked.session_id], params)

    def _open_recorded(self, session_id: str, why: str) -> None:
        """Open the newest recorded session, since the agent lists none."""
        peer = self._core.state.peer
        if not session_id:
            self._open_replacement(f"{why}, and no recording of this directory has one.")
        elif not (peer.offers("session/load") or peer.offers("session/resume")):
            self._open_replacement("The agent doesn't open an earlier session again.")
        else:
            self._core.commands[OpenSession](OpenSession(session_id))

    def _open_replacement(self, reason: str) -> None:
        """Open a new session in place of an earlier one, and show the reason at its top."""
        self._instead = reason
        self._new_session(NewSession())

    def _follow_new(self, event: Responded) -> None:
        """Set the first mode of a new session. If it was opened in place of an earlier one, say why
        in its transcript, since a notification would vanish.
        """
        reason, self._instead = self._instead, ""
        if not isinstance(event.result, NewSessionResult):
            return
        session_id = event.result.session_id
        if reason:
            self._core.notify(session_id, "warning", "This is a new session", reason)
        if self._first_mode and event.request.number > self._last_call_before:
            mode, self._first_mode = self._first_mode, ""
            self._core.commands[SetMode](SetMode(session_id, mode))

    def _open_chosen(self, command: OpenSession) -> None:
        self._choose_folder(command.folder)
        self._open_session(command.session_id, history=command.history)

    def _continue_session(self, command: ContinueSession) -> None:
        self._continuing = command
        self._core.request("session/list", ListSessionsParams(cwd=self._core.folder))

    def _list_sessions(self, command: ListSessions) -> None:
        archived = "include" if self._core.state.peer.offers("session/archive") else None
        self._core.request("session/list", ListSessionsParams(cwd=command.cwd, archived=archived))

    def _fork_session(self, command: ForkSession) -> None:
        self._choose_folder(command.folder)
        known = self._known_params(command.session_id)
        params = ForkSessionParams(**dict(known), cursor_id=command.cursor_id)
        self._core.request("session/fork", params)

    def _close_session(self, command: CloseSession) -> None:
        self._replies.cancel(command.session_id)
        self._replies.cancel_questions(command.session_id)  # subagents may ask between turns
        self._core.request("session/close", SessionParams(session_id=command.session_id))

    def _delete_session(self, command: DeleteSession) -> None:
        self._core.request("session/delete", SessionParams(session_id=command.session_id))

    def _archive_session(self, command: ArchiveSession) -> None:
        method = "session/archive" if command.archived else "session/unarchive"
        self._core.request(method, SessionParams(session_id=command.session_id))

    def _rename_session(self, command: RenameSession) -> None:
        params = SetTitleParams(session_id=command.session_id, title=command.title)
        self._core.request("session/set_title", params)

    def _request_status(self, command: AskStatus) -> None:
        self._core.request("session/status", SessionParams(session_id=command.session_id))

    def _choose_folder(self, folder: str | None) -> None:
        """Let a session work in `folder`, which the user chose; None changes nothing."""
        if folder is not None:
            self._roots.choose(folder)

    def _follow_list(self, event: Responded) -> None:
        """Request the next page of the session list; after the last one, continue a session if that
        was asked for.
        """
        catalogue = self._core.state.catalogue
        cursor = catalogue.next_cursor if event.result is not None else None
        if (
            cursor is not None
            and cursor not in catalogue.cursors
            and len(catalogue.cursors) < PAGES
        ):
            asked = event.request.params
            assert isinstance(asked, ListSessionsParams)
            self._core.request("session/list", asked.model_copy(update={"cursor": cursor}))
        elif self._continuing and self._core.state.peer.sign_in is None:
            continuing, self._continuing = self._continuing, None
            if event.result is not None:
                self._open_newest()
            elif continuing.recorded_id and not event.is_unsent:
                self._open_recorded(continuing.recorded_id, "The agent's list of sessions failed")

    def _open_newest(self) -> None:
        here = [
            info
            for info in self._core.state.catalogue.sessions.values()
            if info.works_in(self._core.folder)
        ]
        if here:
            newest = max(here, key=lambda info: info.updated)
            self._open_session(newest.session_id, history=True)
        else:
            self._open_replacement("There is no earlier session in this directory.")

    def _open_session(self, session_id: str, *, history: bool) -> None:
        """Load a session with its history or resume it without, whichever is wanted and offered."""
        peer, session = self._core.state.peer, self._core.state.sessions.get(session_id)
        if session is not None and (
            session.turn is not None or session.opening.loading is not None
        ):
            self._core.notify(
                session_id, "warning", "The session is at work", "Cancel its turn first."
            )
            return
        listed = self._core.state.catalogue.sessions.get(session_id)
        if listed is not None and listed.archived and peer.offers("session/unarchive"):
            self._unarchiving[session_id] = history
            self._core.request("session/unarchive", SessionParams(session_id=session_id))
            return
        wanted = ["session/load", "session/resume"]
        offered = [
            method for method in (wanted if history else wanted[::-1]) if peer.offers(method)
        ]
        self._request_session((offered or wanted)[0], self._known_params(session_id))

    def _open_unarchived(self, event: Responded) -> None:
        """Open the session, if it was unarchived only to be opened."""
        if event.result is None:
            return
        assert isinstance(event.request.params, SessionParams)
        history = self._unarchiving.pop(event.request.params.session_id, None)
        if history is not None:
            self._open_session(event.request.params.session_id, history=history)

    def reopen(self, session_id: str, method: str) -> None:
        """Resume or load a session after a restart, or open a new one in its directory."""
        if method == "session/new":
            # Without requesting options first: a refused choice would leave the sessions after it
            # lost.
            self._first_mode = ""  # meant for a session whose request was lost with the agent
            cwd = self._core.state.sessions[session_id].cwd or self._core.folder
            self._core.request(method, NewSessionParams(cwd=cwd, **self._session_setup()))
        else:
            self._core.request(method, self._known_params(session_id))

    def _known_params(self, session_id: str) -> OpenSessionParams:
        """Return the params to open one of the agent's sessions in that session's own directory."""
        listed = self._core.state.catalogue.sessions.get(session_id)
        session = self._core.state.sessions.get(session_id)
        cwd = listed.cwd if listed is not None else session.cwd if session is not None else ""
        return OpenSessionParams(
            session_id=session_id, cwd=cwd or self._core.folder, **self._session_setup()
        )

    def _session_setup(self) -> dict[str, Any]:
        """Return the MCP servers, directories, system prompt and `_meta` for opening a session. The
        user is notified once of each server, and of the directories, that the agent doesn't
        support.
        """
        capabilities = self._core.state.peer.capabilities
        directories = list(self._core.launch.additional_directories)
        if directories and capabilities.session_capabilities.additional_directories is None:
            self._notify_once("The agent takes no additional directories", ", ".join(directories))
            directories = []
        if directories and self._core.place.elsewhere:
            words = f"The agent works elsewhere ({self._core.place.name})."
            self._notify_once("Folders of this machine are left out (--add-dir)", words)
            directories = []
        servers = []
        for server in self._mcp_servers:
            kind = server.get("type", "stdio")
            # Version 1 has no capability for stdio: every agent starts servers as processes.
            if getattr(capabilities.mcp_capabilities, kind, kind == "stdio"):
                servers.append(dict(server))
            else:
                words = f"The agent can't connect to servers over {kind}."
                self._notify_once(f"The MCP server {server['name']} was left out", words)
        return {
            "mcp_servers": servers,
            "additional_directories": directories or None,
            "system_prompt": self._core.launch.session.whole_system_prompt(),
            "meta": dict(self._core.launch.session.meta) or None,
        }

    def _notify_once(self, title: str, description: str) -> None:
        if title not in self._notified:
            self._notified.add(title)
            self._core.notify(None, "warning", title, description)
