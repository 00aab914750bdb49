"""JSON output of a turn: its events and summary as objects, in ACP's own terms."""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from acp_tui.headless.outcome import RunFindings
from acp_tui.headless.printer import ALLOWS_ALL, Output, PrintLine, line_for_people
from acp_tui.host.session_names import subagent_name
from acp_tui.protocol.events import (
    ClientNotice,
    Event,
    LimitReached,
    NotSent,
    OwnFault,
    QuirkHelped,
    Ruled,
    RulesChanged,
)
from acp_tui.protocol.file_events import (
    AccessAsked,
    EditCompared,
    EditLooked,
    FilesChanged,
    FileWritten,
)
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.gate_events import FaultInjected
from acp_tui.protocol.jsonrpc import Error
from acp_tui.protocol.process_events import (
    Connecting,
    Disconnected,
    ProcessStarted,
    Stalled,
    StderrLine,
    StderrOmitted,
    TerminalExited,
    TransportFact,
)
from acp_tui.protocol.wire_events import Notified, Requested, Responded, Stray, Unreadable
from acp_tui.state.changes import Change, EntryAdded
from acp_tui.state.entries import NoticeEntry
from acp_tui.state.state import State
from acp_tui.state.subject import format_subject
from acp_tui.text import judged_text

_CONSTANTS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|(?P<constant>-?(?:NaN|Infinity))')
"""Words that Python writes for numbers that JSON doesn't have; and strings, which may contain these
words.
"""
_FIELDS: Mapping[type[Event], str] = {
    StderrLine: "stderr: text",
    StderrOmitted: "stderr_omitted: size sha256",
    Stalled: "stalled: waiting",
    OwnFault: "fault: doing error traceback",
    LimitReached: "limit: sessionId=session_id why",
    ClientNotice: "notice: severity title description",
    Connecting: "connecting: url cwd",
    TransportFact: "transport: what",
    NotSent: "not_sent: id why",
    Disconnected: "disconnected: why refused",
    FaultInjected: "injected: fault frame direction what=words",
    QuirkHelped: "workaround: name=remedy why",
    AccessAsked: "access: operation path outside changed",
    FilesChanged: "changed: paths",
    FileWritten: "written: path created changed remark",
    EditCompared: "compared: path verdict words",
    EditLooked: "edit: path remark warns",
}
"""The client's own events: the name and the fields of each one's JSON object. `what=words` is the
attribute `words`, written as `what`.
"""


class JsonReport:
    """Prints one JSON object a line, in ACP's own terms; the last is the summary."""

    def __init__(self) -> None:
        self.output = Output()
        self._over = False
        self._unread = UnreadableLines()

    def event(self, state: State, event: Event, changes: list[Change]) -> None:
        """Print the object of an event about the turn; print nothing once the turn is over."""
        if self._over:
            return
        for line in self._unread.follow_event(event):
            self._print_object(_line_object(line))
        if isinstance(event, RulesChanged) and state.allows_all:
            self.notify(f"acp-tui: {ALLOWS_ALL}")
        elif (fields := event_object(state, event)) is not None:
            self._print_object(fields)
        for id, notice in modes_announced(state, changes):
            facts = {"sessionId": id, "mode": notice.mode, "words": notice.title}
            self._print_object(_with_subagent(state, id, {"event": "no_approval", **facts}))

    def asking(self) -> AbstractContextManager[PrintLine]:
        """Ask the user: the yielded function prints to stderr, so that stdout stays JSON."""
        return nullcontext(lambda words: self.notify(judged_text(words)))

    def notify(self, words: str) -> None:
        """Print a message for the user on stderr."""
        self.output.write(sys.stderr, line_for_people(words))

    def findings(self, found: RunFindings) -> None:
        """Print an object for each finding."""
        for one in found.objects:
            self._print_object({"event": "finding", **one})

    def summary(self, facts: dict[str, Any]) -> None:
        """Print the summary, as the last line."""
        for line in self._unread.rest():
            self._print_object(_line_object(line))
        self._over = True
        self._print_object({"event": "summary", **facts})

    def _print_object(self, fields: dict[str, Any]) -> None:
        self.output.write(sys.stdout, _format_line(fields) + "\n")


class UnreadableLines:
    """Holds back lines that aren't messages until the next line shows whether it continues them."""

    def __init__(self) -> None:
        self._held: list[Unreadable] = []

    def follow_event(self, event: Event) -> list[Unreadable]:
        """Follow the next event; return the lines that can be reported now."""
        if not isinstance(event, Unreadable | Notified | Requested | Responded | Stray):
            return []
        if event.direction is Direction.OUT:
            return []
        if not isinstance(event, Unreadable):
            return self.rest()
        if event.value is not None:
            self._held.clear()
            return [event]
        if not event.lines:
            return [*self.rest(), event]
        lines = self.rest() if event.lines == 1 else []
        self._held.append(event)
        return lines

    def rest(self) -> list[Unreadable]:
        """Return the held lines, as nothing continues them."""
        held, self._held = self._held, []
        return held


def modes_announced(state: State, changes: Iterable[Change]) -> Iterator[tuple[str, NoticeEntry]]:
    """Yield the new notices about a mode or an option that skips approval, each with its session's
    id.
    """
    for change in changes:
        if isinstance(change, EntryAdded):
            entry = state.session(change.session_id).entries[change.index]
            if isinstance(entry, NoticeEntry) and entry.mode is not None:
                yield change.session_id, entry


