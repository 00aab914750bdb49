"""What was held, changed, lost or added on its way: how the log shows it, and that it is nobody's fault."""

from typing import Any

import pytest

from acp_tui.debug.columns import summary
from acp_tui.debug.exchanges import Status
from acp_tui.debug.log import Log
from acp_tui.debug.view import LogView
from acp_tui.protocol.events import (
    FaultInjected,
    ProcessExited,
    TimedOut,
)
from acp_tui.protocol.frames import Direction, Frame, Origin
from acp_tui.recordings.recording import dump, read
from tests.unit.debug.scenes import Wire

IN, OUT = Direction
BREAKPOINT, FAULT = Origin.BREAKPOINT, Origin.FAULT
KILL = FaultInjected(1.0, 1, IN, "kill-midturn", "kill-midturn", "killed", "s")
PERMISSION = {
    "toolCall": {"toolCallId": "t"},
    "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}],
}


def marked(wire: Wire, **mark: Any) -> Wire:
    """Mark the newest frame."""
    last = wire.records[-1]
    assert isinstance(last, Frame)
    wire.records[-1] = last._replace(**mark)
    return wire


def stopped(wire: Wire, by: Origin = BREAKPOINT) -> Wire:
    return marked(wire, stopped=by)


def passed_on(wire: Wire, of: int, by: Origin = BREAKPOINT) -> Wire:
    return marked(wire, by=by, of=of)


def names(log: Log) -> list[str]:
    view = LogView(log)
    view.catch_up()
    return [summary(view[at]) for at in range(len(view))]


def test_a_mark_is_recorded() -> None:
    frame = Frame(IN, b"{}", 1.0, 3, size=2, by=FAULT, of=2)
    assert read(dump(frame)) == frame
    held = Frame(OUT, b"{}", 1.0, 3, size=2, stopped=BREAKPOINT)
    assert read(dump(held)) == held


def test_a_held_frame_and_the_one_that_was_passed_on_have_their_signs() -> None:
    wire = stopped(Wire().opened().chunk("a"))
    wire = passed_on(wire.chunk("b"), of=5, by=FAULT).chunk("c")
    log = wire.log()
    assert names(log)[-3:] == [
        "●‖ agent_message_chunk",
        "↯ agent_message_chunk for #5",
        "agent_message_chunk",
    ]
    assert [log[index].by for index in (4, 5, 6)] == [BREAKPOINT, FAULT, None]


def test_the_agent_s_exchanges_are_those_that_it_took_part_in() -> None:
    """The latency of an answer ends when the agent gave it, and begins when it was asked."""
    wire = stopped(Wire().prompted())
    passed_on(wire.later(5).prompt(2), of=5)
    stopped(wire.later(1).ended())
    passed_on(wire.later(5).ended(), of=7)
    log = wire.log()
    asked, got, gave, told = (log[index] for index in range(4, 8))
    assert (got.partner, gave.partner) == (gave.index, got.index)
    assert got.latency == pytest.approx(1.01)
    assert (asked.status, told.status) == (Status.NONE, Status.NONE)
    assert (asked.method, told.method, told.is_answer) == ("session/prompt",) * 2 + (True,)
    assert told.session == "s"
    assert log.orphans == log.unanswered == 0


def test_what_is_no_message_is_shown_as_such() -> None:
    wire = passed_on(Wire().opened().raw(IN, b"no JSON"), of=4, by=FAULT)
    log = wire.log()
    assert log[4].status is Status.UNREADABLE
    assert log[4].findings == []


def test_an_answer_of_the_client_s_to_nothing_has_no_method() -> None:
    log = stopped(Wire().opened().out(id=77, result={})).log()
    assert log[4].method == ""


def asks_twice(wire: Wire) -> Wire:
    """The client got a request twice, and answers both."""
    wire.ask(8, "fs/read_text_file", path="/w/a")
    passed_on(wire.ask(8, "fs/read_text_file", path="/w/a"), of=wire.frames - 1, by=FAULT)
    return wire.out(id=8, result={"content": ""}).out(id=8, result={"content": ""})


def asks_under_another_id(wire: Wire) -> Wire:
    stopped(wire.ask(8, "fs/read_text_file", path="/w/a"))
    passed_on(wire.ask(9, "fs/read_text_file", path="/w/a"), of=wire.frames - 1)
    return wire.out(id=9, result={"content": ""})


def drops_a_request(wire: Wire) -> Wire:
    stopped(wire.ask(8, "fs/read_text_file", path="/w/a"))
    return wire.ask(9, "fs/read_text_file", path="/w/a").out(id=9, result={"content": ""})


def drops_an_answer(wire: Wire) -> Wire:
    stopped(wire.ask(8, "fs/read_text_file", path="/w/a").out(id=8, result={"content": ""}))
    return wire.ask(9, "fs/read_text_file", path="/w/a").out(id=9, result={"content": ""})


def drops_a_cancelled_answer(wire: Wire) -> Wire:
    wire.update("tool_call", toolCallId="t", title="T").ask(
        8, "session/request_permission", **PERMISSION
    )
    stopped(wire.cancel().out(id=8, result={"outcome": {"outcome": "cancelled"}}))
    return wire.update("tool_call_update", toolCallId="t", status="failed")


def loses_the_time(wire: Wire) -> Wire:
    """The agent got a request late, and has answered another: the client saw neither in time."""
    params = {"cwd": "/w"}
    stopped(wire.out(id=20, method="session/list", params=params))
    passed_on(wire.out(id=20, method="session/list", params=params), of=wire.frames - 1)
    wire.happened(TimedOut(wire.at, 20, 5.0))
    wire.got(id=20, result={"sessions": []})
    wire.out(id=21, method="session/list", params=params)
    stopped(wire.got(id=21, result={"sessions": []}))
    return wire.happened(TimedOut(wire.at, 21, 5.0))


CAPABLE = {"sessionCapabilities": {"list": {}}}


@pytest.mark.parametrize(
    "meddle",
    [
        asks_twice,
        asks_under_another_id,
        drops_a_request,
        drops_an_answer,
        drops_a_cancelled_answer,
        loses_the_time,
    ],
)
def test_nobody_is_blamed_for_what_was_done_on_purpose(meddle: Any) -> None:
    wire = Wire().initialized(agent=CAPABLE)
    wire.out(id=1, method="session/new", params={"cwd": "/w", "mcpServers": []})
    wire.got(id=1, result={"sessionId": "s"}).prompt(2)
    reason = "cancelled" if meddle is drops_a_cancelled_answer else "end_turn"
    assert meddle(wire).ended(reason=reason).found() == []


@pytest.mark.parametrize(
    "meddle", [asks_twice, asks_under_another_id, drops_a_request, loses_the_time]
)
def test_without_a_mark_there_would_be_something_to_find(meddle: Any) -> None:
    wire = meddle(Wire().initialized(agent=CAPABLE).prompt(2))
    wire.records = [
        one._replace(by=None, of=0, stopped=None) if isinstance(one, Frame) else one
        for one in wire.records
    ]
    assert wire.ended().found()


def test_an_agent_that_was_killed_on_purpose_is_not_blamed_for_what_it_left() -> None:
    wire = Wire().started().prompted().happened(KILL)
    assert wire.happened(ProcessExited(200.0, None, "SIGKILL")).found() == []
