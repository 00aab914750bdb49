"""Requesting Permission, and Cancellation."""

from collections.abc import Callable
from pathlib import Path

import pytest

from acp_tui.state.commands import AnswerPermission, Cancel, CloseSession
from acp_tui.state.entries import NoticeEntry, ToolCallEntry
from tests.conformance.conftest import Play
from tests.fake_agent.script import OPTIONS, Played, Script

pytestmark = pytest.mark.anyio
Wire = Callable[[], Played]
CANCELLED = {"outcome": {"outcome": "cancelled"}}


def selected(option_id: str) -> dict[str, object]:
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


@pytest.mark.check(23)
async def test_the_answer_is_one_of_the_options(play: Play, played: Wire) -> None:
    """The selected outcome names an offered option; exactly one response."""
    script = Script().handshake().prompt().ask_permission()
    script.expect_answer("ask", result=selected("no")).end_turn().expect_silence(0.1)
    async with play(script) as host:
        await host.opened()
        host.prompt()
        (permission,) = await host.permission()
        assert [one.option_id for one in permission.options] == [
            option["optionId"] for option in OPTIONS
        ]
        host.do(AnswerPermission(permission.number, "no"))
        host.do(AnswerPermission(permission.number, "yes"))  # too late
        await host.turn_ended()
    answers = [one for one in played().messages if "method" not in one]
    assert [one["result"] for one in answers] == [selected("no")]


@pytest.mark.check(62)
async def test_no_options_is_cancelled_at_once(play: Play) -> None:
    """Where there is nothing to choose, the outcome is cancelled, and the person is told."""
    script = Script().handshake().prompt().ask_permission(options=[])
    async with play(script.expect_answer("ask", result=CANCELLED).end_turn()) as host:
        await host.turn()
        [notice] = [one for one in host.entries if isinstance(one, NoticeEntry)]
        assert notice.description == "The agent asked for permission without an option to choose."


@pytest.mark.parametrize(
    ("kinds", "answer", "words"),
    [
        (("allow_once", "reject_once"), CANCELLED, "cancelled"),
        (("allow_once", "allow_always"), selected("x"), "A or B"),
    ],
)
async def test_options_with_one_id_allow_nothing_that_was_rejected(
    play: Play, kinds: tuple[str, str], answer: dict[str, object], words: str
) -> None:
    """What an agent would take for a yes or a no, as it likes, is not sent."""
    options = [
        {"optionId": "x", "name": name, "kind": kind}
        for name, kind in zip("AB", kinds, strict=True)
    ]
    script = Script().handshake().prompt().ask_permission(options=options)
    async with play(script.expect_answer("ask", result=answer).end_turn()) as host:
        await host.opened()
        host.prompt()
        (permission,) = await host.permission()
        host.do(AnswerPermission(permission.number, "x"))
        await host.turn_ended()
        (call,) = (one for one in host.entries if isinstance(one, ToolCallEntry))
        assert call.consent.decisions == [words]
        assert ("“A” and “B” have the same id" in str(host.entries)) is (answer == CANCELLED)


@pytest.mark.check(24)
async def test_two_questions_at_once_are_answered_in_any_order(play: Play) -> None:
    """Each request gets its own answer."""
    script = Script().handshake().prompt()
    script.ask_permission({"toolCallId": "a"}, save="a").ask_permission(save="b")
    script.expect_answer("b", result=selected("yes")).expect_answer("a", result=selected("never"))
    async with play(script.end_turn()) as host:
        await host.opened()
        host.prompt()
        first, second = await host.permission(2)
        host.do(AnswerPermission(second.number, "yes"))
        host.do(AnswerPermission(first.number, "never"))
        await host.turn_ended()


async def test_questions_with_the_same_id_are_both_answered(play: Play, played: Wire) -> None:
    """Some agents count their ids from 0 again; each request is answered once all the same."""
    script = Script().handshake().prompt()
    for _ in range(2):
        script.do(
            "request",
            save="ask",
            id=0,
            method="session/request_permission",
            params={"sessionId": "s1", "toolCall": {"toolCallId": "t"}, "options": OPTIONS},
        )
    script.expect_answer("ask", result=selected("yes")).expect_answer("ask", result=selected("no"))
    async with play(script.end_turn()) as host:
        await host.opened()
        host.prompt()
        first, second = await host.permission(2)
        host.do(AnswerPermission(first.number, "yes"))
        host.do(AnswerPermission(second.number, "no"))
        await host.turn_ended()


