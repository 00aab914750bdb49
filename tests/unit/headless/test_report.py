"""What a turn without a UI prints of what is long."""

import json
from typing import Any

import pytest

from acp_tui.headless.json_events import JsonReport
from acp_tui.headless.report import TextReport
from acp_tui.protocol.events import Event, TimedOut
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.process_events import ProcessExited, StderrLine
from acp_tui.protocol.wire_events import Notified
from acp_tui.state.changes import Change
from acp_tui.state.fold import apply_event
from acp_tui.state.state import State
from tests.unit.state.conversation import INITIALIZED, Conversation

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
    report.event(State(), event, [])
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
        report.event(state, StderrLine(1.0, f"line {number}"), [])
    assert await printed(report, capfd) == ""
    report.event(state, failure, [])
    lines = [f"agent: line {number}" for number in range(10, 30)]
    assert (await printed(report, capfd)).splitlines() == lines
    report.event(state, StderrLine(3.0, "Traceback"), [])
    assert await printed(report, capfd) == "agent: Traceback\n"


async def test_stderr_that_is_held_is_not_printed_when_the_agent_is_ended(
    capfd: pytest.CaptureFixture[str],
) -> None:
    report = TextReport(holds_stderr=True)
    report.event(State(), StderrLine(1.0, "up"), [])
    report.event(State(), ProcessExited(2.0, 0, asked=True), [])
    assert await printed(report, capfd) == ""


async def test_what_agents_report_to_jetbrains_air_is_printed(
    capfd: pytest.CaptureFixture[str],
) -> None:
    report, talk = TextReport(), Conversation.opened()
    for event in (
        {"sessionUpdate": "async_task_spawned", "asyncTaskId": "t", "name": "npm test"},
        {"sessionUpdate": "async_task_progress", "asyncTaskId": "t", "summary": "half"},
        {"sessionUpdate": "async_task_state_update", "asyncTaskId": "t", "state": "stopped"},
        _air_info(goal={"objective": "all green"}),
        _air_info(goal={"objective": "all green"}),
        _air_info(goal={"objective": "all green", "iterations": 1}),
        _air_info(
            goal=None, sessionFailure={"id": "f", "title": "Retrying", "category": "service"}
        ),
    ):
        _send(talk, report, "s", event)
    assert [one.rstrip() for one in (await printed(report, capfd)).splitlines()] == [
        "agent: background task running: npm test",
        "agent: background task stopped: npm test: half",
        "agent: goal active: all green",
        "agent: goal active: all green ⏎ iterations: 1",
        "agent: error: Retrying ⏎ category: service",
        "agent: goal over: all green",
    ]


