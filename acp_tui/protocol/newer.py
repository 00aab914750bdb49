"""What newer schemas of the protocol have than the ones here: known by name, and no violation."""

from typing import Any

from acp_tui.protocol.findings import JsonPath, ProtocolRule, Severity, Violation

SCHEMA_DATE = "2026-11-02"
"""When the schemas here were published."""

NEWER = ProtocolRule(
    "newer-than-schema",
    Severity.INFO,
    f"a later release of the protocol has this; the schema of this acp-tui is of {SCHEMA_DATE}.",
    guess=True,
)

_VALUES = {
    "method": ("session/options",),
    "sessionUpdate": ("prompt_suggestions_update", "cursor_update", "replay_complete"),
    "type": ("session", "skill"),
}
"""Values that newer schemas have, by the field that has them."""
_FIELDS: dict[str, tuple[str, ...]] = {
    "initialValues": ("params",),
    "cursorId": ("params",),
    "idempotencyKey": ("params",),
    "promptSuggestions": ("session",),
    "cursors": ("session",),
    "commands": ("session",),
    "skill": ("prompt", "commands"),
    "options": ("session", "sessionCapabilities"),
    "subagents": ("clientCapabilities", "capabilities"),
}
"""Fields, and the objects that have them; all if none is named."""
_OF_SKILLS = ("type", "path")
"""Fields of a command that is a skill."""


def is_newer_value(name: str | int, value: Any) -> bool:
    """Return whether the value of a field is one that a newer schema has."""
    return isinstance(name, str) and value in _VALUES.get(name, ())


def as_newer(violation: Violation, message: dict[str, Any]) -> Violation:
    """Return the note that something is newer, in place of a violation that it would be."""
    path = violation.path
    name = path[-1] if path else ""
    holder = _at(message, path[:-1])
    value = holder.get(name) if isinstance(holder, dict) else None
    if is_newer_value(name, value):
        return note(path, f"{name} {value!r}")
    return note(path, str(name)) if _is_newer_field(path, holder) else violation


def note(path: JsonPath, what: str) -> Violation:
    """Return the note that something is newer than the schema."""
    return Violation(NEWER, path, f"uses what is newer than the schema here: {what}")


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
