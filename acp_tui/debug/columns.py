"""Formats the cells of the frame table, with short excerpts of content; nothing is sanitized yet."""

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

from acp_tui.debug.rows import LogRow
from acp_tui.debug.view import Group
from acp_tui.protocol import air, jsonrpc
from acp_tui.protocol.events import (
    Abandoned,
    AnswerGiven,
    ClientNotice,
    LimitReached,
    LineDamaged,
    NotSent,
    OwnFault,
    QuirkHelped,
    Record,
    TimedOut,
)
from acp_tui.protocol.file_events import (
    AccessAnswered,
    AccessAsked,
    BackupDropped,
    EditCompared,
    EditLooked,
    FilesChanged,
    FileWritten,
    TurnCompared,
    UnapprovedChange,
    UndoRefused,
    WriteUndone,
)
from acp_tui.protocol.findings import Finding, Severity, format_path
from acp_tui.protocol.frames import Frame, Origin
from acp_tui.protocol.gate_events import (
    BreakpointSet,
    FaultInjected,
    FaultSet,
    FrameDelayed,
    FrameHeld,
    FrameReleased,
)
from acp_tui.protocol.json_parts import list_at, object_at, text_at, value_at
from acp_tui.protocol.jsonrpc import Malformed
from acp_tui.protocol.process_events import (
    AgentLogLine,
    AgentLogOmitted,
    Connecting,
    Disconnected,
    LineUnfinished,
    Negotiating,
    OutputOmitted,
    OwnCommandRan,
    ProcessExited,
    ProcessFailed,
    ProcessStarted,
    RestartPlanned,
    RestartStopped,
    SourceChanged,
    StderrLine,
    StderrOmitted,
    TerminalExited,
    TerminalOutput,
    TransportFact,
)
from acp_tui.protocol.unstable import SDK_MESSAGE

LONGEST_EXCERPT = 400
"""Most characters of an excerpt."""
_DESCRIPTIVE = (
    "title",
    "text",
    "path",
    "command",
    "message",
    "stopReason",
    "methodId",
    "modeId",
    "uri",
)
_INNER = ("params", "update", "result", "error", "content", "toolCall", "outcome", "prompt")


def excerpt_record(record: Record) -> str:
    """Return the most descriptive words of a record; they are not sanitized yet."""
    words = _WORDS.get(type(record))
    return "" if words is None else words(record)[:LONGEST_EXCERPT]


def _format_delay(record: FrameDelayed) -> str:
    return "until it is acted on" if record.seconds is None else f"for {record.seconds:g} s"


def _format_switch(record: BreakpointSet | FaultSet) -> str:
    """Format whether a breakpoint or a fault was removed or switched off."""
    return ": removed" if record.removed else "" if record.on else ": off"


def _format_omitted(record: OutputOmitted | StderrOmitted | AgentLogOmitted) -> str:
    return f"{record.size:,} bytes are left out, SHA-256 {record.sha256}"


def _format_edit_look(record: EditLooked) -> str:
    found = record.remark or ("a diff of its input" if record.derived else f"line {record.line}")
    return f"{record.path}: {found}"


def _format_answer(record: AnswerGiven) -> str:
    who = f"by {record.by}" if record.by else f"on {record.screen}" if record.screen else ""
    line = dict(record.in_view).get("line", "")
    return ", ".join(filter(None, [f"#{record.request}", who, f"in view: {line}" if line else ""]))


def _excerpt_frame(frame: Frame) -> str:
    value = jsonrpc.decode(frame.raw)
    if isinstance(value, Malformed):
        return frame.raw[: 4 * LONGEST_EXCERPT].decode("utf-8", "replace")
    if isinstance(value, dict) and value.get("method") == SDK_MESSAGE:
        return _excerpt_sdk(object_at(value, "params", "message"))
    failure = air.read_failure(value_at(value, "result", "_meta"))
    return (
        failure.title
        if failure is not None
        else _descriptive_text(value, 6) or _excerpt_fields(value)
    )


