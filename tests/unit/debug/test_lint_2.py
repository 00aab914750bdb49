"""Rules in version 2: a conversation that breaks each, and that good ones break none."""

import base64
from collections.abc import Callable
from typing import Any

import pytest

from acp_tui.debug.exchanges import Spoken
from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.log import Log
from acp_tui.protocol.process_events import Disconnected
from tests.unit.debug.breaks_2 import (
    BREAKS_2,
    CANCELABLE,
    ITEM,
    KEY,
    MESSAGE,
    NEW,
    OPTIONS,
    call,
    canceled_call,
    cancels,
    config,
    connected,
    keyed,
    listed,
    option_set,
    outcome,
    permission,
    plan,
    resumed,
)
from tests.unit.debug.scenes import AGENT_INFO, Wire


@pytest.mark.parametrize(("rule", "wire"), BREAKS_2, ids=[rule for rule, _ in BREAKS_2])
def test_a_broken_rule_is_found(rule: str, wire: Callable[[], Wire]) -> None:
    assert rule in wire().found()


def test_a_good_turn_breaks_no_rule() -> None:
    wire = Wire().running_2()
    wire.chunk("Hm", kind="agent_thought_chunk", messageId="m").chunk(messageId="m")
    wire.update("plan_update", **plan("a", "b")).update("plan_update", **plan("a"))
    call(wire, "pending", capabilities=CANCELABLE)
    wire.state("requires_action")
    permission(wire, OPTIONS).out(id=9, result=outcome("selected", optionId="yes")).state("running")
    data = base64.b64encode(b"hello\n").decode()
    wire.update("terminal_update", terminalId="x", command="echo", cwd="/w", output={"data": data})
    wire.update("terminal_output_chunk", terminalId="x", data=data)
    wire.update("terminal_update", terminalId="x", exitStatus={"exitCode": 0})
    call(wire, "completed", content=[{"type": "terminal", "terminalId": "x"}], capabilities=None)
    wire.idle(background=[]).update("session_info_update", title="T")
    wire.accepted_2(3, "u2").state("running", background=[]).chunk(messageId="m2").cancel()
    wire.idle("cancelled", background=[]).out(
        id=4, method="session/close", params={"sessionId": "s"}
    )
    assert wire.got(id=4, result={}).found() == []


def test_a_session_resumed_breaks_no_rule() -> None:
    wire = Wire().running_2().chunk(messageId="m").idle()
    wire.resume(replayFrom={"type": "start"})
    wire.update("user_message", messageId="u1", content=[]).chunk(messageId="m")
    wire.update("replay_complete")
    resumed(wire.state("idle")).accepted_2(3, "u2").state("running").idle()
    assert wire.found() == []
    unknown = resumed(Wire().initialized_2().resume("old").update("notice", "old"))
    assert "resume-without-state" in unknown.found()
    refused = Wire().running_2().idle().resume(replayFrom={"type": "start"})
    assert refused.got(id=7, error={"code": -32602, "message": "no"}).found() == []
    assert resumed(Wire().running_2().idle().resume().state("idle")).found() == []
    live = resumed(Wire().running_2().idle().resume().state("running"))
    assert live.update("user_message", **MESSAGE).found() == []


def test_what_the_client_says_of_a_session_is_no_replay() -> None:
    wire = Wire().opened_2().resume()
    wire.out(
        method="session/update",
        params={"sessionId": "s", "update": {"sessionUpdate": "user_message"}},
    )
    assert "replay-not-asked" not in wire.found()
    lost = Wire().opened_2().resume().prompt(3).got(id=7, result={})
    assert "resume-without-state" not in lost.found()


def test_a_refused_version_with_its_data_breaks_no_rule() -> None:
    params = {"protocolVersion": 2, "info": AGENT_INFO, "capabilities": {}}
    data = {"requested": 2, "supported": [1]}
    error = {"code": -32022, "message": "no", "data": data}
    wire = Wire().out(id=0, method="initialize", params=params).got(id=0, error=error)
    assert wire.found() == []


def test_a_rejection_is_forgotten_where_a_session_is_opened_again() -> None:
    wire = permission(Wire().running_2()).out(id=9, result=outcome("cancelled")).idle()
    wire.resume(replayFrom={"type": "start"})
    assert "not-approved-but-completed" not in call(wire, "completed").found()


