"""Initialization, authentication and how sessions begin."""

from acp_tui.protocol.findings import Rule, Severity
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import ErrorCode, Failure, Notification, Request
from acp_tui.wire.exchanges import Reading, Status, text
from acp_tui.wire.lint.checker import Checker, Report
from acp_tui.wire.lint.peers import Peers

TOO_EARLY = Rule(
    "before-initialize",
    Severity.ERROR,
    "Before creating a session, Clients MUST first complete the initialization phase.",
)
INITIALIZED_TWICE = Rule(
    "initialize-twice", Severity.WARNING, "A connection is initialized once, before all else."
)
OTHER_VERSION = Rule(
    "other-version",
    Severity.WARNING,
    "If the Agent supports the requested version, it MUST respond with the same version. "
    "Otherwise, the Agent MUST respond with the latest version it supports.",
)
NO_INFO = Rule(
    "no-name-and-version", Severity.WARNING, "It SHOULD also provide a name and version."
)
NO_CAPABILITIES = Rule(
    "no-capabilities",
    Severity.WARNING,
    "The Agent MUST respond with the protocol version and the capabilities it supports.",
)
NO_AUTH_METHODS = Rule(
    "no-auth-methods",
    Severity.ERROR,
    "An agent that answers with auth_required tells in initialize how to authenticate.",
)
SESSION_TWICE = Rule(
    "session-id-reuse", Severity.ERROR, "The Agent MUST respond with a unique Session ID."
)
EARLY_UPDATE = Rule(
    "update-before-session",
    Severity.INFO,
    "Updates of a session may come before the answer that names it; many clients lose them.",
)
UNKNOWN_SESSION = Rule(
    "unknown-session",
    Severity.WARNING,
    "A session's id is the one that session/new, session/load or session/resume gave.",
)
NOTHING_REPLAYED = Rule(
    "load-replayed-nothing",
    Severity.WARNING,
    "The Agent MUST replay the entire conversation to the Client in the form of session/update "
    "notifications.",
)
RESUME_REPLAYED = Rule(
    "resume-replayed",
    Severity.ERROR,
    "The Agent MUST NOT replay the conversation history via session/update notifications before "
    "responding.",
)

_HISTORY = ("user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call")


class Setup(Checker):
    """Whether a connection and its sessions begin as they should."""

    RULES = (
        TOO_EARLY,
        INITIALIZED_TWICE,
        OTHER_VERSION,
        NO_INFO,
        NO_CAPABILITIES,
        NO_AUTH_METHODS,
        SESSION_TWICE,
        EARLY_UPDATE,
        UNKNOWN_SESSION,
        NOTHING_REPLAYED,
        RESUME_REPLAYED,
    )

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._replayed: set[str] = set()
        self._named: set[str] = set()
        self._reported: set[str] = set()
        self._early: set[str] = set()
        self._asked_before = False

    def look(self, reading: Reading) -> None:
        if isinstance(reading.message, Request | Notification):
            self._call(reading)
        elif isinstance(reading.message, Failure) and reading.direction is Direction.IN:
            self._failure(reading.message, reading)
        elif reading.asked is not None and reading.status is Status.OK:
            self._response(reading)

    def _call(self, reading: Reading) -> None:
        if reading.method == "initialize":
            if self._asked_before:
                self.report(INITIALIZED_TWICE, reading, "initialize was sent before", ("method",))
            self._asked_before = True
            if not reading.params.get("clientInfo"):
                self.report(NO_INFO, reading, "clientInfo is missing", ("params", "clientInfo"))
            return
        free = reading.method.startswith(("_", "$/")) or reading.method in self._early
        if not self.peers.initialized and not free:
            self._early.add(reading.method)
            how = f"{reading.method} before initialize ended"
            self.report(TOO_EARLY, reading, how, ("method",))
        if reading.direction is Direction.IN and reading.session_id:
            self._session(reading)

    def _session(self, reading: Reading) -> None:
        session = reading.session_id
        if reading.kind in _HISTORY:
            self._replayed.add(session)
            if self.peers.opens("session/resume", session):
                where = ("params", "update", "sessionUpdate")
                self.report(RESUME_REPLAYED, reading, f"{reading.kind} before the answer", where)
        if session in self.peers.sessions or session in self._named or session in self._reported:
            return
        self._reported.add(session)
        path = ("params", "sessionId")
        begins = [one for one in self.peers.opening.values() if not one.session_id]
        if begins or self.peers.opens("session/fork", session):
            self.report(EARLY_UPDATE, reading, "comes before the session is known", path)
        else:
            self.report(UNKNOWN_SESSION, reading, f"no session has the id {session!r}", path)

    def _failure(self, failure: Failure, reading: Reading) -> None:
        wants_sign_in = failure.error.code == ErrorCode.AUTH_REQUIRED
        if wants_sign_in and reading.asked is not None and not self.peers.auth_methods:
            self.report(NO_AUTH_METHODS, reading, "initialize named no authMethods", ("error",))

    def _response(self, reading: Reading) -> None:
        match reading.method:
            case "initialize":
                self._initialized(reading)
            case "session/new" | "session/fork":
                self._begun(reading)
            case "session/load" if reading.session_id not in self._replayed:
                self.report(NOTHING_REPLAYED, reading, "no message came before the answer", ())

    def _begun(self, reading: Reading) -> None:
        session = text(reading.result.get("sessionId"))
        path = ("result", "sessionId")
        if not session:
            self.report(SESSION_TWICE, reading, "the id is empty", path)
        elif session in self._named or session in self.peers.sessions:
            self.report(SESSION_TWICE, reading, f"{session!r} was given before", path)
        self._named.add(session)

    def _initialized(self, reading: Reading) -> None:
        result = reading.result
        version = result.get("protocolVersion")
        if version != self.peers.asked_version:
            how = f"asked for {self.peers.asked_version!r}, got {version!r}"
            self.report(OTHER_VERSION, reading, how, ("result", "protocolVersion"))
        if not result.get("agentInfo"):
            self.report(NO_INFO, reading, "agentInfo is missing", ("result", "agentInfo"))
        if not isinstance(result.get("agentCapabilities"), dict):
            where = ("result", "agentCapabilities")
            self.report(NO_CAPABILITIES, reading, "agentCapabilities is missing", where)
