"""Initialization, authentication, and sessions from beginning to end."""

from typing import Any

from acp_tui.debug.exchanges import Reading, Status
from acp_tui.debug.lint.checker import IN_FLIGHT, Checker, Report
from acp_tui.debug.lint.peers import Peers
from acp_tui.protocol.findings import JsonPath, protocol_rule
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import is_supported, object_at, objects_at, text_at
from acp_tui.protocol.jsonrpc import ErrorCode, Failure, Notification, Request
from acp_tui.protocol.kinds import OPENING_METHODS, TOOL_CALL_UPDATES

TOO_EARLY = protocol_rule("before-initialize")
INITIALIZED_TWICE = protocol_rule("initialize-twice")
OTHER_VERSION = protocol_rule("other-version")
TOO_HIGH = protocol_rule("version-above")
UNSUPPORTED_DATA = protocol_rule("unsupported-version-data")
UNCHECKED = protocol_rule("version-not-checked")
NO_INFO = protocol_rule("no-name-and-version")
NO_CAPABILITIES = protocol_rule("no-capabilities")
NO_AUTH_METHODS = protocol_rule("no-auth-methods")
SESSION_TWICE = protocol_rule("session-id-reuse")
EARLY_UPDATE = protocol_rule("update-before-session")
UNKNOWN_SESSION = protocol_rule("unknown-session")

UNSUPPORTED_VERSION = -32022
"""The error code of version 2 for a version that the agent doesn't support."""


class SetupChecker(Checker):
    """Checks how a connection and its sessions begin."""

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._reported: set[str] = set()
        self._early: set[str] = set()

    def check_record(self, reading: Reading) -> None:
        if isinstance(reading.message, Request | Notification):
            self._check_call(reading)
        elif isinstance(reading.message, Failure) and reading.direction is Direction.IN:
            self._check_failure(reading.message, reading)
        elif reading.answered_request is not None and reading.status is Status.OK:
            self._check_response(reading)

    def _check_call(self, reading: Reading) -> None:
        if reading.method == "initialize":
            if self.peers.initialize_sent:
                self.report(INITIALIZED_TWICE, reading, "initialize was sent before", ("method",))
            if not reading.params.get("clientInfo"):
                self.report(NO_INFO, reading, "clientInfo is missing", ("params", "clientInfo"))
        elif reading.direction is Direction.OUT:
            self._check_early_call(reading)
        elif reading.session_id:
            self._check_session(reading)

    def _check_early_call(self, reading: Reading) -> None:
        if self.peers.initialized or not self.peers.is_whole:
            return
        if reading.method in self._early or reading.method.startswith(("_", "$/")):
            return
        self._early.add(reading.method)
        self.report(TOO_EARLY, reading, f"{reading.method} before initialize ended", ("method",))

    def _check_session(self, reading: Reading) -> None:
        session = reading.session_id
        known = session in self.peers.sessions or session in self._reported
        if known or not self.peers.is_whole:
            return
        self._reported.add(session)
        path = ("params", "sessionId")
        if self.peers.opens_new_session():
            self.report(EARLY_UPDATE, reading, "comes before the session is known", path)
            return
        meant = self.peers.similar_session(session)
        hint = f": did you mean {meant!r}?" if meant else ""
        if not meant and len(self.peers.sessions) == 1:
            (only,) = self.peers.sessions
            hint = f": the only one is {only!r}"
        self.report(UNKNOWN_SESSION, reading, f"no session has the id {session!r}{hint}", path)

    def _check_failure(self, failure: Failure, reading: Reading) -> None:
        if failure.error.code == UNSUPPORTED_VERSION:
            self._check_unsupported(failure.error.data, reading)
        wants_sign_in = (
            failure.error.code == ErrorCode.AUTH_REQUIRED and reading.answered_request is not None
        )
        named = self.peers.auth_methods or objects_at(failure.error.data, "authMethods")
        if wants_sign_in and not named:
            self.report(NO_AUTH_METHODS, reading, "initialize named no authMethods", ("error",))

    def _check_unsupported(self, data: Any, reading: Reading) -> None:
        known = object_at(data)
        missing = [name for name in ("requested", "supported") if name not in known]
        if missing:
            how = f"the data has no {' and no '.join(missing)}"
            self.report(UNSUPPORTED_DATA, reading, how, ("error", "data"))

    def _check_response(self, reading: Reading) -> None:
        if reading.method == "initialize":
            self._check_initialize_result(reading)
        elif reading.method in ("session/new", "session/fork"):
            self._check_new_session(reading)

    def _check_new_session(self, reading: Reading) -> None:
        session = text_at(reading.result, "sessionId")
        path = ("result", "sessionId")
        if reading.result.get("sessionId") == "":
            self.report(SESSION_TWICE, reading, "the id is empty", path)
        elif session in self.peers.sessions:
            self.report(SESSION_TWICE, reading, f"{session!r} was given before", path)
        elif session in self.peers.prompted and is_supported(self.peers.agent, "loadSession"):
            how = f"{session!r} is a conversation of an earlier process, which can be loaded"
            self.report(SESSION_TWICE, reading, how, path)

    def _check_initialize_result(self, reading: Reading) -> None:
        result = reading.result
        if not isinstance(reading.value["result"], dict):
            return  # reported already
        version, requested = result.get("protocolVersion"), self.peers.requested_version
        if isinstance(version, int) and version != requested:
            how = f"is {version}, asked for was {requested!r}: right only if that is not supported"
            above = isinstance(requested, int) and version > requested and self.peers.version == 2
            rule = TOO_HIGH if above else OTHER_VERSION
            self.report(rule, reading, how, ("result", "protocolVersion"))
        if not result.get("agentInfo"):
            self.report(NO_INFO, reading, "agentInfo is missing", ("result", "agentInfo"))
        if not isinstance(result.get("agentCapabilities"), dict):
            where = ("result", "agentCapabilities")
            self.report(NO_CAPABILITIES, reading, "agentCapabilities is missing", where)


