"""What stands at a path of a message, as texts that a filter can compare."""

import json
from collections.abc import Iterator
from typing import Any

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.frames import Frame
from acp_tui.recordings.recording import Record


def at_path(record: Record, path: str) -> Iterator[Any]:
    """Yield the values at a path. A list stands for all its items, unless a number chooses one."""
    names = path.split(".")
    if isinstance(record, Frame) and _may_have(record, names[-1]):
        yield from _follow(jsonrpc.decode(record.raw), names)


def under_key(record: Record, key: str) -> Iterator[Any]:
    """Yield the values of all fields of a name, wherever they are."""
    if not isinstance(record, Frame) or not _may_have(record, key):
        return
    values = [jsonrpc.decode(record.raw)]
    while values:
        value = values.pop()
        if isinstance(value, dict):
            if key in value:
                yield value[key]
            values.extend(value.values())
        elif isinstance(value, list):
            values.extend(value)


def as_text(value: Any) -> str:
    """Format a value as it is written in a filter: a string as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _may_have(frame: Frame, name: str) -> bool:
    """Whether a frame may have this name somewhere, even escaped; spares parsing most frames."""
    return name.isdecimal() or name.encode() in frame.raw or b"\\u" in frame.raw


def _follow(value: Any, names: list[str]) -> Iterator[Any]:
    if not names:
        yield from value if isinstance(value, list) else [value]
        return
    name, *rest = names
    if isinstance(value, dict):
        if name in value:
            yield from _follow(value[name], rest)
    elif isinstance(value, list):
        chosen = value[int(name) : int(name) + 1] if name.isdecimal() else value
        for item in chosen:
            yield from _follow(item, rest if name.isdecimal() else names)
