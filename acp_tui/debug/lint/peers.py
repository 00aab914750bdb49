"""State announced by both sides: versions, capabilities, sessions, tool calls."""

import re
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Any

from acp_tui.debug import exchanges
from acp_tui.debug.exchanges import Reading, Spoken, Status
from acp_tui.protocol import dialects
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import object_at, objects_at, text_at
from acp_tui.protocol.jsonrpc import Notification, Request
from acp_tui.protocol.kinds import AT_WORK, OPENING_METHODS, REOPENING_METHODS, TOOL_CALL_UPDATES
from acp_tui.protocol.process_events import (
    Connecting,
    Disconnected,
    ProcessExited,
    ProcessStarted,
    StdoutClosed,
)

OWN_NAME = "acp-tui"
"""The name of this client in `initialize`."""
_NAMING = ("session/new", "session/fork")
"""Methods whose result names a new session."""
_MOST_COMPARED_SESSIONS = 50
"""Most sessions that an unknown id is compared with."""
_LONGEST_ID = 200
"""Most characters of an id that is compared with others."""


class Peers:
    """The state of one connection, built from its records.

    `prompted` are the sessions with an answered prompt, from this process or an earlier one.
    """

    def __init__(self, prompted: set[str]) -> None:
        self.prompted = prompted
        self.started = False
        """Whether the log records the start of a process or connection: if complete, it also
        records its end.
        """
        self.is_remote = False
        """Whether the agent is on the network: it has no stdin and no stdout."""
        self.is_in_order = True
        """Whether messages arrive in the order in which they were sent. Over HTTP, a response may
        come on the connection's event stream and updates on the session's: either may overtake the
        other one.
        """
        self.exit: ProcessExited | Disconnected | None = None
        self.is_closed = False
        """Whether the agent has closed its output: after that it can't answer."""
        self.requested_version: Any = None
        self.initialize_sent = False
        self.initialized = False
        self.version = 1
        """The protocol version in use."""
        self._is_own: bool | None = None
        """Whether the client is an acp-tui; None before initialize."""
        self._has_message = False
        self._guess: int | None = None
        """The version guessed from a message, before any `initialize`."""
        self.client: dict[str, Any] = {}
        self.agent: dict[str, Any] = {}
        self.auth_methods: dict[str, str] = {}
        self.session = ""
        """The session of the current record."""
        self.sessions: set[str] = set()
        self.own: set[str] = set()
        """Sessions that the client opened or prompted: an announcement can't make them subagents."""
        self.children: dict[str, str] = {}
        """Subagent sessions, each with the session that announced it. No prompts are sent to them."""
        self._folders: dict[str, str] = {}
        """The working directory of each session that the client opened."""
        self.running: Counter[str] = Counter()
        """The number of unanswered prompts of each session; in version 2, whether it is at work."""
        self.calls: dict[str, dict[str, str]] = {}
        """The last status of each tool call, by session."""
        self.partly_known: set[str] = set()
        """Sessions with earlier history that the log lacks: resumed, forked, or begun before it."""
        self.opening: dict[int, Reading] = {}
        self._similar_sessions: dict[str, str] = {}

    @property
    def spoken_version(self) -> Spoken | None:
        """Return the version, and whether it is a guess; None before the first message."""
        return Spoken(self.version, guessed=not self.initialize_sent) if self._has_message else None

    @property
    def is_whole(self) -> bool:
        """Return whether the log has the connection from its beginning."""
        return self.started or self.initialize_sent

    @property
    def is_between_others(self) -> bool:
        """Return whether both sides are other programs, as in an imported or tapped log."""
        return not (self.started if self._is_own is None else self._is_own)

    @property
    def may_still_run(self) -> bool:
        """Return whether the process may still run: the recording is being written, or was cut off."""
        return self.started and self.exit is None

    def begin_record(self, reading: Reading) -> None:
        """Set the session and the version of the next record, before the checks see it.

        For an unknown id this is the session that was probably meant, or none. So a wrong id is
        reported once, without everything that seems to follow from it.
        """
        self._learn_version(reading)
        id = reading.session_id
        known = not id or id in self.sessions or self.opens_new_session()
        self.session = id if known else self.similar_session(id)

    def _learn_version(self, reading: Reading) -> None:
        self._has_message = self._has_message or bool(reading.method)
        if reading.method == "initialize":
            if reading.is_request and reading.direction is Direction.OUT:
                info = reading.params.get("clientInfo") or reading.params.get("info")
                self._is_own = isinstance(info, dict) and info.get("name") == OWN_NAME
            if reading.is_request or reading.status is Status.OK:
                self.version = exchanges.spoken_version(reading)
        elif not self.initialize_sent and self._guess is None:
            self._guess = dialects.guess_version(reading.message) if reading.message else None
            self.version = self._guess or self.version

    def update_from(self, reading: Reading) -> None:
        """Update the state from a record, after the checks have seen it."""
        method = reading.method
        if reading.kind in TOOL_CALL_UPDATES:
            self._note_tool_call(reading)
        elif reading.kind == "subagent_update":
            self._add_subagent(text_at(reading.update, "sessionId"), reading.session_id)
        elif reading.kind == "state_update":
            self.running[self.session] = int(reading.update.get("state") in AT_WORK)
        elif method == "session/prompt":
            self._note_prompt(reading)
        elif method == "session/request_permission" and reading.is_request:
            self._add_asked_call(reading)
        elif method == "initialize":
            self._note_initialize(reading)
        elif method in OPENING_METHODS:
            self._note_opening(reading)
        else:
            self._note_process(reading.record)
        if reading.direction is Direction.OUT and isinstance(
            reading.message, Request | Notification
        ):
            if reading.session_id not in self.sessions and method not in OPENING_METHODS:
                self.partly_known.add(reading.session_id)
            self._add_session(reading.session_id)

    def _note_process(self, record: Record) -> None:
        match record:
            case ProcessStarted():
                self.started = True
            case Connecting():
                self.started = self.is_remote = True
                self.is_in_order = not record.url.startswith("http")
            case StdoutClosed():
                self.is_closed = True
            case ProcessExited() | Disconnected():
                self.exit = record

    def opens(self, method: str, session: str) -> bool:
        """Return whether a request of this method for a session is pending."""
        return any(
            one.method == method and one.session_id == session for one in self.opening.values()
        )

    def reopens(self, session: str) -> bool:
        """Return whether a session is being opened again: its updates are history."""
        return any(
            one.method in REOPENING_METHODS and one.session_id == session
            for one in self.opening.values()
        )

    def opens_new_session(self) -> bool:
        """Return whether a session is being opened whose id the client can't know yet."""
        return any(one.method in _NAMING for one in self.opening.values())

    def similar_session(self, id: str) -> str:
        """Return the only session with a similar id; "" if there are none or several."""
        if id not in self._similar_sessions:
            few = self.sessions if len(self.sessions) <= _MOST_COMPARED_SESSIONS else ()
            alike = [one for one in few if _are_alike(id, one)]
            self._similar_sessions[id] = alike[0] if len(alike) == 1 else ""
        return self._similar_sessions[id]

    def _add_session(self, session: Any) -> None:
        if isinstance(session, str) and session and session not in self.sessions:
            self.sessions.add(session)
            self._similar_sessions.clear()

    def _note_initialize(self, reading: Reading) -> None:
        if reading.is_request and reading.direction is Direction.OUT:
            self.initialize_sent = True
            self.requested_version = reading.params.get("protocolVersion")
            name = "clientCapabilities" if self.version == 1 else "capabilities"
            self.client = object_at(reading.params, name)
        elif reading.answered_request is not None and reading.status is Status.OK:
            self.initialized = True
            name, id = ("agentCapabilities", "id")
            if self.version != 1:
                name, id = ("capabilities", "methodId")
            self.agent = object_at(reading.result, name)
            for one in objects_at(reading.result, "authMethods"):
                self.auth_methods[text_at(one, id)] = text_at(one, "type") or "agent"

    def _note_opening(self, reading: Reading) -> None:
        if reading.is_request:
            self.opening[reading.index] = reading
            self._add_own(reading.session_id)
            if reading.method in REOPENING_METHODS:
                self.calls.pop(reading.session_id, None)
            if reading.method == "session/resume":
                self.partly_known.add(reading.session_id)
        elif reading.answered_request is not None:
            self.opening.pop(reading.answered_request.index, None)
            opened = text_at(reading.result, "sessionId") or reading.session_id
            self._folders[opened] = text_at(reading.answered_request.params, "cwd")
            if reading.method == "session/fork":
                self.partly_known.add(text_at(reading.result, "sessionId"))
            self._add_session(reading.result.get("sessionId"))
            self._add_own(text_at(reading.result, "sessionId"))

    def folder_of(self, session: str) -> str:
        """Return the working directory of a session, or of a subagent's parents; "" if unknown."""
        return self._folders.get(self.root_of(session), "")

    def root_of(self, session: str) -> str:
        """Return the session at the top of a subagent's parents; any other session itself."""
        return self.lineage_of(session)[-1]

    def lineage_of(self, session: str) -> list[str]:
        """Return a session and its parents, the one at the top last."""
        lineage = [session]
        while (parent := self.children.get(lineage[-1])) is not None and parent not in lineage:
            lineage.append(parent)
        return lineage

    def _add_subagent(self, child: str, parent: str) -> None:
        if child not in self.own:
            self.children.setdefault(child, parent)
            self._add_session(child)

    def _add_own(self, session: str) -> None:
        if session and session not in self.children:
            self.own.add(session)

    def _note_prompt(self, reading: Reading) -> None:
        session = reading.session_id
        if reading.is_request:
            self._add_own(session)
            self.running[session] += self.version == 1
        elif reading.answered_request is not None:
            self.running[session] -= self.version == 1
            if reading.status is Status.OK:
                self.prompted.add(session)

    def _note_tool_call(self, reading: Reading) -> None:
        calls = self.calls.setdefault(self.session, {})
        id, status = (
            text_at(reading.update, "toolCallId"),
            text_at(reading.update, "status"),
        )
        calls[id] = status or calls.get(id) or "pending"

    def _add_asked_call(self, reading: Reading) -> None:
        """Record the tool call that a permission request names, which announces it, too."""
        calls = self.calls.setdefault(self.session, {})
        calls.setdefault(text_at(asked_call(reading), "toolCallId"), "pending")


def asked_call(reading: Reading) -> dict[str, Any]:
    """Return the tool call that a permission request is about; version 2 has it in its subject."""
    holder = (
        reading.params if "toolCall" in reading.params else object_at(reading.params, "subject")
    )
    return object_at(holder, "toolCall") or {"toolCallId": holder.get("toolCallId")}


def _are_alike(id: str, other: str) -> bool:
    """Return whether two ids are spellings of one. Ids with different digits may be numbers in a
    series, so they aren't.
    """
    if max(len(id), len(other)) > _LONGEST_ID:
        return False
    one, two = (re.sub(r"[\W_]", "", each.casefold()) for each in (id, other))
    if one == two:
        return True
    short, long = sorted((one, two), key=len)
    if len(short) >= 8 and short in long:
        return not long.replace(short, "", 1).isdigit()
    same_digits = _digits(one) == _digits(two)
    return same_digits and SequenceMatcher(None, one, two, autojunk=False).ratio() >= 0.8


def _digits(id: str) -> Iterable[str]:
    return re.findall(r"\d", id)