@pytest.mark.parametrize(
    "update",
    [
        {"sessionUpdate": "async_task_spawned", "asyncTaskId": "t", "name": "x" * 500_000},
        {"sessionUpdate": "notice", "severity": "info", "title": "x" * 500_000},
    ],
)
async def test_a_huge_title_is_one_short_line(
    update: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    report, talk = TextReport(), Conversation.opened()
    _send(talk, report, "s", update)
    line = await printed(report, capfd)
    assert len(line) < 1_100
    assert "more characters" in line


@pytest.mark.parametrize("version", [1, 2])
async def test_a_failure_at_the_end_of_a_turn_is_reported_with_what_to_do(
    version: int, capfd: pytest.CaptureFixture[str]
) -> None:
    report = TextReport()
    talk = Conversation.opened() if version == 1 else Conversation.opened_in_2()
    failure = {"id": "f", "title": "No credit", "category": "limit", "actions": ["login"]}
    meta = _air_info(sessionFailure=failure)["_meta"]
    if version == 1:
        result = {"stopReason": "end_turn", "_meta": meta}
        _receive(talk, report, {"id": talk.prompt(), "result": result})
    else:
        _send(talk, report, "s", {"sessionUpdate": "state_update", "state": "idle", "_meta": meta})
    words = "agent: error: No credit ⏎ category: limit ⏎ suggested: sign in"
    assert (await printed(report, capfd)).rstrip() == words


async def test_a_failure_that_is_repeated_is_reported_once(
    capfd: pytest.CaptureFixture[str],
) -> None:
    report, talk = TextReport(), Conversation.opened()
    failure = {"id": "f", "title": "Reconnecting", "severity": "warning", "revision": 1}
    for revision in (1, 1, 2):
        told = _air_info(goal=None, sessionFailure={**failure, "revision": revision})
        _send(talk, report, "s", told)
    lines = (await printed(report, capfd)).splitlines()
    assert [one.rstrip() for one in lines] == ["agent: warning: Reconnecting"] * 2


async def test_a_goal_is_reported_when_its_session_changes_it(
    capfd: pytest.CaptureFixture[str],
) -> None:
    report, talk = TextReport(), Conversation.opened("other")
    load = talk.call("session/load", {"sessionId": "s", "cwd": "/work", "mcpServers": []})
    _send(talk, report, "s", _air_info(goal={"objective": "all green"}))
    talk.answer(load, result={})
    for session in ("s", "other", "s"):
        _send(talk, report, session, {"sessionUpdate": "session_info_update", "title": "Tests"})
    assert await printed(report, capfd) == ""
    _send(talk, report, "s", _air_info(goal=None))
    assert (await printed(report, capfd)).rstrip() == "agent: goal over: all green"


def _send(talk: Conversation, report: TextReport, session: str, update: dict[str, Any]) -> None:
    """Have the agent send an update, and the report follow it."""
    params = {"sessionId": session, "update": update}
    _receive(talk, report, {"method": "session/update", "params": params})


def _receive(talk: Conversation, report: TextReport, message: dict[str, Any]) -> None:
    raw = json.dumps({"jsonrpc": "2.0", **message}).encode()
    talk.number += 1
    event = talk.connection.receive(Frame(Direction.IN, raw, 1.0, talk.number))
    changes = apply_event(talk.state, event)
    report.event(talk.state, event, changes)


def _air_info(**told: Any) -> dict[str, Any]:
    air = {"jetbrains": {"air": {"version": 1, **told}}}
    return {"sessionUpdate": "session_info_update", "_meta": air}


@pytest.mark.parametrize(
    ("report", "told"),
    [
        (TextReport, "acp-tui: ▲ Mode Yolo: the agent doesn't ask before it acts"),
        (
            JsonReport,
            '{"event": "no_approval", "sessionId": "s", "mode": "yolo",'
            ' "words": "Mode Yolo: the agent doesn\'t ask before it acts"}',
        ),
    ],
)
async def test_a_mode_that_skips_approval_is_reported_when_it_begins(
    report: type[TextReport | JsonReport], told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    listed = [
        {"id": "ask", "name": "Ask"},
        {"id": "yolo", "name": "Yolo", "description": "Runs everything without asking"},
    ]
    talk, printer = Conversation(), report()
    fold = talk._fold

    def reported(event: Event) -> list[Change]:
        changes = fold(event)
        printer.event(talk.state, event, changes)
        return changes

    async def warnings() -> list[str]:
        await printer.output.written()
        printed = capfd.readouterr()
        lines = f"{printed.out}{printed.err}".splitlines()
        return [line for line in lines if "doesn't" in line and "sessionUpdate" not in line]

    talk._fold = reported  # type: ignore[method-assign]
    talk.call("initialize", {"protocolVersion": 1}, result=INITIALIZED)
    modes = {"currentModeId": "yolo", "availableModes": listed}
    talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "s", "modes": modes})
    assert await warnings() == [told]
    talk.update("current_mode_update", currentModeId="ask")
    talk.update("current_mode_update", currentModeId="yolo")
    talk.update("current_mode_update", currentModeId="yolo")
    assert await warnings() == [told]
    talk.update("subagent_update", sessionId="c", title="Taster")
    mode = {"id": "mode", "name": "Mode", "type": "select", "currentValue": "yolo"}
    options = [{"value": one["id"], **one} for one in listed]
    mode |= {"category": "mode", "options": options}
    talk.update("config_option_update", session_id="c", configOptions=[mode])
    (line,) = await warnings()
    assert "Taster" in line
