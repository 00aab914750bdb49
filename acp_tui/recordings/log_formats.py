"""Detects which program wrote a log, and reads it.

A log is JSON Lines, a JSON array, or a JSON object that contains an array. Its first entry
determines the format; if that is a JSON-RPC message itself, the log is one of plain messages.
"""

import json
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from math import isfinite
from typing import Any, NamedTuple

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import LineDamaged, ProcessStarted, Record, StderrLine
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.json_decoder import TOO_DEEP, TooDeepError, read_json
from acp_tui.protocol.jsonrpc import Id, Malformed
from acp_tui.protocol.methods import AGENT_METHODS, CLIENT_METHODS
from acp_tui.recordings.recording import RecordingError

Entry = dict[str, Any]
_LISTS = ("messages", "frames", "events", "entries", "trace", "log")
"""Keys of an object that contain the entries of a log."""


class Format(NamedTuple):
    """A log format: `fits` checks the first entry, `read` gets all entries and the object around
    them.
    """

    name: str
    about: str
    fits: Callable[[Entry], bool]
    read: Callable[[list[Entry], Entry], Iterator[Record]]


_PLAIN = "plain JSON-RPC messages, one per line"


def read_log(text: str, extra: Sequence[Format] = ()) -> list[Record]:
    """Read a log of any known format; `extra` formats are tried first.

    Raises RecordingError, which lists the formats.
    """
    formats = (*extra, *FORMATS)
    try:
        return _read(text, formats)
    except RecordingError as error:
        known = [f"  {one.name}: {one.about}" for one in formats]
        forms = "\n".join([*known, f"  {_PLAIN}"])
        raise RecordingError(
            f"{error}\nLogs that can be read, besides recordings:\n{forms}"
        ) from None


def _read(text: str, formats: Sequence[Format]) -> list[Record]:
    try:
        value = _whole(text.lstrip("\ufeff"))
    except ValueError:
        return _read_lines(text.split("\n"), formats)
    entries, around = _entries(value)
    form = _form(entries[0], formats) if entries else None
    if form is not None:
        return list(form.read(entries, around))
    if around and not any(isinstance(one, dict) and "jsonrpc" in one for one in entries):
        return list(read_captured(entries, around))
    return list(read_plain(json.dumps(one) for one in entries or [value]))


def _whole(text: str) -> Any:
    """Parse a text as one JSON value. Raises ValueError."""
    try:
        # Not strict: a log copied by hand may have line breaks within strings.
        return json.loads(text, strict=False)
    except RecursionError:
        raise TooDeepError(TOO_DEEP) from None


def _entries(value: Any) -> tuple[list[Any], Entry]:
    """Return the entries of a log, and the object that contains them."""
    if isinstance(value, list):
        return value, {}
    if not isinstance(value, dict):
        return [], {}
    for key in _LISTS:
        if isinstance(value.get(key), list):
            return value[key], value
    return [value], {}


def _form(entry: Any, formats: Sequence[Format]) -> Format | None:
    """Return the format of an entry."""
    if not isinstance(entry, dict):
        return None
    return next((one for one in formats if one.fits(entry)), None)


def _read_lines(lines: list[str], formats: Sequence[Format]) -> list[Record]:
    first = next((line for line in lines if line.strip("\ufeff \t\r")), "")
    try:
        form = _form(read_json(first.lstrip("\ufeff")), formats)
    except ValueError:
        form = None
    if form is None:
        return list(read_plain(lines))
    entries: list[Entry] = []
    damaged: list[Record] = []
    for number, line in enumerate(lines, 1):
        if not line.strip("\ufeff \t\r"):
            continue
        try:
            entry = read_json(line.lstrip("\ufeff"))
            if not isinstance(entry, dict):
                raise ValueError("no object")
            entries.append(entry)
        except ValueError:
            damaged.append(LineDamaged(0.0, line, f"line {number}: not an entry of this log"))
    records = list(form.read(entries, {}))
    last = records[-1].at if records else 0.0
    return [*records, *(one._replace(at=last) for one in damaged if isinstance(one, LineDamaged))]


_TO_CLIENT = ("fs/", "terminal/", "elicitation/")


