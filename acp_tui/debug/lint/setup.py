"""Initialization, authentication and how sessions begin."""

from typing import Any

from acp_tui.debug.exchanges import Reading, Status, text_or_empty
from acp_tui.debug.lint.checker import Checker, Report, items
from acp_tui.debug.lint.peers import Peers
from acp_tui.protocol.findings import ProtocolRule, Severity
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import ErrorCode, Failure, Notification, Request

TOO_EARLY = ProtocolRule(
    "before-initialize",
    Severity.ERROR,
    "Before creating a session, Clients MUST first complete the initialization phase to establish "
    "protocol compatibility and capabilities.",
).in_2("a connection begins with initialize.", Severity.WARNING, guess=True)
INITIALIZED_TWICE = ProtocolRule(
    "initialize-twice",
    Severity.WARNING,
    "a connection is initialized once, before anything else.",
    guess=True,
)
OTHER_VERSION = ProtocolRule(
    "other-version",
    Severity.INFO,
    "If the Agent supports the requested version, it MUST respond with the same version. "
    "Otherwise, the Agent MUST respond with the latest version it supports.",
).in_2(
    "The highest protocol version supported by the agent that is at or below the version requested "
    "by the client."
)
TOO_HIGH = ProtocolRule(
    "version-above",
    Severity.WARNING,
    "The highest protocol version supported by the agent that is at or below the version requested "
    "by the client.",
    versions=(2,),
)
UNSUPPORTED_DATA = ProtocolRule(
    "unsupported-version-data",
    Severity.WARNING,
    "No protocol version supported by the Agent is at or below the requested version. … Data for the "
    "-32022 (Unsupported protocol version) error. … The protocol version the Client requested. … The "
    "protocol versions the Agent supports.",
    versions=(2,),
)
UNCHECKED = ProtocolRule(
    "version-not-checked",
    Severity.INFO,
    "the rules are those of versions 1 and 2; for other versions only lines and answers are checked.",
    guess=True,
)
NO_INFO = ProtocolRule(
    "no-name-and-version",
    Severity.WARNING,
    "It SHOULD also provide a name and version to the Client as well",
    versions=(1,),
)
NO_CAPABILITIES = ProtocolRule(
    "no-capabilities",
    Severity.WARNING,
    "The Agent MUST respond with the chosen protocol version and the capabilities it supports.",
    versions=(1,),
)
NO_AUTH_METHODS = ProtocolRule(
    "no-auth-methods",
    Severity.WARNING,
    "an agent that answers with auth_required lists its authentication methods in initialize.",
    guess=True,
)
SESSION_TWICE = ProtocolRule(
    "session-id-reuse",
    Severity.ERROR,
    "The Agent MUST respond with a unique Session ID that identifies this conversation",
).in_2("Unique identifier for the created session.", Severity.WARNING)
EARLY_UPDATE = ProtocolRule(
    "update-before-session",
    Severity.INFO,
    "a client may lose updates that come before the response that names the session.",
    guess=True,
    versions=(1,),
)
UNKNOWN_SESSION = ProtocolRule(
    "unknown-session",
    Severity.WARNING,
    "a session id comes from session/new, session/fork or a subagent_update, or from the client.",
    guess=True,
)

UNSUPPORTED_VERSION = -32022
"""The error of version 2 for a version that the agent doesn't have."""