async def test_an_answer_waits_for_an_older_request_with_its_id(play: Play, played: Wire) -> None:
    """Nothing but their order tells the answers to two requests with one id apart."""
    script = Script().handshake().prompt()
    script.request(
        "session/request_permission",
        {"sessionId": "s1", "toolCall": {"toolCallId": "t"}, "options": OPTIONS},
        save="ask",
        id=7,
    )
    script.request("_x/y", {}, save="other", id=7).chunk("asked")
    script.expect_answer("ask", result=selected("no"))
    script.expect_answer("other", error={"code": -32601})
    async with play(script.end_turn()) as host:
        await host.opened()
        host.prompt()
        await host.until(lambda: host.said)
        (permission,) = await host.permission()
        assert played().answers(7) == []
        host.do(AnswerPermission(permission.number, "no"))
        await host.turn_ended()


@pytest.mark.check(25, 29)
async def test_a_cancel_answers_every_question(play: Play, played: Wire, tmp_path: Path) -> None:
    """The Client MUST respond to all pending session/request_permission requests with the
    cancelled outcome; session/cancel is a notification.
    """
    outside = {"sessionId": "s1", "path": f"{tmp_path}/x", "content": "x"}
    script = Script().handshake().prompt()
    script.ask_permission(save="a").ask_permission(save="b")
    script.request("fs/write_text_file", outside, save="file")
    script.expect("session/cancel", {"sessionId": "s1"})
    for name in ("a", "b"):
        script.expect_answer(name, result=CANCELLED)
    script.expect_answer("file", error={"code": -32603})
    async with play(script.end_turn("cancelled").expect_silence(0.1)) as host:
        await host.opened()
        host.prompt()
        await host.permission(3)
        host.do(Cancel("s1"))
        assert not host.state.waiting_permissions()
        assert (await host.turn_ended()).stop_reason == "cancelled"
    (cancel,) = played().calls("session/cancel")
    assert "id" not in cancel
    assert cancel["params"] == {"sessionId": "s1"}
    assert not (tmp_path / "x").exists()


@pytest.mark.check(26)
async def test_a_question_after_the_cancel_is_cancelled_at_once(play: Play, tmp_path: Path) -> None:
    """No person is asked about a turn that was cancelled."""
    outside = {"sessionId": "s1", "path": f"{tmp_path}/x", "content": "x"}
    script = Script().handshake().prompt().chunk("busy").expect("session/cancel")
    script.ask_permission().expect_answer("ask", result=CANCELLED)
    script.request("fs/write_text_file", outside, save="file")
    script.expect_answer("file", error={"code": -32603})
    async with play(script.end_turn("cancelled")) as host:
        await host.opened()
        host.prompt()
        await host.until(lambda: host.said)
        host.do(Cancel("s1"))
        await host.turn_ended()


@pytest.mark.check(27)
async def test_late_updates_are_accepted_and_the_next_turn_works(play: Play) -> None:
    """The Client SHOULD preemptively mark all non-finished tool calls as cancelled, and SHOULD
    still accept tool call updates after sending session/cancel.
    """
    script = Script().handshake().prompt().tool_call("t1", "Work", status="in_progress")
    script.expect("session/cancel").tool_call_update("t1", status="completed")
    script.tool_call_update("t1", content=[]).chunk("late").end_turn("cancelled")
    async with play(script.prompt().end_turn().expect_silence(0.1)) as host:
        await host.opened()
        host.prompt()
        await host.until(lambda: host.session.indexes.tool_calls)
        host.do(Cancel("s1"))
        entry = host.session.tool_call("t1")
        assert isinstance(entry, ToolCallEntry)
        assert entry.status == "cancelled"
        assert (await host.turn_ended()).stop_reason == "cancelled"
        assert host.said == "late"
        assert entry.status == "completed"
        assert (await host.turn()).stop_reason == "end_turn"


@pytest.mark.check(28)
async def test_an_error_for_a_cancelled_turn_leaves_the_session_usable(play: Play) -> None:
    """Agents should answer cancelled; one that answers with an error ends the turn as well."""
    script = Script().handshake().prompt().chunk("busy").expect("session/cancel")
    script.reply("prompt", error={"code": -32800, "message": "aborted"}).prompt().end_turn()
    async with play(script) as host:
        await host.opened()
        host.prompt()
        await host.until(lambda: host.said)
        host.do(Cancel("s1"))
        end = await host.turn_ended()
        assert end.error is not None
        assert (await host.turn()).stop_reason == "end_turn"


