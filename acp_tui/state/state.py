"""The state of one connection: the agent, its sessions, and its terminals."""

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from acp_tui.policy.rules import Rule, RuleScope
from acp_tui.protocol.config_options import SessionConfigOption, SessionModeState
from acp_tui.protocol.events import TrustAsked
from acp_tui.protocol.setup import SessionInfo
from acp_tui.protocol.wire_events import Requested
from acp_tui.state.entries import NoticeEntry
from acp_tui.state.interception import HeldFrames
from acp_tui.state.open_questions import PendingElicitation, Permission
from acp_tui.state.peer import Peer
from acp_tui.state.session import Session

if TYPE_CHECKING:
    from acp_tui.protocol.quota import QuotaWindow


@dataclass(slots=True)
class SessionOffer:
    """The options that a new session in `cwd` may be opened with, at their default values."""

    cwd: str
    options: list[SessionConfigOption]
    modes: SessionModeState | None = None


@dataclass(slots=True)
class Catalogue:
    """The agent's session list; `answered` once the agent has returned it.

    `statuses` say which sessions the agent has in memory. `offer` has the options of new sessions,
    as last listed.
    """

    sessions: dict[str, SessionInfo] = field(default_factory=dict)
    statuses: dict[str, str] = field(default_factory=dict)
    requested: bool = False
    answered: bool = False
    loading: bool = False
    next_cursor: str | None = None
    cursors: list[str] = field(default_factory=list)
    offer: SessionOffer | None = None


def terminal_key(session_id: str, terminal_id: str) -> str:
    """Return a terminal's key, unique among all sessions."""
    return f"{session_id}/{terminal_id}"


@dataclass(slots=True)
class Terminal:
    """A command that the client runs for the agent, or one that the agent runs itself (`display`).

    `parts` is the end of the output: `stored_bytes`, after `dropped` ones. `size`, if reported, is
    in columns and rows; `named` is the agent's id, if that is only unique within its session.
    `version` increases when the output is replaced. `by_person` if the user ran the command.
    """

    terminal_id: str
    session_id: str
    command: str
    args: list[str]
    cwd: str | None
    at: float
    parts: deque[bytes] = field(default_factory=deque)
    stored_bytes: int = 0
    dropped: int = 0
    exit_code: int | None = None
    signal: str | None = None
    ended: float | None = None
    display: bool = False
    named: str = ""
    size: tuple[int, int] | None = None
    can_cancel: bool = False
    stop_requested: bool = False
    version: int = 0
    by_person: bool = False

    @property
    def in_meta(self) -> bool:
        """Return whether the terminal was reported in a tool call's `_meta`, outside the protocol."""
        return self.display and not self.named

    @property
    def output(self) -> bytes:
        """The stored output, oldest first."""
        return b"".join(self.parts)


@dataclass(slots=True)
class State:
    """Everything that views show, and nothing that could be derived from it.

    `calls` are our pending requests by frame number; `cancelled_calls` has the times at which we
    canceled them. `trust` is a question to the user. `awaited` are links that the user opened, by
    elicitation id; `notices` those that belong to no session. `last_received` is the time of the
    agent's last frame, or of our last response to it; updating it makes no change. `rules` are the
    rules in force, `holding` the breakpoints, faults and held frames.
    """

    peer: Peer = field(default_factory=Peer)
    sessions: dict[str, Session] = field(default_factory=dict)
    terminals: dict[str, Terminal] = field(default_factory=dict)
    calls: dict[int, Requested] = field(default_factory=dict)
    cancelled_calls: dict[int, float] = field(default_factory=dict)
    catalogue: Catalogue = field(default_factory=Catalogue)
    trust: TrustAsked | None = None
    elicitations: list[PendingElicitation] = field(default_factory=list)
    awaited: dict[str, PendingElicitation] = field(default_factory=dict)
    notices: list[NoticeEntry] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    last_received: float | None = None
    began: float | None = None
    """The time of the log's first event: with a session id, it identifies a session across runs."""
    holding: HeldFrames = field(default_factory=HeldFrames)
    quota: "dict[str, QuotaWindow]" = field(default_factory=dict)
    """The usage windows of the agent's plan, as last reported."""

    def session(self, session_id: str) -> Session:
        """Return the session with this id; create it if the agent has not confirmed it yet."""
        found = self.sessions.get(session_id)
        if found is None:
            found = self.sessions[session_id] = Session(session_id)
        return found

    def folder_here(self, session: Session) -> str | None:
        """Return the session's folder, or None if the agent's files aren't on this machine."""
        return None if self.peer.process.elsewhere else session.cwd

    def open_sessions(self) -> list[Session]:
        """Return the sessions that can be prompted, oldest first."""
        return [
            one
            for one in self.sessions.values()
            if one.opened and not one.lost and one.subagent is None
        ]

    def elicitation(self, number: int) -> PendingElicitation | None:
        """Return the pending elicitation with this number."""
        return next((one for one in self.elicitations if one.number == number), None)

    def has_open_question(self, session_id: str) -> bool:
        """Return whether a question in this session waits for the user."""
        session = self.sessions.get(session_id)
        return bool(session and session.permissions) or any(
            question.session_id == session_id for question in self.elicitations
        )

    def permission(self, number: int) -> Permission | None:
        """Return the pending permission request with this number, even if rules still evaluate it."""
        for session in self.sessions.values():
            for permission in (*session.permissions, *session.evaluating):
                if permission.number == number:
                    return permission
        return None

    @property
    def allows_all(self) -> bool:
        """Return whether everything is allowed unless a rule asks about it or rejects it."""
        return any(rule.scope is RuleScope.ALL for rule in self.rules)

    def waiting_permissions(self) -> list[Permission]:
        """Return all permission requests that wait for the user, oldest first."""
        waiting = [one for session in self.sessions.values() for one in session.permissions]
        return sorted(waiting, key=lambda one: one.number)
