"""The states of a session in version 2: turns end by them, and some work goes on beside."""

from typing import Any

import pytest

from acp_tui.protocol.jsonrpc import Error
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.state.entries import NoticeEntry, ToolCallEntry, TurnEndEntry
from acp_tui.state.session import Background
from tests.unit.state.conversation import INITIALIZE_2, INITIALIZED_2, STARTED, Conversation


def prompted(**fields: Any) -> Conversation:
    talk = Conversation.opened_in_2()
    talk.answer(talk.prompt(), result={"messageId": "u"})
    return talk


def ends(talk: Conversation) -> list[TurnEndEntry]:
    return [entry for entry in talk.session.entries if isinstance(entry, TurnEndEntry)]


@pytest.mark.check(111)
@pytest.mark.parametrize("reason", ["end_turn", "max_tokens", "refusal", "_new", None])
def test_a_turn_ends_when_the_agent_is_idle(reason: str | None) -> None:
    talk = prompted()
    talk.update("state_update", state="running")
    assert talk.session.turn is not None
    talk.update("state_update", state="idle", stopReason=reason, usage={"inputTokens": 3})
    (end,) = ends(talk)
    assert (end.stop_reason, end.error, end.usage) == (reason, None, {"inputTokens": 3})
    talk.update("state_update", state="idle", stopReason=reason)
    assert len(ends(talk)) == 1


@pytest.mark.check(113)
def test_an_error_is_told_with_its_data() -> None:
    talk = prompted()
    error = {"code": -32002, "message": "no such session", "data": {"sessionId": "s"}}
    talk.update("state_update", state="running")
    talk.update("state_update", state="idle", stopReason="error", error=error)
    (end,) = ends(talk)
    assert end.error == Error(-32002, "no such session", {"sessionId": "s"})


def test_a_malformed_error_leaves_the_reason() -> None:
    talk = prompted()
    talk.update("state_update", state="running")
    talk.update("state_update", state="idle", stopReason="error", error={"code": "x"})
    (end,) = ends(talk)
    assert (end.stop_reason, end.error) == ("error", None)


@pytest.mark.check(112)
def test_a_snapshot_of_before_ends_no_turn() -> None:
    talk = Conversation.opened_in_2()
    id = talk.prompt()
    talk.update("state_update", state="idle", stopReason="end_turn", background=[])
    assert talk.session.turn is not None
    talk.answer(id, result={"messageId": "u"})
    talk.update("state_update", state="idle", background=[])
    assert talk.session.turn is not None
    talk.update("state_update", state="idle", stopReason="end_turn")
    assert talk.session.turn is not None
    talk.update("agent_message", messageId="a", content=[{"type": "text", "text": "done"}])
    talk.update("state_update", state="idle", stopReason="end_turn")
    assert talk.session.turn is None


def test_a_turn_that_never_ran_ends_with_another_stop_reason_than_the_one_before() -> None:
    talk = Conversation.opened_in_2()
    talk.answer(talk.prompt(), result={"messageId": "u"})
    talk.update("state_update", state="idle", stopReason="end_turn")
    talk.answer(talk.prompt(), result={"messageId": "v"})
    talk.update("state_update", state="idle", stopReason="refusal")
    assert [end.stop_reason for end in ends(talk)] == ["end_turn", "refusal"]


@pytest.mark.check(116)
def test_a_prompt_into_work_that_goes_on_ends_with_it() -> None:
    talk = Conversation.opened_in_2()
    talk.update("state_update", state="running")
    talk.answer(talk.prompt(), result={"messageId": "u"})
    talk.update("state_update", state="idle")
    assert len(ends(talk)) == 1
    assert not talk.session.is_working


def test_a_prompt_that_fails_ends_once_whichever_is_told_first() -> None:
    talk = Conversation.opened_in_2()
    id = talk.prompt()
    talk.update("state_update", state="running")
    talk.update("state_update", state="idle", stopReason="error")
    talk.answer(id, error={"code": -32603, "message": "no"})
    assert len(ends(talk)) == 1


@pytest.mark.check(114)
def test_work_that_nobody_asked_for_is_shown_and_ends() -> None:
    talk = Conversation.opened_in_2()
    talk.update("state_update", state="requires_action")
    assert talk.session.is_working
    talk.update("state_update", state="running")
    talk.update("state_update", state="idle", stopReason="end_turn")
    (end,) = ends(talk)
    assert end.started < end.at
    assert not talk.session.is_working


@pytest.mark.check(112)
@pytest.mark.parametrize("state", ["unknown", "_new"])
def test_a_state_that_says_nothing_ends_no_turn(state: str) -> None:
    talk = prompted()
    talk.update("state_update", state=state)
    assert talk.session.reported.activity == state
    assert talk.session.turn is not None


def test_only_what_is_known_to_run_counts_as_work() -> None:
    talk = Conversation.opened_in_2()
    talk.update("state_update", state="unknown")
    assert not talk.session.is_working
    talk.update("state_update", state="_new")
    assert talk.session.is_working


@pytest.mark.check(115)
def test_background_work_is_a_snapshot_and_what_is_not_told_is_not_known() -> None:
    talk = Conversation.opened_in_2()
    work = [
        {"type": "terminal", "terminalId": "t"},
        {"type": "tool_call", "toolCallId": "c"},
        {"type": "subagent", "sessionId": "child"},
        {"type": "_timer", "at": 5},
    ]
    talk.update("state_update", state="idle", background=work)
    told = talk.session.reported.background
    assert told == [
        Background("terminal", "t"),
        Background("tool_call", "c"),
        Background("subagent", "child"),
        Background("_timer"),
    ]
    assert talk.session.is_in_background("c")
    assert not talk.session.is_in_background("d")
    talk.update("state_update", state="idle", background=[{"type": "terminal"}])
    assert talk.session.reported.background is None
    assert not talk.session.is_in_background("c")
    talk.update("state_update", state="idle", background=[])
    assert talk.session.reported.background == []


