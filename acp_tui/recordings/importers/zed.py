"""Zed's log of a connection, as its button "Copy All Messages" copies it."""

import json
from collections.abc import Iterator
from typing import Any

from acp_tui.protocol.events import Record, StderrLine
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.recordings.recording import RecordingError

_DIRECTIONS = {"outgoing": Direction.OUT, "incoming": Direction.IN}


def fits(entry: dict[str, Any]) -> bool:
    """Return whether an entry is from Zed's log."""
    return "_direction" in entry


def read_zed(entries: list[dict[str, Any]], _around: dict[str, Any]) -> Iterator[Record]:
    """Yield the records of Zed's log, which have no times. Raises RecordingError."""
    for number, one in enumerate(entries, 1):
        direction = one.get("_direction") if isinstance(one, dict) else None
        if direction == "stderr":
            body = one.get("params")
            yield StderrLine(0.0, body if isinstance(body, str) else json.dumps(body))
            continue
        if direction not in _DIRECTIONS:
            raise RecordingError(f"message {number}: no known direction: {direction!r}")
        raw = json.dumps(_message(one, one.get("params")), separators=(",", ":")).encode()
        yield Frame(_DIRECTIONS[direction], raw, 0.0, number, size=len(raw))


def _message(one: dict[str, Any], body: Any) -> dict[str, Any]:
    """Return the message as it may have been: the export has results and errors as `params`."""
    message: dict[str, Any] = {"jsonrpc": "2.0"}
    if one.get("id") is not None:
        message["id"] = one["id"]
    if one.get("_type") != "response":
        return {**message, "method": one.get("method"), "params": body}
    failed = isinstance(body, dict) and {"code", "message"} <= body.keys()
    return {**message, "error" if failed else "result": body}
