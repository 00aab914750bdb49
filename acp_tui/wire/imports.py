"""Other programs' logs, read as records: JSON Lines of messages, and two export formats.

    plain         a JSON-RPC message a line, both directions mixed; also acpx's stream files
    zed           a JSON array of {_direction, _type, id, method, params}: "Copy All Messages"
    acp-devtools  a JSON object {version, tool, session, messages: [{timestamp, direction, raw}]},
                  or such messages alone, one a line

Plain messages don't say which way they went: that is told from who answers the method, and of
responses from whose request with that id waits.
"""

import json
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import ProcessStarted, StderrLine
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.jsonrpc import Id, Malformed
from acp_tui.protocol.methods import AGENT_METHODS, CLIENT_METHODS
from acp_tui.wire.recording import Record, RecordingError

_TO_CLIENT = ("fs/", "terminal/", "elicitation/")
_OF_TOOL = {"editor-to-agent": Direction.OUT, "agent-to-editor": Direction.IN}
_OF_ZED = {"outgoing": Direction.OUT, "incoming": Direction.IN}


def read_log(text: str) -> list[Record]:
    """The records of a log in whatever form this is. Raises RecordingError."""
    try:
        # Not strict: what was copied by hand has line ends where there were none.
        value = json.loads(text.lstrip("\ufeff"), strict=False)
    except (ValueError, RecursionError):
        lines = text.split("\n")
        captured = _captured(lines)
        return list(_devtools({"messages": captured}) if captured else read_messages(lines))
    if _is_captured(value):
        return list(_devtools({"messages": [value]}))
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        return list(_devtools(value))
    if isinstance(value, list) and value and all(_is_zed(one) for one in value):
        return list(_zed(value))
    messages = value if isinstance(value, list) else [value]
    return list(read_messages(json.dumps(one) for one in messages))


def read_messages(lines: Iterable[str]) -> Iterator[Record]:
    """Plain messages, one a line; they have no times. Raises RecordingError if none is one."""
    guess = _Guess()
    number = understood = 0
    for line in lines:
        raw = line.strip("\ufeff\r\n").encode("utf-8", "surrogateescape")
        if not raw.strip():
            continue
        number += 1
        message = jsonrpc.parse(raw)
        understood += not isinstance(message, Malformed)
        if number == 20 and not understood:
            break
        yield Frame(guess.direction(message), raw, 0.0, number, size=len(raw))
    if not understood:
        raise RecordingError("no line is a JSON-RPC message")


class _Guess:
    """Which way messages went that don't say it."""

    def __init__(self) -> None:
        self._waiting: dict[Id, list[Direction]] = defaultdict(list)

    def direction(self, message: jsonrpc.Message) -> Direction:
        match message:
            case jsonrpc.Request():
                direction = _caller(message.method)
                self._waiting[message.id].append(direction)
                return direction
            case jsonrpc.Notification():
                return _caller(message.method)
            case jsonrpc.Response() | jsonrpc.Failure():
                return self._answerer(message)
        return Direction.IN  # noise: agents make it

    def _answerer(self, message: jsonrpc.Response | jsonrpc.Failure) -> Direction:
        askers = self._waiting.get(message.id, [])
        if not askers:
            return Direction.IN
        asker = askers[0]
        if len(set(askers)) > 1 and isinstance(message, jsonrpc.Response):
            asker = Direction.IN if _from_client(message.result) else Direction.OUT
        askers.remove(asker)
        return Direction.OUT if asker is Direction.IN else Direction.IN


def _caller(method: str) -> Direction:
    if method in CLIENT_METHODS and method not in AGENT_METHODS:
        return Direction.IN
    to_client = method.startswith(_TO_CLIENT) or method.endswith("_update")
    return Direction.IN if to_client else Direction.OUT


def _from_client(result: Any) -> bool:
    """Whether a result looks like a client's: both sides wait for an answer with its id."""
    marks = {"outcome", "content", "terminalId", "output", "exitCode", "exitStatus", "action"}
    return isinstance(result, dict) and (not result or bool(marks & result.keys()))


def _is_zed(value: Any) -> bool:
    return isinstance(value, dict) and "_direction" in value


def _zed(messages: list[dict[str, Any]]) -> Iterator[Record]:
    for number, one in enumerate(messages, 1):
        direction, body = one.get("_direction"), one.get("params")
        if direction == "stderr":
            yield StderrLine(0.0, body if isinstance(body, str) else json.dumps(body))
            continue
        if direction not in _OF_ZED:
            raise RecordingError(f"message {number}: no direction that is known: {direction!r}")
        raw = json.dumps(_zed_message(one, body), separators=(",", ":")).encode()
        yield Frame(_OF_ZED[direction], raw, 0.0, number, size=len(raw))


def _zed_message(one: dict[str, Any], body: Any) -> dict[str, Any]:
    """The message as it may have been: the export keeps a result and an error as `params`."""
    message: dict[str, Any] = {"jsonrpc": "2.0"}
    if one.get("id") is not None:
        message["id"] = one["id"]
    if one.get("_type") != "response":
        return {**message, "method": one.get("method"), "params": body}
    failed = isinstance(body, dict) and {"code", "message"} <= body.keys()
    return {**message, "error" if failed else "result": body}


def _is_captured(value: Any) -> bool:
    return isinstance(value, dict) and value.get("direction") in _OF_TOOL and "raw" in value


def _captured(lines: list[str]) -> list[Any]:
    """The messages that acp-devtools lists one a line; none if these lines are something else."""
    first = next((line for line in lines if line.strip()), "")
    try:
        if _is_captured(json.loads(first)):
            return [json.loads(line) for line in lines if line.strip()]
    except (ValueError, TypeError, RecursionError):
        pass
    return []


def _devtools(export: dict[str, Any]) -> Iterator[Record]:
    session = export.get("session")
    session = session if isinstance(session, dict) else {}
    messages = export["messages"]
    try:
        start = float(session.get("startedAt") or (messages and messages[0]["timestamp"]) or 0)
        command = session.get("agentCommand")
        if isinstance(command, str):
            yield ProcessStarted(0.0, tuple(_words(command)), "", 0)
        for number, one in enumerate(messages, 1):
            raw = one["raw"].encode("utf-8", "surrogatepass")
            at = (one["timestamp"] - start) / 1000
            yield Frame(_OF_TOOL[one["direction"]], raw, at, number, size=len(raw))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RecordingError(f"not an export of acp-devtools as known here: {error!r}") from error


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return [command]
