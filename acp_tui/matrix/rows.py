"""The rows of a matrix in order, each with a function that reads it from an agent's observations."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from acp_tui.check.messages import NumberedMessage
from acp_tui.config.known_agents import quirks_of
from acp_tui.matrix.model import (
    NONE,
    UNTESTED,
    MatrixAnswer,
    MatrixCell,
    MatrixRow,
    Observations,
    ObservedBy,
    Read,
)
from acp_tui.protocol.findings import Finding
from acp_tui.protocol.json_parts import list_at, object_at, objects_at, text_at, value_at
from acp_tui.protocol.jsonrpc import ErrorCode
from acp_tui.protocol.methods import AGENT_METHODS, CLIENT_METHODS
from acp_tui.protocol.schema import Edition, load_schema

UNKNOWN = "_acp-tui/ping"
"""A method that no agent has."""
NEVER_CALLED = {
    "authenticate": "it would sign in",
    "logout": "it would sign out",
    "providers/set": "it would change settings",
    "providers/disable": "it would change settings",
    "session/prompt": "only with turns",
    "session/cancel": "a notification",
    "$/cancel_request": "a notification",
}
"""Methods that are not probed, and why."""


@cache
def matrix_rows() -> tuple[MatrixRow, ...]:
    """Return all rows, in order."""
    groups = (
        _agent,
        _sign_in,
        _capabilities,
        _methods,
        _session,
        _updates,
        _calls,
        _content,
        _behavior,
    )
    return tuple(row for group in groups for row in group())


def read_cells(seen: Observations) -> dict[str, MatrixCell]:
    """Read all cells from an agent's observations, by row id."""
    return {row.id: row.read(seen) for row in matrix_rows()}


def _agent() -> Iterator[MatrixRow]:
    def info(name: str) -> Read:
        return lambda seen: seen.in_initialize(
            text_at(seen.initialize_result, "agentInfo", name) or MatrixAnswer.NO
        )

    def protocol(seen: Observations) -> MatrixCell:
        return seen.in_initialize(str(seen.initialize_result.get("protocolVersion")))

    for name in ("name", "version", "title"):
        yield MatrixRow(f"agent.{name}", "Agent", name, info(name))
    yield MatrixRow(
        "agent.reached", "Agent", "transport", lambda seen: seen.in_initialize(seen.reached)
    )
    yield MatrixRow("agent.protocol", "Agent", "protocol", protocol)
    yield MatrixRow("agent.protocol.other", "Agent", "protocol, asked for 65535", _other_version)


def _other_version(seen: Observations) -> MatrixCell:
    message = seen.other_version
    if message is None:
        return UNTESTED
    version = message.result.get("protocolVersion")
    text = f"error {message.code}" if message.error is not None else str(version)
    return seen.fact(text, ObservedBy.PROBE, message, seen.other)


def _sign_in() -> Iterator[MatrixRow]:
    def offered(seen: Observations) -> list[dict[str, Any]]:
        return objects_at(seen.initialize_result, "authMethods")

    def of_type(kind: str) -> Read:
        def read(seen: Observations) -> MatrixCell:
            there = any(one.get("type", "agent") == kind for one in offered(seen))
            return seen.in_initialize(MatrixAnswer.YES if there else MatrixAnswer.NO)

        return read

    def opens_unsigned(seen: Observations) -> MatrixCell:
        message = seen.session
        if message is None or (
            message.error is not None and message.code != ErrorCode.AUTH_REQUIRED
        ):
            return UNTESTED  # another error may have nothing to do with signing in
        return seen.fact(
            MatrixAnswer.NO if message.error else MatrixAnswer.YES, ObservedBy.SESSION, message
        )

    yield MatrixRow("auth.needless", "Sign-in", "a session without signing in", opens_unsigned)
    for kind in ("agent", "terminal", "env_var"):
        yield MatrixRow(f"auth.{kind}", "Sign-in", f"method of type {kind}", of_type(kind))
    yield MatrixRow(
        "auth.methods",
        "Sign-in",
        "methods",
        lambda seen: seen.in_initialize(
            ", ".join(str(one.get("id")) for one in offered(seen)) or NONE
        ),
    )


