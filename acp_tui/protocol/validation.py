"""Checks messages against the official schemas: first the stable one, then the unstable one.

Each version of the protocol has both. The schema's root accepts almost anything, so each message is
checked by its own definition: a request or notification by (handling side, method), a response by
the method that it answers.
"""

from functools import cache
from typing import Any

from acp_tui.protocol.air import TASK_KINDS
from acp_tui.protocol.findings import (
    JsonPath,
    Violation,
    format_path,
    protocol_rule,
)
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_schema import Compiler
from acp_tui.protocol.kinds import OPENING_METHODS
from acp_tui.protocol.known_forms import (
    AUTH_TYPE,
    CUSTOM_FIELD,
    DOCUMENTED,
    DOCUMENTED_IN,
    NEWER,
    REMOVED,
    SET_MODEL,
    as_in_schema,
    as_newer,
    auth_types,
    with_agents,
    without_models,
)
from acp_tui.protocol.method_forms import extension_names
from acp_tui.protocol.schema import Edition, load_schema
from acp_tui.protocol.schema_checks import Check, ProblemKind, SchemaProblem, describe_value
from acp_tui.protocol.unstable import SDK_MESSAGE

SCHEMA = protocol_rule("schema")
# Values marked x-deserialize-... in the schema: a receiver uses the default instead, or drops them.
SALVAGED = protocol_rule("schema-salvaged")
UNSTABLE = protocol_rule("unstable")
EXTENSION = protocol_rule("extension")
UNKNOWN_METHOD = protocol_rule("unknown-method")
OTHER_METHOD = protocol_rule("method-of-other-version")
WRONG_SIDE = protocol_rule("wrong-side")
NOT_A_REQUEST = protocol_rule("notification-with-id")
NOT_A_NOTIFICATION = protocol_rule("request-without-id")
NULL_RESULT = protocol_rule("null-result")
VERSION = protocol_rule("jsonrpc-version")
ENVELOPE = protocol_rule("envelope-field")

RULE_IDS = frozenset(
    rule.id
    for rule in (
        SCHEMA,
        SALVAGED,
        UNSTABLE,
        NEWER,
        AUTH_TYPE,
        REMOVED,
        CUSTOM_FIELD,
        EXTENSION,
        UNKNOWN_METHOD,
        OTHER_METHOD,
        WRONG_SIDE,
        NOT_A_REQUEST,
        NOT_A_NOTIFICATION,
        NULL_RESULT,
        DOCUMENTED,
        VERSION,
        ENVELOPE,
    )
)
"""The rules about a single message's form, independent of earlier messages."""

_OF_KIND = {
    ProblemKind.WRONG: SCHEMA,
    ProblemKind.SALVAGED: SALVAGED,
    ProblemKind.CUSTOM: CUSTOM_FIELD,
}
_MAY_BE_NEWER = (SCHEMA, SALVAGED, CUSTOM_FIELD, UNKNOWN_METHOD)
_CAPABILITIES: tuple[JsonPath, ...] = (("result", "agentCapabilities"), ("result", "capabilities"))
"""The paths of the agent's capabilities, in either version."""
_ENVELOPE = {"jsonrpc", "id", "method", "params", "result", "error"}


class _Edition:
    """One schema as a registry: finds the check for (side, method) and kind of message."""

    def __init__(self, edition: Edition) -> None:
        self._definitions = load_schema(edition)["$defs"]
        self._compiler = Compiler(self._definitions)
        self._names: dict[tuple[str, str, str], str] = {}
        for name, definition in self._definitions.items():
            if "x-method" in definition:
                kind = next(k for k in ("Request", "Response", "Notification") if name.endswith(k))
                for side in _sides(definition["x-side"]):
                    self._names[side, definition["x-method"], kind] = name

    def check(self, side: str, method: str, kind: str) -> Check | None:
        name = self._names.get((side, method, kind))
        return None if name is None else self._compiler.definition(name)

    def error(self) -> Check:
        return self._compiler.definition("Error")


