"""Deviations from the official schemas that are reported, but not as violations: forms in the
documentation's examples, forms that agents in the wild send, and forms of newer schemas.
"""

import re
from typing import Any

from acp_tui.protocol.findings import JsonPath, Violation, protocol_rule
from acp_tui.protocol.json_parts import list_at, text_or_none_at
from acp_tui.protocol.schema import DATE_WORDS
from acp_tui.protocol.schema_checks import describe_value

CUSTOM_FIELD = protocol_rule("custom-field")
AUTH_TYPE = protocol_rule("auth-type")
REMOVED = protocol_rule("removed")
DOCUMENTED = protocol_rule("documented-form")

DOCUMENTED_IN = {"session/update": "update", "session/request_permission": "toolCall"}
"""Methods for which an example in the documentation contradicts the schema, and the field of their
params in which it does.
"""
SET_MODEL = "session/set_model"
_BLOCKS = ("text", "image", "audio", "resource_link", "resource")
_TERMINAL, _ENV_VAR = "terminal", "env_var"
_AUTH_TYPES = ("agent", _TERMINAL)
_OF_ENV_VAR = ("vars", "link")
"""Fields of the authentication method type that was removed in July 2026."""


def as_in_schema(method: str, params: Any) -> tuple[JsonPath, Any] | None:
    """Convert a form of the documentation's examples to the schema's; return its path in the
    params, and the new params. None if the params have no such form.
    """
    name = DOCUMENTED_IN[method]
    part = params.get(name) if isinstance(params, dict) else None
    if not isinstance(part, dict):
        return None
    if method == "session/update" and part.get("sessionUpdate") == "current_mode_update":
        if "modeId" not in part or "currentModeId" in part:
            return None
        renamed = {"currentModeId" if key == "modeId" else key: part[key] for key in part}
        return (name, "modeId"), {**params, name: renamed}
    content = part.get("content") if method == "session/request_permission" else None
    bare = [_is_bare(one) for one in content] if isinstance(content, list) else []
    if content is None or not any(bare):
        return None
    wrapped = [
        {"type": "content", "content": one} if is_bare else one
        for one, is_bare in zip(content, bare, strict=True)
    ]
    where = (name, "content", bare.index(True))
    return where, {**params, name: {**part, "content": wrapped}}


def _is_bare(item: Any) -> bool:
    """Return whether this is a bare content block instead of an item of a tool call's content."""
    return isinstance(item, dict) and item.get("type") in _BLOCKS


def auth_types(result: Any) -> list[Violation]:
    """Report each authentication method of an unknown type once, whatever else it has."""
    found = []
    for index, method in enumerate(list_at(result, "authMethods")):
        kind = text_or_none_at(method, "type")
        if kind is not None and kind not in _AUTH_TYPES:
            why = "was removed in July 2026" if kind == _ENV_VAR else "is none of them"
            where = ("result", "authMethods", index, "type")
            found.append(
                Violation(AUTH_TYPE, where, f"{describe_value(kind)} {why}: it is read as agent")
            )
    return found


def with_agents(result: Any) -> Any:
    """Remove the types of authentication methods that have no form of their own: the agent handles
    them. The schema has no name for that type.
    """
    methods = list_at(result, "authMethods")
    return {**result, "authMethods": list(map(_as_agent, methods))} if methods else result


def _as_agent(method: Any) -> Any:
    kind = text_or_none_at(method, "type")
    if kind is None or kind == _TERMINAL:
        return method
    left_out = ("type", *_OF_ENV_VAR) if kind == _ENV_VAR else ("type",)
    return {name: value for name, value in method.items() if name not in left_out}


def without_models(remark: Violation) -> Violation:
    """Replace a violation about `models` in a session's result: it's a removed field, not custom."""
    if remark.rule is CUSTOM_FIELD and remark.path == ("result", "models"):
        return Violation(REMOVED, remark.path, "models is no longer a field of the protocol")
    return remark


NEWER = protocol_rule("newer-than-schema")

_UNKNOWN_VALUE = " is none of: "
"""Part of the message about a value that isn't listed in the schema."""
_METHOD = re.compile(r"[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)+")
_VALUE = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")
_FIELD = re.compile(r"[a-z][A-Za-z0-9]*")
"""Patterns that the protocol's own names match."""


def is_well_formed_value(value: Any) -> bool:
    """Return whether a value is formed like the protocol's own."""
    return isinstance(value, str) and _VALUE.fullmatch(value) is not None


def as_newer(violation: Violation, message: dict[str, Any]) -> Violation:
    """Replace a violation by a note if it may be a newer part of the protocol instead of a mistake."""
    path = violation.path
    name = path[-1] if path else ""
    holder = _at(message, path[:-1])
    value = holder.get(name) if isinstance(holder, dict) else None
    if not _is_well_formed(violation, name, value):
        return violation
    return newer_form_note(
        path, str(name) if violation.rule.id == "custom-field" else f"{name} {value!r}"
    )


def _is_well_formed(violation: Violation, name: str | int, value: Any) -> bool:
    """Return whether an unknown method, field or value is formed like the protocol's own."""
    if violation.rule.id == "unknown-method":
        return isinstance(value, str) and _METHOD.fullmatch(value) is not None
    if violation.rule.id == "custom-field":
        return isinstance(name, str) and _FIELD.fullmatch(name) is not None
    return _UNKNOWN_VALUE in violation.message and is_well_formed_value(value)


def newer_form_note(path: JsonPath, what: str) -> Violation:
    """Return a note about something that is newer than the schema."""
    words = f"newer than the schema of this acp-tui ({DATE_WORDS}): {what}"
    return Violation(NEWER, path, words)


def _at(value: Any, path: JsonPath) -> Any:
    """Return the value at a path, or None."""
    try:
        for step in path:
            value = value[step]
    except (KeyError, IndexError, TypeError):
        return None
    return value