def _capabilities() -> Iterator[MatrixRow]:
    stable = set(_paths(Edition.STABLE))
    for path in _paths(Edition.UNSTABLE):
        title = path if path in stable else f"{path} (unstable)"
        yield MatrixRow(f"capability.{path}", "Capabilities", title, _offers(path))
    yield MatrixRow("capability.--system-prompt", "Capabilities", "--system-prompt", _prompt_modes)


def _prompt_modes(seen: Observations) -> MatrixCell:
    """Return the supported modes of a system prompt; the capability itself means `append`."""
    offered = seen.capability("sessionCapabilities.systemPrompt")
    if not isinstance(offered, dict):
        return seen.in_initialize(MatrixAnswer.NO)
    mode = offered.get("mode")
    can_override = isinstance(mode, dict) and isinstance(mode.get("override"), dict)
    return seen.in_initialize("append, override" if can_override else "append")


def _offers(path: str) -> Read:
    def read(seen: Observations) -> MatrixCell:
        value = seen.capability(path)
        there = value is True or isinstance(value, dict)
        return seen.in_initialize(MatrixAnswer.YES if there else MatrixAnswer.NO)

    return read


def _paths(edition: Edition) -> list[str]:
    """Return the paths of all capabilities in the schema: the leaves of its tree."""
    definitions = load_schema(edition)["$defs"]

    def below(name: str) -> Iterator[str]:
        for field, schema in definitions[name].get("properties", {}).items():
            target = _target(schema)
            deeper = [] if target is None else list(below(target))
            if field != "_meta":
                yield from (f"{field}.{one}" for one in deeper) if deeper else (field,)

    return list(below("AgentCapabilities"))


def _target(schema: dict[str, Any]) -> str | None:
    """Return the name of the definition that a schema refers to, or None."""
    for one in (schema, *schema.get("allOf", ()), *schema.get("anyOf", ())):
        if "$ref" in one:
            return str(one["$ref"]).rpartition("/")[2]
    return None


def _methods() -> Iterator[MatrixRow]:
    for name in AGENT_METHODS:
        if AGENT_METHODS[name].result is not None and name != "initialize":
            yield MatrixRow(f"method.{name}", "Methods of the agent", name, _answers(name))


def _answers(name: str) -> Read:
    def read(seen: Observations) -> MatrixCell:
        if name == "session/prompt":
            return seen.cell_for_any(lambda message: "stopReason" in message.result)
        if name == "session/new" and seen.session is not None:
            return _answered(seen, seen.session)
        if name in seen.called:
            message = seen.called[name]
            return UNTESTED if message is None else _answered(seen, message)
        opened = seen.session is not None and seen.session.error is None
        untested = name in seen.offered or not opened
        return UNTESTED if untested else seen.in_initialize(MatrixAnswer.NOT_OFFERED)

    return read


def _answered(seen: Observations, message: NumberedMessage) -> MatrixCell:
    """Return YES unless the response is the error -32601 (method not found): any other shows that
    the method exists.
    """
    missing = message.code == ErrorCode.METHOD_NOT_FOUND
    return seen.fact(MatrixAnswer.NO if missing else MatrixAnswer.YES, ObservedBy.PROBE, message)


def _session() -> Iterator[MatrixRow]:
    def listed(*path: str) -> Callable[[Observations], list[dict[str, Any]]]:
        def find(seen: Observations) -> list[dict[str, Any]]:
            return [] if seen.session is None else objects_at(seen.session.result, *path)

        return find

    modes, options = listed("modes", "availableModes"), listed("configOptions")
    models = listed("models", "availableModels")

    def opened(names: Callable[[Observations], list[str]]) -> Read:
        def read(seen: Observations) -> MatrixCell:
            if seen.session is None or seen.session.error is not None:
                return UNTESTED
            return seen.names(names(seen), ObservedBy.SESSION, seen.session)

        return read

    def of_category(category: str) -> Callable[[Observations], list[str]]:
        return lambda seen: [
            str(one.get("id")) for one in options(seen) if one.get("category") == category
        ]

    def facts(what: str, names: Callable[[Observations], list[str]]) -> MatrixRow:
        return MatrixRow(f"session.{what}", "A new session", what, opened(names))

    yield facts("modes", lambda seen: [str(one.get("id")) for one in modes(seen)])
    yield facts("config options", lambda seen: [str(one.get("id")) for one in options(seen)])
    yield facts("types of options", lambda seen: [str(one.get("type")) for one in options(seen)])
    for category in ("mode", "model", "model_config", "thought_level", "speed"):
        yield facts(f"option for {category}", of_category(category))
    yield facts("models (removed)", lambda seen: [str(one.get("modelId")) for one in models(seen)])
    yield MatrixRow("session.commands", "A new session", "slash commands", _count_commands)


