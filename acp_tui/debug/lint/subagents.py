"""Sessions of subagents: announced before use, never moved, and left alone by the client."""

from acp_tui.debug.exchanges import Reading
from acp_tui.debug.lint.checker import Checker, Report
from acp_tui.debug.lint.peers import Peers
from acp_tui.protocol.findings import protocol_rule
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import object_at, text_at
from acp_tui.protocol.jsonrpc import Notification, Request

LATE = protocol_rule("subagent-announced-late")
MOVED = protocol_rule("subagent-moved")
NO_CHILD = protocol_rule("subagent-not-a-child")
RESTRICTED = protocol_rule("subagent-restricted")
_PARTICIPANTS = ("senderSessionId", "recipientSessionId")
_READ_ONLY = ("session/status", "session/list")


class SubagentChecker(Checker):
    """Checks when subagents are announced, and what the client sends to them.

    In a log without the beginning of a session, its subagents may have been announced before.
    """

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._parents: dict[str, str] = {}
        self._early: dict[str, str] = {}
        """The kind or method of the message that first named each unknown session."""
        self._cancelable: set[str] = set()
        """Subagents whose cancel capability was advertised, even if it was cleared since."""

    def check_record(self, reading: Reading) -> None:
        if not isinstance(reading.message, Request | Notification):
            return
        if reading.direction is Direction.OUT:
            self._check_client_record(reading)
            return
        if reading.kind == "subagent_update":
            self._check_announcement(reading)
        for session in self._named_sessions(reading):
            if session and session not in self.peers.sessions and session not in self._parents:
                self._early.setdefault(session, reading.kind or reading.method)

    def _named_sessions(self, reading: Reading) -> list[str]:
        """Return the sessions that an agent's message is about, or names as participants."""
        named = [reading.session_id]
        if reading.kind == "session_message":
            named += [text_at(reading.update, name) for name in _PARTICIPANTS]
        return named

    def _check_announcement(self, reading: Reading) -> None:
        child, parent = text_at(reading.update, "sessionId"), reading.session_id
        path = ("params", "update", "sessionId")
        if child in self.peers.own:
            how = f"{child!r} is a session that the client opened or prompted"
            self.report(NO_CHILD, reading, how, path)
            return
        if child not in self._parents:
            self._parents[child] = parent
            if child in self._early and self.peers.is_whole and not self._may_be_known(parent):
                how = f"{child!r} is announced after {self._early[child]} for it"
                self.report(LATE, reading, how, path)
        elif self._parents[child] != parent:
            how = f"{child!r} belongs to {self._parents[child]!r}"
            self.report(MOVED, reading, how, path)
        capabilities = object_at(reading.update, "capabilities")
        if isinstance(capabilities.get("cancel"), dict):
            self._cancelable.add(child)

    def _may_be_known(self, parent: str) -> bool:
        """Return whether a subagent may have been announced before the log, or is only replayed."""
        ids = {parent}
        while (parent := self._parents.get(parent, "")) and parent not in ids:
            ids.add(parent)
        opening = {one.session_id for one in self.peers.opening.values()}
        return not ids.isdisjoint(self.peers.partly_known | opening)

    def _check_client_record(self, reading: Reading) -> None:
        child, method = reading.session_id, reading.method
        if child not in self._parents or not method.startswith("session/") or method in _READ_ONLY:
            return
        if method == "session/cancel" and child in self._cancelable:
            return
        what = "doesn't offer to be canceled" if method == "session/cancel" else "is a subagent's"
        self.report(RESTRICTED, reading, f"{method}: the session {child!r} {what}", ("method",))
