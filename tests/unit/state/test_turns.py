"""Turns, and the questions asked in them."""

from typing import Any

import pytest

from acp_tui.policy.rules import Rule, RuleAnswer, RuleScope
from acp_tui.protocol.events import ClientNotice, LimitReached, RulesChanged
from acp_tui.protocol.file_events import AccessAnswered, AccessAsked, FileOperation, TurnCompared
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.state.changes import EntryChanged
from acp_tui.state.entries import NoticeEntry, ToolCallEntry, TurnEndEntry
from acp_tui.state.reducers.transcript import redraw_turn_end
from tests.unit.state.conversation import STARTED, Conversation

OPTIONS = [
    {"optionId": "y", "name": "Yes", "kind": "allow_once"},
    {"optionId": "n", "name": "No", "kind": "reject_once"},
]
CANCELLED = {"outcome": {"outcome": "cancelled"}}


def end(talk: Conversation) -> TurnEndEntry:
    entry = talk.session.entries[-1]
    assert isinstance(entry, TurnEndEntry)
    return entry


def test_a_turn_over_a_limit_says_so_and_its_end_too() -> None:
    talk = Conversation.opened()
    id = talk.prompt()
    talk.happened(LimitReached(2.0, "s", "It took too long."))
    talk.answer(id, result={"stopReason": "cancelled"})
    notice = talk.session.entries[-2]
    assert isinstance(notice, NoticeEntry)
    assert (notice.title, notice.description) == ("Turn canceled", "It took too long.")
    assert end(talk).over_limit == "It took too long."


def test_a_limit_that_is_reached_as_the_turn_ends_is_not_held_against_the_next_one() -> None:
    talk = Conversation.opened()
    talk.happened(LimitReached(2.0, "s", "It took too long."))
    talk.answer(talk.prompt(), result={"stopReason": "end_turn"})
    assert end(talk).over_limit is None


def status(talk: Conversation, call: str = "t") -> str:
    entry = talk.session.tool_call(call)
    assert isinstance(entry, ToolCallEntry)
    return entry.status


def ask(talk: Conversation, **more: Any) -> int:
    call = {"toolCallId": "t", "title": "Delete"}
    return talk.asks("session/request_permission", toolCall=call, options=OPTIONS, **more)


@pytest.mark.parametrize(
    ("answer", "stop_reason", "code"),
    [
        ({"result": {"stopReason": "end_turn"}}, "end_turn", None),
        ({"result": {"stopReason": "bored"}}, "bored", None),
        ({"result": None}, "unreadable result (result: must be an object, but is null)", None),
        ({"error": {"code": -5, "message": "no"}}, None, -5),
    ],
)
def test_whatever_the_answer_the_turn_is_over(
    answer: dict[str, Any], stop_reason: str | None, code: int | None
) -> None:
    talk = Conversation.opened()
    id = talk.prompt()
    turn = talk.session.turn
    assert turn is not None
    talk.answer(id, **answer)
    assert talk.session.turn is None
    assert not talk.state.calls
    assert end(talk).stop_reason == stop_reason
    assert end(talk).started == turn.started
    assert (end(talk).error and end(talk).error.code) == code  # type: ignore[union-attr]


def test_a_second_answer_ends_nothing() -> None:
    talk = Conversation.opened()
    first = talk.prompt()
    talk.answer(first, result={"stopReason": "end_turn"})
    second = talk.prompt()
    talk.answer(first, result={"stopReason": "end_turn"})
    assert talk.session.turn is not None
    talk.answer(second, result={"stopReason": "end_turn"})
    assert talk.session.turn is None


def test_the_answer_to_an_earlier_prompt_does_not_end_the_turn_of_a_later() -> None:
    talk = Conversation.opened()
    first, second = talk.prompt("one"), talk.prompt("two")
    talk.answer(first, result={"stopReason": "cancelled"})
    assert talk.session.turn is not None
    talk.answer(second, result={"stopReason": "end_turn"})
    assert end(talk).stop_reason == "end_turn"


def test_cancel_marks_open_tool_calls_at_once_and_again_at_the_end() -> None:
    talk = Conversation.opened()
    id = talk.prompt()
    talk.update("tool_call", toolCallId="done", title="Read", status="completed")
    talk.update("tool_call", toolCallId="t", title="Edit", status="in_progress")
    talk.cancel()
    assert (status(talk), status(talk, "done")) == ("cancelled", "completed")
    talk.update("tool_call_update", toolCallId="t", status="in_progress")
    assert status(talk) == "cancelled"
    talk.update("tool_call", toolCallId="late", title="Late")
    talk.cancel()
    talk.update("tool_call", toolCallId="later", title="Later")
    talk.answer(id, result={"stopReason": "cancelled"})
    assert (status(talk, "late"), status(talk, "later")) == ("cancelled", "cancelled")
    talk.update("tool_call_update", toolCallId="t", status="failed")
    assert status(talk) == "failed"


