"""Cells for the content of new sessions, the agent's updates, and its requests to the client."""

from collections.abc import Callable, Iterator
from typing import Any

from acp_tui.check.messages import Heard
from acp_tui.matrix.model import UNTESTED, How, MatrixAnswer, MatrixCell
from acp_tui.matrix.observations import MatrixRow, Observations, Read
from acp_tui.protocol.methods import CLIENT_METHODS
from acp_tui.protocol.schema import Edition, load


def traffic_rows() -> Iterator[MatrixRow]:
    """Yield the rows of these facts."""
    yield from _session()
    yield from _updates()
    yield from _calls()
    yield from _content()


# What a session brings


def _session() -> Iterator[MatrixRow]:
    def listed(*path: str) -> Callable[[Observations], list[dict[str, Any]]]:
        def find(seen: Observations) -> list[dict[str, Any]]:
            value: Any = {} if seen.session is None else seen.session.result
            for name in path:
                value = value.get(name) if isinstance(value, dict) else None
            return (
                [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
            )

        return find

    modes, options = listed("modes", "availableModes"), listed("configOptions")
    models = listed("models", "availableModels")

    def opened(names: Callable[[Observations], list[str]]) -> Read:
        def read(seen: Observations) -> MatrixCell:
            if seen.session is None or seen.session.error is not None:
                return UNTESTED
            return seen.named(names(seen), How.SESSION, seen.session)

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
    for category in ("mode", "model", "model_config", "thought_level"):
        yield facts(f"option for {category}", of_category(category))
    yield facts("models (removed)", lambda seen: [str(one.get("modelId")) for one in models(seen)])
    yield MatrixRow("session.commands", "A new session", "slash commands", _commands)


def _commands(seen: Observations) -> MatrixCell:
    for how, probe in seen.probes:
        for heard in probe.updates("available_commands_update"):
            found = heard.update.get("availableCommands")
            count = len(found) if isinstance(found, list) else 0
            return seen.said(str(count), how, heard, probe)
    return UNTESTED if seen.worked is None else MatrixCell(MatrixAnswer.NOT_SEEN, How.TURN)


# What it sends


def _updates() -> Iterator[MatrixRow]:
    stable = set(_kinds(Edition.STABLE))
    for kind in _kinds(Edition.UNSTABLE):
        title = kind if kind in stable else f"{kind} (unstable)"
        yield MatrixRow(f"update.{kind}", "Updates", title, _sends(kind))


def _kinds(edition: Edition) -> list[str]:
    union = load(edition)["$defs"]["SessionUpdate"]
    found = [
        one.get("properties", {}).get("sessionUpdate", {}).get("const")
        for one in union.get("oneOf", union.get("anyOf", ()))
    ]
    return [kind for kind in found if kind]


def _sends(kind: str) -> Read:
    return lambda seen: seen.ever(
        lambda heard: heard.method == "session/update" and heard.kind == kind
    )


def _calls() -> Iterator[MatrixRow]:
    for name in CLIENT_METHODS:
        if name != "session/update":
            yield MatrixRow(f"calls.{name}", "Methods of the client", name, _asks(name))


def _asks(name: str) -> Read:
    return lambda seen: seen.ever(lambda heard: heard.method == name)


def _content() -> Iterator[MatrixRow]:
    union = load(Edition.STABLE)["$defs"]
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
        yield MatrixRow(f"stop.{reason}", "Content", f"stop reason {reason}", _stops(reason))
    yield MatrixRow("content.usage", "Content", "usage at the end of a turn", _counts_tokens)


def _constants(union: dict[str, Any], field: str = "") -> list[str]:
    found = []
    for one in union.get("oneOf", union.get("anyOf", ())):
        schema = one.get("properties", {}).get(field, {}) if field else one
        found.append(schema.get("const"))
    return [value for value in found if value]


def _has_block(kind: str) -> Read:
    def is_it(heard: Heard) -> bool:
        content = heard.update.get("content")
        return heard.kind.endswith("_chunk") and _is_of_type(content, kind)

    return lambda seen: seen.ever(is_it)


def _has_tool_content(kind: str) -> Read:
    def is_it(heard: Heard) -> bool:
        content = heard.update.get("content")
        return isinstance(content, list) and any(_is_of_type(one, kind) for one in content)

    return lambda seen: seen.ever(is_it)


def _is_of_type(value: Any, kind: str) -> bool:
    return isinstance(value, dict) and value.get("type") == kind


def _mentions(field: str, value: str) -> Read:
    def is_it(heard: Heard) -> bool:
        places = [heard.update, heard.params.get("toolCall"), *_options(heard)]
        return any(isinstance(one, dict) and one.get(field) == value for one in places)

    return lambda seen: seen.ever(is_it)


def _options(heard: Heard) -> list[Any]:
    found = heard.params.get("options")
    return found if isinstance(found, list) else []


def _stops(reason: str) -> Read:
    return lambda seen: seen.ever(lambda heard: heard.result.get("stopReason") == reason)


def _counts_tokens(seen: Observations) -> MatrixCell:
    return seen.ever(lambda heard: "stopReason" in heard.result and heard.result.get("usage"))
