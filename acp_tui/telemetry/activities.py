"""Times the activities of a connection (turns, tool calls, requests), live or in a recording."""

import shlex
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from acp_tui.log_files import OpenedLog, open_log
from acp_tui.masking.redactor import Redactor
from acp_tui.protocol.events import Abandoned, Event, NotSent, Ruled, TimedOut
from acp_tui.protocol.file_events import AccessAnswered, AccessAsked, FileWritten
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import number_at, object_at, objects_at, text_or_none_at, value_at
from acp_tui.protocol.jsonrpc import Id
from acp_tui.protocol.kinds import REOPENING_METHODS, TOOL_CALL_UPDATES
from acp_tui.protocol.process_events import Disconnected, ProcessExited, TerminalExited
from acp_tui.protocol.trace_context import TraceParent, read_traceparent
from acp_tui.protocol.wire_events import Notified, Requested, Responded
from acp_tui.recordings.recording import read_events
from acp_tui.state.waiting import WaitingTime
from acp_tui.telemetry.session_activities import (
    Activity,
    ActivityKind,
    SessionActivities,
    failure_in_meta,
    note_usage,
)


def note_outcome(one: Activity, result: dict[str, Any]) -> None:
    """Record the kind of the option that was chosen, as ids are each agent's own."""
    outcome, kinds = object_at(result, "outcome"), one.facts.pop("options", {})
    chosen = outcome.get("optionId")
    if outcome.get("outcome") == "selected" and isinstance(chosen, str):
        one.facts["outcome"] = kinds.get(chosen) or "selected"
    else:
        one.facts["outcome"] = text_or_none_at(outcome, "outcome") or "error"


_KINDS = {
    "session/prompt": ActivityKind.TURN,
    "session/request_permission": ActivityKind.PERMISSION,
    "elicitation/create": ActivityKind.QUESTION,
    "fs/read_text_file": ActivityKind.FILE,
    "fs/write_text_file": ActivityKind.FILE,
    "terminal/create": ActivityKind.TERMINAL,
}


