"""Detects which program wrote a log, and reads it.

A log is JSON Lines, a JSON array, or a JSON object that contains an array. Its first entry
determines the format; if that is a JSON-RPC message itself, the log is one of plain messages.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from acp_tui.protocol.events import LineDamaged, Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.json_decoder import TOO_DEEP, TooDeepError, read_json
from acp_tui.protocol.process_events import StderrLine
from acp_tui.recordings.captured_log import Clock, is_captured, read_captured
from acp_tui.recordings.plain_log import read_plain
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
        return _read_records(text, formats)
    except RecordingError as error:
        known = [f"  {one.name}: {one.about}" for one in formats]
        forms = "\n".join([*known, f"  {_PLAIN}"])
        raise RecordingError(
            f"{error}\nLogs that can be read, besides recordings:\n{forms}"
        ) from None


def _read_records(text: str, formats: Sequence[Format]) -> list[Record]:
    try:
        value = _parse_whole(text.lstrip("\ufeff"))
    except ValueError:
        return _read_lines(text.split("\n"), formats)
    entries, around = _find_entries(value)
    form = _find_format(entries[0], formats) if entries else None
    if form is not None:
        return list(form.read(_only_objects(entries), around))
    if around and not any(isinstance(one, dict) and "jsonrpc" in one for one in entries):
        return list(read_captured(_only_objects(entries), around))
    return list(read_plain(json.dumps(one) for one in entries or [value]))


def _parse_whole(text: str) -> Any:
    """Parse a text as one JSON value. Raises ValueError."""
    try:
        # Not strict: a log copied by hand may have line breaks within strings.
        return json.loads(text, strict=False)
    except RecursionError:
        raise TooDeepError(TOO_DEEP) from None


def _find_entries(value: Any) -> tuple[list[Any], Entry]:
    """Return the entries of a log, and the object that contains them."""
    if isinstance(value, list):
        return value, {}
    if not isinstance(value, dict):
        return [], {}
    for key in _LISTS:
        if isinstance(value.get(key), list):
            return value[key], value
    return [value], {}


def _only_objects(entries: list[Any]) -> list[Entry]:
    """Return the entries of a log. Raises RecordingError if one isn't an object."""
    for number, one in enumerate(entries, 1):
        if not isinstance(one, dict):
            raise RecordingError(f"entry {number}: not an object: {one!r:.100}")
    return entries


def _find_format(entry: Any, formats: Sequence[Format]) -> Format | None:
    """Return the format of an entry."""
    if not isinstance(entry, dict):
        return None
    return next((one for one in formats if one.fits(entry)), None)


def _read_lines(lines: list[str], formats: Sequence[Format]) -> list[Record]:
    first = next((line for line in lines if line.strip("\ufeff \t\r")), "")
    try:
        form = _find_format(read_json(first.lstrip("\ufeff")), formats)
    except ValueError:
        form = None
    if form is None:
        return list(read_plain(lines))
    entries: list[Entry] = []
    damaged: list[LineDamaged] = []
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
    return [*records, *(one._replace(at=last) for one in damaged)]


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
    message occurs once for each hop of the chain: only the client's hop is read. Raises
    RecordingError.
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
    parts = [one.get(key) for key in ("component", "level", "message")]
    fields = one.get("fields")
    parts += [json.dumps(fields)] if fields else []
    return " ".join(str(word) for word in parts if word)


_ZED_DIRECTIONS = {"outgoing": Direction.OUT, "incoming": Direction.IN}


def is_from_zed(entry: dict[str, Any]) -> bool:
    """Return whether an entry is from Zed's log."""
    return "_direction" in entry


def read_zed(entries: list[dict[str, Any]], _around: dict[str, Any]) -> Iterator[Record]:
    """Read the text that Zed's button "Copy All Messages" copies, which has no times.

    Raises RecordingError.
    """
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