def test_cancel_leaves_what_earlier_turns_did_not_finish_as_it_is() -> None:
    talk = Conversation.opened()
    first = talk.prompt()
    for call in ("forgotten", "background"):
        talk.update("tool_call", toolCallId=call, title="Work", status="in_progress")
    talk.answer(first, result={"stopReason": "end_turn"})
    second = talk.prompt()
    talk.update("tool_call", toolCallId="t", title="Edit")
    talk.update("tool_call_update", toolCallId="background", title="Still at work")
    talk.cancel()
    talk.answer(second, result={"stopReason": "cancelled"})
    assert status(talk, "forgotten") == "in_progress"
    assert (status(talk), status(talk, "background")) == ("cancelled", "cancelled")


def test_cancel_without_a_turn_and_other_notifications_change_nothing() -> None:
    talk = Conversation.opened()
    assert talk.cancel() == []
    assert talk.frame(Direction.OUT, {"method": "_x"}) == []


def test_a_turn_whose_agent_dies_is_lost_and_says_how() -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.update("tool_call", toolCallId="t", title="Edit")
    ask(talk)
    talk.happened(ProcessExited(9.0, 0))
    assert end(talk).lost == "the agent exited with code 0"
    assert status(talk) == "cancelled"
    assert not talk.state.waiting_permissions()
    ask(talk)
    assert not talk.state.waiting_permissions()


def test_a_prompt_that_crosses_the_agents_death_is_not_awaited() -> None:
    talk = Conversation.opened()
    talk.happened(ProcessExited(9.0, None, "SIGSEGV"))
    talk.prompt()
    assert talk.session.turn is None
    assert not talk.state.calls
    assert end(talk).lost == "the agent was killed by SIGSEGV"


@pytest.mark.parametrize(
    ("result", "decision"),
    [
        ({"outcome": {"outcome": "selected", "optionId": "n"}}, "No"),
        (CANCELLED, "cancelled"),
        ({"outcome": {"outcome": "selected", "optionId": "unknown"}}, "cancelled"),
        ({}, "cancelled"),
    ],
)
def test_a_permission_waits_until_it_is_answered(result: Any, decision: str) -> None:
    talk = Conversation.opened()
    number = ask(talk)
    (waiting,) = talk.state.waiting_permissions()
    assert waiting is talk.state.permission(number)
    assert [option.name for option in waiting.options] == ["Yes", "No"]
    talk.settle(number, result=result)
    assert not talk.state.waiting_permissions()
    call = talk.session.tool_call("t")
    assert call is not None
    assert (call.title, call.consent.decisions, call.announced) == ("Delete", [decision], False)


def test_questions_wait_in_the_order_in_which_they_were_asked() -> None:
    talk = Conversation.opened()
    talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "other"})
    numbers = [ask(talk), ask(talk, sessionId="other"), ask(talk)]
    assert [one.number for one in talk.state.waiting_permissions()] == numbers
    assert talk.state.permission(999) is None


def access(talk: Conversation, operation: FileOperation) -> int:
    method = f"fs/{operation}_text_file"
    number = talk.asks(method, path="/etc/hosts", content="")
    asked = AccessAsked(1.0, number, "s", operation, "/etc/hosts", "/etc")
    talk.happened(asked)
    return number


@pytest.mark.parametrize("operation", FileOperation)
def test_a_file_outside_is_a_question_and_leave_may_be_given_for_the_session(
    operation: FileOperation,
) -> None:
    talk = Conversation.opened()
    number = access(talk, operation)
    (question,) = talk.state.waiting_permissions()
    assert [option.kind for option in question.options] == [
        "allow_once",
        "allow_always",
        "reject_once",
    ]
    talk.happened(AccessAnswered(2.0, number, "allow_always"))
    assert not talk.state.waiting_permissions()
    assert talk.happened(AccessAnswered(3.0, number, "allow_always")) == []
    once = access(talk, operation)
    talk.happened(AccessAnswered(4.0, once, "allow_once"))
    second = access(talk, operation)
    talk.settle(second, error={"code": -32800, "message": "cancelled"})
    assert not talk.state.waiting_permissions()