def read_plain(lines: Iterable[str]) -> Iterator[Record]:
    """Yield plain messages, one per line, both directions mixed, as in acpx's stream files: without times.

    A direction is derived: from the side that implements the method and, for responses, from the pending
    request with the id. Raises RecordingError if there are no messages.
    """
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
    """Guesses the direction of messages."""

    def __init__(self) -> None:
        self._waiting: dict[Id, list[Direction]] = defaultdict(list)

    def direction(self, message: jsonrpc.Message) -> Direction:
        match message:
            case jsonrpc.Request():
                direction = direction_of_calls(message.method) or Direction.OUT
                self._waiting[message.id].append(direction)
                return direction
            case jsonrpc.Notification():
                return direction_of_calls(message.method) or Direction.OUT
            case jsonrpc.Response() | jsonrpc.Failure():
                return self._answerer(message)
        return Direction.IN  # noise comes from agents

    def _answerer(self, message: jsonrpc.Response | jsonrpc.Failure) -> Direction:
        askers = self._waiting.get(message.id, [])
        if not askers:
            return Direction.IN
        asker = askers[0]
        if len(set(askers)) > 1 and isinstance(message, jsonrpc.Response):
            asker = Direction.IN if _from_client(message.result) else Direction.OUT
        askers.remove(asker)
        return Direction.OUT if asker is Direction.IN else Direction.IN


def direction_of_calls(method: str) -> Direction | None:
    """Return the direction of a method's calls; None if both sides may call it, or if it is
    unknown.
    """
    if method in CLIENT_METHODS and method in AGENT_METHODS:
        return None
    if method in AGENT_METHODS:
        return Direction.OUT
    to_client = method in CLIENT_METHODS or method.startswith(_TO_CLIENT)
    return Direction.IN if to_client or method.endswith("_update") else None


def _from_client(result: Any) -> bool:
    """Return whether a result looks like a client's, if both sides have a pending request with its
    id.
    """
    marks = {"outcome", "content", "terminalId", "output", "exitCode", "exitStatus", "action"}
    return isinstance(result, dict) and (not result or bool(marks & result.keys()))


_DIRECTION_KEYS = ("direction", "dir")
_TIME_KEYS = ("timestamp", "ts", "time", "at")
_BODY_KEYS = ("raw", "json", "message", "frame", "msg", "payload", "data", "line")
_OUT = (
    *("out", "outgoing", "outbound", "send", "sent", "tx", "request", ">", "->", "→"),
    *(
        "clienttoagent",
        "clientagent",
        "editortoagent",
        "editoragent",
        "toagent",
        "fromclient",
        "fromeditor",
        "client",
        "c2a",
    ),
)
_IN = (
    *("in", "incoming", "inbound", "receive", "received", "recv", "rx", "<", "<-", "←"),
    *(
        "agenttoclient",
        "agentclient",
        "agenttoeditor",
        "agenteditor",
        "fromagent",
        "toclient",
        "toeditor",
        "agent",
        "a2c",
    ),
)
_DIRECTIONS = {**dict.fromkeys(_OUT, Direction.OUT), **dict.fromkeys(_IN, Direction.IN)}
_SIDELESS = {*_OUT[: _OUT.index("clienttoagent")], *_IN[: _IN.index("agenttoclient")]}
"""Words that depend on the side that writes the log."""


def is_captured(entry: dict[str, Any]) -> bool:
    """Return whether an entry has a message with a direction, under any of the usual keys."""
    return _word(entry) in _DIRECTIONS and _body(entry) is not None


_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
"""Numbers from which a time since 1970 is in nanoseconds, microseconds, milliseconds."""


class Clock:
    """Converts times to seconds since the first: numbers since 1970 in any unit, or ISO 8601."""

    def __init__(self, start: Any = None) -> None:
        self._start = _seconds(start)
        self._last = 0.0

    def seconds(self, time: Any) -> float:
        """Return a time as seconds since the first; the previous time if it is invalid."""
        at = _seconds(time)
        if at is not None:
            self._start = at if self._start is None else self._start
            self._last = at - self._start
        return self._last


def _seconds(time: Any) -> float | None:
    if isinstance(time, str):
        try:
            return datetime.fromisoformat(time).timestamp()
        except (ValueError, OverflowError):
            return None
    if isinstance(time, bool) or not isinstance(time, int | float) or not abs(time) < 1e30:
        return None
    unit = next((unit for least, unit in _UNITS if time >= least), 1.0)
    return time / unit if isfinite(time) else None


def read_captured(entries: list[dict[str, Any]], around: dict[str, Any]) -> Iterator[Record]:
    """Yield the records of a log whose entries have a message, a direction and a time, under various keys.

    Written by acp-devtools ({timestamp, direction, raw}, in an object with `session` or one per line), by
    ACP-inspector ({ts, direction, json}), and by hand-written loggers. Raises RecordingError.
    """
    session = around.get("session")
    session = session if isinstance(session, dict) else {}
    command = session.get("agentCommand")
    if isinstance(command, str):
        yield ProcessStarted(0.0, tuple(_words(command)), "", 0)
    clock = Clock(session.get("startedAt"))
    turned = _is_turned(entries)
    for number, one in enumerate(entries, 1):
        body = _body(one) if isinstance(one, dict) else None
        direction = _DIRECTIONS.get(_word(one)) if body is not None else None
        if body is None or direction is None:
            keys = sorted(one) if isinstance(one, dict) else type(one).__name__
            raise RecordingError(f"entry {number}: no known direction and message: {keys}")
        if turned:
            direction = Direction.IN if direction is Direction.OUT else Direction.OUT
        raw = body.encode("utf-8", "surrogatepass")
        yield Frame(direction, raw, clock.seconds(_time(one)), number, size=len(raw))


