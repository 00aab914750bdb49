"""Turns: what belongs into one, how it ends, and how it is cancelled."""

from dataclasses import dataclass

from acp_tui.protocol.findings import Rule, Severity
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import Failure
from acp_tui.wire.exchanges import Reading, text
from acp_tui.wire.lint.checker import Checker, Report, items
from acp_tui.wire.lint.peers import Peers

AFTER_TURN = Rule(
    "update-after-turn",
    Severity.WARNING,
    "What a turn brings forth is sent before the session/prompt request is answered.",
)
AFTER_CANCEL = Rule(
    "update-after-cancelled",
    Severity.ERROR,
    "The Agent MAY send session/update notifications after receiving session/cancel, but it MUST "
    "ensure that it does so before responding to the session/prompt request.",
)
NOT_CANCELLED = Rule(
    "not-cancelled",
    Severity.ERROR,
    "After all ongoing operations have been aborted, the Agent MUST respond to the original "
    "session/prompt request with the cancelled stop reason. Agents MUST catch these errors.",
)
CANCEL_UNHEEDED = Rule(
    "permission-not-cancelled",
    Severity.ERROR,
    "The Client MUST respond to all pending session/request_permission requests with the "
    "cancelled outcome.",
)
PLAN_SHRINKS = Rule(
    "plan-shrinks",
    Severity.WARNING,
    "The Agent MUST send a complete list of all plan entries in each update.",
)

IN_FLIGHT = 0.05
"""Seconds within which an answer may have been under way when the cancel was sent."""
_OF_A_TURN = ("agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan")


@dataclass
class _Turn:
    """A session's turns: how many run, and how the last one ended."""

    running: int = 0
    cancelled_at: float | None = None
    ended: bool = False
    was_cancelled: bool = False
    reported: bool = False
    open_entries: frozenset[str] = frozenset()


class Turns(Checker):
    """Whether updates come within a turn, and a cancelled one ends as cancelled."""

    RULES = (AFTER_TURN, AFTER_CANCEL, NOT_CANCELLED, CANCEL_UNHEEDED, PLAN_SHRINKS)

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._turns: dict[str, _Turn] = {}

    def look(self, reading: Reading) -> None:
        session = reading.session_id
        if not session:
            return
        turn = self._turns.setdefault(session, _Turn())
        if reading.method == "session/prompt":
            self._prompt(reading, turn)
        elif reading.method == "session/cancel" and turn.running:
            turn.cancelled_at = reading.record.at
        elif reading.method == "session/request_permission":
            self._permission(reading, turn)
        elif reading.kind in _OF_A_TURN and reading.direction is Direction.IN:
            if not turn.running and not self.peers.opens("session/load", session):
                self._late(reading, turn)
            if reading.kind == "plan":
                self._plan(reading, turn)

    def _prompt(self, reading: Reading, turn: _Turn) -> None:
        if reading.is_request:
            turn.running += 1
            turn.open_entries = frozenset()
            turn.ended = turn.was_cancelled = turn.reported = False
            return
        if reading.asked is None:
            return
        turn.running = max(0, turn.running - 1)
        turn.ended = True
        cancelled_at, turn.cancelled_at = turn.cancelled_at, None
        if cancelled_at is None:
            return
        turn.was_cancelled = True
        if reading.record.at - cancelled_at < IN_FLIGHT:
            return
        if isinstance(reading.message, Failure):
            how = f"answered with error {reading.message.error.code} instead of cancelled"
            self.report(NOT_CANCELLED, reading, how, ("error",))
        elif (reason := reading.result.get("stopReason")) != "cancelled":
            self.report(NOT_CANCELLED, reading, f"the stop reason is {reason!r}", ("result",))

    def _permission(self, reading: Reading, turn: _Turn) -> None:
        if reading.asked is None or turn.cancelled_at is None:
            return
        outcome = reading.result.get("outcome")
        answer = text(outcome.get("outcome")) if isinstance(outcome, dict) else ""
        if answer != "cancelled" and reading.asked.record.at < turn.cancelled_at:
            self.report(CANCEL_UNHEEDED, reading, f"answered {answer or 'an error'!r}", ("result",))

    def _late(self, reading: Reading, turn: _Turn) -> None:
        if turn.reported:
            return
        turn.reported = True  # a late message has many chunks: once is enough
        path = ("params", "update", "sessionUpdate")
        if turn.was_cancelled:
            self.report(AFTER_CANCEL, reading, f"{reading.kind} after the cancelled turn", path)
        else:
            when = "after the turn's end" if turn.ended else "before any turn"
            self.report(AFTER_TURN, reading, f"{reading.kind} {when}", path)

    def _plan(self, reading: Reading, turn: _Turn) -> None:
        entries = items(reading.update.get("entries"))
        now = {text(one.get("content")) for one in entries}
        lost = turn.open_entries - now
        if lost and len(entries) < len(turn.open_entries):
            what = ", ".join(sorted(lost))[:100]
            path = ("params", "update", "entries")
            self.report(PLAN_SHRINKS, reading, f"open entries have gone: {what}", path)
        turn.open_entries = frozenset(
            text(one.get("content")) for one in entries if one.get("status") != "completed"
        )