class Activities:
    """Follows a connection; `follow` yields the activities that an event ends.

    `mask` masks secrets in names of the agent, its tools and methods, which the agent chooses. If
    it begins `late`, it doesn't know the earlier cost of sessions.
    """

    def __init__(self, mask: Callable[[str], str], *, late: bool = False) -> None:
        self._mask = mask
        self._late = late
        self.agent: dict[str, str] = {}
        """The agent's `name` and `version`, if it has reported them."""
        self._requests: dict[int, Activity] = {}
        self._by_id: dict[Id, Activity] = {}
        self._terminals: dict[str, Activity] = {}
        self._waiting: dict[int, WaitingTime] = {}
        """The waiting time of the turn that each open question belongs to, by the request's frame."""
        self._sessions: dict[str, SessionActivities] = {}
        self._parents: dict[str, str] = {}
        """The session that announced each subagent, by the subagent's session."""
        self._titles: dict[str, str] = {}

    def follow(self, event: Event) -> Iterator[Activity]:
        """Apply the next event; yield the activities that it ends."""
        match event:
            case Notified(direction=Direction.IN, method="session/update"):
                yield from self._follow_update(event)
            case Requested():
                self._begin_request(event)
            case Responded():
                yield from self._end_request(event)
            case TerminalExited():
                yield from self._end_terminal(event)
            case TimedOut() | Abandoned() | NotSent():
                yield from self._end_abandoned(event)
            case Ruled() | AccessAsked() | AccessAnswered() | FileWritten():
                self._note_decision(event)
            case ProcessExited() | Disconnected():
                yield from self.close(event.at, event.words)

    def close(self, at: float, why: str) -> Iterator[Activity]:
        """End all open activities: the connection is over."""
        for session in self._sessions.values():
            session.note_waiting(at)
        still = [*self._requests.values(), *self._terminals.values()]
        calls = [call for one in self._sessions.values() for call in one.tool_calls.values()]
        works = [one.work for one in self._sessions.values() if one.work is not None]
        for one in sorted([*calls, *works, *still], key=lambda one: -one.number):
            yield one.ended(at, why)
        self._requests.clear()
        self._by_id.clear()
        self._terminals.clear()
        self._waiting.clear()
        self._sessions.clear()
        self._parents.clear()
        self._titles.clear()

    # Requests

    def _begin_request(self, event: Requested) -> None:
        params = object_at(event.raw)
        session_id = text_or_none_at(params, "sessionId")
        by_agent = event.direction is Direction.IN
        kind = _KINDS.get(event.method, ActivityKind.REQUEST)
        name = self._mask(event.method)
        one = Activity(kind, name, event.at, event.number, by_agent, session_id)
        one.traceparent = text_or_none_at(params, "_meta", "traceparent")
        self._requests[event.number] = one
        if not by_agent:
            self._by_id[event.id] = one
        if session_id is None:
            return
        session = self._session(session_id)
        if event.method in REOPENING_METHODS:
            session.cost = None
        if session.whole is not None:
            one.turn, one.parent = session.turn or session.whole.turn, session.whole
        if kind is ActivityKind.TURN:
            session.begin_turn(one)
        elif kind in (ActivityKind.PERMISSION, ActivityKind.QUESTION):
            self._start_waiting(one, event.at)
            if kind is ActivityKind.PERMISSION:
                self._begin_permission(one, params, session)
        elif kind is ActivityKind.FILE:
            one.facts["path"] = text_or_none_at(params, "path")
            one.facts["operation"] = "write" if event.method.startswith("fs/write") else "read"
        elif kind is ActivityKind.TERMINAL:
            one.facts["command"] = text_or_none_at(params, "command")

    def _begin_permission(
        self, one: Activity, params: dict[str, Any], session: SessionActivities
    ) -> None:
        subject = object_at(params, "subject")
        call = object_at(params.get("toolCall") or subject.get("toolCall"))
        id = call.get("toolCallId")
        one.facts |= {
            "tool_call_id": text_or_none_at(id),
            "title": text_or_none_at(params.get("title") or call.get("title")),
            "tool_kind": text_or_none_at(call, "kind"),
        }
        one.facts["options"] = {
            str(option.get("optionId")): text_or_none_at(option, "kind")
            for option in objects_at(params, "options")
        }
        known = session.tool_calls.get(id) if isinstance(id, str) else None
        if known is not None:
            one.parent = known
            one.facts["title"] = one.facts["title"] or known.facts.get("title")
            one.facts["tool_kind"] = one.facts["tool_kind"] or known.facts.get("kind")

    def _start_waiting(self, one: Activity, at: float) -> None:
        """Start the clock of the turn's wait for the person, who was asked about a request."""
        session = self._sessions.get(one.session_id or "")
        if session is not None and session.turn is not None:
            session.waiting.add_question(at)
            self._waiting[one.number] = session.waiting

    def _stop_waiting(self, one: Activity, at: float) -> None:
        """Stop the clock of the turn's wait if the person was asked about this request."""
        waiting = self._waiting.pop(one.number, None)
        if waiting is not None:
            waiting.remove_question(at)

    def _end_request(self, event: Responded) -> Iterator[Activity]:
        one = self._requests.get(event.request.number)
        if one is None:
            return
        result = object_at(event.raw)
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
        self._note_result(one.name, result)
        if one.kind is ActivityKind.TERMINAL and isinstance(result.get("terminalId"), str):
            self._terminals[result["terminalId"]] = one
            return
        if one.kind is ActivityKind.PERMISSION:
            note_outcome(one, result)
        self._stop_waiting(one, event.at)
        if one.kind is ActivityKind.TURN and session is not None and session.turn is one:
            yield from session.end_turn(event.at)
            note_usage(one, result)
            error = error or failure_in_meta(result)
        yield one.ended(event.at, error)

    def _note_result(self, method: str, result: dict[str, Any]) -> None:
        """Record the agent's name and version, or a new session."""
        if method == "initialize":
            about = object_at(result.get("agentInfo") or result.get("info"))
            self.agent = {
                name: self._mask(value)
                for name in ("name", "version")
                if (value := text_or_none_at(about, name))
            }
        elif method == "session/new" and isinstance(result.get("sessionId"), str):
            self._session(result["sessionId"], is_new=True)

    def _end_abandoned(self, event: TimedOut | Abandoned | NotSent) -> Iterator[Activity]:
        one = self._by_id.pop(event.id, None)
        if one is None:
            return
        self._requests.pop(one.number, None)
        session = self._sessions.get(one.session_id or "")
        if session is not None and session.turn is one:
            yield from session.end_turn(event.at)
        match event:
            case NotSent(why=why):
                yield one.ended(event.at, why)
            case TimedOut():
                yield one.ended(event.at, "no answer in time")
            case Abandoned():
                yield one.ended(event.at, "canceled, and not answered")

    def _end_terminal(self, event: TerminalExited) -> Iterator[Activity]:
        one = self._terminals.pop(event.terminal_id, None)
        if one is not None:
            one.facts |= {"exit_code": event.exit_code, "signal": event.signal}
            failed = event.signal or (f"exit code {event.exit_code}" if event.exit_code else None)
            yield one.ended(event.at, failed)

    def _note_decision(self, event: Ruled | AccessAsked | AccessAnswered | FileWritten) -> None:
        """Record the client's decision about a request of the agent."""
        one = self._requests.get(event.request)
        if one is None:
            return
        match event:
            case Ruled(answer=answer):
                one.facts["rule"] = answer
            case AccessAsked(at=at):
                one.facts["asked_at"] = at
                self._start_waiting(one, at)
            case AccessAnswered(at=at, answer=answer):
                one.facts["asked_seconds"] = at - one.facts.pop("asked_at", at)
                one.facts["decision"] = answer
                self._stop_waiting(one, at)
            case FileWritten(created=created):
                one.facts["created"] = created

    # Updates

    def _follow_update(self, event: Notified) -> Iterator[Activity]:
        params = object_at(event.raw)
        session_id, update = params.get("sessionId"), object_at(params, "update")
        if not isinstance(session_id, str):
            return
        session = self._session(session_id)
        yield from session.update(event, update)
        if update.get("sessionUpdate") == "subagent_update":
            yield from self._follow_subagent(event, session, update)
        elif update.get("sessionUpdate") == "state_update" and session_id in self._parents:
            yield from self._report_state(event, session_id, update)
        elif update.get("sessionUpdate") in TOOL_CALL_UPDATES:
            self._link_subagents(session)
        idle = update.get("sessionUpdate") == "state_update" and update.get("state") == "idle"
        if idle and session.accepted:
            yield from self._end_idle_turn(session, event.at, update)

    def _follow_subagent(
        self, event: Notified, parent: SessionActivities, update: dict[str, Any]
    ) -> Iterator[Activity]:
        """Begin, name or end the work of a subagent; outside of a turn, the update is a replay."""
        id, whole = update.get("sessionId"), parent.whole
        if not isinstance(id, str) or id == parent.session_id:
            return
        if id not in self._parents:
            if self._session(id).turn is not None:
                return
            self._parents[id] = parent.session_id
            self._titles[id] = self._mask(text_or_none_at(update, "title") or "subagent")
            if "state" not in update:
                self._begin_work(event, id, whole)
        if title := text_or_none_at(update, "title"):
            self._titles[id] = self._mask(title)
        work = self._session(id).work
        if work is not None:
            work.name = self._titles[id]
        if "state" in update:
            yield from self._report_state(event, id, object_at(update["state"]))

    def _begin_work(self, event: Notified, id: str, whole: Activity | None) -> None:
        if whole is None:
            return
        parent, turn = self._sessions[self._parents[id]], whole.turn or whole
        name, above = self._titles[id], parent.links.get(id, whole)
        work = Activity(
            kind=ActivityKind.SUBAGENT,
            name=name,
            start=event.at,
            number=event.number,
            by_agent=True,
            session_id=id,
            turn=turn,
            parent=above,
        )
        work.facts |= {"tool_calls": 0, "parent_session": parent.session_id}
        self._session(id).work = work

    def _report_state(self, event: Notified, id: str, state: dict[str, Any]) -> Iterator[Activity]:
        """End the work of a subagent that is idle, or begin new work of one that isn't."""
        session = self._session(id)
        if state.get("state") != "idle":
            if session.work is None:
                self._begin_work(event, id, self._session(self._parents[id]).whole)
        elif session.work is not None:
            note_usage(session.work, state)
            failed = text_or_none_at(state, "error", "message")
            yield from session.end_work(event.at, failed)

    def _link_subagents(self, parent: SessionActivities) -> None:
        """Make the tool calls that link to subagents the parents of their work."""
        for id, call in parent.links.items():
            work = self._sessions[id].work if id in self._sessions else None
            if work is not None and self._parents.get(id) == parent.session_id:
                work.parent = call

    def _end_idle_turn(
        self, session: SessionActivities, at: float, update: dict[str, Any]
    ) -> Iterator[Activity]:
        """End a turn whose response only accepted the prompt, as in version 2."""
        turn = session.turn
        assert turn is not None
        self._requests.pop(turn.number, None)
        yield from session.end_turn(at)
        note_usage(turn, update)
        error = text_or_none_at(update, "error", "message")
        yield turn.ended(at, error or failure_in_meta(update))

    def _session(self, session_id: str, *, is_new: bool = False) -> SessionActivities:
        if session_id not in self._sessions:
            cost = None if self._late and not is_new else 0.0
            self._sessions[session_id] = SessionActivities(session_id, self._mask, cost)
        return self._sessions[session_id]