def test_rules_of_a_session_end_with_the_process() -> None:
    talk = Conversation.opened()
    kept = Rule(RuleAnswer.ALLOW, kinds=("read",), scope=RuleScope.PROJECT, where="/work")
    talk.happened(RulesChanged(2.0, (kept, kept._replace(scope=RuleScope.SESSION, where="s"))))
    talk.happened(STARTED)
    assert talk.state.rules == [kept]


def test_a_turn_tells_how_long_it_waited_for_the_person() -> None:
    talk = Conversation.opened()
    id = talk.prompt()
    turn = talk.session.turn
    assert turn is not None
    first = ask(talk)
    asked_at = talk.number
    form = {"mode": "form", "message": "How?", "requestedSchema": {"properties": {}}}
    second = talk.asks("elicitation/create", **form)
    talk.say("Meanwhile.")
    talk.settle(first, result=CANCELLED)
    assert turn.worked(talk.number + 10.0) == asked_at - turn.started
    talk.settle(second, result={"action": "decline"})
    answered_at = talk.number
    talk.say("Then.")
    assert turn.worked(talk.number) == talk.number - turn.started - (answered_at - asked_at)
    talk.answer(id, result={"stopReason": "end_turn"})
    ended = end(talk)
    assert ended.waited == answered_at - asked_at
    assert ended.worked == turn.worked(talk.number)


def end_of(talk: Conversation) -> TurnEndEntry:
    entry = talk.session.entries[-1]
    assert isinstance(entry, TurnEndEntry)
    return entry


@pytest.mark.parametrize("stop_reason", ["end_turn", "cancelled", "max_tokens"])
def test_a_canceled_turn_is_known_to_be_whatever_the_agent_answers(stop_reason: str) -> None:
    talk = Conversation.opened()
    asked = talk.prompt()
    talk.cancel()
    talk.answer(asked, result={"stopReason": stop_reason})
    assert (end_of(talk).canceled, end_of(talk).silent) == (True, False)


def test_a_turn_in_which_the_agent_showed_nothing_is_silent() -> None:
    talk = Conversation.opened()
    asked = talk.prompt("Hi")
    talk.say("More words", "user_message_chunk")
    talk.say("")
    talk.happened(ClientNotice(9.0, "s", "info", "Ours"))
    talk.answer(asked, result={"stopReason": "end_turn"})
    assert end_of(talk).silent


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("agent_message_chunk", {"content": {"type": "text", "text": "Hi"}}),
        (
            "agent_message_chunk",
            {"content": {"type": "image", "data": "", "mimeType": "image/png"}},
        ),
        ("tool_call", {"toolCallId": "t", "title": "Read"}),
        ("notice", {"severity": "info", "title": "Done"}),
    ],
)
def test_a_turn_in_which_the_agent_showed_anything_is_not_silent(
    kind: str, fields: dict[str, Any]
) -> None:
    talk = Conversation.opened()
    asked = talk.prompt()
    talk.update(kind, **fields)
    talk.answer(asked, result={"stopReason": "end_turn"})
    assert not end_of(talk).silent
    assert not end_of(talk).canceled


def test_the_end_of_the_turn_of_a_change_is_drawn_again_with_it() -> None:
    talk = Conversation.opened()
    assert redraw_turn_end(talk.session, 1.0) == []
    for _ in range(2):
        talk.answer(talk.prompt(), result={"stopReason": "end_turn"})
    first, second = (one for one in talk.session.entries if isinstance(one, TurnEndEntry))
    assert redraw_turn_end(talk.session, first.at) == [EntryChanged("s", 1)]
    assert redraw_turn_end(talk.session, second.started) == [EntryChanged("s", 3)]
    assert redraw_turn_end(talk.session, second.at + 1) == []


def test_a_comparison_stands_at_the_last_turns_end_until_a_write_of_it_is_undone() -> None:
    talk = Conversation.opened()
    assert talk.happened(TurnCompared(1.0, "s", 1)) == []
    for _ in range(2):
        talk.answer(talk.prompt(), result={"stopReason": "end_turn"})
    first, second = (one for one in talk.session.entries if isinstance(one, TurnEndEntry))
    talk.happened(ClientNotice(second.at, "s", "info", "behind it"))
    compared = TurnCompared(second.at + 0.1, "s", 2, 12, 3)
    assert talk.happened(compared) == [EntryChanged("s", 3)]
    assert (first.compared, second.compared) == (None, compared)
    redraw_turn_end(talk.session, second.at)
    assert second.compared == compared
    assert redraw_turn_end(talk.session, second.at, undone=True) == [EntryChanged("s", 3)]
    assert second.compared is None