def test_a_cancel_of_what_does_nothing_changes_nothing() -> None:
    assert Wire().opened_2().cancel().accepted_2().state("running").idle().found() == []
    assert Wire().opened_2().out(method="session/close", params={"sessionId": "s"}).found() != []
    assert Wire().opened_2().out(id=5, result={}).found() == ["orphan-answer"]


def test_nothing_of_a_replay_is_told_twice() -> None:
    wire = Wire().opened_2().resume()
    for _ in range(3):
        wire.update("user_message", **MESSAGE)
    assert wire.found() == ["replay-not-asked"]


def test_signing_in_and_out_breaks_no_rule() -> None:
    wire = Wire().initialized_2(None, KEY)
    wire.out(id=1, method="auth/login", params={"methodId": "key"}).got(id=1, result={})
    assert wire.out(id=2, method="auth/logout", params={}).got(id=2, result={}).found() == []


def test_updates_may_come_before_the_session_is_known() -> None:
    wire = Wire().initialized_2().out(id=1, method="session/new", params=NEW)
    wire.state("running")
    assert "update-before-session" not in wire.got(id=1, result={"sessionId": "s"}).found()
    assert "idle-without-reason" in wire.state("idle").found()


def test_what_goes_on_in_the_background_is_not_late() -> None:
    wire = call(Wire().running_2()).idle(**listed(ITEM)).chunk(messageId="m")
    call(wire).accepted_2(3, "u2").chunk(messageId="m2")
    assert wire.found() == []
    cancelled = call(Wire().running_2()).cancel().idle("cancelled", **listed(ITEM))
    assert call(cancelled.chunk(messageId="m")).found() == []
    other = cancelled.update("tool_call_update", toolCallId="other", status="completed")
    assert other.found() == ["update-after-cancelled"]
    unsaid = Wire().running_2().idle().chunk(messageId="m")
    assert unsaid.found() == []


def test_what_ends_leaves_the_background() -> None:
    terminal: dict[str, Any] = {"type": "terminal", "terminalId": "x"}
    wire = call(Wire().running_2()).update("terminal_update", terminalId="x", exitStatus=None)
    wire.idle(**listed(ITEM, terminal, {"type": "_own"}))
    wire.update("terminal_update", terminalId="x", exitStatus={}, capabilities=None)
    wire.update("terminal_update", terminalId="x", size=None)
    assert call(wire, "completed").state("idle", background=[]).found() == []


def test_what_was_there_before_a_resume_needs_no_announcement() -> None:
    wire = Wire().initialized_2().resume("old").update("state_update", "old", state="idle")
    listing = wire.update("state_update", "old", state="idle", **listed(ITEM))
    assert "background-unannounced" not in listing.found()


def test_a_question_of_any_kind_is_what_an_action_is_required_for() -> None:
    asked = Wire().running_2().state("requires_action").got(id=9, method="_ask", params={})
    assert "action-without-question" not in asked.out(id=9, result={}).state("running").found()
    before = Wire().running_2()
    permission(before).state("requires_action").out(id=9, result=outcome("cancelled"))
    assert before.state("running").found() == []
    of_another = Wire().running_2().state("requires_action")
    of_another.got(id=9, method="elicitation/create", params={"sessionId": "other"})
    assert "action-without-question" in of_another.state("running").found()


def test_a_question_of_a_subagent_is_what_its_parents_require_an_action_for() -> None:
    wire = Wire().running_2().update("subagent_update", sessionId="c", title="Ada")
    wire.update("subagent_update", "c", sessionId="d", title="Dee").state("requires_action")
    wire.got(id=9, method="elicitation/create", params={"sessionId": "d"})
    assert "action-without-question" not in wire.state("running").found()


def test_a_question_that_waits_explains_why_the_session_does() -> None:
    wire = permission(call(Wire().running_2(), "pending").state("requires_action"))
    wire.got(id=10, method="_ask", params={}).out(id=10, result={})
    assert wire.chunk(messageId="m").out(id=9, result=outcome("cancelled")).found() == ["extension"]
    assert (
        wire.chunk(messageId="m").chunk(messageId="m2").found().count("work-while-action-required")
        == 1
    )


def test_a_state_that_nobody_knows_ends_nothing() -> None:
    wire = Wire().running_2().state("_dreaming").state("idle")
    assert wire.found() == []
    assert Wire().running_2().state("running").state("running").idle().found() == []


def test_a_refused_prompt_is_no_prompt() -> None:
    wire = Wire().opened_2().prompt(2).got(id=2, error={"code": -32602, "message": "no"})
    assert wire.chunk(messageId="m").found() == []