def _count_commands(seen: Observations) -> MatrixCell:
    for how, probe in seen.probes:
        for message in probe.updates("available_commands_update"):
            found = message.update.get("availableCommands")
            count = len(found) if isinstance(found, list) else 0
            return seen.fact(str(count), how, message, probe)
    return UNTESTED if seen.worked is None else MatrixCell(MatrixAnswer.NOT_SEEN, ObservedBy.TURN)


def _updates() -> Iterator[MatrixRow]:
    def sends(kind: str) -> Read:
        return lambda seen: seen.cell_for_any(
            lambda message: message.method == "session/update" and message.kind == kind
        )

    stable = set(_kinds(Edition.STABLE))
    for kind in _kinds(Edition.UNSTABLE):
        title = kind if kind in stable else f"{kind} (unstable)"
        yield MatrixRow(f"update.{kind}", "Updates", title, sends(kind))


def _kinds(edition: Edition) -> list[str]:
    union = load_schema(edition)["$defs"]["SessionUpdate"]
    found = [
        one.get("properties", {}).get("sessionUpdate", {}).get("const")
        for one in union.get("oneOf", union.get("anyOf", ()))
    ]
    return [kind for kind in found if kind]


def _calls() -> Iterator[MatrixRow]:
    def sends(name: str) -> Read:
        return lambda seen: seen.cell_for_any(lambda message: message.method == name)

    for name in CLIENT_METHODS:
        if name != "session/update":
            yield MatrixRow(f"calls.{name}", "Methods of the client", name, sends(name))


def _content() -> Iterator[MatrixRow]:
    def stops_with(reason: str) -> Read:
        return lambda seen: seen.cell_for_any(
            lambda message: message.result.get("stopReason") == reason
        )

    def counts_tokens(seen: Observations) -> MatrixCell:
        return seen.cell_for_any(
            lambda message: "stopReason" in message.result and message.result.get("usage")
        )

    union = load_schema(Edition.STABLE)["$defs"]
    blocks = _constants(union["ContentBlock"], "type")
    tools = _constants(union["ToolCallContent"], "type")
    for kind in blocks:
        yield MatrixRow(f"content.{kind}", "Content", f"{kind} in a message", _has_block(kind))
    for kind in tools:
        yield MatrixRow(
            f"tool.{kind}", "Content", f"{kind} of a tool call", _has_tool_content(kind)
        )
    for name, group, title in (
        ("ToolKind", "kind", "tool call of kind"),
        ("PermissionOptionKind", "permission", "permission option"),
    ):
        for value in _constants(union[name]):
            yield MatrixRow(
                f"{group}.{value}", "Content", f"{title} {value}", _mentions("kind", value)
            )
    for reason in _constants(union["StopReason"]):
        yield MatrixRow(f"stop.{reason}", "Content", f"stop reason {reason}", stops_with(reason))
    yield MatrixRow("content.usage", "Content", "usage at the end of a turn", counts_tokens)


def _constants(union: dict[str, Any], field: str = "") -> list[str]:
    found = []
    for one in union.get("oneOf", union.get("anyOf", ())):
        schema = one.get("properties", {}).get(field, {}) if field else one
        found.append(schema.get("const"))
    return [value for value in found if value]


def _has_block(kind: str) -> Read:
    return lambda seen: seen.cell_for_any(
        lambda message: (
            message.kind.endswith("_chunk") and value_at(message.update, "content", "type") == kind
        )
    )


def _has_tool_content(kind: str) -> Read:
    return lambda seen: seen.cell_for_any(
        lambda message: any(
            one.get("type") == kind for one in objects_at(message.update, "content")
        )
    )


