"""Excuses findings that the user caused, by holding, changing, dropping or sending frames.

The rules check frames as the agent really sent and received them, so later changes don't count
against it. That leaves messages that only seem to be missing or superfluous: they are excused here.
Edits that may differ because a frame was altered aren't even compared; see `state/interception.py`.
"""

from acp_tui.debug.exchanges import PendingRequest, Reading
from acp_tui.debug.lint.answers import ORPHAN, REFUSED, SECOND_ANSWER, TIMED_OUT, UNANSWERED
from acp_tui.debug.lint.peers import Peers
from acp_tui.debug.lint.turns import CANCEL_UNHEEDED
from acp_tui.protocol import validation
from acp_tui.protocol.findings import ProtocolRule
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.gate_events import FaultInjected
from acp_tui.protocol.jsonrpc import Id, Request

KILLED = "kill-midturn"
_TOO_MANY = (ORPHAN, SECOND_ANSWER)


class Interventions:
    """Tracks what the user did to the frames of one connection."""

    def __init__(self) -> None:
        self._killed = False
        self._stopped = False
        """Whether any frame was stopped."""
        self._altered_requests: set[Id] = set()
        """The ids of requests that the client received, but the agent didn't send in that form."""
        self._intercepted: set[int] = set()
        """The indexes of the agent's requests that were stopped, or whose responses were."""
        self._forwarded: set[int] = set()
        """The indexes of the client's requests that reached the agent late or changed."""
        self._response_stopped: set[str] = set()
        """The sessions in which a response to the agent was stopped."""

    def note(self, reading: Reading) -> None:
        """Record a frame that the agent neither sent nor received."""
        if reading.direction is Direction.IN:
            if isinstance(reading.message, Request):
                self._altered_requests.add(reading.message.id)
            return
        self._stopped = True
        if reading.answered_request is not None:
            self._intercepted.add(reading.answered_request.index)
            self._response_stopped.add(reading.answered_request.session_id)

    def note_record(self, reading: Reading) -> None:
        """Record a frame that was stopped or forwarded later, or a fault that killed the agent."""
        match reading.record:
            case Frame(direction=Direction.IN, stopped=by) if by is not None:
                self._stopped = True
                if reading.is_request:
                    self._intercepted.add(reading.index)
            case Frame(of=of) if of and reading.is_request:
                self._forwarded.add(reading.index)
            case FaultInjected() as fault:
                self._killed = self._killed or fault.kind == KILLED

    def excuses(self, rule: ProtocolRule, reading: Reading | PendingRequest) -> bool:
        """Return whether the user's own intervention may have broken a rule."""
        if self._killed:
            return True
        if isinstance(reading, PendingRequest):
            return rule is UNANSWERED and reading.index in self._intercepted
        if rule in _TOO_MANY:
            return reading.direction is Direction.OUT and _id(reading) in self._altered_requests
        if rule is CANCEL_UNHEEDED:
            return reading.session_id in self._response_stopped
        if rule is TIMED_OUT:
            late = reading.abandoned_request
            return self._stopped if late is None else late.index in self._forwarded
        return False


def _id(reading: Reading) -> Id:
    return getattr(reading.message, "id", None)


class HandMade:
    """Tracks invalid requests sent by hand, which an agent may refuse or answer in any way."""

    def __init__(self, peers: Peers) -> None:
        self._peers = peers
        self._has_sent = False
        self._broken: set[int] = set()

    def note_record(self, reading: Reading) -> None:
        """Record a request that breaks the schema, reuses a pending id, or prompts during a turn."""
        if not _is_by_hand(reading):
            return
        self._has_sent = True
        if not reading.is_request:
            return
        is_duplicate = reading.duplicate_of is not None
        within = reading.method == "session/prompt" and self._is_in_turn(reading)
        if is_duplicate or within or self._breaks_the_schema(reading):
            self._broken.add(reading.index)

    def _is_in_turn(self, reading: Reading) -> bool:
        """Return whether a turn of the session runs; version 2 allows prompts during one."""
        return self._peers.version == 1 and bool(self._peers.running[reading.session_id])

    def _breaks_the_schema(self, reading: Reading) -> bool:
        """Return whether a message violates the schema, or its version has no schema."""
        version = self._peers.version
        if version not in validation.VERSIONS:
            return True
        return any(validation.check_message(Direction.OUT, reading.value, None, version))

    def excuses(self, rule: ProtocolRule, reading: Reading | PendingRequest) -> bool:
        """Return whether a broken rule is excused: neither side caused it."""
        if isinstance(reading, PendingRequest):
            return reading.index in self._broken
        if _is_by_hand(reading) or (rule is REFUSED and self._has_sent):
            return True
        answers_broken = (
            reading.answered_request is not None and reading.answered_request.index in self._broken
        )
        return answers_broken and rule.id not in validation.RULE_IDS


def _is_by_hand(reading: Reading) -> bool:
    return isinstance(reading.record, Frame) and reading.record.by is not None
