"""What a turn without a UI prints of what is long."""

import json

import pytest

from acp_tui.headless.json_events import JsonReport
from acp_tui.headless.report import TextReport
from acp_tui.protocol.events import Event, Notified, ProcessExited, StderrLine, TimedOut
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


async def printed(report: TextReport, capfd: pytest.CaptureFixture[str]) -> str:
    await report.output.written()
    return capfd.readouterr().err


@pytest.mark.parametrize("failure", [ProcessExited(2.0, 1), TimedOut(2.0, 1, 60.0)])
async def test_stderr_that_is_held_is_printed_once_the_agent_fails(
    failure: Event, capfd: pytest.CaptureFixture[str]
) -> None:
    report, state = TextReport(holds_stderr=True), State()
    for number in range(30):
        report.event(state, StderrLine(1.0, f"line {number}"))
    assert await printed(report, capfd) == ""
    report.event(state, failure)
    lines = [f"agent: line {number}" for number in range(10, 30)]
    assert (await printed(report, capfd)).splitlines() == lines
    report.event(state, StderrLine(3.0, "Traceback"))
    assert await printed(report, capfd) == "agent: Traceback\n"


async def test_stderr_that_is_held_is_not_printed_when_the_agent_is_ended(
    capfd: pytest.CaptureFixture[str],
) -> None:
    report = TextReport(holds_stderr=True)
    report.event(State(), StderrLine(1.0, "up"))
    report.event(State(), ProcessExited(2.0, 0, asked=True))
    assert await printed(report, capfd) == ""
