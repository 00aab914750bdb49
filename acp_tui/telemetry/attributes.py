"""The names of spans and their attributes: OpenTelemetry's where it has some, else `acp.`.

The conventions: https://opentelemetry.io/docs/specs/semconv/gen-ai/ and .../rpc/json-rpc/. What a
person or a model wrote is never among them.
"""

from collections.abc import Callable, Mapping
from typing import Any

from acp_tui.telemetry.activities import Activity, ActivityKind

Mask = Callable[[str], str]
"""Masks the secrets in a text."""

_OF_KIND: dict[ActivityKind, dict[str, str]] = {
    ActivityKind.TURN: {
        "stop_reason": "acp.stop_reason",
        "inputTokens": "gen_ai.usage.input_tokens",
        "outputTokens": "gen_ai.usage.output_tokens",
        "cachedReadTokens": "gen_ai.usage.cache_read.input_tokens",
        "context_used": "acp.context.used",
        "cost": "acp.cost",
        "currency": "acp.cost.currency",
        "quota_used": "acp.quota.used",
        "quota_window": "acp.quota.window",
        "chunks": "acp.turn.chunks",
        "tool_calls": "acp.turn.tool_calls",
        "first_update": "acp.turn.time_to_first_update",
        "asked_seconds": "acp.turn.person_seconds",
    },
    ActivityKind.SUBAGENT: {
        "parent_session": "acp.parent.conversation.id",
        "stop_reason": "acp.stop_reason",
        "inputTokens": "gen_ai.usage.input_tokens",
        "outputTokens": "gen_ai.usage.output_tokens",
        "cachedReadTokens": "gen_ai.usage.cache_read.input_tokens",
        "context_used": "acp.context.used",
        "cost": "acp.cost",
        "currency": "acp.cost.currency",
        "tool_calls": "acp.turn.tool_calls",
    },
    ActivityKind.TOOL_CALL: {
        "tool_call_id": "gen_ai.tool.call.id",
        "title": "acp.tool.title",
        "kind": "acp.tool.kind",
        "status": "acp.tool.status",
    },
    ActivityKind.PERMISSION: {
        "tool_call_id": "gen_ai.tool.call.id",
        "title": "acp.tool.title",
        "tool_kind": "acp.tool.kind",
        "outcome": "acp.permission.outcome",
        "rule": "acp.permission.rule",
    },
    ActivityKind.FILE: {
        "path": "file.path",
        "operation": "acp.file.operation",
        "created": "acp.file.created",
        "decision": "acp.permission.outcome",
        "asked_seconds": "acp.permission.seconds",
    },
    ActivityKind.TERMINAL: {
        "command": "process.command",
        "exit_code": "process.exit.code",
        "signal": "acp.terminal.signal",
        "decision": "acp.permission.outcome",
        "asked_seconds": "acp.permission.seconds",
    },
}


def span_name(activity: Activity, agent: Mapping[str, str]) -> str:
    """Return the name of an activity's span."""
    if activity.kind is ActivityKind.TURN:
        return f"invoke_agent {agent.get('name', '')}".rstrip()
    if activity.kind is ActivityKind.SUBAGENT:
        return f"invoke_agent {activity.name}"
    if activity.kind is ActivityKind.TOOL_CALL:
        return f"execute_tool {activity.name}"
    return activity.name


def span_attributes(activity: Activity, agent: Mapping[str, str], mask: Mask) -> dict[str, Any]:
    """Return the attributes of an activity's span."""
    found: dict[str, Any] = {"acp.kind": activity.kind.value, "acp.frame": activity.number}
    for key, name in (("name", "gen_ai.agent.name"), ("version", "gen_ai.agent.version")):
        if key in agent:
            found[name] = agent[key]
    if activity.kind is ActivityKind.SUBAGENT:
        found["gen_ai.agent.name"] = activity.name
    if activity.session_id is not None:
        found["gen_ai.conversation.id"] = activity.session_id
    found |= _operation(activity)
    if activity.error is not None:
        found["error.type"] = str(activity.facts.get("error_code", activity.kind.value))
    for key, name in _OF_KIND.get(activity.kind, {}).items():
        value = activity.facts.get(key)
        if value is not None:
            found[name] = mask(value) if isinstance(value, str) else value
    if found.get("acp.stop_reason"):
        found["gen_ai.response.finish_reasons"] = (found["acp.stop_reason"],)
    return found


def _operation(activity: Activity) -> dict[str, Any]:
    """Return the attributes of the operation: of a tool, or of a request."""
    if activity.kind is ActivityKind.TOOL_CALL:
        return {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": activity.name}
    if activity.kind is ActivityKind.SUBAGENT:
        return {"gen_ai.operation.name": "invoke_agent"}
    found: dict[str, Any] = {"rpc.system.name": "jsonrpc", "rpc.method": activity.name}
    if activity.kind is ActivityKind.TURN:
        found["gen_ai.operation.name"] = "invoke_agent"
    if "error_code" in activity.facts:
        found["rpc.response.status_code"] = str(activity.facts["error_code"])
    return found
