"""Traces of a conductor, which runs proxies between a client and an agent: `.jsons` files.

Each line is {type: request | response | notification | trace, ts: seconds, from, to, ...}. A
message occurs once for each hop of the chain: only the client's is read.
"""

import json
from collections.abc import Iterator
from typing import Any

from acp_tui.protocol.events import Record, StderrLine
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.recordings.importers.captured import Clock
from acp_tui.recordings.recording import RecordingError

_TYPES = ("request", "response", "notification")


def fits(entry: dict[str, Any]) -> bool:
    """Return whether an entry is from a conductor's trace."""
    hops = "from" in entry and "to" in entry
    return "ts" in entry and (
        entry.get("type") == "trace" or (entry.get("type") in _TYPES and hops)
    )


def read_conductor(entries: list[dict[str, Any]], _around: dict[str, Any]) -> Iterator[Record]:
    """Yield the records of a trace. Raises RecordingError."""
    clock = Clock()
    number = 0
    for one in entries:
        at = clock.seconds(one.get("ts"))
        if one.get("type") == "trace":
            yield StderrLine(at, _words(one))
            continue
        direction = _direction(one)
        if direction is None or one.get("protocol") == "mcp":
            continue
        number += 1
        raw = json.dumps(_message(one), separators=(",", ":")).encode("utf-8", "surrogatepass")
        yield Frame(direction, raw, at, number, size=len(raw))
    if not number:
        raise RecordingError("no message from a client or to one is in this trace")


def _direction(one: dict[str, Any]) -> Direction | None:
    if _is_client(one.get("from")):
        return Direction.OUT
    return Direction.IN if _is_client(one.get("to")) else None


def _is_client(component: Any) -> bool:
    return isinstance(component, str) and component.casefold() == "client"


def _message(one: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"jsonrpc": "2.0"}
    if one.get("type") != "notification":
        message["id"] = one.get("id")
    if one.get("type") == "response":
        return {**message, "error" if one.get("is_error") else "result": one.get("payload")}
    return {**message, "method": one.get("method"), "params": one.get("params")}


def _words(one: dict[str, Any]) -> str:
    """Format a line that a component logged."""
    said = [one.get(key) for key in ("component", "level", "message")]
    fields = one.get("fields")
    said += [json.dumps(fields)] if fields else []
    return " ".join(str(word) for word in said if word)
