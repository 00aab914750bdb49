"""What newer schemas of the protocol have than the ones here: a note, and no violation.

Some of it is known by name. Between other programs (in an imported or tapped log), whatever is unknown
but well formed may be newer: neither side has said that it keeps to the schemas here.
"""

import re
from typing import Any

from acp_tui.protocol.findings import JsonPath, ProtocolRule, Severity, Violation
from acp_tui.protocol.schema import DATE_WORDS

NEWER = ProtocolRule(
    "newer-than-schema",
    Severity.INFO,
    "a later release of the protocol has this, or may have it: it is newer than the schema of this "
    f"acp-tui ({DATE_WORDS}).",
    guess=True,
)

_VALUES = {
    "method": ("session/options",),
    "sessionUpdate": ("prompt_suggestions_update", "cursor_update", "replay_complete"),
    "type": ("skill",),
}
"""Values that newer schemas have, by the field that has them."""
_FIELDS: dict[str, tuple[str, ...]] = {
    "initialValues": ("params",),
    "cursorId": ("params",),
    "idempotencyKey": ("params",),
    "promptSuggestions": ("session",),
    "cursors": ("session",),
    "commands": ("session",),
    "session": ("capabilities",),
    "skill": ("prompt", "commands"),
    "options": ("session", "sessionCapabilities"),
}
"""Fields, and the objects that have them; all if none is named."""
_OF_SKILLS = ("type", "path")
"""Fields of a command that is a skill."""


_UNKNOWN_VALUE = " is none of: "
"""What a violation says of a value that a schema doesn't list."""
_METHOD = re.compile(r"[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)+")
_VALUE = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")
_FIELD = re.compile(r"[a-z][A-Za-z0-9]*")
"""The form of names in the protocol."""


def is_well_formed_value(value: Any) -> bool:
    """Return whether a value has the form of the protocol's own names."""
    return isinstance(value, str) and _VALUE.fullmatch(value) is not None


def is_newer_value(name: str | int, value: Any) -> bool:
    """Return whether the value of a field is one that a newer schema has."""
    return isinstance(name, str) and value in _VALUES.get(name, ())


def as_newer(
    violation: Violation, message: dict[str, Any], *, is_between_others: bool
) -> Violation:
    """Return the note that something is newer, in place of a violation that it would be."""
    path = violation.path
    name = path[-1] if path else ""
    holder = _at(message, path[:-1])
    value = holder.get(name) if isinstance(holder, dict) else None
    if is_newer_value(name, value):
        return note(path, f"{name} {value!r}")
    if _is_newer_field(path, holder):
        return note(path, str(name))
    if is_between_others and _is_well_formed(violation, name, value):
        shown = str(name) if violation.rule.id == "custom-field" else f"{name} {value!r}"
        return note(path, shown)
    return violation


def _is_well_formed(violation: Violation, name: str | int, value: Any) -> bool:
    """Return whether an unknown method, field or value has the form of the protocol's own."""
    if violation.rule.id == "unknown-method":
        return isinstance(value, str) and _METHOD.fullmatch(value) is not None
    if violation.rule.id == "custom-field":
        return isinstance(name, str) and _FIELD.fullmatch(name) is not None
    return _UNKNOWN_VALUE in violation.message and is_well_formed_value(value)


def note(path: JsonPath, what: str) -> Violation:
    """Return the note that something is newer than the schema."""
    words = f"newer than the schema of this acp-tui ({DATE_WORDS}): {what}"
    return Violation(NEWER, path, words)


def _is_newer_field(path: JsonPath, holder: Any) -> bool:
    name = path[-1] if path else ""
    if name in _OF_SKILLS and "availableCommands" in path:
        return isinstance(holder, dict) and holder.get("type") == "skill"
    if not isinstance(name, str) or name not in _FIELDS:
        return False
    holders = _FIELDS[name]
    return not holders or (len(path) > 1 and path[-2] in holders)


def _at(value: Any, path: JsonPath) -> Any:
    """Return the value at a path; None where there is none."""
    try:
        for step in path:
            value = value[step]
    except (KeyError, IndexError, TypeError):
        return None
    return value