def test_an_echo_may_come_after_the_answer_and_while_the_session_works() -> None:
    wire = Wire().opened_2().state("running").prompt(2).got(id=2, result={"messageId": "u1"}).idle()
    assert wire.update("user_message", **{**MESSAGE, "messageId": "u1"}).found() == []
    first = Wire().opened_2().prompt(2).update("user_message", messageId="u1", content=[])
    assert first.got(id=2, result={"messageId": "u1"}).state("running").idle().found() == []
    without = Wire().opened_2().prompt(2).got(id=2, result={}).state("running").later(1).idle()
    assert "prompt-not-echoed" not in without.found()


def test_a_cancel_is_confirmed_by_the_end_of_what_it_cancels() -> None:
    done = call(canceled_call(), "cancelled", capabilities=None).later(30).quitted()
    assert "cancel-not-confirmed" not in done.found()
    assert "cancel-not-confirmed" not in canceled_call().quitted().found()
    assert "cancel-not-confirmed" not in canceled_call().later(30).found()
    lost = Disconnected(200.0, "cut")
    assert "cancel-not-confirmed" not in canceled_call().happened(lost).found()
    again = canceled_call().resume().later(30).quitted()
    assert "cancel-not-confirmed" not in again.found()
    refused = call(Wire().started().running_2(), capabilities=CANCELABLE)
    cancels(refused, toolCallId="t").got(id=8, error={"code": -32602, "message": "no"})
    assert "cancel-not-confirmed" not in refused.later(30).quitted().found()


def test_a_request_that_was_cancelled_in_time_leaves_nothing_open() -> None:
    assert "not-cancelled" not in Wire().started().running_2().cancel().quitted().found()
    assert "not-cancelled" not in Wire().started().running_2().later(30).quitted().found()


def test_what_a_permission_tells_of_a_tool_call_is_known_from_there() -> None:
    wire = permission(Wire().running_2(), capabilities=CANCELABLE)
    cancels(wire.out(id=9, result=outcome("cancelled")), toolCallId="t")
    assert "cancel-not-offered" not in wire.found()
    params = {"type": "command", "command": "ls", "cwd": "/w", "toolCallId": "t"}
    command = call(Wire().running_2(), "completed")
    command.ask(9, "session/request_permission", title="T", subject=params, options=OPTIONS)
    assert "ran-before-permission" in command.found()
    without = Wire().running_2()
    without.ask(9, "session/request_permission", title="T", options=OPTIONS)
    assert without.out(id=9, result=outcome("_later")).found() == []
    odd = Wire().running_2().ask(9, "session/request_permission", title="T", options=OPTIONS)
    assert odd.out(id=9, result={"outcome": {}}).found() == ["schema"]


def test_a_cancel_in_a_log_that_began_before_it_is_nobodys_fault() -> None:
    assert "cancel-not-offered" not in cancels(Wire(), toolCallId="t").found()
    chunk = Wire().update("terminal_output_chunk", terminalId="x", data="YQ==")
    assert chunk.found() == []


def test_long_output_is_looked_through() -> None:
    long = "!" * 70_000
    wire = Wire().running_2().update("terminal_update", terminalId="x", output={"data": long})
    assert wire.found() == ["terminal-not-base64"]


def test_terminals_that_are_told_of_later_in_a_turn_are_no_riddle() -> None:
    shown = [{"type": "terminal", "terminalId": "x"}]
    wire = call(Wire().running_2(), "completed", content=shown)
    assert wire.update("terminal_update", terminalId="x").idle().found() == []
    chunk = {"type": "terminal", "terminalId": "y"}
    later = call(Wire().running_2(), "completed")
    later.update("tool_call_content_chunk", toolCallId="t", content=chunk).idle()
    assert later.found() == ["terminal-never-told"]
    again = call(Wire().running_2(), "completed", content=shown).resume().state("idle")
    assert "terminal-never-told" not in again.found()


def test_a_plan_that_is_taken_back_may_come_again_and_others_may_differ() -> None:
    wire = Wire().running_2().update("plan_update", **plan("a", "b"))
    wire.update("plan_update", **plan("a")).update("plan_removed", planId="p")
    wire.update("plan_update", **plan("b")).update("plan_update", plan={"type": "_x"})
    assert "plan-shrinks" not in wire.found()
    anew = Wire().running_2().update("plan_update", **plan("a", "b"))
    anew.update("plan_update", **plan("a")).accepted_2(3, "u2").update("plan_update", **plan("b"))
    assert "plan-shrinks" not in anew.found()
    idle = Wire().opened_2()
    for contents in (("a", "b"), ("a",), ("b",)):
        idle.update("plan_update", **plan(*contents))
    assert "plan-shrinks" not in idle.found()