@pytest.mark.check(117)
def test_a_cancel_leaves_to_the_agent_what_became_of_each_tool_call() -> None:
    talk = prompted()
    talk.update("state_update", state="running", background=[])
    for id in ("stops", "goes-on", "silent"):
        talk.update("tool_call_update", toolCallId=id, status="in_progress")
    talk.cancel()
    assert {one.status for one in calls(talk)} == {"in_progress"}
    talk.update("tool_call_update", toolCallId="stops", status="failed")
    beside = [{"type": "tool_call", "toolCallId": "goes-on"}]
    talk.update("state_update", state="idle", stopReason="cancelled", background=beside)
    assert [one.status for one in calls(talk)] == ["failed", "in_progress", "cancelled"]


def calls(talk: Conversation) -> list[ToolCallEntry]:
    return [entry for entry in talk.session.entries if isinstance(entry, ToolCallEntry)]


@pytest.mark.check(119)
def test_an_agent_that_is_gone_does_no_more() -> None:
    talk = Conversation.opened_in_2()
    talk.update("state_update", state="running", background=[{"type": "_timer"}])
    talk.happened(ProcessExited(9.0, 1, None))
    session = talk.session
    assert (session.reported.activity, session.reported.active, session.reported.background) == (
        None,
        None,
        None,
    )


@pytest.mark.check(109)
def test_commands_come_with_the_session_too() -> None:
    command = {"type": "command", "name": "plan", "description": "Plans"}
    talk = Conversation.opened_in_2(availableCommands=[command])
    assert [one.name for one in talk.session.commands] == ["plan"]
    other = {"type": "_new", "name": "brew", "description": "", "input": {"type": "_form"}}
    typed = {**command, "input": {"type": "text", "hint": "what for"}}
    talk.update("available_commands_update", availableCommands=[other, typed, {"type": "command"}])
    assert [one.name for one in talk.session.commands] == ["brew", "plan"]
    hints = [one.input.hint if one.input else None for one in talk.session.commands]
    assert hints == ["", "what for"]


@pytest.mark.check(110)
def test_options_have_their_new_names() -> None:
    talk = Conversation.opened_in_2()
    flat = [{"value": "a", "name": "A"}]
    groups = [{"groupId": "g", "name": "G", "options": flat}]
    options = [
        {"type": "select", "configId": "m", "name": "M", "currentValue": "a", "options": flat},
        {"type": "select", "configId": "n", "name": "N", "currentValue": "a", "options": groups},
        {"type": "boolean", "configId": "b", "name": "B", "currentValue": True},
        {"type": "_dial", "configId": "d", "name": "D"},
        {"type": "select", "configId": "malformed"},
    ]
    talk.update("config_option_update", configOptions=options)
    told = talk.session.config.options
    assert told is not None
    assert [getattr(one, "id", None) for one in told] == ["m", "n", "b", None]


@pytest.mark.check(143)
def test_a_history_that_is_not_shown_twice_still_tells_what_goes_on() -> None:
    talk = prompted()
    talk.update("state_update", state="running")
    talk.update("state_update", state="idle", stopReason="end_turn")
    talk.happened(ProcessExited(talk.number + 0.5, 1, None))
    talk.happened(STARTED)
    talk.call("initialize", INITIALIZE_2, result=INITIALIZED_2)
    before = len(talk.session.entries)
    params = {"sessionId": "s", "cwd": "/work", "replayFrom": {"type": "start"}}
    id = talk.call("session/resume", params)
    talk.say("Hello", "user_message_chunk", messageId="u")
    talk.update("state_update", state="running", background=[{"type": "_timer"}])
    talk.answer(id, result={})
    assert [type(entry).__name__ for entry in talk.session.entries[before:]] == ["NoticeEntry"]
    assert (talk.session.reported.activity, talk.session.is_working) == ("running", True)
    assert talk.session.reported.background == [Background("_timer")]


def test_a_message_between_sessions_keeps_who_sent_it() -> None:
    talk = Conversation.opened_in_2()
    content = [{"type": "text", "text": "Tea?"}]
    ends = {"senderSessionId": "s", "recipientSessionId": "c"}
    talk.update("session_message", messageId="m", content=content, **ends)
    talk.update("session_message", messageId="m", content=content * 2)
    told = talk.session.entries[-1]
    assert isinstance(told, NoticeEntry)
    assert (told.title, told.description) == ("Message to c", "Tea?Tea?")


def test_a_skill_in_a_prompt_is_shown_as_it_is_typed() -> None:
    talk = Conversation.opened_in_2()
    skill = {"type": "skill", "name": "tidy"}
    prompt = [skill, {"type": "text", "text": "the desk"}]
    talk.call("session/prompt", {"sessionId": "s", "prompt": prompt})
    assert talk.session.entries[0].text == "/tidy the desk"  # type: ignore[union-attr]


def test_only_version_2_has_skills() -> None:
    skill = {"type": "skill", "name": "tidy", "description": "Tidies up"}
    plain = {"type": "command", "name": "go", "description": "Goes"}
    for talk, found in (
        (Conversation.opened(), [False, False]),
        (Conversation.opened_in_2(), [True, False]),
    ):
        talk.update("available_commands_update", availableCommands=[skill, plain])
        assert [one.is_skill for one in talk.session.commands] == found
