"""What the chunks of a message say."""

import pytest

from acp_tui.debug.log import chunk_text
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.process_events import ProcessExited


def frame(update: str) -> Frame:
    raw = f'{{"jsonrpc": "2.0", "method": "session/update", "params": {{"update": {update}}}}}'
    return Frame(Direction.IN, raw.encode(), 1.0, 1)


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (frame('{"content": {"type": "text", "text": "Tea"}}'), "Tea"),
        (frame('{"content": {"type": "text", "text": ""}}'), ""),
        (frame('{"content": {"type": "text", "text": 3}}'), None),
        (frame('{"content": [{"type": "text", "text": "Tea"}]}'), None),
        (frame("null"), None),
        (Frame(Direction.IN, b"no JSON", 1.0, 1), None),
        (ProcessExited(1.0, 0), None),
    ],
)
def test_a_chunk_has_the_text_of_its_content_if_that_is_text(
    record: Record, text: str | None
) -> None:
    assert chunk_text(record) == text
