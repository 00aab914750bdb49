"""The methods of version 2, and the conversion of our calls to its wire format."""

from typing import Any

from acp_tui.protocol import setup
from acp_tui.protocol.dialects import Dialect, Params
from acp_tui.protocol.initialization import (
    SESSION_CLAIMS_IN_2,
    AuthenticateParams,
    InitializeResult,
)
from acp_tui.protocol.methods import AGENT_METHODS, CLIENT_METHODS, Method
from acp_tui.protocol.setup import Empty
from acp_tui.protocol.unstable import ASK_USER, STEERING
from acp_tui.protocol.v2 import requests, updates
from acp_tui.protocol.v2 import setup as v2
from acp_tui.protocol.wire_events import RENAMED


def _has_sessions(agent: InitializeResult) -> bool:
    return agent.agent_capabilities.session_capabilities.resume is not None


def _signs_in(agent: InitializeResult) -> bool:
    return bool(agent.auth_methods)


def _like_1(name: str) -> Method:
    """Return a method that version 2 shares with version 1."""
    return AGENT_METHODS.get(name) or CLIENT_METHODS[name]


_AGENT_METHODS = (
    Method("initialize", v2.InitializeParamsV2, v2.InitializeResultV2),
    Method("auth/login", AuthenticateParams, Empty, _signs_in),
    Method("auth/logout", Empty, Empty, _signs_in),
    Method("session/new", setup.NewSessionParams, v2.NewSessionResultV2, _has_sessions),
    Method("session/resume", v2.ResumeSessionParams, v2.SessionSetupV2, _has_sessions),
    _like_1("session/fork")._replace(result=v2.NewSessionResultV2),
    _like_1("session/options")._replace(result=v2.SessionSetupV2),
    Method("session/prompt", setup.PromptParams, v2.PromptAccepted, _has_sessions),
    Method("tool_call/cancel", requests.CancelToolCallParams, Empty, _has_sessions),
    Method("terminal/cancel", requests.CancelTerminalParams, Empty, _has_sessions),
    Method("session/set_config_option", v2.SetConfigOptionParamsV2, v2.ConfigOptionsResultV2),
    *map(
        _like_1,
        (
            "session/list",
            "session/close",
            "session/delete",
            "session/cancel",
            "$/cancel_request",
            "session/archive",
            "session/unarchive",
            "session/set_title",
            "session/status",
            "auth/status",
            "providers/list",
            "providers/set",
            "providers/disable",
            STEERING,
        ),
    ),
)
"""Methods that the client calls and the agent handles."""

_CLIENT_METHODS = (
    _like_1("session/request_permission")._replace(params=requests.RequestPermissionRequest),
    _like_1("session/update")._replace(params=updates.UpdateSessionNotification),
    *map(
        _like_1,
        (
            "elicitation/create",
            "elicitation/complete",
            ASK_USER,
            "auth/status_update",
            "$/cancel_request",
        ),
    ),
)
"""Methods that the agent calls and the client handles."""


def _written(call: str, params: Params) -> Params:
    """Convert the params of one of our calls to version 2's wire format."""
    if "mcpServers" in params:
        servers = [{"type": "stdio", **server} for server in params["mcpServers"]]
        params = {**params, "mcpServers": servers}
    if "configOptions" in params:
        values = [{"type": "id", **value} for value in params["configOptions"]]
        params = {**params, "configOptions": values}
    match call:
        case "initialize":
            return _initialize(params)
        case "session/load":
            return {**params, "replayFrom": {"type": "start"}}
        case "session/set_config_option":
            return {"type": "id", **params}
    return params


def _initialize(params: Params) -> Params:
    """Convert the params of `initialize` to version 2, with only the capabilities that it has."""
    if "clientCapabilities" not in params:
        return params  # another client's params, already in the form for the wire
    claims = params["clientCapabilities"]
    capabilities: dict[str, Any] = {}
    if (claims.get("auth") or {}).get("terminal"):
        capabilities["auth"] = {"terminal": {}}
    given = claims.get("session") or {}
    if session := {name: given[name] for name in SESSION_CLAIMS_IN_2 if name in given}:
        capabilities["session"] = session
    if claims.get("elicitation"):
        capabilities["elicitation"] = claims["elicitation"]
    if "plan" in claims:
        capabilities["_meta"] = {v2.UNSTABLE: True}
    meta = {"_meta": params["_meta"]} if "_meta" in params else {}
    return {
        "protocolVersion": 2,
        "info": params["clientInfo"],
        "capabilities": capabilities,
        **meta,
    }


V2 = Dialect(
    2,
    {method.name: method for method in _AGENT_METHODS},
    {method.name: method for method in _CLIENT_METHODS},
    {**{call: name for name, call in RENAMED.items()}, "session/load": "session/resume"},
    _written,
)