def test_options_and_commands_that_differ_break_no_rule() -> None:
    commands = [{"type": "command", "name": one, "description": ""} for one in ("a", "b")]
    wire = Wire().opened_2(configOptions=config({}), availableCommands=commands)
    assert wire.update("config_option_update", configOptions=config({})).found() == []


def test_a_session_that_is_closed_while_idle_needs_no_more() -> None:
    wire = Wire().running_2().out(id=3, method="session/close", params={"sessionId": "s"})
    assert wire.idle("cancelled").got(id=3, result={}).found() == []
    refused = Wire().opened_2().out(id=3, method="session/close", params={"sessionId": "s"})
    refused.got(id=3, error={"code": -32603, "message": "no"})
    assert refused.update("session_info_update", title="T").found() == []


def test_what_an_agent_says_never_breaks_the_linter() -> None:
    strange: list[Any] = [None, 1, "x", [], {}, [[]], {"sessionId": 1}, {"content": [1]}]
    kinds = ("state_update", "tool_call_update", "terminal_update", "terminal_output_chunk")
    for params in strange:
        wire = Wire().opened_2()
        for kind in (*kinds, "plan_update", "user_message", "tool_call_content_chunk"):
            update = params if isinstance(params, dict) else {"state": params, "content": params}
            wire.update(kind, **{key: value for key, value in update.items() if key != "sessionId"})
        wire.got(id=9, method="session/request_permission", params=params).out(id=9, result=params)
        wire.got(id=11, error=params)
        assert wire.found()


# Which version is spoken


def said(wire: Wire) -> str:
    """The version that a log speaks."""
    linter = Linter()
    log = Log(wire.records, linter)
    log.catch_up()
    spoken = linter.spoken
    return "" if spoken is None else spoken.words


def test_the_version_is_that_of_the_form_of_initialize() -> None:
    assert said(Wire().opened()) == "version 1"
    assert said(Wire().opened_2()) == "version 2"
    params = {"protocolVersion": 2, "clientCapabilities": {}}
    echoes = Wire().out(id=0, method="initialize", params=params)
    echoes.got(id=0, result={"protocolVersion": 2, "agentCapabilities": {}})
    assert said(echoes) == "version 1"
    asked = {"protocolVersion": 2, "info": {}, "capabilities": {}}
    falls_back = Wire().out(id=0, method="initialize", params=asked)
    assert said(falls_back) == "version 2"
    falls_back.got(id=0, result={"protocolVersion": 1, "agentCapabilities": {}})
    assert said(falls_back) == "version 1"


@pytest.mark.parametrize(
    ("wire", "version"),
    [
        (Wire().state("running"), 2),
        (Wire().prompt(1).got(id=1, result={"messageId": "m"}), 2),
        (Wire().prompt(1).ended(1), 1),
        (permission(Wire()), 2),
        (Wire().ask(1, "session/request_permission", toolCall={}, options=[]), 1),
        (Wire().update("tool_call", toolCallId="t").state("running"), 1),
        (Wire().out(id=1, method="auth/login", params={}), 2),
        (Wire().out(id=1, method="session/list", params={}), 1),
    ],
)
def test_without_initialize_it_is_guessed_and_that_is_said(wire: Wire, version: int) -> None:
    assert said(wire) == f"version {version} (a guess: there is no initialize)"


def test_of_nothing_there_is_no_version_and_of_one_before_it_is_kept() -> None:
    assert said(Wire()) == ""
    assert said(Wire().started().opened_2().quitted()) == "version 2"


def test_a_log_that_is_guessed_to_be_of_version_2_is_judged_by_it() -> None:
    wire = Wire().state("running").state("idle")
    assert wire.found() == ["idle-without-reason"]


def test_a_version_is_worth_a_word_unless_it_is_told_and_the_first() -> None:
    assert Spoken(1, guessed=False).is_usual
    assert not Spoken(1, guessed=True).is_usual
    assert not Spoken(2, guessed=False).is_usual
    assert Spoken(2, guessed=False).short == "version 2"
    assert Spoken(2, guessed=True).short == "version 2 (guess)"