def _mentions(field: str, value: str) -> Read:
    def is_it(message: NumberedMessage) -> bool:
        places = [
            message.update,
            message.params.get("toolCall"),
            *list_at(message.params, "options"),
        ]
        return any(isinstance(one, dict) and one.get(field) == value for one in places)

    return lambda seen: seen.cell_for_any(is_it)


def _behavior() -> Iterator[MatrixRow]:
    group = "Behavior"

    def breaks_rule(id: str) -> Read:
        return lambda seen: _first(
            seen, lambda one: one.rule.id == id, lambda _: MatrixAnswer.YES, MatrixAnswer.NO
        )

    def findings_of(severity: str) -> Read:
        return lambda seen: _first(seen, lambda one: one.severity.value == severity, str, "0")

    yield MatrixRow("behavior.unknown", group, "an unknown request gets -32601", _refuses_unknown)
    yield MatrixRow("behavior.noise", group, "lines on stdout that are no messages", _noise)
    yield MatrixRow("behavior.extensions", group, "methods of its own", _extensions)
    yield MatrixRow("behavior.meta", group, "names in _meta", _meta)
    for rule, title in (
        ("custom-field", "fields of its own"),
        ("unstable", "parts of the unstable protocol"),
    ):
        yield MatrixRow(f"behavior.{rule}", group, title, breaks_rule(rule))
    yield MatrixRow("behavior.errors", group, "findings: errors", findings_of("error"))
    yield MatrixRow("behavior.warnings", group, "findings: warnings", findings_of("warning"))
    yield MatrixRow("behavior.quirks", group, "known quirks", _quirks)


def _refuses_unknown(seen: Observations) -> MatrixCell:
    if UNKNOWN not in seen.called:
        return UNTESTED
    message = seen.called[UNKNOWN]
    if message is None:
        return MatrixCell("no answer", ObservedBy.PROBE, 0, str(seen.first.recording))
    right = message.code == ErrorCode.METHOD_NOT_FOUND
    other = f"error {message.code}" if message.error is not None else "a result"
    return seen.fact(MatrixAnswer.YES if right else other, ObservedBy.PROBE, message)


def _noise(seen: Observations) -> MatrixCell:
    for how, probe in seen.probes:
        if probe.noise:
            return MatrixCell(MatrixAnswer.YES, how, probe.noise[0], str(probe.recording))
    return MatrixCell(MatrixAnswer.NO, ObservedBy.SESSION, 0, str(seen.first.recording))


def _extensions(seen: Observations) -> MatrixCell:
    found = [
        (message, message.method)
        for _, probe in seen.probes
        for message in probe.agent_messages
        if message.method.startswith("_")
    ]
    message = found[0][0] if found else None
    return seen.names([name for _, name in found], ObservedBy.SESSION, message)


def _meta(seen: Observations) -> MatrixCell:
    names: dict[str, None] = {}
    for _, probe in seen.probes:
        for message in probe.agent_messages:
            rest: list[Any] = [message.body]
            while rest:
                one = rest.pop()
                if isinstance(one, dict):
                    meta = one.get("_meta")
                    names.update(dict.fromkeys(meta if isinstance(meta, dict) else ()))
                    rest += one.values()
                elif isinstance(one, list):
                    rest += one
    return seen.names(sorted(names), ObservedBy.SESSION, None)


def _first(
    seen: Observations, condition: Callable[[Finding], bool], text: Callable[[int], str], none: str
) -> MatrixCell:
    """Return the number of findings that meet `condition`, formatted by `text`, with the frame of
    the first; or `none` if there are none.
    """
    found = [one for one in seen.findings if condition(one[2])]
    if not found:
        return MatrixCell(none, ObservedBy.SESSION, 0, str(seen.first.recording))
    how, probe, first = found[0]
    return MatrixCell(text(len(found)), how, probe.frame(first), str(probe.recording))


def _quirks(seen: Observations) -> MatrixCell:
    info = object_at(seen.initialize_result, "agentInfo")
    found = quirks_of(str(info.get("name", "")), str(info.get("version", "")))
    return seen.in_initialize(", ".join(quirk.remedy for quirk in found) or NONE)
