"""The vocabulary of filters: fields, units and values, and hints for the syntax of other tools."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from typing import get_args

from acp_tui.debug.exchanges import Status
from acp_tui.protocol import updates
from acp_tui.protocol.events import LocalEvent
from acp_tui.protocol.findings import Severity, protocol_rules
from acp_tui.protocol.frames import Origin
from acp_tui.protocol.methods import AGENT_METHODS, CLIENT_METHODS
from acp_tui.recordings.recording import event_name

DIRECTIONS = ("in", "out", "local")
ORIGINS = tuple(origin.value for origin in Origin)
STATUSES = tuple(status.value for status in Status if status.value)
_FOREIGN = (
    (re.compile(r"(?:==|!=|=~|!~|[=<>:])"), "write field:value or size>1k, without spaces"),
    (re.compile(r"\|\|?(?=[\s()]|$)|OR(?=[\s()]|$)"), "write: or"),
    (re.compile(r"&&?(?=[\s()]|$)|AND(?=[\s()]|$)"), "write: and"),
    (re.compile(r"!|NOT(?=[\s()]|$)|-(?=[A-Za-z]\w*:)"), "write: not"),
    (re.compile(r"~[A-Za-z]*"), "write a field and a value, such as method:session/*"),
    (re.compile(r"\.(?=[A-Za-z])"), "write the path of a field from params, result or error on"),
)
"""Beginnings of terms in the filters of other tools."""
_SIGNS = re.compile(r"==|!=|=~|!~|~")


@cache
def list_kinds() -> frozenset[str]:
    """List the kinds of session/update, and the names of local events."""
    return frozenset((*updates.KINDS, *map(event_name, get_args(LocalEvent))))


@cache
def list_findings() -> tuple[str, ...]:
    """List the severities, and the ids of all rules."""
    return (*(severity.value for severity in Severity), *(rule.id for rule in protocol_rules()))


def value_problem(field: str, value: str, *, quoted: bool) -> str | None:
    """Explain why no record can have a value in a field; None if one can.

    Agents may have methods of their own, so of methods only likely typos are reported. Their own
    kinds begin with "_". A quoted method, kind or finding is never reported.
    """
    match field:
        case "dir":
            return _unknown(field, value, DIRECTIONS)
        case "status":
            return _unknown(field, value, STATUSES)
        case "by":
            return _unknown(field, value, ORIGINS)
        case "finding" if not quoted and value not in list_findings():
            near = get_close_matches(value, list_findings(), 1)
            meant = f"did you mean {near[0]}?" if near else "docs/findings.md lists the rules' ids"
            return f"finding is error, warning, info or a rule's id, not {value!r}; {meant}"
        case "kind" if not quoted and value not in list_kinds():
            if value in STATUSES:
                return f"that is a status: write status:{value}"
            return _slip(value, list_kinds()) or _own_kind(value)
        case "method" if not quoted and not value.startswith("_"):
            known = AGENT_METHODS.keys() | CLIENT_METHODS.keys()
            return _slip(value, known) if value not in known else None
    return None


def _unknown(field: str, value: str, known: Iterable[str]) -> str | None:
    if value in known:
        return None
    near = get_close_matches(value, known, 1)
    if near:
        return f"{field} has no value {value!r}; did you mean {near[0]}?"
    return f"{field} has no value {value!r}; there are: {', '.join(known)}"


def _own_kind(value: str) -> str | None:
    if value.startswith("_"):
        return None
    return f"no update and no event is of the kind {value}; in quotes it is looked for as it is"


def _slip(value: str, known: Iterable[str]) -> str | None:
    near = get_close_matches(value, known, 1, 0.8)
    if not near:
        return None
    return f"did you mean {near[0]}? In quotes it is looked for as it is"


def recognize_foreign_syntax(text: str, at: int) -> tuple[str, int] | None:
    """Recognize another tool's syntax at a position; return a hint, and where it ends."""
    for pattern, words in _FOREIGN:
        found = pattern.match(text, at)
        if found is not None:
            return f"{words}; in quotes it is looked for as text", found.end()
    return None


def foreign_sign(text: str, at: int) -> tuple[str, int] | None:
    """Recognize another tool's operator between a field and its value; return the same."""
    found = _SIGNS.match(text, at)
    if found is None:
        return None
    return "write field:value, not field:value, or field:/regular expression/", found.end()


WORD_FIELDS = {
    "method": "the method, of a response the one that it answers",
    "kind": "what a session/update updates, or a local event's name",
    "sdk": "a message of the agent's SDK, by its type: assistant, system.init, *",
    "dir": "in, out or local",
    "by": "hand, breakpoint or fault: what had its hands in it",
    "id": "the id of a request or a response",
    "session": "the session's id",
    "status": "ok, error, pending, unanswered, timeout, failed, completed",
    "text": "anywhere in the frame or event",
    "finding": "error, warning, info or a rule's id",
    "toolCallId": "of a tool call, wherever it stands",
    "messageId": "of a message, wherever it stands",
    "terminalId": "of a terminal, wherever it stands",
}
PATH_ROOTS = ("params", "result", "error")
"""The names that field paths begin with."""
NUMBER_FIELDS = {
    "size": "bytes on the wire; k, M, G",
    "latency": "between a request and its answer; ms, s, m",
    "time": "since the start; ms, s, m",
    "delta": "since what came before; ms, s, m",
}
_UNITS = {
    "size": {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9},
    "latency": {"": 1.0, "ms": 1e-3, "s": 1.0, "m": 60.0},
}


def is_path(field: str) -> bool:
    """Return whether a field is a path into the message."""
    root, dot, _ = field.partition(".")
    return bool(dot) and root in PATH_ROOTS


def units_of(field: str) -> dict[str, float]:
    """Return the units of a field, each with its factor."""
    if is_path(field):
        return {"": 1.0}
    return _UNITS["size"] if field == "size" else _UNITS["latency"]
