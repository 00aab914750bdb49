"""Values that version 2 leaves open: one that you make up begins with an underscore."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from acp_tui.debug.exchanges import Reading
from acp_tui.debug.lint.checker import Checker, entry, items
from acp_tui.protocol.findings import JsonPath, ProtocolRule, Severity
from acp_tui.protocol.newer import is_newer_value, is_well_formed_value, note
from acp_tui.protocol.schema import Edition, load

RESERVED = ProtocolRule(
    "reserved-value",
    Severity.WARNING,
    "Values beginning with _ are reserved for implementation-specific extensions. Unknown values that "
    "do not begin with _ are reserved for future ACP variants.",
    versions=(2,),
)

_Place = tuple[JsonPath, str, Any]
"""A path, the definition of the schema that has its values, and the value there."""


class ReservedChecker(Checker):
    """Checks that each value is one of the protocol's, or marked as an extension."""

    VERSIONS = (2,)
    RULES = (RESERVED,)

    def check_record(self, reading: Reading) -> None:
        if reading.kind:
            places = _of_update(reading.update)
        elif reading.method == "session/request_permission" and reading.is_request:
            places = _of_permission(reading.params)
        else:
            return
        for path, name, value in places:
            if not isinstance(value, str) or value.startswith("_") or value in _known(name):
                continue
            may_be_newer = self.peers.is_between_others and is_well_formed_value(value)
            if may_be_newer or is_newer_value(path[-1], value):
                rule, where, how = note(("params", *path), f"{path[-1]} {value!r}")
                self.report(rule, reading, how, where)
            else:
                how = f"{value!r} is no value of version 2"
                self.report(RESERVED, reading, how, ("params", *path))


def _of_update(update: dict[str, Any]) -> Iterator[_Place]:
    kind = update.get("sessionUpdate")
    yield ("update", "sessionUpdate"), "SessionUpdate", kind
    if kind == "state_update":
        yield ("update", "state"), "StateUpdate", update.get("state")
        yield ("update", "stopReason"), "IdleStateUpdate", update.get("stopReason")
    elif kind == "tool_call_update":
        yield ("update", "status"), "ToolCallStatus", update.get("status")
        yield ("update", "kind"), "ToolKind", update.get("kind")
        for index, one in enumerate(items(update.get("content"))):
            yield ("update", "content", index, "type"), "ToolCallContent", one.get("type")
    elif kind in ("agent_message_chunk", "agent_thought_chunk", "user_message_chunk"):
        block = entry(update, "content")
        yield ("update", "content", "type"), "ContentBlock", block.get("type")


def _of_permission(params: dict[str, Any]) -> Iterator[_Place]:
    subject = entry(params, "subject")
    yield ("subject", "type"), "RequestPermissionSubject", subject.get("type")
    for index, option in enumerate(items(params.get("options"))):
        yield ("options", index, "kind"), "PermissionOptionKind", option.get("kind")


@cache
def _known(name: str) -> frozenset[str]:
    """Return all values that a union of the schema has by name."""
    branches = load(Edition.UNSTABLE_2)["$defs"][name]["anyOf"]
    constants = (one for branch in branches for one in _constants(branch))
    return frozenset(constants)


def _constants(branch: dict[str, Any]) -> Iterator[str]:
    for holder in (branch, *branch.get("properties", {}).values()):
        if isinstance(holder.get("const"), str):
            yield holder["const"]
