"""What a turn without a UI prints of what is long."""

import json

import pytest

from acp_tui.headless.json_events import JsonReport
from acp_tui.protocol.events import Notified
from acp_tui.protocol.frames import Direction
from acp_tui.state.state import State

pytestmark = pytest.mark.anyio


async def test_a_long_text_is_printed_whole(
    capfd: pytest.CaptureFixture[str],
) -> None:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": ""}}
    content = {"type": "text", "text": "word " * 1_000_000, "odd": float("inf")}
    update["content"] = content
    raw = {"sessionId": "s", "update": update}
    report = JsonReport()
    event = Notified(Direction.IN, 1.0, 1, "session/update", None, raw, None)
    report.event(State(), event)
    await report.output.written()
    printed = json.loads(capfd.readouterr().out)
    assert printed["update"]["content"] == {**content, "odd": "Infinity"}
