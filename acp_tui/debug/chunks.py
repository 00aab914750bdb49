"""What the chunks of a message say."""

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.frames import Frame
from acp_tui.recordings.recording import Record


def chunk_text(record: Record) -> str | None:
    """Return the text of a chunk; None of what has none."""
    value = jsonrpc.decode(record.raw) if isinstance(record, Frame) else None
    for key in ("params", "update", "content", "text"):
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else None
