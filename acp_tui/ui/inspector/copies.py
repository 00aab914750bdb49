"""A frame as text that can be pasted anywhere: nothing in it acts on a terminal."""

import json

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.jsonrpc import Malformed
from acp_tui.recordings.recording import format_record
from acp_tui.text import clean, clean_line, reveal_escapes

_SHELL = {
    **{byte: f"\\{byte:03o}" for byte in (*range(0x20), *range(0x7F, 0x100))},
    ord("'"): "'\\''",
    ord("\\"): "\\\\",
    ord("%"): "%%",
}


def as_line(record: Record) -> str:
    """The frame's line as it went over the wire; what would act on a terminal is escaped."""
    if not isinstance(record, Frame):
        return format_record(record)
    text = record.raw.decode("utf-8", "replace")
    if clean_line(text) == text:
        return text
    value = jsonrpc.decode(record.raw)
    if isinstance(value, Malformed):
        return clean_line(reveal_escapes(text))
    return json.dumps(value, separators=(",", ":"))


def as_json(record: Record) -> str:
    """The frame's JSON, indented; of what has none the line."""
    value = (
        jsonrpc.decode(record.raw)
        if isinstance(record, Frame)
        else json.loads(format_record(record))
    )
    if isinstance(value, Malformed):
        return as_line(record)
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return text if clean(text) == text else json.dumps(value, indent=2)


def as_command(frame: Frame) -> str:
    """A shell command that prints exactly the frame's bytes, to be piped into an agent."""
    line = frame.raw.decode("latin-1").translate(_SHELL)
    return f"printf '{line}\\n' |"
