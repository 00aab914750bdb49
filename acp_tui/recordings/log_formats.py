"""Detects which program wrote a log, and reads it.

A log is JSON Lines, a JSON array, or a JSON object that contains an array. Its first entry
determines the format; if that is a JSON-RPC message itself, the log is one of plain messages.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from acp_tui.protocol.events import LineDamaged, Record
from acp_tui.protocol.json_decoder import TOO_DEEP, TooDeepError, read_json
from acp_tui.recordings.captured_log import is_captured, read_captured
from acp_tui.recordings.plain_log import read_plain
from acp_tui.recordings.program_logs import (
    is_from_conductor,
    is_from_zed,
    read_conductor,
    read_zed,
)
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