def test_what_the_overlay_has_is_no_reserved_value() -> None:
    wire = (
        Wire()
        .running_2()
        .update("cursor_update", cursorId="c", anchor={"type": "tool_call", "position": "after"})
    )
    assert set(wire.idle().found()) == {"unadvertised"}


def test_skills_are_for_who_knows_them() -> None:
    skill = {"type": "skill", "name": "tidy", "description": "Tidies up"}
    listed = Wire().running_2().update("available_commands_update", availableCommands=[skill])
    assert listed.idle().found() == ["unadvertised"]
    named = Wire().running_2().idle()
    params = {"sessionId": "s", "prompt": [{"type": "skill", "name": "tidy"}]}
    assert "unadvertised" in named.out(id=9, method="session/prompt", params=params).found()


def test_each_request_whose_answer_was_lost_says_whether_it_may_be_sent_again() -> None:
    wire = option_set(connected().opened_2()).prompt(2)
    wire.out(id=3, method="session/new", params={"cwd": "/w"})
    params = {"sessionId": "s", "prompt": [{"type": "text", "text": "hi"}], "idempotencyKey": "k"}
    wire.out(id=4, method="session/prompt", params=params).out(id=5, method="_mine", params={})
    found = wire.happened(Disconnected(101.0, "cut")).log().findings
    before = "the connection ended before the answer: "
    assert [one.message.removeprefix(before) for one in found if one.rule.id == "answer-lost"] == [
        "session/set_config_option is safe to send again as it is (a guess)",
        "session/prompt is not safe to send again: it has no idempotencyKey",
        "session/new is not safe to send again: it may have been done (a guess)",
        "session/prompt is safe to send again with its idempotencyKey",
    ]
    for wire in (
        option_set(connected().opened()).happened(Disconnected(101.0, "cut")),
        option_set(connected().opened_2()).happened(Disconnected(101.0, "we left", asked=True)),
        option_set(Wire().started().opened_2()).quitted(),
    ):
        assert "answer-lost" not in wire.found()


def test_a_retry_of_a_prompt_has_the_id_that_it_had_before() -> None:
    again = keyed(keyed(Wire().opened_2(), 2, "u1"), 3, "u1")
    assert not {"message-id-reuse", "retry-counted-twice"} & set(again.found())
    other = keyed(keyed(Wire().opened_2(), 2, "u1"), 3, "u1", "other key")
    assert "message-id-reuse" in other.found()


def test_an_agent_that_may_speak_a_draft_without_keys_is_told_so() -> None:
    found = keyed(keyed(Wire().opened_2(), 2, "u1").idle(), 3, "u2").log().findings
    (twice,) = [one for one in found if one.rule.id == "retry-counted-twice"]
    assert twice.message == (
        "'u2', but the first answer to this idempotencyKey was 'u1'; "
        "drafts before 20 Nov 2026 have no keys"
    )


def replaying() -> Wire:
    wire = Wire().running_2().idle().resume(replayFrom={"type": "start"})
    return wire.update("user_message", **MESSAGE)


def test_the_end_of_a_replay_breaks_nothing() -> None:
    wire = replaying().update("replay_complete").state("idle")
    assert resumed(wire).found() == []
    child = replaying().update("subagent_update", sessionId="c", title="Ada")
    for session in ("c", "s"):
        child.update("replay_complete", session)
    assert resumed(child.state("idle")).found() == []
    unknown = Wire().initialized_2().update("replay_complete", "old")
    assert "replay-end-not-asked" not in unknown.found()


def test_an_end_of_a_replay_is_told_once_after_the_history_and_before_the_answer() -> None:
    late = resumed(replaying().state("idle")).update("replay_complete")
    assert late.found() == ["replay-without-end", "replay-end-misplaced"]
    follows = replaying().update("replay_complete").update("user_message", **MESSAGE)
    assert resumed(follows.state("idle")).found() == ["replay-end-misplaced"]
    child = replaying()
    for _ in range(2):
        child.update("replay_complete", "c")
    assert "replay-end-misplaced" in child.found()
    refused = {"code": -32602, "message": "no"}
    assert replaying().got(id=7, error=refused).found() == []


def test_what_no_replay_comes_before_is_no_end_of_one() -> None:
    wire = Wire().running_2().update("replay_complete").idle()
    assert wire.found() == ["replay-end-not-asked"]
