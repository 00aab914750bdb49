"""Reads logs whose entries have a message, a direction and a time, under any of the usual keys."""

import json
import shlex
from collections.abc import Iterator
from math import isfinite
from typing import Any

from acp_tui.formatting import read_time
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.json_parts import text_or_none_at, value_at
from acp_tui.protocol.process_events import ProcessStarted
from acp_tui.recordings.plain_log import direction_of_calls
from acp_tui.recordings.recording import RecordingError

_DIRECTION_KEYS = ("direction", "dir")
_TIME_KEYS = ("timestamp", "ts", "time", "at")
_BODY_KEYS = ("raw", "json", "message", "frame", "msg", "payload", "data", "line")
_SENT = ("out", "outgoing", "outbound", "send", "sent", "tx", "request", ">", "->", "→")
_RECEIVED = ("in", "incoming", "inbound", "receive", "received", "recv", "rx", "<", "<-", "←")
_FROM_CLIENT = (
    "clienttoagent",
    "clientagent",
    "editortoagent",
    "editoragent",
    "toagent",
    "fromclient",
    "fromeditor",
    "client",
    "c2a",
)
_FROM_AGENT = (
    "agenttoclient",
    "agentclient",
    "agenttoeditor",
    "agenteditor",
    "fromagent",
    "toclient",
    "toeditor",
    "agent",
    "a2c",
)
_DIRECTIONS = {
    **dict.fromkeys((*_SENT, *_FROM_CLIENT), Direction.OUT),
    **dict.fromkeys((*_RECEIVED, *_FROM_AGENT), Direction.IN),
}


def is_captured(entry: dict[str, Any]) -> bool:
    """Return whether an entry has a direction and a message, under any of the usual keys."""
    return _direction_word(entry) in _DIRECTIONS and _message_line(entry) is not None


_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
"""The smallest number that means nanoseconds, microseconds or milliseconds since 1970, and how many
of these are a second.
"""


class Clock:
    """Converts times to seconds since the first one: ISO 8601, or numbers since 1970 in any unit."""

    def __init__(self, start: Any = None) -> None:
        self._start = _parse_time(start)
        self._last = 0.0

    def seconds(self, time: Any) -> float:
        """Return the seconds from the first time to this one; if it is invalid, to the one before."""
        at = _parse_time(time)
        if at is not None:
            self._start = at if self._start is None else self._start
            self._last = at - self._start
        return self._last


def _parse_time(time: Any) -> float | None:
    if isinstance(time, str):
        read = read_time(time)
        return None if read is None else read.timestamp()
    if isinstance(time, bool) or not isinstance(time, int | float) or not abs(time) < 1e30:
        return None
    unit = next((unit for least, unit in _UNITS if time >= least), 1.0)
    return time / unit if isfinite(time) else None


def read_captured(entries: list[dict[str, Any]], around: dict[str, Any]) -> Iterator[Record]:
    """Read a log whose entries have a message, a direction and a time, under various keys.

    Such logs come from acp-devtools ({timestamp, direction, raw}, in an object with `session` or one
    per line), from ACP-inspector ({ts, direction, json}), and from hand-written loggers. Raises
    RecordingError.
    """
    command = text_or_none_at(around, "session", "agentCommand")
    if command is not None:
        yield ProcessStarted(0.0, tuple(_command_words(command)), "", 0)
    clock = Clock(value_at(around, "session", "startedAt"))
    turned = _is_from_agents_side(entries)
    for number, one in enumerate(entries, 1):
        body, direction = _message_line(one), _DIRECTIONS.get(_direction_word(one))
        if body is None or direction is None:
            raise RecordingError(f"entry {number}: no known direction and message: {sorted(one)}")
        if turned:
            direction = Direction.IN if direction is Direction.OUT else Direction.OUT
        raw = body.encode("utf-8", "surrogatepass")
        yield Frame(direction, raw, clock.seconds(_time_of(one)), number, size=len(raw))


def _direction_word(entry: dict[str, Any]) -> str:
    for key in _DIRECTION_KEYS:
        value = entry.get(key)
        if isinstance(value, str):
            word = value.casefold()
            return word if word in _DIRECTIONS else "".join(filter(str.isalnum, word))
    return ""


def _time_of(entry: dict[str, Any]) -> Any:
    return next((entry[key] for key in _TIME_KEYS if key in entry), None)


def _message_line(entry: dict[str, Any]) -> str | None:
    """Return the message of an entry as one line; None if it has none."""
    for key in _BODY_KEYS:
        value = entry.get(key)
        if isinstance(value, str):
            return value.rstrip("\r\n")
        if isinstance(value, dict | list):
            return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return None


def _is_from_agents_side(entries: list[dict[str, Any]]) -> bool:
    """Return whether the log was written on the agent's side, so that `out` comes from the agent.

    Decided by the first call of a method that only one side may call.
    """
    for one in entries:
        body = _message_line(one)
        if body is None or _direction_word(one) not in (*_SENT, *_RECEIVED):
            continue
        message = jsonrpc.parse(body.encode("utf-8", "surrogatepass"))
        if isinstance(message, jsonrpc.Request | jsonrpc.Notification):
            side = direction_of_calls(message.method)
            if side is not None:
                return side is not _DIRECTIONS[_direction_word(one)]
    return False


def _command_words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return [command]
