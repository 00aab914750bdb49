"""Turns: which updates belong to one, how it ends, and how it is canceled."""

from dataclasses import dataclass, field

from acp_tui.debug.exchanges import Reading
from acp_tui.debug.lint.checker import IN_FLIGHT, Checker, Report
from acp_tui.debug.lint.peers import Peers
from acp_tui.protocol.findings import protocol_rule
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import text_at
from acp_tui.protocol.jsonrpc import ErrorCode, Failure, Id, Request

AFTER_TURN = protocol_rule("update-after-turn")
AFTER_CANCEL = protocol_rule("update-after-cancelled")
NOT_CANCELLED = protocol_rule("not-cancelled")
CROSSED = protocol_rule("cancel-crossed")
CANCEL_UNHEEDED = protocol_rule("permission-not-cancelled")

LATE_UPDATE_SECONDS = 5.0
"""Seconds after a turn's end in which an update counts as a late one of that turn."""
_OF_A_TURN = ("agent_message_chunk", "agent_thought_chunk", "tool_call", "plan")
_OF_A_CANCELLED_TURN = (*_OF_A_TURN, "tool_call_update")
_WHERE = ("params", "update", "sessionUpdate")


@dataclass
class _LastTurn:
    """A session's last turn: when it was canceled and how it ended."""

    pending: set[Id] = field(default_factory=set)
    """The ids of unanswered prompts; one sent during a turn is refused, queued, or joins it."""
    cancelled: dict[Id, float] = field(default_factory=dict)
    """When each canceled prompt was canceled, by its id."""
    cancelled_at: float | None = None
    withdrawn: Id = None
    ended_at: float | None = None
    dismissed: bool = False
    """Whether one of its permission requests was answered with `cancelled`."""
    was_cancelled: bool = False
    reported: bool = False


class TurnChecker(Checker):
    """Checks that updates arrive within a turn, and that a canceled turn ends as canceled."""

    VERSIONS = (1,)
    ABOUT = (
        *_OF_A_CANCELLED_TURN,
        "session/prompt",
        "session/cancel",
        "$/cancel_request",
        "session/request_permission",
    )

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._turns: dict[str, _LastTurn] = {}
        self._prompts: dict[Id, str] = {}

    def check_record(self, reading: Reading) -> None:
        if reading.kind:
            if reading.direction is Direction.IN:
                self._check_update(reading)
        elif reading.method == "session/prompt":
            self._note_prompt(reading)
        elif reading.method == "session/cancel":
            turn = self._turns.get(reading.session_id)
            if turn is not None and self.peers.running[reading.session_id]:
                turn.cancelled_at = reading.record.at
                turn.cancelled |= dict.fromkeys(turn.pending, reading.record.at)
        elif reading.method == "$/cancel_request" and reading.direction is Direction.OUT:
            self._note_withdrawn(reading)
        elif reading.method == "session/request_permission":
            self._note_permission(reading)

    def reopened(self, session: str) -> None:
        self._turns.pop(session, None)

    def _note_prompt(self, reading: Reading) -> None:
        turn = self._turns.setdefault(reading.session_id, _LastTurn())
        if isinstance(reading.message, Request):
            if not turn.pending or turn.cancelled_at is not None:
                turn = _LastTurn(turn.pending, turn.cancelled)
                self._turns[reading.session_id] = turn
            turn.pending.add(reading.message.id)
            self._prompts[reading.message.id] = reading.session_id
        elif reading.answered_request is not None:
            turn.pending.discard(reading.answered_request.id)
            cancelled_at = turn.cancelled.pop(reading.answered_request.id, None)
            if cancelled_at is not None:
                self._check_canceled_end(reading, turn, reading.record.at - cancelled_at)
            if not turn.pending:
                turn.ended_at = reading.record.at
                dismissed = turn.dismissed and reading.result.get("stopReason") == "cancelled"
                turn.was_cancelled = dismissed or cancelled_at is not None

    def _check_canceled_end(self, reading: Reading, turn: _LastTurn, seconds: float) -> None:
        reason = reading.result.get("stopReason")
        if isinstance(reading.message, Failure):
            error = reading.message.error
            if error.code != ErrorCode.REQUEST_CANCELLED or turn.withdrawn != reading.message.id:
                how = f"answered with error {error.code} instead of cancelled"
                self.report(NOT_CANCELLED, reading, how, ("error",))
        elif reason != "cancelled" and seconds < IN_FLIGHT:
            how = f"the stop reason is {reason!r}: it may have crossed the cancel"
            self.report(CROSSED, reading, how, ("result",))
        elif reason != "cancelled":
            self.report(NOT_CANCELLED, reading, f"the stop reason is {reason!r}", ("result",))

    def _note_withdrawn(self, reading: Reading) -> None:
        """Record that the client cancels a request: then -32800 is a valid answer, too."""
        id = reading.params.get("requestId")
        session = self._prompts.get(id, "") if isinstance(id, str | int) else ""
        turn = self._turns.get(session)
        if turn is not None:  # else the session was reopened since the prompt
            turn.withdrawn = id

    def _note_permission(self, reading: Reading) -> None:
        turn = self._turns.get(reading.session_id)
        if reading.answered_request is None or turn is None:
            return
        answer = text_at(reading.result, "outcome", "outcome")
        turn.dismissed = turn.dismissed or answer == "cancelled"
        if turn.cancelled_at is None:
            return
        if answer != "cancelled" and turn.ended_at is None:
            self.report(CANCEL_UNHEEDED, reading, f"answered {answer or 'an error'!r}", ("result",))

    def _check_update(self, reading: Reading) -> None:
        session = self.peers.session
        turn = self._turns.get(session)
        if turn is None:
            return  # a greeting, a subagent's update, or a replay
        if not self.peers.running[session]:
            self._report_late(reading, turn)

    def _report_late(self, reading: Reading, turn: _LastTurn) -> None:
        if turn.reported or turn.ended_at is None:
            return
        if turn.was_cancelled:
            turn.reported = True  # a late message has many chunks: once is enough
            self.report(AFTER_CANCEL, reading, f"{reading.kind} after the canceled turn", _WHERE)
        elif reading.kind in _OF_A_TURN and reading.record.at - turn.ended_at < LATE_UPDATE_SECONDS:
            turn.reported = True
            self.report(AFTER_TURN, reading, f"{reading.kind} after the turn's end", _WHERE)
