"""Reads the logs of conductors and of Zed."""

import json
from collections.abc import Iterator
from typing import Any

from acp_tui.protocol.events import Record, StderrLine
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.recordings.captured_log import Clock
from acp_tui.recordings.recording import RecordingError

_TYPES = ("request", "response", "notification")


def is_from_conductor(entry: dict[str, Any]) -> bool:
    """Return whether an entry is from a conductor's trace."""
    hops = "from" in entry and "to" in entry
    return "ts" in entry and (
        entry.get("type") == "trace" or (entry.get("type") in _TYPES and hops)
    )


def read_conductor(entries: list[dict[str, Any]], _around: dict[str, Any]) -> Iterator[Record]:
    """Read the trace of a conductor, which runs proxies between a client and an agent.

    Each line is {type: request | response | notification | trace, ts: seconds, from, to, ...}. A
    message occurs once for each hop of the chain: only the client's hop is read. Raises RecordingError.
    """
    clock = Clock()
    number = 0
    for one in entries:
        at = clock.seconds(one.get("ts"))
        if one.get("type") == "trace":
            yield StderrLine(at, _logged_line(one))
            continue
        direction = _direction(one)
        if direction is None or one.get("protocol") == "mcp":
            continue
        number += 1
        raw = json.dumps(_conductor_message(one), separators=(",", ":")).encode(
            "utf-8", "surrogatepass"
        )
        yield Frame(direction, raw, at, number, size=len(raw))
    if not number:
        raise RecordingError("no message from a client or to one is in this trace")


def _direction(one: dict[str, Any]) -> Direction | None:
    if _is_client(one.get("from")):
        return Direction.OUT
    return Direction.IN if _is_client(one.get("to")) else None


def _is_client(component: Any) -> bool:
    return isinstance(component, str) and component.casefold() == "client"


def _conductor_message(one: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"jsonrpc": "2.0"}
    if one.get("type") != "notification":
        message["id"] = one.get("id")
    if one.get("type") == "response":
        return {**message, "error" if one.get("is_error") else "result": one.get("payload")}
    return {**message, "method": one.get("method"), "params": one.get("params")}


def _logged_line(one: dict[str, Any]) -> str:
    """Format a line from the log of a component."""
    said = [one.get(key) for key in ("component", "level", "message")]
    fields = one.get("fields")
    said += [json.dumps(fields)] if fields else []
    return " ".join(str(word) for word in said if word)


_ZED_DIRECTIONS = {"outgoing": Direction.OUT, "incoming": Direction.IN}


def is_from_zed(entry: dict[str, Any]) -> bool:
    """Return whether an entry is from Zed's log."""
    return "_direction" in entry


def read_zed(entries: list[dict[str, Any]], _around: dict[str, Any]) -> Iterator[Record]:
    """Read a log as Zed's button "Copy All Messages" copies it, without times. Raises RecordingError."""
    for number, one in enumerate(entries, 1):
        direction = one.get("_direction")
        if direction == "stderr":
            body = one.get("params")
            yield StderrLine(0.0, body if isinstance(body, str) else json.dumps(body))
            continue
        if direction not in _ZED_DIRECTIONS:
            raise RecordingError(f"message {number}: no known direction: {direction!r}")
        raw = json.dumps(_zed_message(one, one.get("params")), separators=(",", ":")).encode()
        yield Frame(_ZED_DIRECTIONS[direction], raw, 0.0, number, size=len(raw))


def _zed_message(one: dict[str, Any], body: Any) -> dict[str, Any]:
    """Restore a message: the copy has its result or error as `params`."""
    message: dict[str, Any] = {"jsonrpc": "2.0"}
    if one.get("id") is not None:
        message["id"] = one["id"]
    if one.get("_type") != "response":
        return {**message, "method": one.get("method"), "params": body}
    failed = isinstance(body, dict) and {"code", "message"} <= body.keys()
    return {**message, "error" if failed else "result": body}
