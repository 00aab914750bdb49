"""The versions of the protocol, with their names for methods and params.

All other rooms use the names of version 1, and version 2's for whatever only version 2 has. The
dialect of a connection maps our requests to the method and params on the wire; the `call` of a
`Requested` is the name that other rooms use, whatever its `method` on the wire.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from acp_tui.protocol.frames import Direction
from acp_tui.protocol.initialization import InitializeResult
from acp_tui.protocol.json_parts import object_at
from acp_tui.protocol.jsonrpc import Failure, Malformed, Message, Notification, Request
from acp_tui.protocol.kinds import CHUNKS
from acp_tui.protocol.methods import AGENT_METHODS, CLIENT_METHODS, Method

Params = dict[str, Any]


class Dialect(NamedTuple):
    """A version of the protocol: its methods, the `names` of our calls on the wire, and `written`,
    which converts the params of our calls.
    """

    version: int
    agent_methods: Mapping[str, Method]
    client_methods: Mapping[str, Method]
    names: Mapping[str, str]
    written: Callable[[str, Params], Params]

    def methods(self, caller: Direction) -> Mapping[str, Method]:
        """Return the methods that `caller` may call."""
        return self.client_methods if caller is Direction.IN else self.agent_methods

    def name(self, call: str) -> str:
        """Return the name on the wire of one of our calls."""
        return self.names.get(call, call)

    def offers(self, agent: InitializeResult, call: str, *, unstable: bool) -> bool:
        """Return whether an agent supports a call; an unstable one only if `unstable` is true."""
        method = self.agent_methods.get(self.name(call))
        return method is not None and (unstable or not method.unstable) and method.offered(agent)


V1 = Dialect(1, AGENT_METHODS, CLIENT_METHODS, {}, lambda _, params: params)


@cache
def dialect_of(version: int) -> Dialect:
    """Return the dialect of a version. Version 2's is loaded on first use."""
    if version == 1:
        return V1
    from acp_tui.protocol.v2.methods import V2

    return V2


def shape_of(initialize: Any) -> int:
    """Return the version that the params or the result of `initialize` are shaped for.

    The number isn't enough: some agents echo 2 in a message shaped for version 1.
    """
    if not isinstance(initialize, dict) or initialize.get("protocolVersion") == 1:
        return 1
    return 2 if "info" in initialize or "capabilities" in initialize else 1


def guess_version(message: Message) -> int | None:
    """Return the version of a message that only one version has; else None."""
    if isinstance(message, Malformed | Failure):
        return None
    if not isinstance(message, Request | Notification):
        return _of_result(message.result) if isinstance(message.result, dict) else None
    return _BY_METHOD.get(message.method) or _of_params(message.method, object_at(message.params))


def _of_params(method: str, params: Params) -> int | None:
    match method:
        case "initialize":
            return shape_of(params)
        case "session/update":
            update = params.get("update")
            return _of_update(update) if isinstance(update, dict) else None
        case "session/request_permission":
            return 1 if "toolCall" in params else 2 if "title" in params else None
        case "session/resume":
            return 2 if "replayFrom" in params else None
        case "session/set_config_option":
            return 1 if "type" not in params else 2 if params["type"] == "id" else None
    return None


def _of_update(update: Params) -> int | None:
    kind = update.get("sessionUpdate")
    if not isinstance(kind, str):
        return None
    if kind in CHUNKS and "messageId" not in update:
        return 1
    return _BY_KIND.get(kind)


def _of_result(result: Params) -> int | None:
    if "protocolVersion" in result:
        return shape_of(result)
    if result.keys() & {"stopReason", "modes", "models"}:
        return 1
    if result.keys() - {"_meta"} == {"messageId"} or "availableCommands" in result:
        return 2
    return None


_BY_METHOD = {
    **dict.fromkeys(
        (
            "authenticate",
            "logout",
            "session/load",
            "session/set_mode",
            "session/set_model",
            *(name for name in CLIENT_METHODS if name.startswith(("fs/", "terminal/"))),
        ),
        1,
    ),
    **dict.fromkeys(("auth/login", "auth/logout", "tool_call/cancel", "terminal/cancel"), 2),
}
"""Methods that only one version has."""

_BY_KIND = {
    **dict.fromkeys(("tool_call", "plan", "current_mode_update"), 1),
    **dict.fromkeys(
        (
            "user_message",
            "agent_message",
            "agent_thought",
            "state_update",
            "tool_call_content_chunk",
            "terminal_update",
            "terminal_output_chunk",
        ),
        2,
    ),
}
"""Kinds of updates that only one version has."""