def event_object(state: State, event: Event) -> dict[str, Any] | None:
    """Return the JSON object for an event; None if the event isn't about the turn.

    For an event of a subagent, it includes the subagent's name.
    """
    found = _without_subagent(state, event)
    return None if found is None else _with_subagent(state, _session_of(state, event), found)


def _with_subagent(state: State, session_id: str, found: dict[str, Any]) -> dict[str, Any]:
    """Add the name of the subagent, if the session is a subagent's."""
    name = subagent_name(state, session_id)
    return {**found, "subagent": name} if name else found


def _session_of(state: State, event: Event) -> str:
    """Return the id of the session that an event belongs to, or ""."""
    match event:
        case Notified(raw={"sessionId": str(session_id)}):
            return session_id
        case Requested(raw={"sessionId": str(session_id)}):
            return session_id
        case Responded(request=Requested(raw={"sessionId": str(session_id)})):
            return session_id
        case TerminalExited(terminal_id=terminal_id) if terminal_id in state.terminals:
            return state.terminals[terminal_id].session_id
        case Ruled() | AccessAsked() | FileWritten() | EditLooked() | EditCompared():
            return event.session_id
    return ""


def _without_subagent(state: State, event: Event) -> dict[str, Any] | None:
    match event:
        case Notified() | Requested() | Responded() | Stray():
            return _wire_object(event)
        case TerminalExited(terminal_id=terminal_id) if terminal_id in state.terminals:
            terminal = state.terminals[terminal_id]
            how = {"exitCode": event.exit_code, "signal": event.signal}
            return {"event": "ran", "command": terminal.command, "args": terminal.args, **how}
        case Ruled():
            decision = {"answer": event.answer, "by": event.by}
            return {"event": "ruling", "about": ruled_on(state, event), **decision}
    return _local_object(event)


def ruled_on(state: State, event: Ruled) -> str:
    """Describe what a rule decided about."""
    permission = state.permission(event.request)
    return event.about or (format_subject(state, permission) if permission is not None else "")


def _wire_object(event: Notified | Requested | Responded | Stray) -> dict[str, Any] | None:
    match event:
        case Notified(direction=Direction.IN, method="session/update"):
            problem = {} if event.problem is None else {"problem": event.problem}
            return _merge({"event": "update", **problem}, event.raw, "params")
        case Notified(direction=Direction.IN):
            call = {"method": event.method, "params": event.raw}
            return {"event": "notification", **call}
        case Requested(direction=Direction.IN):
            call = {"id": event.id, "method": event.method, "params": event.raw}
            return {"event": "request", **call}
        case Responded(direction=Direction.OUT, request=request):
            about = {"id": request.id, "method": request.method}
            return {"event": "answer", **about, **_outcome(event.raw, event.error)}
        case Responded(error=None, problem=problem, request=request):
            wrong = {} if problem is None else {"problem": problem}
            return _merge({"event": request.method, **wrong}, event.raw, "result")
        case Responded(request=request):
            return {"event": request.method, **_outcome(event.raw, event.error)}
        case Stray(direction=Direction.IN):
            by = {} if event.by is None else {"by": event.by}
            return {"event": "stray", "id": event.id, **_outcome(event.raw, event.error), **by}
    return None


def _local_object(event: Event) -> dict[str, Any] | None:
    match event:
        case ProcessStarted(place=place) if place:
            folders = [{"here": here, "there": there} for here, there in event.folders]
            where = {"place": place, "served": event.served, "cwd": event.cwd}
            return {"event": "place", **where, "elsewhere": event.elsewhere, "folders": folders}
        case Disconnected(asked=True) | EditLooked(remark=""):
            return None
    name, _, fields = _FIELDS.get(type(event), "").partition(": ")
    named = (field.partition("=") for field in fields.split())
    facts = {shown: getattr(event, own or shown) for shown, _, own in named}
    return {"event": name, **facts} if name else None


def _line_object(event: Unreadable) -> dict[str, Any]:
    """Return the object for a line that isn't a message, or for several lines that form one JSON
    object.
    """
    fields = {"event": "problem", "reason": event.reason, "excerpt": event.excerpt}
    if event.by is not None:
        fields["by"] = event.by
    return fields if event.value is None else {**fields, "lines": event.lines, "value": event.value}


def _merge(own: Mapping[str, Any], body: Any, name: str) -> dict[str, Any]:
    """Merge an object from the agent into our own fields.

    If a name is in both, or `body` isn't an object, all of `body` goes under `name`, too.
    """
    if not isinstance(body, dict):
        return {**own, name: body}
    rest = {key: value for key, value in body.items() if key not in own}
    return {**own, **rest} if len(rest) == len(body) else {**own, **rest, name: body}


def _outcome(result: Any, error: Error | None) -> dict[str, Any]:
    if error is None:
        return {"result": result}
    data = {} if error.data is None else {"data": error.data}
    return {"error": {"code": error.code, "message": error.message, **data}}


def _format_line(fields: dict[str, Any]) -> str:
    """Format an object as JSON that every parser accepts: NaN and Infinity become strings."""
    text = json.dumps(fields)
    if "NaN" not in text and "Infinity" not in text:
        return text
    return _CONSTANTS.sub(
        lambda found: f'"{found["constant"]}"' if found["constant"] else found[0], text
    )