NOT_OFFERED = protocol_rule("system-prompt-not-offered")
NO_OVERRIDE = protocol_rule("system-prompt-override")
CONTENT = protocol_rule("system-prompt-content")
MODE_IGNORED = protocol_rule("system-prompt-mode-ignored")
_AT: JsonPath = ("params", "systemPrompt")


class SystemPromptChecker(Checker):
    """Checks the system prompt that a client sends to open a session, and the agent's response."""

    ABOUT = OPENING_METHODS

    def check_record(self, reading: Reading) -> None:
        request = reading.answered_request
        prompt = object_at(reading.params if request is None else request.params, "systemPrompt")
        if not prompt or not self.peers.initialized:
            return
        if request is None:
            self._check_prompt(prompt, reading)
        elif reading.status is Status.OK and self._offers() and not self._offers_mode(prompt):
            how = f"{reading.method} succeeds with the mode {prompt.get('mode')!r}, which isn't offered"
            self.report(MODE_IGNORED, reading, how, ("result",))

    def _check_prompt(self, prompt: dict[str, object], reading: Reading) -> None:
        if not self._offers():
            how = f"{reading.method}: the agent has no {'.'.join(self._advertised_at)}"
            self.report(NOT_OFFERED, reading, how, _AT)
        elif prompt.get("mode") == "override" and not self._offers_mode(prompt):
            how = (
                f"{reading.method}: the agent has no {'.'.join(self._advertised_at)}.mode.override"
            )
            self.report(NO_OVERRIDE, reading, how, (*_AT, "mode"))
        content = prompt.get("content")
        if content == []:
            self.report(CONTENT, reading, "its content is empty", (*_AT, "content"))
        for index, block in enumerate(objects_at(content)):
            if block.get("type") != "text":
                how = f"its content has a block of type {block.get('type')!r}"
                self.report(CONTENT, reading, how, (*_AT, "content", index, "type"))

    @property
    def _advertised_at(self) -> tuple[str, ...]:
        return ("session" if self.peers.version == 2 else "sessionCapabilities", "systemPrompt")

    def _offers(self) -> bool:
        return is_supported(self.peers.agent, *self._advertised_at)

    def _offers_mode(self, prompt: dict[str, object]) -> bool:
        mode = str(prompt.get("mode"))
        return mode == "append" or is_supported(
            self.peers.agent, *self._advertised_at, "mode", mode
        )


