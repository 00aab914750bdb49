"""Reads and writes recordings: JSON Lines that can be read, shared and replayed.

The first line is a header (`{"acp-tui": 1, ...}`). Each other line is a frame or a local event,
with `at` in monotonic seconds. A frame's bytes are in `raw` as text, or in `base64` if they are not
UTF-8: nothing is lost or changed.
"""

import json
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import isfinite
from typing import Any, get_args

from acp_tui.errors import AcpTuiError
from acp_tui.policy.rules import RuleError, read_rule
from acp_tui.protocol.connection import WireConnection
from acp_tui.protocol.events import Event, LineDamaged, LocalEvent, Record
from acp_tui.protocol.file_events import EditVerdict, FileOperation
from acp_tui.protocol.folders import Folders
from acp_tui.protocol.frames import Direction, Flaw, Frame, FrameMark, Origin
from acp_tui.protocol.json_decoder import read_json
from acp_tui.protocol.jsonrpc import Id, Message
from acp_tui.protocol.process_events import Connecting, ProcessStarted
from acp_tui.recordings.long_frames import (
    LONG_FRAME_BYTES,
    frame_in_pieces,
    frame_line,
    plain_bytes,
    slice_bytes,
)

VERSION = 1
_DIRECTIONS = {direction.value: direction for direction in Direction}
_EVENTS: dict[str, type[Any]] = {event.__name__: event for event in get_args(LocalEvent)}
_EVENTS["Said"] = _EVENTS["ClientNotice"]  # its name in recordings of earlier versions


_PLAIN: dict[Any, Any] = {str: str, int: int, bool: bool, bytes: bytes, float: int | float}
_PLAIN |= {union: union for union in (str | None, int | None, Id)}


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise TypeError("no list of texts")
    return tuple(values)


_READERS: dict[str, Callable[[Any], Any]] = {
    "argv": _texts,
    "files": _texts,
    "paths": lambda paths: list(_texts(paths)),
    "folders": lambda pairs: tuple((str(here), str(there)) for here, there in pairs),
    "in_view": lambda parts: tuple((name, text) for name, text in map(_texts, parts)),
    "operation": FileOperation,
    "verdict": EditVerdict,
    "direction": Direction,
    "rules": lambda rules: tuple(map(read_rule, rules)),
}
"""Converters of fields whose JSON form differs from their Python type."""
_LARGEST_TIME = 2**31
"""Frame numbers are below this, as a log stores them in 32 bits; sizes are below its square."""
_NO_RECORD = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
    RuleError,
)


class RecordingError(AcpTuiError):
    """A file isn't a valid recording; the message says where and why."""


def event_name(event: type[object]) -> str:
    """Return an event's name in a log: `stderr_line`, `process_started`."""
    spaced = "".join(f"_{one.lower()}" if one.isupper() else one for one in event.__name__)
    return spaced.removeprefix("_")


def format_header(facts: Mapping[str, Any]) -> str:
    """Return the first line: the version of the format, and facts about the connection."""
    return json.dumps({"acp-tui": VERSION, **facts}, ensure_ascii=False)


def agent_in(facts: Mapping[str, Any]) -> str:
    """Return the agent in a header: its command or address; empty if neither."""
    argv = facts.get("argv")
    words = argv if isinstance(argv, list | tuple) else ()
    return " ".join(map(str, words)) or str(facts.get("url", ""))


def format_record(record: Record) -> str:
    """Return a record as one line."""
    if isinstance(record, Frame):
        return frame_line(record)
    body: dict[str, Any] = {"event": type(record).__name__}
    for name, value in record._asdict().items():
        if isinstance(value, bytes):
            body |= plain_bytes(value)
        else:
            body[name] = [rule.to_json() for rule in value] if name == "rules" else value
    # ASCII preserves lone surrogates, and no reader splits the line at a Unicode line separator.
    return json.dumps(body)


def dump_in_pieces(record: Record) -> Iterator[str]:
    """Yield a record as one line; a long frame in pieces that are each quick to write."""
    if isinstance(record, Frame) and len(record.raw) > LONG_FRAME_BYTES:
        yield from frame_in_pieces(record, len(record.raw), partial(slice_bytes, record.raw))
    else:
        yield format_record(record)


def _read_mark(body: dict[str, Any]) -> FrameMark:
    by, of, stopped = body.get("by"), _count(body.get("of", 0)), body.get("stopped")
    return FrameMark(
        None if by is None else Origin(by), of, None if stopped is None else Origin(stopped)
    )


