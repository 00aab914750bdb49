"""Tool calls: each announced once and finished, with edits as shown."""

from dataclasses import dataclass, field
from typing import Any

from acp_tui.debug.exchanges import Reading, Status
from acp_tui.debug.lint.checker import Checker, Report
from acp_tui.debug.lint.peers import Peers
from acp_tui.protocol.file_events import EditCompared, EditVerdict, UnapprovedChange
from acp_tui.protocol.findings import protocol_rule
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import objects_at, text_at
from acp_tui.protocol.kinds import TOOL_CALL_UPDATES
from acp_tui.state.entries import FINISHED

NOT_CREATED = protocol_rule("update-before-create")
CREATED_TWICE = protocol_rule("tool-call-id-reuse")
UNFINISHED = protocol_rule("tool-call-unfinished")
WENT_BACK = protocol_rule("tool-call-reopened")

_OPEN = ("pending", "in_progress", "paused", "", None)
"""Statuses that aren't final. An unknown status may be final; another rule reports it."""


@dataclass
class _SessionCalls:
    """A session's tool calls by id: those that a tool_call created, and the first record of open
    ones.
    """

    created: set[str] = field(default_factory=set)
    open: dict[str, Reading] = field(default_factory=dict)
    cancelled: bool = False


class ToolCallChecker(Checker):
    """Checks that tool calls are reported once each, and reach their end."""

    ABOUT = (*TOOL_CALL_UPDATES, "state_update", "session/prompt", "session/cancel")

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._sessions: dict[str, _SessionCalls] = {}
        self._idle_subagents: dict[str, Any] = {}
        """The stop reason of each idle subagent: updates may follow until its parent is idle."""

    def check_record(self, reading: Reading) -> None:
        if reading.kind == "state_update":
            self._check_state(reading, self._calls_of(self.peers.session))
        elif reading.kind:
            if self.peers.session and reading.direction is Direction.IN:
                self._check_update(reading, self.peers.session)
        elif reading.method == "session/cancel":
            self._calls_of(reading.session_id).cancelled = True
        else:
            self._check_turn(reading, self._calls_of(reading.session_id))

    def reopened(self, session: str) -> None:
        self._sessions.pop(session, None)

    def _calls_of(self, session: str) -> _SessionCalls:
        found = self._sessions.get(session)
        if found is None:
            found = self._sessions[session] = _SessionCalls()
        return found

    def _check_update(self, reading: Reading, id_of_session: str) -> None:
        session = self._calls_of(id_of_session)
        id, status = (
            text_at(reading.update, "toolCallId"),
            text_at(reading.update, "status"),
        )
        path = ("params", "update", "toolCallId")
        before = self.peers.calls.get(id_of_session, {}).get(id)
        is_new = reading.kind == "tool_call"
        if is_new and id in session.created:
            how = "it is announced a second time; changes belong in a tool_call_update"
            if before in FINISHED:
                how = f"that call is {before}, and this is another"
            self.report(CREATED_TWICE, reading, f"{id!r} was created before: {how}", path)
        elif not is_new and before is None and id_of_session not in self.peers.partly_known:
            self.report(NOT_CREATED, reading, f"no tool_call has the id {id!r}", path)
        elif not is_new and _is_revoked(before, status):
            how = f"{id!r} was {before}, is now {status}"
            self.report(WENT_BACK, reading, how, ("params", "update", "status"))
        if is_new:
            session.created.add(id)
        if (status or before) not in _OPEN:
            session.open.pop(id, None)
        elif self.peers.running[id_of_session]:
            session.open.setdefault(id, reading)

    def _check_turn(self, reading: Reading, session: _SessionCalls) -> None:
        others = self.peers.running[reading.session_id] - (not reading.is_request)
        if others > 0:
            return  # a prompt sent during a turn: refused, queued, or part of it
        if reading.is_request:
            session.cancelled = False
            session.open.clear()
        elif reading.status is Status.OK and self.peers.version == 1:
            self._report_unfinished(session, reading.session_id, reading.result.get("stopReason"))

    def _check_state(self, reading: Reading, session: _SessionCalls) -> None:
        """Check an idle session of version 2 that lists its background work."""
        background, id_of_session = reading.update.get("background"), self.peers.session
        self._idle_subagents.pop(id_of_session, None)
        if reading.update.get("state") != "idle" or not isinstance(background, list):
            return
        for one in objects_at(background):
            session.open.pop(text_at(one, "toolCallId"), None)
        reason = reading.update.get("stopReason")
        if id_of_session in self.peers.children:
            self._idle_subagents[id_of_session] = reason
            return
        self._report_unfinished(session, id_of_session, reason)
        for child in list(self._idle_subagents):
            if self.peers.root_of(child) == id_of_session:
                self._report_unfinished(
                    self._calls_of(child), child, self._idle_subagents.pop(child)
                )

    def _report_unfinished(self, session: _SessionCalls, id_of_session: str, reason: Any) -> None:
        ended = reason == "end_turn" and not session.cancelled
        for id, made in session.open.items() if ended else ():
            status = self.peers.calls[id_of_session][id]
            how = f"the turn ended while {id!r} is {status}"
            self.report(UNFINISHED, made, how, ("params", "update", "status"))
        session.open.clear()


def _is_revoked(before: str | None, status: str) -> bool:
    """Return whether a final status is revoked. A failed or canceled call may succeed at a retry."""
    if before not in FINISHED or not status:
        return False
    return status not in FINISHED or (before == "completed" and status != before)


NOT_AS_SHOWN = protocol_rule("edit-not-as-shown")
FORMATTED = protocol_rule("edit-formatted")
REJECTED_WRITTEN = protocol_rule("edit-rejected-but-written")
UNAPPROVED_CHANGE = protocol_rule("changed-without-consent")
_RULES = {
    EditVerdict.DIFFERS: NOT_AS_SHOWN,
    EditVerdict.UNWRITTEN: NOT_AS_SHOWN,
    EditVerdict.FORMATTED: FORMATTED,
    EditVerdict.REJECTED: REJECTED_WRITTEN,
}
"""The rules for verdicts on edits. An unclear verdict isn't a finding."""


class EditChecker(Checker):
    """Checks that files contain the text that was shown for them."""

    ABOUT = ("",)

    def check_record(self, reading: Reading) -> None:
        record = reading.record
        if isinstance(record, UnapprovedChange):
            self.report(UNAPPROVED_CHANGE, reading, record.words, ())
        elif isinstance(record, EditCompared) and record.verdict in _RULES:
            if record.exact and record.verdict is EditVerdict.REJECTED:
                return  # the agent's request to write it is reported
            self.report(_RULES[record.verdict], reading, record.words, ())