CLOSE_UNHEEDED = protocol_rule("close-not-cancelled")
LISTED = protocol_rule("deleted-but-listed")


_WORK = (
    *("agent_message_chunk", "agent_thought_chunk", "agent_message", "agent_thought", "plan"),
    *TOOL_CALL_UPDATES,
    *("fs/read_text_file", "fs/write_text_file", "terminal/create", "session/request_permission"),
)
"""Messages that an agent sends only in a session in which it is at work."""


class EndingChecker(Checker):
    """Checks that all work ends with its session, and a deleted session stays deleted."""

    ABOUT = (
        "session/prompt",
        "session/close",
        "session/delete",
        "session/list",
        *OPENING_METHODS,
        *_WORK,
    )

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._closed_in: dict[int, Reading] = {}
        """The session/close that was sent during a turn, by the index of its prompt."""
        self._running: dict[int, Reading] = {}
        self._deleted: dict[str, int] = {}
        """The index of the response to session/delete, by session."""
        self._closed: dict[str, float] = {}
        """The time of the response to session/close, by session."""

    def check_record(self, reading: Reading) -> None:
        match reading.method:
            case "session/prompt" if self.peers.version == 1:
                self._check_turn(reading)
            case "session/close" if (
                reading.answered_request is not None and reading.status is Status.OK
            ):
                self._closed[reading.session_id] = reading.record.at
            case "session/close" if reading.is_request:
                for index, prompt in self._running.items():
                    if prompt.session_id == reading.session_id:
                        self._closed_in[index] = reading
            case "session/delete" if (
                reading.answered_request is not None and reading.status is Status.OK
            ):
                self._deleted[reading.session_id] = reading.index
            case "session/new" | "session/load" | "session/resume" | "session/fork":
                self._deleted.pop(reading.session_id, None)
                self._closed.pop(reading.session_id, None)
            case "session/list":
                self._check_list(reading)
            case _ if reading.direction is Direction.IN and (reading.kind or reading.is_request):
                self._check_work(reading)

    def _check_turn(self, reading: Reading) -> None:
        if reading.is_request:
            self._running[reading.index] = reading
        elif reading.answered_request is not None:
            self._running.pop(reading.answered_request.index, None)
            closed = self._closed_in.pop(reading.answered_request.index, None)
            reason = reading.result.get("stopReason")
            failed = isinstance(reading.message, Failure)
            if closed is None or reason == "cancelled":
                return
            if failed or reading.record.at - closed.record.at >= IN_FLIGHT:
                how = "answered with an error" if failed else f"the stop reason is {reason!r}"
                self.report(CLOSE_UNHEEDED, reading, how, ("error",) if failed else ("result",))

    def _check_work(self, reading: Reading) -> None:
        """Report the first work of an agent in a session whose end it has confirmed."""
        if self.peers.version == 2 or not self.peers.is_in_order:
            return  # version 2 has its own rule for that: speaks-after-close
        closed_at = self._closed.get(reading.session_id)
        if closed_at is not None and reading.record.at - closed_at >= IN_FLIGHT:
            del self._closed[reading.session_id]
            how = f"{reading.kind or reading.method} comes after the answer to session/close"
            self.report(CLOSE_UNHEEDED, reading, how, ("params", "sessionId"))

    def _check_list(self, reading: Reading) -> None:
        request_index = (
            reading.answered_request.index if reading.answered_request is not None else 0
        )
        for index, session in enumerate(objects_at(reading.result, "sessions")):
            id = text_at(session, "sessionId")
            if self._deleted.get(id, request_index) < request_index:
                where = ("result", "sessions", index, "sessionId")
                self.report(LISTED, reading, f"{id!r} was deleted before", where)