def _word(entry: dict[str, Any]) -> str:
    for key in _DIRECTION_KEYS:
        value = entry.get(key)
        if isinstance(value, str):
            word = value.casefold()
            return word if word in _DIRECTIONS else "".join(filter(str.isalnum, word))
    return ""


def _time(entry: dict[str, Any]) -> Any:
    return next((entry[key] for key in _TIME_KEYS if key in entry), None)


def _body(entry: dict[str, Any]) -> str | None:
    """Return the message as one line."""
    for key in _BODY_KEYS:
        value = entry.get(key)
        if isinstance(value, str):
            return value.rstrip("\r\n")
        if isinstance(value, dict | list):
            return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return None


def _is_turned(entries: list[dict[str, Any]]) -> bool:
    """Return whether the log was written on the agent's side, so that `out` comes from the agent.

    Decided by the first call of a method that only one side may call.
    """
    for one in entries:
        body = _body(one) if isinstance(one, dict) else None
        if body is None or _word(one) not in _SIDELESS:
            continue
        message = jsonrpc.parse(body.encode("utf-8", "surrogatepass"))
        if isinstance(message, jsonrpc.Request | jsonrpc.Notification):
            side = direction_of_calls(message.method)
            if side is not None:
                return side is not _DIRECTIONS[_word(one)]
    return False


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return [command]


_TYPES = ("request", "response", "notification")


def is_from_conductor(entry: dict[str, Any]) -> bool:
    """Return whether an entry is from a conductor's trace."""
    hops = "from" in entry and "to" in entry
    return "ts" in entry and (
        entry.get("type") == "trace" or (entry.get("type") in _TYPES and hops)
    )


def read_conductor(entries: list[dict[str, Any]], _around: dict[str, Any]) -> Iterator[Record]:
    """Yield the records of the trace of a conductor, which runs proxies between a client and an agent.

    Each line is {type: request | response | notification | trace, ts: seconds, from, to, ...}. A message
    occurs once for each hop of the chain: only the client's is read. Raises RecordingError.
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
    """Format a line that a component logged."""
    said = [one.get(key) for key in ("component", "level", "message")]
    fields = one.get("fields")
    said += [json.dumps(fields)] if fields else []
    return " ".join(str(word) for word in said if word)


_ZED_DIRECTIONS = {"outgoing": Direction.OUT, "incoming": Direction.IN}


def is_from_zed(entry: dict[str, Any]) -> bool:
    """Return whether an entry is from Zed's log."""
    return "_direction" in entry


def read_zed(entries: list[dict[str, Any]], _around: dict[str, Any]) -> Iterator[Record]:
    """Yield the records of Zed's log, as its button "Copy All Messages" copies it: without times.

    Raises RecordingError.
    """
    for number, one in enumerate(entries, 1):
        direction = one.get("_direction") if isinstance(one, dict) else None
        if direction == "stderr":
            body = one.get("params")
            yield StderrLine(0.0, body if isinstance(body, str) else json.dumps(body))
            continue
        if direction not in _ZED_DIRECTIONS:
            raise RecordingError(f"message {number}: no known direction: {direction!r}")
        raw = json.dumps(_zed_message(one, one.get("params")), separators=(",", ":")).encode()
        yield Frame(_ZED_DIRECTIONS[direction], raw, 0.0, number, size=len(raw))


def _zed_message(one: dict[str, Any], body: Any) -> dict[str, Any]:
    """Return the message as it may have been: the export has results and errors as `params`."""
    message: dict[str, Any] = {"jsonrpc": "2.0"}
    if one.get("id") is not None:
        message["id"] = one["id"]
    if one.get("_type") != "response":
        return {**message, "method": one.get("method"), "params": body}
    failed = isinstance(body, dict) and {"code", "message"} <= body.keys()
    return {**message, "error" if failed else "result": body}


FORMATS = (
    Format("Zed", "an array of {_direction, _type, id, method, params}", is_from_zed, read_zed),
    Format(
        "conductor",
        "lines of {type, ts, from, to, ...}: a .jsons trace",
        is_from_conductor,
        read_conductor,
    ),
    Format(
        "captured messages",
        "entries with a direction, a time and a message, such as {timestamp, direction, raw} of "
        "acp-devtools, {ts, direction, json} of ACP-inspector, {direction, timestamp, message}, "
        "{ts, dir, frame}",
        is_captured,
        read_captured,
    ),
)
