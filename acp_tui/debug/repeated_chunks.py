"""Recognizes, without parsing, chunks that differ from the previous one only in their text."""

import json
import re

from acp_tui.debug.exchanges import Reading
from acp_tui.protocol.frames import Direction, Frame

CHUNKS = {
    "agent_message_chunk",
    "agent_thought_chunk",
    "user_message_chunk",
    "compaction_summary_chunk",
}
"""The kinds of updates that are chunks of a message."""
LARGEST_PATTERN_FRAME = 64 * 1024
"""Bytes of the largest frame that can be the pattern, or match it."""
_TEXT = re.compile(rb'"text"\s*:\s*"([^"\\]*(?:\\.[^"\\]*)*)"')
"""A JSON field named `text`: within a string, these quotes would be escaped."""
_PLAIN = re.compile(rb'[^"\\\x00-\x1f\x80-\xff]*')
"""ASCII without quotes, backslashes and control characters: valid within a JSON string."""


class ChunkCache:
    """Recognizes, without parsing, a chunk that differs from the previous one only in its text.

    Nearly all frames of a long session are such chunks. Each has the same method, session and
    message as the one before, and breaks the same rules, except for a rule that checks the text
    itself. The pattern is the bytes before and after the last chunk's text.
    """

    def __init__(self) -> None:
        self._direction: Direction | None = None
        self._before = self._after = b""
        self.text = b""
        """The text of the last chunk, as escaped in JSON."""
        self.growth = 0
        """How many consecutive texts began with the whole previous one."""

    def learn(self, reading: Reading) -> None:
        """Use a parsed record as the new pattern; if it isn't a chunk, clear the pattern."""
        self._direction = None
        frame = reading.record
        if (
            reading.kind not in CHUNKS
            or not isinstance(frame, Frame)
            or len(frame.raw) > LARGEST_PATTERN_FRAME
        ):
            return
        if frame.is_marked:
            return
        content = reading.update.get("content")
        texts = list(_TEXT.finditer(frame.raw))
        if len(texts) == 1 and isinstance(content, dict) and isinstance(content.get("text"), str):
            start, end = texts[0].span(1)
            self._direction = frame.direction
            self._before, self._after = frame.raw[:start], frame.raw[end:]
            self.text, self.growth = frame.raw[start:end], 0

    def has(self, frame: Frame) -> bool:
        """Return whether this frame is the last chunk with another text."""
        if frame.direction is not self._direction:
            return False
        raw, before, after = frame.raw, self._before, self._after
        if (
            frame.flaw is not None
            or frame.by is not None
            or frame.stopped is not None
            or len(raw) > LARGEST_PATTERN_FRAME
            or not raw.startswith(before)
            or not raw.endswith(after)
            or len(raw) < len(before) + len(after)
        ):
            return False
        text = raw[len(before) : len(raw) - len(after)]
        grows = text.startswith(self.text) and len(text) > len(self.text)
        self.text, self.growth = text, self.growth + 1 if grows else 0
        return _PLAIN.fullmatch(text) is not None or _is_string(text)


def _is_string(text: bytes) -> bool:
    """Return whether bytes, put in quotes, are one JSON string."""
    try:
        return isinstance(json.loads(f'"{text.decode()}"'), str)
    except ValueError:
        return False
