"""What took time on a connection: a fold over its events, without I/O.

Every activity begins with a frame, whose number is its key: a turn is its `session/prompt`, and a
permission, a question, a file operation and a terminal are the agent's requests for them. A tool
call begins with the first update that names it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from acp_tui.protocol.events import (
    Abandoned,
    AccessAnswered,
    AccessAsked,
    Disconnected,
    Event,
    FileWritten,
    Notified,
    NotSent,
    ProcessExited,
    Requested,
    Responded,
    Ruled,
    TerminalExited,
    TimedOut,
)
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import Id
from acp_tui.telemetry.activity import FINISHED, Activity, Kind
from acp_tui.telemetry.results import is_count, note_outcome, note_usage, object_of, text_of

_DEAREST = 1e12
"""A higher cost is not believed."""
_CHUNKS = ("agent_message_chunk", "agent_thought_chunk")
_OLD_SESSIONS = ("session/load", "session/resume")
_TOOL_FACTS = ("title", "name", "kind", "status")


_KINDS = {
    "session/prompt": Kind.TURN,
    "session/request_permission": Kind.PERMISSION,
    "elicitation/create": Kind.QUESTION,
    "fs/read_text_file": Kind.FILE,
    "fs/write_text_file": Kind.FILE,
    "terminal/create": Kind.TERMINAL,
}


@dataclass(slots=True)
class _Session:
    """The open activities of a session, and its costs so far."""

    turn: Activity | None = None
    accepted: bool = False
    """Whether the turn's prompt has its answer, and its end is still to come, as in version 2."""
    tool_calls: dict[str, Activity] = field(default_factory=dict)
    cost: float | None = 0.0
    """None where the agent has not said what the session cost before."""


