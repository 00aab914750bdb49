"""Responses matched with the requests that they answer."""

from acp_tui.debug.exchanges import Status
from acp_tui.debug.filters.predicates import compile_filter
from acp_tui.protocol.events import Abandoned, TimedOut
from tests.unit.debug.scenes import Wire


def test_answers_to_an_id_that_is_used_twice_go_to_the_oldest_first() -> None:
    wire = Wire().out(id=1, method="session/new", params={})
    wire.out(id=1, method="session/list", params={})
    wire.got(id=1, result={}).got(id=1, error={"code": 1, "message": "no"}).got(id=1, result={})
    log = wire.log()
    rows = [log[index] for index in range(len(log))]
    assert [row.partner for row in rows] == [2, 3, 0, 1, None]
    assert [row.status for row in rows] == [
        Status.OK,
        Status.ERROR,
        Status.OK,
        Status.ERROR,
        Status.ORPHAN,
    ]


def test_a_second_request_with_an_id_waits_for_its_own_answer() -> None:
    wire = Wire().out(id=1, method="session/new", params={})
    wire.out(id=1, method="session/list", params={}).got(id=1, result={})
    log = wire.log()
    assert (log[0].status, log[1].status) == (Status.OK, Status.PENDING)


def test_a_request_that_is_waited_for_no_longer_is_not_pending_until_a_late_answer_comes() -> None:
    wire = Wire().out(id=1, method="session/new", params={}).out(id=2, method="session/list")
    wire.happened(TimedOut(101.0, 1, 5.0)).happened(Abandoned(102.0, 2))
    log = wire.happened(TimedOut(103.0, 7, 5.0)).log()
    assert [log[index].status for index in range(2)] == [Status.TIMED_OUT] * 2
    assert {0, 1} <= set(log.changed)
    late = wire.got(id=1, result={}).log()
    assert [late[index].status for index in range(2)] == [Status.OK, Status.TIMED_OUT]


def test_an_update_of_a_tool_call_has_the_status_that_it_says() -> None:
    wire = Wire().prompted().update("tool_call", toolCallId="t", status="pending")
    for status in ("in_progress", "completed", "failed", "cancelled", "brewing", 7):
        wire.update("tool_call_update", toolCallId="t", status=status)
    log = wire.update("plan", entries=[], status="failed").log()
    assert [log[index].status.value for index in range(-8, 0)] == [
        "pending",
        "in_progress",
        "completed",
        "failed",
        "cancelled",
        "",
        "",
        "",
    ]
    passes = compile_filter("status:failed")
    assert [index for index in range(len(log)) if passes(log[index])] == [len(log) - 5]


def test_what_nobody_is_there_to_answer_is_not_pending() -> None:
    wire = Wire().out(id=1, method="session/new", params={}).out(id=2, method="session/list")
    log = wire.ask(5, "fs/read_text_file").happened(TimedOut(101.0, 2, 5.0)).died().log()
    assert [log[index].status for index in range(3)] == [
        Status.UNANSWERED,
        Status.TIMED_OUT,
        Status.UNANSWERED,
    ]
    assert {0, 2} <= set(log.changed)
    late = wire.got(id=1, result={}).log()
    assert late[0].status is Status.OK
