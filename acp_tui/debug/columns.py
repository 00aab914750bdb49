"""Formats the cells of a table of frames; their text isn't sanitized yet."""

from itertools import islice

from acp_tui.debug.excerpts import LONGEST_EXCERPT, excerpt
from acp_tui.debug.rows import LogRow
from acp_tui.debug.view import Group
from acp_tui.protocol.events import AgentLogLine, StderrLine
from acp_tui.protocol.extensions import SDK_MESSAGE
from acp_tui.protocol.findings import Finding, Severity, format_path
from acp_tui.protocol.frames import Origin

ARROWS = {"out": "→", "in": "←", "": "·"}
ORIGINS = {Origin.HAND: "✎", Origin.BREAKPOINT: "●", Origin.FAULT: "↯"}
STOPPED = "‖"
MARKS = {Severity.ERROR: "E", Severity.WARNING: "W", Severity.INFO: "i"}
_LINES = (StderrLine, AgentLogLine)
_VERBS = ("is ", "must ", "uses ")
"""How the message of a finding begins that is a sentence with the name of its field before it."""
TOO_BIG = 200_000
"""Bytes of a record that is not parsed only to show some words of it."""
MOST_COUNTED_ROWS = 999
"""Rows of a group of which the findings are counted, each time it is drawn."""


def summary(group: Group) -> str:
    """Name a group: a method, a response to one, a kind of update or an event, with a sign for its
    origin unless that is the client or the agent itself.
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
        name = f"{row.kind} {row.method}"  # what was not answered
    if row.spread is not None:
        return f"{name} on {row.spread.lines} lines"
    return f"{name} x{len(group)}" if len(group) > 1 else name


def detail(group: Group) -> str:
    """Excerpt the most telling words of a group; of a message its beginning."""
    parts: list[str] = []
    if group.first.spread is not None and group.size < TOO_BIG:
        return excerpt(group.first.whole)
    for row in group:
        parts.append(excerpt(row.record) if row.size < TOO_BIG else "…")
        if sum(map(len, parts)) > LONGEST_EXCERPT:
            break
    apart = isinstance(group.first.record, _LINES) or group.first.method == SDK_MESSAGE
    return (" " if apart else "").join(parts)


def number(row: LogRow) -> str:
    """Format the number of a frame; empty for an event."""
    return str(row.number) if row.number else ""


def id_of(row: LogRow) -> str:
    """Format the id of a request or its response."""
    return "" if row.id is None else str(row.id)


def finding_counts(group: Group) -> dict[Severity, int]:
    """Count the findings of a group by severity, worst first, in at most `MOST` rows."""
    counts = dict.fromkeys(MARKS, 0)
    for index in islice(group.among(group.log.findings.places), MOST_COUNTED_ROWS):
        for finding in group.log.findings.of(index):
            counts[finding.severity] += 1
    return {severity: count for severity, count in counts.items() if count}


def worst_finding(group: Group) -> Finding | None:
    """Find the first of the gravest findings of a group, in at most `MOST` rows."""
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
    """Format the findings of a group: `E1 W2`."""
    return " ".join(
        f"{MARKS[one]}{count if count < MOST_COUNTED_ROWS else f'{MOST_COUNTED_ROWS}+'}"
        for one, count in finding_counts(group).items()
    )