def _sides(side: str) -> tuple[str, ...]:
    return ("agent", "client") if side == "protocol" else (side,)


_SIDES = ("agent", "client")
_EDITIONS = {
    1: (Edition.STABLE, Edition.UNSTABLE),
    2: (Edition.STABLE_2, Edition.UNSTABLE_2),
}
VERSIONS = tuple(_EDITIONS)
"""The versions of the protocol that messages can be checked against."""


@cache
def _editions(version: int) -> tuple[_Edition, _Edition]:
    stable, unstable = _EDITIONS[version]
    return _Edition(stable), _Edition(unstable)


def check_message(
    direction: Direction,
    message: dict[str, Any],
    answered: str | None = None,
    version: int = 1,
    *,
    is_between_others: bool = False,
) -> list[Violation]:
    """Check a message against a version of the protocol; return its violations.

    `answered` is the method that a response answers; a result can't be checked without it. With
    `is_between_others`, the sender and the receiver are other programs: what is unknown may be
    newer than the schemas here. That is always true for the agent's capabilities, which are the
    same for every client.
    """
    found = _envelope(message)
    if "method" in message:
        found += _call(direction, message, version)
    elif message.get("error") is not None:
        problems = _editions(version)[0].error()(message["error"]) or []
        found += _remarks(problems, "error")
    elif answered is not None and "result" in message:
        found += _result(direction, message["result"], answered, version)
    return [
        as_newer(one, message)
        if one.rule in _MAY_BE_NEWER
        and (is_between_others or (answered == "initialize" and one.path[:2] in _CAPABILITIES))
        else one
        for one in found
    ]


def why_unreadable(
    direction: Direction,
    message: dict[str, Any],
    answered: str | None = None,
    version: int = 1,
) -> str | None:
    """Return where and why a message can't be read: its first schema violation, or None."""
    for rule, path, words in check_message(direction, message, answered, version):
        if rule is SCHEMA:
            return f"{format_path(path)}: {words}"
    return None


def _envelope(message: dict[str, Any]) -> list[Violation]:
    found = []
    if message.get("jsonrpc") != "2.0":
        has = describe_value(message["jsonrpc"]) if "jsonrpc" in message else "missing"
        found.append(Violation(VERSION, ("jsonrpc",), f"is {has}"))
    if not message.keys() <= _ENVELOPE:
        extra = [key for key in message if key not in _ENVELOPE]
        found += [Violation(ENVELOPE, (key,), "is no field of a JSON-RPC message") for key in extra]
    return found


def _call(direction: Direction, message: dict[str, Any], version: int) -> list[Violation]:
    method = message["method"]
    kind, other = ("Request", "Notification") if "id" in message else ("Notification", "Request")
    side = "client" if direction is Direction.IN else "agent"
    checks = [edition.check(side, method, kind) for edition in _editions(version)]
    if kind == "Notification" and (method == SDK_MESSAGE or _is_for_air(message)):
        return []  # sent because of --meta, or for JetBrains AIR: not part of ACP
    if not any(checks):
        return [_misplaced(side, method, kind, other, version)]
    params = message.get("params")
    value = {} if params is None else params
    found = _compare_schemas(checks, value, "params", method, is_open=version != 1)
    if version != 1 or not found or method not in DOCUMENTED_IN:
        return found
    rewritten = as_in_schema(method, params)
    if rewritten is None:
        return found
    where, params = rewritten
    told = Violation(DOCUMENTED, ("params", *where), "is as in an example of the documentation")
    return [told, *_compare_schemas(checks, params, "params", method)]


def _is_for_air(message: dict[str, Any]) -> bool:
    match message:
        case {"method": "session/update", "params": {"update": {"sessionUpdate": kind}}}:
            return kind in TASK_KINDS
    return False