class Activities:
    """Follows a connection; `follow` returns the activities that an event ends.

    The agent chooses its name and those of its tools and methods: `mask` masks secrets in them. One
    that comes `late` doesn't know what sessions have cost before.
    """

    def __init__(self, mask: Callable[[str], str], *, late: bool = False) -> None:
        self._mask = mask
        self._late = late
        self.agent: dict[str, str] = {}
        """The agent's `name` and `version`, as far as it has said them."""
        self._requests: dict[int, Activity] = {}
        self._by_id: dict[Id, Activity] = {}
        self._terminals: dict[str, Activity] = {}
        self._sessions: dict[str, _Session] = {}

    def follow(self, event: Event) -> Iterator[Activity]:
        """Take the next event; yield what it ends."""
        match event:
            case Notified(direction=Direction.IN, method="session/update"):
                yield from self._update(event)
            case Requested():
                self._begin(event)
            case Responded():
                yield from self._responded(event)
            case TerminalExited():
                yield from self._terminal_exited(event)
            case TimedOut() | Abandoned() | NotSent():
                yield from self._given_up(event)
            case Ruled() | AccessAsked() | AccessAnswered() | FileWritten():
                self._note(event)
            case ProcessExited() | Disconnected():
                yield from self.close(event.at, event.words)

    def close(self, at: float, why: str) -> Iterator[Activity]:
        """End all open activities: the connection is over."""
        still = [*self._requests.values(), *self._terminals.values()]
        calls = [call for one in self._sessions.values() for call in one.tool_calls.values()]
        for one in sorted([*calls, *still], key=lambda one: -one.number):
            yield _end(one, at, why)
        self._requests.clear()
        self._by_id.clear()
        self._terminals.clear()
        self._sessions.clear()

    # Requests

    def _begin(self, event: Requested) -> None:
        params = object_of(event.raw)
        session_id = params.get("sessionId")
        session_id = session_id if isinstance(session_id, str) else None
        by_agent = event.direction is Direction.IN
        kind = _KINDS.get(event.method, Kind.REQUEST)
        name = self._mask(event.method)
        one = Activity(kind, name, event.at, event.number, by_agent, session_id)
        traceparent = object_of(params.get("_meta")).get("traceparent")
        one.traceparent = traceparent if isinstance(traceparent, str) else None
        self._requests[event.number] = one
        if not by_agent:
            self._by_id[event.id] = one
        if session_id is None:
            return
        session = self._session(session_id)
        if event.method in _OLD_SESSIONS:
            session.cost = None
        if session.turn is not None:
            one.turn = one.parent = session.turn
        if kind is Kind.TURN:
            session.turn = session.turn or one
            one.facts |= {"chunks": 0, "tool_calls": 0, "asked_seconds": 0.0}
        elif kind is Kind.PERMISSION:
            self._permission(one, params, session)
        elif kind is Kind.FILE:
            one.facts["path"] = text_of(params.get("path"))
            one.facts["operation"] = "write" if event.method.startswith("fs/write") else "read"
        elif kind is Kind.TERMINAL:
            one.facts["command"] = text_of(params.get("command"))

    def _permission(self, one: Activity, params: dict[str, Any], session: _Session) -> None:
        subject = object_of(params.get("subject"))
        call = object_of(params.get("toolCall") or subject.get("toolCall"))
        id = call.get("toolCallId")
        one.facts |= {
            "tool_call_id": text_of(id),
            "title": text_of(params.get("title") or call.get("title")),
            "tool_kind": text_of(call.get("kind")),
        }
        options = params.get("options")
        one.facts["options"] = {
            str(object_of(option).get("optionId")): text_of(object_of(option).get("kind"))
            for option in (options if isinstance(options, list) else ())
        }
        known = session.tool_calls.get(id) if isinstance(id, str) else None
        if known is not None:
            one.parent = known
            one.facts["title"] = one.facts["title"] or known.facts.get("title")
            one.facts["tool_kind"] = one.facts["tool_kind"] or known.facts.get("kind")

    def _responded(self, event: Responded) -> Iterator[Activity]:
        one = self._requests.get(event.request.number)
        if one is None:
            return
        result = object_of(event.raw)
        session = self._sessions.get(one.session_id or "")
        if not one.by_agent:
            self._by_id.pop(event.request.id, None)
        if session is not None and session.turn is one and "messageId" in result:
            session.accepted = True
            return
        del self._requests[event.request.number]
        if event.error is not None:
            one.facts["error_code"] = event.error.code
        error = None if event.error is None else event.error.message or str(event.error.code)
        error = error if error is not None else event.problem
        self._learn(one.name, result)
        if one.kind is Kind.TERMINAL and isinstance(result.get("terminalId"), str):
            self._terminals[result["terminalId"]] = one
            return
        if one.kind is Kind.PERMISSION:
            note_outcome(one, result)
        if one.kind in (Kind.PERMISSION, Kind.QUESTION) and session is not None and session.turn:
            session.turn.facts["asked_seconds"] += event.at - one.start
        if one.kind is Kind.TURN and session is not None and session.turn is one:
            yield from self._turn_ended(session, event.at)
            note_usage(one, result)
        yield _end(one, event.at, error)

    def _learn(self, method: str, result: dict[str, Any]) -> None:
        """Note what the agent is, and which sessions are new."""
        if method == "initialize":
            about = object_of(result.get("agentInfo") or result.get("info"))
            self.agent = {
                name: self._mask(told)
                for name in ("name", "version")
                if (told := text_of(about.get(name)))
            }
        elif method == "session/new" and isinstance(result.get("sessionId"), str):
            self._sessions.setdefault(result["sessionId"], _Session())

    def _turn_ended(self, session: _Session, at: float) -> Iterator[Activity]:
        session.turn, session.accepted = None, False
        calls, session.tool_calls = session.tool_calls, {}
        for call in calls.values():
            yield _end(call, at, "not finished when the turn ended")

    def _given_up(self, event: TimedOut | Abandoned | NotSent) -> Iterator[Activity]:
        one = self._by_id.pop(event.id, None)
        if one is None:
            return
        self._requests.pop(one.number, None)
        session = self._sessions.get(one.session_id or "")
        if session is not None and session.turn is one:
            yield from self._turn_ended(session, event.at)
        match event:
            case NotSent(why=why):
                yield _end(one, event.at, why)
            case TimedOut():
                yield _end(one, event.at, "no answer in time")
            case Abandoned():
                yield _end(one, event.at, "canceled, and not answered")

    def _terminal_exited(self, event: TerminalExited) -> Iterator[Activity]:
        one = self._terminals.pop(event.terminal_id, None)
        if one is not None:
            one.facts |= {"exit_code": event.exit_code, "signal": event.signal}
            failed = event.signal or (f"exit code {event.exit_code}" if event.exit_code else None)
            yield _end(one, event.at, failed)

    def _note(self, event: Ruled | AccessAsked | AccessAnswered | FileWritten) -> None:
        """Keep what the client decided about a request of the agent's."""
        one = self._requests.get(event.request)
        if one is None:
            return
        match event:
            case Ruled(answer=answer):
                one.facts["rule"] = answer
            case AccessAsked(at=at):
                one.facts["asked_at"] = at
            case AccessAnswered(at=at, answer=answer):
                one.facts["asked_seconds"] = at - one.facts.pop("asked_at", at)
                one.facts["decision"] = answer
            case FileWritten(created=created):
                one.facts["created"] = created

    # Updates

    def _update(self, event: Notified) -> Iterator[Activity]:
        params = object_of(event.raw)
        session_id, update = params.get("sessionId"), object_of(params.get("update"))
        if not isinstance(session_id, str):
            return
        session, kind = self._session(session_id), update.get("sessionUpdate")
        if session.turn is not None:
            if kind in _CHUNKS:
                session.turn.facts["chunks"] += 1
            if kind in _CHUNKS or kind in ("tool_call", "plan"):
                session.turn.facts.setdefault("first_update", event.at - session.turn.start)
        if kind in ("tool_call", "tool_call_update"):
            yield from self._tool_call(event, session_id, session, update)
        elif kind == "usage_update":
            _usage(session, update)
        elif kind == "state_update" and update.get("state") == "idle" and session.accepted:
            yield from self._idle(session, event.at, update)

    def _idle(self, session: _Session, at: float, update: dict[str, Any]) -> Iterator[Activity]:
        """End the turn whose prompt was only accepted before."""
        turn = session.turn
        assert turn is not None
        self._requests.pop(turn.number, None)
        yield from self._turn_ended(session, at)
        note_usage(turn, update)
        failed = object_of(update.get("error")).get("message")
        yield _end(turn, at, text_of(failed))

    def _tool_call(
        self, event: Notified, session_id: str, session: _Session, update: dict[str, Any]
    ) -> Iterator[Activity]:
        id = update.get("toolCallId")
        if not isinstance(id, str) or session.turn is None:
            return  # without a turn it is told again: a replay
        call = session.tool_calls.get(id)
        if call is None:
            turn = session.turn
            call = Activity(
                Kind.TOOL_CALL, "", event.at, event.number, True, session_id, turn, turn
            )
            call.facts["tool_call_id"] = id
            session.tool_calls[id] = call
            turn.facts["tool_calls"] += 1
        call.facts |= {name: told for name in _TOOL_FACTS if (told := text_of(update.get(name)))}
        call.name = self._mask(call.facts.get("name") or call.facts.get("kind") or "other")
        if call.facts.get("status") in FINISHED:
            del session.tool_calls[id]
            failed = call.facts["status"] == "failed"
            yield _end(call, event.at, "the agent says that it failed" if failed else None)

    def _session(self, session_id: str) -> _Session:
        if session_id not in self._sessions:
            self._sessions[session_id] = _Session(cost=None if self._late else 0.0)
        return self._sessions[session_id]


def _end(one: Activity, at: float, error: str | None = None) -> Activity:
    one.end = at
    one.error = error
    return one


def _usage(session: _Session, update: dict[str, Any]) -> None:
    """Note the usage of a session. Its cost grows from turn to turn; a turn costs what it adds."""
    cost = object_of(update.get("cost"))
    amount = cost.get("amount")
    turn = session.turn
    if turn is not None and is_count(update.get("used")):
        turn.facts["context_used"] = update["used"]
    if not isinstance(amount, int | float) or isinstance(amount, bool) or abs(amount) > _DEAREST:
        return
    before, session.cost = session.cost, float(amount)
    if turn is not None and before is not None:
        added = session.cost - before
        turn.facts["cost"] = turn.facts.get("cost", 0.0) + added
        turn.facts["currency"] = text_of(cost.get("currency"))