def _count(value: Any, end: int = _LARGEST_TIME) -> int:
    """Return a whole number below `end`. Raises ValueError."""
    if not isinstance(value, int) or not 0 <= value < end:
        raise ValueError("a number is out of range")
    return value


def read_records(lines: Iterable[str]) -> Iterator[Record]:
    """Yield the records of a recording. Raises RecordingError if it has no header.

    An invalid line becomes a LineDamaged record. Only an unfinished last line, which a killed
    process leaves, is skipped.
    """
    iterator = iter(lines)
    read_header(next(iterator, ""))
    before = 0.0
    for line in iterator:
        record = read_any(line, before)
        if isinstance(record, LineDamaged) and not line.endswith("\n"):
            return
        before = record.at
        yield record


def parse_record(line: str | bytes) -> Record:
    """Parse a line after the header. Raises RecordingError if it is not a record."""
    try:
        return _read_body(read_json(line))
    except _NO_RECORD as error:
        raise RecordingError(f"not a record: {error}") from error


def read_any(line: str | bytes, before: float) -> Record:
    """Parse a line after the header, even a damaged one; `before` is the time of the previous
    record.
    """
    try:
        return parse_record(line)
    except RecordingError as error:
        text = line if isinstance(line, str) else line.decode("utf-8", "backslashreplace")
        return LineDamaged(before, text.rstrip("\n"), str(error))


def read_many(lines: Sequence[bytes]) -> list[Record]:
    """Parse lines together, in half the time. Raises RecordingError if one is not a record."""
    try:
        bodies = read_json(b"[%b]" % b",".join(lines))
        if len(bodies) == len(lines):
            return [_read_body(body) for body in bodies]
    except _NO_RECORD:
        pass
    return [parse_record(line) for line in lines]


class Interpreter:
    """Converts records to events, in order: the input of the fold."""

    def __init__(self) -> None:
        self._connection = WireConnection()

    def event(self, record: Record, message: Message | None = None) -> Event:
        """Return the event of the next record; `message` is its parsed line, if already parsed."""
        if isinstance(record, Frame):
            return self._connection.receive(record, message)
        if isinstance(record, ProcessStarted):
            self._connection = WireConnection(Folders(record.folders))
        elif isinstance(record, Connecting):
            self._connection = WireConnection()
        return record


def read_events(records: Iterable[Record]) -> Iterator[Event]:
    """Yield the events of records."""
    return map(Interpreter().event, records)


def read_header(line: str | bytes) -> dict[str, Any]:
    """Return the facts in the first line. Raises RecordingError if it is not a header."""
    try:
        facts: dict[str, Any] = json.loads(line)
        version = facts.pop("acp-tui")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise RecordingError("line 1: not a recording of acp-tui: it has no header") from None
    if version != VERSION:
        raise RecordingError(f"line 1: version {version} of the format; this is version {VERSION}")
    return facts


def _read_body(body: dict[str, Any]) -> Record:
    if "dir" in body:
        raw = _raw(body)
        flaw = Flaw(body["flaw"]) if "flaw" in body else None
        size = _count(body.get("size", len(raw)), _LARGEST_TIME**2)
        mark, number = _read_mark(body), _count(body["n"])
        return Frame(_DIRECTIONS[body["dir"]], raw, _time(body), number, flaw, size, *mark)
    kind = _EVENTS[body.pop("event")]
    _time(body)
    if "raw" in body or "base64" in body:
        rest = {key: value for key, value in body.items() if key not in ("raw", "base64")}
        body = {"data": _raw(body), **rest}
    body |= {name: _READERS[name](body[name]) for name in _READERS.keys() & body.keys()}
    event: LocalEvent = kind(**{name: body[name] for name in kind._fields if name in body})
    for name, wanted in kind.__annotations__.items():
        if not isinstance(getattr(event, name), _PLAIN.get(wanted, object)):
            raise TypeError(f"{name} is no {getattr(wanted, '__name__', wanted)}")
    return event


def _time(body: dict[str, Any]) -> float:
    at: float = body["at"]
    if not isfinite(at):
        raise ValueError("the time is no number")
    return at


def _raw(body: dict[str, Any]) -> bytes:
    if "base64" in body:
        return b64decode(body["base64"], validate=True)
    text: str = body["raw"]
    return text.encode()