def _misplaced(side: str, method: str, kind: str, other: str, version: int) -> Violation:
    _, unstable = _editions(version)
    opposite = "agent" if side == "client" else "client"
    at: JsonPath = ("method",)
    if method == SET_MODEL and version == 1:
        return Violation(REMOVED, at, f"{method} is no longer a method of the protocol")
    if method.startswith("_"):
        what = extension_names().get(method)
        return Violation(EXTENSION, at, f"{method} is an extension{f' ({what})' if what else ''}")
    if unstable.check(side, method, other):
        rule = NOT_A_REQUEST if kind == "Request" else NOT_A_NOTIFICATION
        return Violation(rule, ("id",), f"{method} is a {other.lower()}")
    if unstable.check(opposite, method, kind) or unstable.check(opposite, method, other):
        return Violation(WRONG_SIDE, at, f"{method} is answered by the {opposite}, not the {side}")
    if _has_method(3 - version, method):
        return Violation(OTHER_METHOD, at, f"{method} is a method of version {3 - version}")
    of = "the protocol" if version == 1 else f"version {version} of the protocol"
    return Violation(UNKNOWN_METHOD, at, f"{method} is no method of {of}")


def _has_method(version: int, method: str) -> bool:
    _, unstable = _editions(version)
    kinds = ("Request", "Notification")
    return any(unstable.check(side, method, kind) for side in _SIDES for kind in kinds)


def _result(direction: Direction, result: Any, method: str, version: int) -> list[Violation]:
    side = "agent" if direction is Direction.IN else "client"
    checks = [edition.check(side, method, "Response") for edition in _editions(version)]
    if not any(checks):
        return []
    if result is None:
        problems = [check({}) for check in checks if check is not None]
        if not all(problems):
            return [Violation(NULL_RESULT, ("result",), "is null")]
    if version == 1 and method == "initialize":
        return [
            *auth_types(result),
            *_compare_schemas(checks, with_agents(result), "result", method),
        ]
    found = _compare_schemas(checks, result, "result", method, is_open=version != 1)
    if version == 1 and method in OPENING_METHODS:
        return [without_models(one) for one in found]
    return found


def _compare_schemas(
    checks: list[Check | None], value: Any, part: str, method: str, *, is_open: bool = False
) -> list[Violation]:
    """Return the stable schema's problems, or the unstable one's where only that has the feature."""
    stable, unstable = checks
    if stable is not None:
        problems = stable(value)
        if problems is None:
            # Values that version 2 leaves open may be known to its unstable schema.
            return _remarks((unstable and unstable(value)) or [], part) if is_open else []
        newer = (unstable(value) or []) if unstable is not None else problems
        persisting = {(kind, path) for kind, path, _ in newer}
        known = [one for one in problems if (one.kind, one.path) not in persisting]
        if not known:
            return _remarks(problems, part)
        uses = [_uses(one, value, part) for one in known if not _is_off(one, value)]
        return [*uses, *_remarks(newer, part)]
    assert unstable is not None
    found = _remarks(unstable(value) or [], part)
    if part == "params":  # a response has no method
        found.insert(
            0, Violation(UNSTABLE, ("method",), f"{method} is in the unstable schema only")
        )
    return found


def _is_off(problem: SchemaProblem, value: Any) -> bool:
    """Return whether an unstable field is null or false, so that its feature isn't used."""
    if problem.kind is not ProblemKind.CUSTOM:
        return False
    for step in problem.path:
        value = value[step]
    return value is None or value is False


def _uses(problem: SchemaProblem, value: Any, part: str) -> Violation:
    """Report an unstable field, or an unstable value of a field."""
    name = str(problem.path[-1]) if problem.path else part
    for step in problem.path[:-1]:
        value = value[step]
    if problem.kind is not ProblemKind.CUSTOM and problem.path and name in value:
        name = f"{name} {describe_value(value[name])}"
    return Violation(UNSTABLE, (part, *problem.path), f"{name} is unstable")


def _remarks(problems: list[SchemaProblem], part: str) -> list[Violation]:
    return [Violation(_OF_KIND[kind], (part, *path), message) for kind, path, message in problems]
