"""What was held, changed, lost or added on its way: how the log shows it, and that it is nobody's fault."""

from typing import Any

import pytest

from acp_tui.debug.columns import summarize_group
from acp_tui.debug.exchanges import Status
from acp_tui.debug.filters.completion import complete_filter
from acp_tui.debug.filters.language import FilterError
from acp_tui.debug.filters.predicates import compile_filter
from acp_tui.debug.log import Log
from acp_tui.debug.view import LogView
from acp_tui.protocol.connection import WireConnection
from acp_tui.protocol.events import TimedOut
from acp_tui.protocol.frames import Direction, Frame, Origin
from acp_tui.protocol.gate_events import FaultInjected
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.protocol.setup import SessionParams
from acp_tui.recordings.recording import format_record, parse_record
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
    return [summarize_group(view[at]) for at in range(len(view))]


def test_a_mark_is_recorded() -> None:
    frame = Frame(IN, b"{}", 1.0, 3, size=2, by=FAULT, of=2)
    assert parse_record(format_record(frame)) == frame
    held = Frame(OUT, b"{}", 1.0, 3, size=2, stopped=BREAKPOINT)
    assert parse_record(format_record(held)) == held


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


INVALID = {"code": -32602, "message": "Invalid params"}
PROMPT = {"sessionId": "s", "prompt": [{"type": "text", "text": "hi"}]}


def test_it_has_a_sign_and_a_filter() -> None:
    log = Wire().opened().by_hand(id="by-hand-1", method="x/y").log()
    assert [
        row.number
        for row in map(log.__getitem__, range(len(log)))
        if compile_filter("by:hand")(row)
    ] == [5]
    view = LogView(log)
    view.catch_up()
    assert summarize_group(view[len(view) - 1]) == "✎ x/y"
    assert [one.text for one in complete_filter("by:h", 4, log)] == ["hand"]
    with pytest.raises(FilterError, match="did you mean hand"):
        compile_filter("by:hands")


def test_the_client_s_own_ids_leave_those_out() -> None:
    connection = WireConnection()
    for id in (0, 1.0, "x"):
        raw = f'{{"id": {id!r}, "method": "m"}}'.replace("'", '"').encode()
        connection.receive(Frame(Direction.OUT, raw, 0.0, 1, by=Origin.HAND))
    request = connection.request("session/close", SessionParams(session_id="s"))
    assert request.id == 2


@pytest.mark.parametrize(
    "sent",
    [
        Wire().by_hand(id=1, method="session/prompt", params={"prompt": 7}),
        Wire().by_hand(method="session/cancel", params={}),
        Wire().by_hand(id=None, method="session/list", params={}),
        Wire().raw(Direction.OUT, b"no JSON", Origin.HAND),
        Wire().by_hand(id=77, result={}),
    ],
)
def test_nobody_is_blamed_for_what_is_wrong_with_it(sent: Wire) -> None:
    wire = Wire().opened()
    (frame,) = sent.records
    assert isinstance(frame, Frame)
    wire.raw(frame.direction, frame.raw, frame.by)
    assert wire.log().findings.of(len(wire.records) - 1) == []


@pytest.mark.parametrize(
    ("request_", "answer", "found"),
    [
        ({"method": "session/prompt", "params": {}}, {"error": INVALID}, []),
        (
            {"method": "session/prompt", "params": {}},
            {"error": {"code": "?"}},
            ["schema", "schema"],
        ),
        ({"method": "session/new", "params": {}}, {"result": {"sessionId": "s"}}, []),
        (
            {"method": "session/new", "params": {"cwd": "/", "mcpServers": []}},
            {"result": {"sessionId": "s"}},
            ["session-id-reuse"],
        ),
    ],
)
def test_the_agent_may_answer_what_is_broken_as_it_likes_if_it_is_an_answer(
    request_: dict[str, Any], answer: dict[str, Any], found: list[str]
) -> None:
    wire = Wire().opened().by_hand(id="by-hand-1", **request_).got(id="by-hand-1", **answer)
    assert wire.found() == found


def test_a_prompt_within_a_turn_may_be_refused_though_the_turn_is_canceled() -> None:
    wire = Wire().prompted().by_hand(id="x", method="session/prompt", params=PROMPT).cancel()
    wire.later(1).got(id="x", error=INVALID).ended(reason="cancelled")
    assert wire.found() == []


def test_a_broken_request_may_be_left_without_an_answer() -> None:
    wire = Wire().started().opened().by_hand(id="x", method="session/prompt", params={})
    assert wire.died().found() == ["agent-exited"]


def test_a_line_that_is_not_understood_is_no_wonder() -> None:
    wire = Wire().opened().by_hand(id="x", method="session/prompt", jsonrpc="1.0")
    refused = {"code": -32600, "message": "Invalid Request"}
    assert wire.got(id=None, error=refused).found() == []


def test_a_text_put_in_by_hand_is_no_pattern_for_those_that_follow() -> None:
    """A finding of the chunk before is repeated without a look: not from one that has none."""
    wire = Wire().prompted()
    bad = b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","x":1,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%d"}}}}'
    for number, by in enumerate((Origin.HAND, None, Origin.HAND, None)):
        wire.raw(Direction.IN, bad % number, by)
    log = wire.log()
    marked = [bool(log.findings.of(index)) for index in range(len(log) - 4, len(log))]
    assert marked == [False, True, False, True]