class SetupChecker(Checker):
    """Checks how a connection and its sessions begin."""

    RULES = (
        TOO_EARLY,
        INITIALIZED_TWICE,
        OTHER_VERSION,
        TOO_HIGH,
        UNSUPPORTED_DATA,
        UNCHECKED,
        NO_INFO,
        NO_CAPABILITIES,
        NO_AUTH_METHODS,
        SESSION_TWICE,
        EARLY_UPDATE,
        UNKNOWN_SESSION,
    )

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._reported: set[str] = set()
        self._early: set[str] = set()

    def check_record(self, reading: Reading) -> None:
        if isinstance(reading.message, Request | Notification):
            self._call(reading)
        elif isinstance(reading.message, Failure) and reading.direction is Direction.IN:
            self._failure(reading.message, reading)
        elif reading.asked is not None and reading.status is Status.OK:
            self._response(reading)

    def _call(self, reading: Reading) -> None:
        if reading.method == "initialize":
            if self.peers.asked:
                self.report(INITIALIZED_TWICE, reading, "initialize was sent before", ("method",))
            if not reading.params.get("clientInfo"):
                self.report(NO_INFO, reading, "clientInfo is missing", ("params", "clientInfo"))
        elif reading.direction is Direction.OUT:
            self._early_call(reading)
        elif reading.session_id:
            self._session(reading)

    def _early_call(self, reading: Reading) -> None:
        if self.peers.initialized or not self.peers.is_whole:
            return
        if reading.method in self._early or reading.method.startswith(("_", "$/")):
            return
        self._early.add(reading.method)
        self.report(TOO_EARLY, reading, f"{reading.method} before initialize ended", ("method",))

    def _session(self, reading: Reading) -> None:
        session = reading.session_id
        known = session in self.peers.sessions or session in self._reported
        if known or not self.peers.is_whole:
            return
        self._reported.add(session)
        path = ("params", "sessionId")
        if self.peers.names_one():
            self.report(EARLY_UPDATE, reading, "comes before the session is known", path)
            return
        meant = self.peers.meant(session)
        if not meant and len(self.peers.sessions) == 1:
            (meant,) = self.peers.sessions
        hint = f": did you mean {meant!r}?" if meant else ""
        self.report(UNKNOWN_SESSION, reading, f"no session has the id {session!r}{hint}", path)

    def _failure(self, failure: Failure, reading: Reading) -> None:
        if failure.error.code == UNSUPPORTED_VERSION:
            self._unsupported(failure.error.data, reading)
        wants_sign_in = failure.error.code == ErrorCode.AUTH_REQUIRED and reading.asked is not None
        if wants_sign_in and not self.peers.auth_methods:
            data = failure.error.data
            told = isinstance(data, dict) and items(data.get("authMethods"))
            if not told:
                self.report(NO_AUTH_METHODS, reading, "initialize named no authMethods", ("error",))

    def _unsupported(self, data: Any, reading: Reading) -> None:
        known = data if isinstance(data, dict) else {}
        missing = [name for name in ("requested", "supported") if name not in known]
        if missing:
            how = f"the data has no {' and no '.join(missing)}"
            self.report(UNSUPPORTED_DATA, reading, how, ("error", "data"))

    def _response(self, reading: Reading) -> None:
        if reading.method == "initialize":
            self._initialized(reading)
        elif reading.method in ("session/new", "session/fork"):
            self._begun(reading)

    def _begun(self, reading: Reading) -> None:
        session = text_or_empty(reading.result.get("sessionId"))
        path = ("result", "sessionId")
        if reading.result.get("sessionId") == "":
            self.report(SESSION_TWICE, reading, "the id is empty", path)
        elif session in self.peers.sessions:
            self.report(SESSION_TWICE, reading, f"{session!r} was given before", path)

    def _initialized(self, reading: Reading) -> None:
        result = reading.result
        if not isinstance(reading.value["result"], dict):
            return  # which is told already
        version, asked = result.get("protocolVersion"), self.peers.asked_version
        if isinstance(version, int) and version != asked:
            how = f"is {version}, asked for was {asked!r}: right only if that is not supported"
            above = isinstance(asked, int) and version > asked and self.peers.version == 2
            rule = TOO_HIGH if above else OTHER_VERSION
            self.report(rule, reading, how, ("result", "protocolVersion"))
        if not result.get("agentInfo"):
            self.report(NO_INFO, reading, "agentInfo is missing", ("result", "agentInfo"))
        if not isinstance(result.get("agentCapabilities"), dict):
            where = ("result", "agentCapabilities")
            self.report(NO_CAPABILITIES, reading, "agentCapabilities is missing", where)