def _excerpt_sdk(message: dict[str, Any]) -> str:
    """Excerpt a message of an agent's SDK: its text, tools, stream event's delta, or type."""
    content = value_at(message, "message", "content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return " ".join(filter(None, map(_excerpt_sdk_block, content)))
    event = object_at(message, "event")
    added = _join_fields(event.get("delta"), "text", "thinking", "partial_json")
    return (
        added or _join_fields(event, "type") or _join_fields(message, "result", "status", "model")
    )


def _excerpt_sdk_block(block: Any) -> str:
    words = _join_fields(block, "text", "thinking", "name", "content")
    return words or _join_fields(block, "type")


def _descriptive_text(value: Any, depth: int) -> str:
    """Return the first descriptive text, searching the fields where messages have it."""
    if isinstance(value, list):
        value = value[0] if value else None
    if not isinstance(value, dict) or not depth:
        return ""
    for name in _DESCRIPTIVE:
        if isinstance(value.get(name), str):
            return _format_command(value) if name == "command" else str(value[name])
    for name in _INNER:
        if found := _descriptive_text(value.get(name), depth - 1):
            return found
    return text_at(value, "content")


def _format_command(value: dict[str, Any]) -> str:
    """Format a command, with its arguments if they are in a separate field."""
    words = [value["command"], *list_at(value, "args")]
    return " ".join(one for one in words if isinstance(one, str))


def _excerpt_fields(value: Any) -> str:
    """Excerpt a message without text by the fields that name its subject."""
    inner = object_at(value, "params") or object_at(value, "result")
    update = object_at(inner, "update")
    return _excerpt_update(update) if update else _excerpt_call(inner)


def _excerpt_update(update: dict[str, Any]) -> str:
    """Excerpt an update of a plan, usage, commands, options, a tool call, or AIR's extensions."""
    match update:
        case {"entries": []}:
            return "plan cleared"
        case {"entries": list(entries)}:
            states = [_join_fields(one, "status") for one in entries]
            now = entries[states.index("in_progress")] if "in_progress" in states else None
            done = f"{states.count('completed')}/{len(entries)} done"
            return f"{done} {_join_fields(now, 'content')}".rstrip()
        case {"used": int(used), "size": int(size)}:
            return f"{used:,} of {size:,} tokens"
        case {"availableCommands": list(commands)}:
            return _join_field(commands, "name")
        case {"configOptions": list(options)}:
            return _join_field(options, "id")
        case {"rawOutput": str(output)}:
            return output
        case {"asyncTaskId": str(task)}:
            return _join_fields(update, "state", "name", "summary") or task
        case {"_meta": meta} if reported := air.air_meta(meta):
            goal, failure = air.read_goal(meta), air.read_failure(meta)
            names = " ".join(
                f"no {one}" if value is None else one
                for one, value in reported.items()
                if one != "version"
            )
            return goal.words if goal else failure.title if failure else names
    return _join_fields(update, "toolCallId", "currentModeId")


def _excerpt_call(fields: dict[str, Any]) -> str:
    """Excerpt a call or its result: the version and program, the outcome, or the subject."""
    match fields:
        case {"protocolVersion": int(version)}:
            program = fields.get("agentInfo") or fields.get("clientInfo")
            return f"version {version} {_join_fields(program, 'name')}".rstrip()
        case {"outcome": dict(outcome)}:
            return _join_fields(outcome, "outcome", "optionId")
        case {"exitCode": int(code)}:
            return f"exit code {code}"
        case {"output": str(output)}:
            return output
        case {"terminalId": str(terminal)}:
            return terminal
    about = _join_fields(fields.get("toolCall"), "toolCallId") or _excerpt_extension(fields)
    return about or _join_fields(fields, "sessionId", "signal", "cwd")


def _excerpt_extension(fields: dict[str, Any]) -> str:
    """Excerpt the params or the result of a method that JetBrains AIR or codex defines."""
    match fields:
        case {"action": str(action)}:
            return f"{action} {_join_fields(fields, 'objective')}".rstrip()
        case {"stopped": bool(yes)} | {"trusted": bool(yes)}:
            return "yes" if yes else "no"
        case {"hooks": list(hooks)}:
            return _join_field(hooks, "key")
        case {"sessionIds": list(ids)}:
            return " ".join(filter(None, map(str, ids)))
        case {"asyncTaskId": str(id)} | {"subscriptionId": str(id)}:
            return id
    return ""


def _join_field(values: list[Any], name: str) -> str:
    """Join the strings in one field of each object."""
    return " ".join(filter(None, (_join_fields(one, name) for one in values)))


def _join_fields(value: Any, *names: str) -> str:
    """Join the strings in the named fields of an object."""
    found = [value_at(value, name) for name in names]
    return " ".join(one for one in found if isinstance(one, str) and one)


_WORDS: Mapping[type, Callable[[Any], str]] = {
    Frame: _excerpt_frame,
    StderrLine: lambda record: record.text,
    AgentLogLine: lambda record: record.text,
    AgentLogOmitted: _format_omitted,
    TerminalOutput: lambda record: record.data[: 4 * LONGEST_EXCERPT].decode("utf-8", "replace"),
    OutputOmitted: _format_omitted,
    StderrOmitted: _format_omitted,
    ProcessStarted: lambda record: (
        f"{' '.join(record.argv)} (pid {record.pid}){f' in {record.place}' if record.place else ''}"
    ),
    ProcessFailed: lambda record: record.reason,
    LineDamaged: lambda record: record.reason,
    ProcessExited: lambda record: record.signal or f"exit code {record.code}",
    Connecting: lambda record: record.url,
    LineUnfinished: lambda record: record.text,
    TransportFact: lambda record: record.what,
    Disconnected: lambda record: record.why,
    RestartPlanned: lambda record: f"in {record.seconds:g} s, after {record.failures} failures",
    RestartStopped: lambda record: record.why,
    Negotiating: lambda record: f"version {record.version}, or else version 1",
    SourceChanged: lambda record: record.words,
    QuirkHelped: lambda record: record.why,
    TerminalExited: lambda record: (
        f"{record.terminal_id}: {record.signal or f'exit code {record.exit_code}'}"
    ),
    OwnCommandRan: lambda record: f"$ {record.command}",
    TimedOut: lambda record: f"no answer to id {record.id} within {record.seconds:g} s",
    Abandoned: lambda record: f"no answer to id {record.id}, which was canceled",
    NotSent: lambda record: f"id {record.id}: {record.why}",
    AccessAsked: lambda record: f"{record.operation} {record.path}",
    AccessAnswered: lambda record: record.answer,
    AnswerGiven: _format_answer,
    EditLooked: _format_edit_look,
    EditCompared: lambda record: f"{record.verdict}: {record.path}: {record.difference}",
    UnapprovedChange: lambda record: f"{record.deed} {record.path}: {record.reason}",
    TurnCompared: lambda record: f"files changed on disk: {record.changed}",
    FileWritten: lambda record: f"{'made' if record.created else 'wrote'} {record.path}",
    FilesChanged: lambda record: f"changed on disk: {', '.join(record.paths)}",
    WriteUndone: lambda record: f"undid the write of #{record.request}",
    UndoRefused: lambda record: f"did not undo the write of #{record.request}: {record.reason}",
    BackupDropped: lambda record: f"no backup left for the write of #{record.request}",
    BreakpointSet: lambda record: f"{record.filter}{_format_switch(record)}",
    FrameHeld: lambda record: f"#{record.frame} {record.name}, by {record.filter}",
    FrameDelayed: lambda record: f"#{record.frame} {_format_delay(record)}",
    FrameReleased: lambda record: f"#{record.frame} {record.done}",
    FaultSet: lambda record: f"{record.fault}{_format_switch(record)}",
    FaultInjected: lambda record: f"#{record.frame} {record.words}, by {record.fault}",
    OwnFault: lambda record: f"in {record.doing}: {record.error}",
    LimitReached: lambda record: record.why,
    ClientNotice: lambda record: f"{record.title}: {record.description or ''}",
}


ARROWS = {"out": "→", "in": "←", "": "·"}
ORIGINS = {Origin.HAND: "✎", Origin.BREAKPOINT: "●", Origin.FAULT: "↯"}
STOPPED = "‖"
MARKS = {Severity.ERROR: "E", Severity.WARNING: "W", Severity.INFO: "i"}
_LINES = (StderrLine, AgentLogLine)
_VERBS = ("is ", "must ", "uses ")
"""Beginnings of finding messages that form a sentence with the field's name before them."""
TOO_BIG = 200_000
"""Size in bytes from which a record isn't parsed just for an excerpt."""
MOST_COUNTED_ROWS = 999
"""Most rows with findings that are counted in a group each time it is drawn."""


def summarize_group(group: Group) -> str:
    """Name a group: a method, a response to one, a kind of update or an event, with a sign for its
    origin unless that is the client or agent itself.
    """
    row = group.first
    if row.by is None:
        return _name(group)
    sign = ORIGINS[row.by] + (STOPPED if row.mark.stopped else "")
    return f"{sign} {_name(group)}" + (f" for #{row.mark.of}" if row.mark.of else "")


def _name(group: Group) -> str:
    row = group.first
    name = row.kind or row.method
    if row.is_answer:
        name = f"response to {row.method}" if row.method else "response to nothing"
    elif row.direction and not name:
        name = "unreadable"
    elif row.kind and row.method and not row.direction:
        name = f"{row.kind} {row.method}"  # the method of the request that was given up
    if row.spread is not None:
        return f"{name} on {row.spread.lines} lines"
    return f"{name} x{len(group)}" if len(group) > 1 else name


def excerpt_group(group: Group) -> str:
    """Return the most descriptive words of a group; for a message in chunks, its beginning."""
    parts: list[str] = []
    if group.first.spread is not None and group.size < TOO_BIG:
        return excerpt_record(group.first.whole)
    for row in group:
        parts.append(excerpt_record(row.record) if row.size < TOO_BIG else "…")
        if sum(map(len, parts)) > LONGEST_EXCERPT:
            break
    apart = isinstance(group.first.record, _LINES) or group.first.method == SDK_MESSAGE
    return (" " if apart else "").join(parts)


def format_number(row: LogRow) -> str:
    """Format the number of a frame; empty for an event."""
    return str(row.number) if row.number else ""


def id_of(row: LogRow) -> str:
    """Format the id of a request or its response."""
    return "" if row.id is None else str(row.id)


def finding_counts(group: Group) -> dict[Severity, int]:
    """Count the findings of a group by severity, worst first, in at most `MOST_COUNTED_ROWS` rows."""
    counts = dict.fromkeys(MARKS, 0)
    for index in islice(group.among(group.log.findings.places), MOST_COUNTED_ROWS):
        for finding in group.log.findings.of(index):
            counts[finding.severity] += 1
    return {severity: count for severity, count in counts.items() if count}


def worst_finding(group: Group) -> Finding | None:
    """Find the first of a group's most severe findings, in at most `MOST_COUNTED_ROWS` rows."""
    places = islice(group.among(group.log.findings.places), MOST_COUNTED_ROWS)
    found = (finding for index in places for finding in group.log.findings.of(index))
    return min(found, key=lambda one: [*MARKS].index(one.severity), default=None)


def finding_words(finding: Finding) -> str:
    """Describe which field broke a rule, and how, without the field's path."""
    named = [at for at, step in enumerate(finding.path) if isinstance(step, str)]
    field = format_path(finding.path[named[-1] :]) if named else ""
    if not field or finding.message.startswith(field):
        return finding.message
    return f"{field}{'' if finding.message.startswith(_VERBS) else ':'} {finding.message}"


def finding_marks(group: Group) -> str:
    """Format the number of findings in a group by severity: `E1 W2`."""
    return " ".join(
        f"{MARKS[one]}{count if count < MOST_COUNTED_ROWS else f'{MOST_COUNTED_ROWS}+'}"
        for one, count in finding_counts(group).items()
    )