async def test_a_cancel_without_a_turn_says_nothing(play: Play, played: Wire) -> None:
    """There is nothing to cancel between turns, or in a session that nobody knows."""
    script = Script().handshake().expect_silence(0.1).chunk("silent").prompt().end_turn()
    async with play(script) as host:
        await host.opened()
        host.do(Cancel("s1"))
        host.do(Cancel("no such session"))
        assert list(host.state.sessions) == ["s1"]
        await host.until(lambda: host.said == "silent")
        await host.turn()
    assert played().calls("session/cancel") == []


@pytest.mark.check(30)
async def test_cancelled_requests_are_answered_once(play: Play, played: Wire) -> None:
    """After $/cancel_request the receiver MUST send a valid response or the error -32800."""
    sleep = {"sessionId": "s1", "command": "sleep", "args": ["60"]}
    script = Script().handshake().prompt().ask_permission()
    script.notify("$/cancel_request", {"requestId": "${ask}"})
    script.expect_answer("ask", result=CANCELLED)
    script.request("terminal/create", sleep).expect_answer("create")
    terminal = {"sessionId": "s1", "terminalId": "${create.result.terminalId}"}
    script.request("terminal/wait_for_exit", terminal, save="wait")
    script.notify("$/cancel_request", {"requestId": "${wait}"})
    script.expect_answer("wait", error={"code": -32800})
    script.notify("$/cancel_request", {"requestId": "${wait}"})
    script.notify("$/cancel_request", {"requestId": "never"}).notify("$/cancel_request", {})
    async with play(script.expect_silence(0.2).end_turn()) as host:
        await host.turn()


async def test_a_waiting_question_delays_nothing_else(play: Play, work: Path) -> None:
    """A pending permission never holds up files or terminals."""
    (work / "a.txt").write_text("hi")
    script = Script().handshake().prompt().ask_permission()
    script.request("fs/read_text_file", {"sessionId": "s1", "path": f"{work}/a.txt"}, save="read")
    script.expect_answer("read", result={"content": "hi"})
    script.request("terminal/create", {"sessionId": "s1", "command": "true"})
    script.expect_answer("create")
    script.chunk("both").expect_answer("ask", result=selected("yes")).end_turn()
    async with play(script) as host:
        await host.opened()
        host.prompt()
        await host.until(lambda: host.said == "both")
        (permission,) = await host.permission()
        host.do(AnswerPermission(permission.number, "yes"))
        await host.turn_ended()


@pytest.mark.check(25, 26)
async def test_a_cancel_answers_the_questions_of_subagents_also_those_that_come_after_it(
    play: Play,
) -> None:
    """No turn hangs because its subagent waits for an answer."""
    script = Script().handshake().prompt()
    script.update("subagent_update", sessionId="c", state={"state": "running"})
    update = {"sessionUpdate": "subagent_update", "sessionId": "d"}
    script.notify("session/update", {"sessionId": "c", "update": update})
    asked = {"sessionId": "d", "toolCall": {"toolCallId": "t"}, "options": OPTIONS}
    script.request("session/request_permission", asked, save="before")
    script.expect("session/cancel", {"sessionId": "s1"})
    script.expect_answer("before", result=CANCELLED)
    script.request("session/request_permission", asked, save="after")
    script.expect_answer("after", result=CANCELLED)
    async with play(script.end_turn("cancelled").expect_silence(0.1)) as host:
        await host.opened()
        host.prompt()
        await host.permission()
        host.do(Cancel("s1"))
        assert (await host.turn_ended()).stop_reason == "cancelled"


async def test_a_close_answers_the_questions_of_subagents_outside_of_turns_too(play: Play) -> None:
    script = Script().handshake({"agentCapabilities": {"sessionCapabilities": {"close": {}}}})
    script.update("subagent_update", sessionId="c", state={"state": "running"})
    asked = {"sessionId": "c", "toolCall": {"toolCallId": "t"}, "options": OPTIONS}
    script.request("session/request_permission", asked, save="ask")
    script.expect_answer("ask", result=CANCELLED).expect("session/close").reply("close", {})
    async with play(script) as host:
        await host.permission()
        host.do(CloseSession("s1"))
        await host.until(lambda: not host.state.open_sessions())
