"""The states of a session in version 2: running, requires_action, idle."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from acp_tui.debug.exchanges import Reading, Status
from acp_tui.debug.lint.answers import CANCELED_PROMPT_TIMEOUT
from acp_tui.debug.lint.checker import IN_FLIGHT, Checker, Report
from acp_tui.debug.lint.chunks import ID_REUSE
from acp_tui.debug.lint.peers import Peers
from acp_tui.debug.lint.sessions import CLOSE_UNHEEDED
from acp_tui.debug.lint.turns import AFTER_CANCEL, AFTER_TURN, CROSSED, NOT_CANCELLED
from acp_tui.protocol.findings import protocol_rule
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import objects_at, text_at
from acp_tui.protocol.jsonrpc import Failure, Request, Response
from acp_tui.protocol.kinds import AT_WORK, USER_MESSAGES
from acp_tui.protocol.process_events import Disconnected, ProcessExited

BEFORE_RUNNING = protocol_rule("work-before-running")
NO_REASON = protocol_rule("idle-without-reason")
NO_DETAILS = protocol_rule("error-without-details")
NO_QUESTION = protocol_rule("action-without-question")
STILL_WAITS = protocol_rule("work-while-action-required")
NOT_ECHOED = protocol_rule("prompt-not-echoed")
EMPTY_PROMPT = protocol_rule("empty-prompt")
SPEAKS_AFTER_CLOSE = protocol_rule("speaks-after-close")
COUNTED_TWICE = protocol_rule("retry-counted-twice")

_SPEECH = ("agent_message", "agent_message_chunk", "agent_thought", "agent_thought_chunk")
_WORK = (*_SPEECH, "tool_call_update", "tool_call_content_chunk")
_STATE = ("params", "update", "state")
_REASON = ("params", "update", "stopReason")
_KIND = ("params", "update", "sessionUpdate")


@dataclass
class _SessionActivity:
    """The state that a session reports, and the updates that it still owes. After it is reopened,
    its state is unknown.
    """

    state: str = ""
    background: list[Any] | None = None
    since: Reading | None = None
    """The record that reported the state."""
    questioned: bool = False
    """Whether any request of the agent has been pending in this state."""
    prompted: bool = False
    """Whether there was a prompt since it was idle."""
    cancel: Reading | None = None
    """The session/cancel of its current work."""
    was_cancelled: bool = False
    reported: bool = False
    """Whether work in this state was reported."""
    closed: bool = False
    closing: bool = False
    """Whether it is closed while at work."""
    prompts: set[str] = field(default_factory=set)
    """The message ids of its prompts."""
    keys: dict[str, str] = field(default_factory=dict)
    """The message ids of its prompts, by their idempotency keys."""
    user_messages: set[str] = field(default_factory=set)
    """The message ids of its user messages."""
    unechoed: dict[str, Reading] = field(default_factory=dict)
    """The responses to prompts that no update has echoed, by message id."""

    def enter(self, state: str, reading: Reading) -> None:
        """Enter a new state."""
        self.state, self.since, self.reported = state, reading, False
        if state in AT_WORK:
            self.prompted = self.was_cancelled = False


class StateChecker(Checker):
    """Checks that a session reports when it is running, waiting or idle, and acts accordingly."""

    VERSIONS = (2,)

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._sessions: defaultdict[str, _SessionActivity] = defaultdict(_SessionActivity)
        self._questions: dict[int, str] = {}
        """The session of each unanswered request of the agent; "" if it has none."""

    def check_record(self, reading: Reading) -> None:
        if reading.direction is Direction.IN:
            self._from_agent(reading)
        elif isinstance(reading.message, Response | Failure):
            self._end_question(reading)
        else:
            self._from_client(reading, self._sessions[reading.session_id])

    def reopened(self, session: str) -> None:
        self._sessions.pop(session, None)

    def end(self) -> None:
        exited = self.peers.exit
        if not isinstance(exited, ProcessExited | Disconnected) or not exited.asked:
            return
        for session in self._sessions.values():
            cancel = session.cancel
            if (
                cancel is not None
                and (waited := exited.at - cancel.record.at) > CANCELED_PROMPT_TIMEOUT
            ):
                how = f"the session was not idle within {waited:.0f} s of its cancel"
                self.report(NOT_CANCELLED, cancel, how, ())

    # From the client

    def _from_client(self, reading: Reading, session: _SessionActivity) -> None:
        match reading.method:
            case "session/prompt" if reading.is_request:
                session.prompted = True
                if reading.params.get("prompt") == []:
                    self.report(EMPTY_PROMPT, reading, "the prompt is empty", ("params", "prompt"))
            case "session/cancel" if session.state in AT_WORK:
                session.cancel = reading
            case "session/close":
                session.closing = session.state in AT_WORK

    def _end_question(self, reading: Reading) -> None:
        if reading.answered_request is not None:
            self._questions.pop(reading.answered_request.index, None)

    # From the agent

    def _from_agent(self, reading: Reading) -> None:
        if isinstance(reading.message, Response | Failure):
            self._check_answer(reading, self._sessions[reading.session_id])
            return
        session = self._sessions[self.peers.session]
        if session.closed and reading.session_id:
            session.closed = False
            how = f"{reading.kind or reading.method} after the answer to session/close"
            self.report(SPEAKS_AFTER_CLOSE, reading, how, ("params", "sessionId"))
        if isinstance(reading.message, Request):
            self._note_question(reading)
        elif reading.kind == "state_update":
            self._check_state(reading, session)
        elif reading.kind in USER_MESSAGES:
            id = text_at(reading.update, "messageId")
            session.user_messages.add(id)
            session.unechoed.pop(id, None)
        elif reading.kind in _WORK:
            self._check_work(reading, session)

    def _check_answer(self, reading: Reading, session: _SessionActivity) -> None:
        succeeded = reading.status is Status.OK
        if reading.method in ("session/new", "session/fork") and succeeded:
            session.state = session.state or "idle"
        elif reading.method == "session/prompt" and succeeded:
            self._note_accepted(reading, session)
        elif reading.method == "session/prompt":
            session.prompted = False
        elif reading.method == "session/close" and succeeded and self.peers.is_in_order:
            if session.closing:
                how = f"the session is {session.state} as it is closed"
                self.report(CLOSE_UNHEEDED, reading, how, ())
            session.closed = True

    def _note_accepted(self, reading: Reading, session: _SessionActivity) -> None:
        id = text_at(reading.result, "messageId")
        params = {} if reading.answered_request is None else reading.answered_request.params
        key = text_at(params, "idempotencyKey")
        first = session.keys.get(key)
        if first is not None:  # a retry of the same prompt
            if first != id:
                how = f"{id!r}, but the first answer to this idempotencyKey was {first!r}; "
                how += "drafts before 20 Nov 2026 have no keys"
                self.report(COUNTED_TWICE, reading, how, ("result", "messageId"))
            return
        if key and id:
            session.keys[key] = id
        if id in session.prompts:
            how = f"{id!r} is the id of a prompt before, too"
            self.report(ID_REUSE, reading, how, ("result", "messageId"))
        elif id:
            session.prompts.add(id)
            if id not in session.user_messages:
                session.unechoed[id] = reading

    def _note_question(self, reading: Reading) -> None:
        """Record a request of the agent, which may concern other sessions, too."""
        self._questions[reading.index] = reading.session_id
        for id, session in self._sessions.items():
            if self._concerns(reading.session_id, id):
                session.questioned = True

    def _has_question(self, session: str) -> bool:
        return any(self._concerns(one, session) for one in self._questions.values())

    def _concerns(self, asked: str, session: str) -> bool:
        """Return whether a session may wait for a question that is asked in session `asked`: its
        own, a subagent's, or no session's.
        """
        return not asked or session in self.peers.lineage_of(asked)

    def _check_state(self, reading: Reading, session: _SessionActivity) -> None:
        state, before = text_at(reading.update, "state"), session.state
        background = reading.update.get("background")
        session.background = background if isinstance(background, list) else None
        if state == before:
            return
        if before == "requires_action" and not session.questioned and session.since is not None:
            how = f"nothing was asked until the session was {state}"
            self.report(NO_QUESTION, session.since, how, _STATE)
        if state == "idle" and before in AT_WORK:
            self._check_idle(reading, session)
        session.enter(state, reading)
        session.questioned = self._has_question(self.peers.session)

    def _check_idle(self, reading: Reading, session: _SessionActivity) -> None:
        """Check how the work of a session ends."""
        reason = reading.update.get("stopReason")
        if not isinstance(reason, str):
            self.report(NO_REASON, reading, "there is no stopReason", _STATE)
        elif reason == "error" and not isinstance(reading.update.get("error"), dict):
            self.report(NO_DETAILS, reading, "there is no error", _REASON)
        cancel, session.cancel = session.cancel, None
        session.was_cancelled = reason == "cancelled"
        session.closing = session.closing and not session.was_cancelled
        if cancel is not None and not session.was_cancelled:
            rule = NOT_CANCELLED if reason == "error" else CROSSED
            how = f"the stop reason is {reason!r}"
            self.report(
                rule, reading, how if rule is NOT_CANCELLED else f"{how}: {_CROSSED}", _REASON
            )
        for id, answer in list(session.unechoed.items()):
            if reading.record.at - answer.record.at >= IN_FLIGHT:
                del session.unechoed[id]
                how = f"no user_message had the id {id!r} until the work ended"
                self.report(NOT_ECHOED, answer, how, ("result", "messageId"))

    def _check_work(self, reading: Reading, session: _SessionActivity) -> None:
        """Check that the session's last state allows an update."""
        if session.reported or session.state not in ("idle", "requires_action"):
            return
        says = reading.kind in _SPEECH
        if session.state == "requires_action":
            waits = not session.questioned or self._has_question(self.peers.session)
            if says and not waits:
                session.reported = True
                how = f"{reading.kind} while the session requires action, and nothing is asked"
                self.report(STILL_WAITS, reading, how, _KIND)
        elif session.was_cancelled and not _is_listed(reading, session):
            session.reported = True
            self.report(AFTER_CANCEL, reading, f"{reading.kind} after the canceled work", _KIND)
        elif says and session.prompted and not session.background:
            session.reported = True
            how = f"{reading.kind} after a prompt, before the session is running"
            self.report(BEFORE_RUNNING, reading, how, _KIND)
        elif says and session.background == []:
            session.reported = True
            self.report(AFTER_TURN, reading, f"{reading.kind} while the session is idle", _KIND)


_CROSSED = "the work may have ended before the cancel"


def _is_listed(reading: Reading, session: _SessionActivity) -> bool:
    """Return whether an update may be from background work: a listed tool call, or one without id."""
    if not session.background:
        return False
    id = text_at(reading.update, "toolCallId")
    listed = (text_at(one, "toolCallId") for one in objects_at(session.background))
    return not id or id in listed