class RecordedRun:
    """One recording. `activities` reads it; `agent` and `exit` are set after that.

    Raises OSError and RecordingError.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.opened: OpenedLog = open_log(path)
        self.redactor = Redactor()
        self._activities = Activities(self.mask)
        self.exit: ProcessExited | None = None
        records, facts = self.opened.records, self.opened.facts
        self.start = records[0].at if len(records) else 0.0
        self.end = records[len(records) - 1].at if len(records) else 0.0
        started, clock = number_at(facts, "started"), number_at(facts, "monotonic")
        if started is None or clock is None:  # another program's log
            modified = path.stat().st_mtime if path.exists() else 0.0
            self.epoch, self.seed = modified - self.end, f"{path.name} {self.start} {self.end}"
        else:
            self.epoch, self.seed = started - clock, f"{started} {clock} {facts.get('argv')}"
        self.id = sha256(self.seed.encode("utf-8", "replace")).hexdigest()[:16]
        """An id that stays the same when the file is moved."""
        self.traced = isinstance(facts.get("trace"), dict)
        """Whether each request to the agent had a `traceparent` of its own."""
        parent = value_at(facts, "trace", "parent")
        self.traced_parent: TraceParent | None = read_traceparent(str(parent))

    @property
    def agent(self) -> dict[str, str]:
        """The agent's `name` and `version`."""
        return self._activities.agent

    @property
    def command(self) -> str:
        """The agent's command line, without its secrets."""
        argv = self.opened.facts.get("argv")
        if not isinstance(argv, list):
            return ""
        return shlex.join(self.redactor.argv([str(one) for one in argv]))

    def mask(self, text: str) -> str:
        """Mask the secrets in a text."""
        return self.redactor.text(text, "export")

    def activities(self) -> Iterator[Activity]:
        """Read the recording; yield each activity when it ends."""
        for event in read_events(self.opened.records):
            if isinstance(event, ProcessExited):
                self.exit = event
            yield from self._activities.follow(event)
        yield from self._activities.close(self.end, "not finished when the recording ended")

    def close(self) -> None:
        """Close the file."""
        if self.opened.growing is not None:
            self.opened.growing.close()
