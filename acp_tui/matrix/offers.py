"""Cells for an agent's name, sign-in methods, capabilities, and the methods that it answers."""

from collections.abc import Iterator
from typing import Any

from acp_tui.check.messages import Heard
from acp_tui.matrix.model import UNTESTED, How, MatrixAnswer, MatrixCell
from acp_tui.matrix.observations import NONE, MatrixRow, Observations, Read
from acp_tui.protocol.jsonrpc import ErrorCode
from acp_tui.protocol.methods import AGENT_METHODS
from acp_tui.protocol.schema import Edition, load


def offer_rows() -> Iterator[MatrixRow]:
    """Yield the rows of these facts."""
    yield from _agent()
    yield from _sign_in()
    yield from _capabilities()
    yield from _methods()


# The agent itself


def _agent() -> Iterator[MatrixRow]:
    def info(name: str) -> Read:
        def read(seen: Observations) -> MatrixCell:
            said = seen.hello.get("agentInfo")
            text = said.get(name) if isinstance(said, dict) else None
            return seen.in_hello(text if isinstance(text, str) and text else MatrixAnswer.NO)

        return read

    for name in ("name", "version", "title"):
        yield MatrixRow(f"agent.{name}", "Agent", name, info(name))
    yield MatrixRow("agent.reached", "Agent", "transport", lambda seen: seen.in_hello(seen.reached))
    yield MatrixRow("agent.protocol", "Agent", "protocol", _version)
    yield MatrixRow("agent.protocol.other", "Agent", "protocol, asked for 65535", _other_version)


def _version(seen: Observations) -> MatrixCell:
    return seen.in_hello(str(seen.hello.get("protocolVersion")))


def _other_version(seen: Observations) -> MatrixCell:
    heard = seen.other_version
    if heard is None:
        return UNTESTED
    version = heard.result.get("protocolVersion")
    text = f"error {heard.code}" if heard.error is not None else str(version)
    return seen.said(text, How.PROBE, heard, seen.other)


# Signing in


def _sign_in() -> Iterator[MatrixRow]:
    def offered(seen: Observations) -> list[dict[str, Any]]:
        found = seen.hello.get("authMethods")
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []

    def of_type(kind: str) -> Read:
        def read(seen: Observations) -> MatrixCell:
            there = any(one.get("type", "agent") == kind for one in offered(seen))
            return seen.in_hello(MatrixAnswer.YES if there else MatrixAnswer.NO)

        return read

    yield MatrixRow("auth.needless", "Sign-in", "a session without signing in", _opens_unsigned)
    for kind in ("agent", "terminal", "env_var"):
        yield MatrixRow(f"auth.{kind}", "Sign-in", f"method of type {kind}", of_type(kind))
    yield MatrixRow(
        "auth.methods",
        "Sign-in",
        "methods",
        lambda seen: seen.in_hello(", ".join(str(one.get("id")) for one in offered(seen)) or NONE),
    )


def _opens_unsigned(seen: Observations) -> MatrixCell:
    heard = seen.session
    if heard is None or (heard.error is not None and heard.code != ErrorCode.AUTH_REQUIRED):
        return UNTESTED
    return seen.said(MatrixAnswer.NO if heard.error else MatrixAnswer.YES, How.SESSION, heard)


# What it says that it can


def _capabilities() -> Iterator[MatrixRow]:
    stable = set(_paths(Edition.STABLE))
    for path in _paths(Edition.UNSTABLE):
        title = path if path in stable else f"{path} (unstable)"
        yield MatrixRow(f"capability.{path}", "Capabilities", title, _offers(path))


def _offers(path: str) -> Read:
    def read(seen: Observations) -> MatrixCell:
        value = seen.capability(path)
        there = value is True or isinstance(value, dict)
        return seen.in_hello(MatrixAnswer.YES if there else MatrixAnswer.NO)

    return read


def _paths(edition: Edition) -> list[str]:
    """List the capabilities of the schema: the ends of its tree, not its branches."""
    definitions = load(edition)["$defs"]

    def below(name: str) -> Iterator[str]:
        for field, schema in definitions[name].get("properties", {}).items():
            target = _target(schema)
            deeper = [] if target is None else list(below(target))
            if field != "_meta":
                yield from (f"{field}.{one}" for one in deeper) if deeper else (field,)

    return list(below("AgentCapabilities"))


def _target(schema: dict[str, Any]) -> str | None:
    """Return the name of the definition that a schema refers to."""
    for one in (schema, *schema.get("allOf", ()), *schema.get("anyOf", ())):
        if "$ref" in one:
            return str(one["$ref"]).rpartition("/")[2]
    return None


# Methods

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


def _methods() -> Iterator[MatrixRow]:
    for name in AGENT_METHODS:
        if AGENT_METHODS[name].result is not None and name != "initialize":
            yield MatrixRow(f"method.{name}", "Methods of the agent", name, _answers(name))


def _answers(name: str) -> Read:
    def read(seen: Observations) -> MatrixCell:
        if name == "session/prompt":
            return seen.ever(lambda heard: "stopReason" in heard.result)
        if name == "session/new" and seen.session is not None:
            return _answered(seen, seen.session)
        if name in seen.called:
            heard = seen.called[name]
            return UNTESTED if heard is None else _answered(seen, heard)
        opened = seen.session is not None and seen.session.error is None
        untested = name in seen.offered or not opened
        return UNTESTED if untested else seen.in_hello(MatrixAnswer.NOT_OFFERED)

    return read


def _answered(seen: Observations, heard: Heard) -> MatrixCell:
    """Any answer but one shows that there is such a method."""
    missing = heard.code == ErrorCode.METHOD_NOT_FOUND
    return seen.said(MatrixAnswer.NO if missing else MatrixAnswer.YES, How.PROBE, heard)
