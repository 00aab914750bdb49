"""`session/update` in every kind."""

from typing import Any

import pytest

from acp_tui.protocol.file_events import EditLooked
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.state import edit_facts
from acp_tui.state.changes import EntryAdded, EntryChanged, ScreenChanged
from acp_tui.state.entries import (
    CompactionEntry,
    MessageEntry,
    NoticeEntry,
    PlanSnapshot,
    RawEntry,
    Role,
    ToolCallEntry,
)
from acp_tui.state.subject import asked_about
from tests.unit.state.conversation import Conversation

SELECT = {
    "type": "select",
    "id": "m",
    "name": "Mode",
    "category": "mode",
    "currentValue": "plan",
    "options": [{"value": "plan", "name": "Plan first"}],
}
MODES = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}]}


def texts(talk: Conversation) -> list[tuple[Role, str]]:
    return [(one.role, one.text) for one in talk.session.entries if isinstance(one, MessageEntry)]


def test_consecutive_chunks_of_a_kind_make_one_message() -> None:
    talk = Conversation.opened()
    talk.prompt("Hi")
    for kind, text in [("message", "He"), ("message", "llo"), ("thought", "hm"), ("message", "!")]:
        talk.say(text, f"agent_{kind}_chunk")
    assert texts(talk) == [
        (Role.USER, "Hi"),
        (Role.AGENT, "Hello"),
        (Role.THOUGHT, "hm"),
        (Role.AGENT, "!"),
    ]


def test_chunks_with_an_id_find_their_message_whatever_came_between() -> None:
    talk = Conversation.opened()
    talk.say("one ", messageId="m1")
    talk.say("two", messageId="m2")
    assert talk.say("more", messageId="m1") == [EntryChanged("s", 0)]
    assert texts(talk) == [(Role.AGENT, "one more"), (Role.AGENT, "two")]
    talk.say("nameless")
    assert texts(talk)[-1] == (Role.AGENT, "nameless")


def test_an_id_that_comes_again_in_a_later_turn_is_that_of_another_message() -> None:
    talk = Conversation.opened()
    for prompt, answer in (("Tea?", "Yes."), ("Milk?", "No.")):
        asked = talk.prompt(prompt)
        talk.say(answer[:1], messageId="m")
        talk.say(answer[1:], messageId="m")
        talk.answer(asked, result={"stopReason": "end_turn"})
    assert texts(talk) == [
        (Role.USER, "Tea?"),
        (Role.AGENT, "Yes."),
        (Role.USER, "Milk?"),
        (Role.AGENT, "No."),
    ]


def test_an_id_that_comes_again_in_a_turn_that_is_replayed_is_another_message_too() -> None:
    talk = Conversation.opened()
    for prompt, answer in (("Tea?", "Yes."), ("Milk?", "No.")):
        talk.say(prompt[:1], "user_message_chunk", messageId="u")
        talk.say(prompt[1:], "user_message_chunk", messageId="u")
        talk.say(answer, messageId="m")
    assert [text for _, text in texts(talk)] == ["Tea?", "Yes.", "Milk?", "No."]


def test_a_thought_and_a_message_of_one_id_are_two() -> None:
    talk = Conversation.opened()
    talk.say("hm", "agent_thought_chunk", messageId="m")
    talk.say("Yes.", messageId="m")
    assert texts(talk) == [(Role.THOUGHT, "hm"), (Role.AGENT, "Yes.")]


def test_the_prompt_echoed_by_the_agent_is_not_shown_twice() -> None:
    talk = Conversation.opened()
    talk.prompt("Fix it")
    talk.say("Fix", "user_message_chunk")
    talk.say(" it", "user_message_chunk")
    assert texts(talk) == [(Role.USER, "Fix it")]
    talk.say("another voice", "user_message_chunk")
    image = {"type": "image", "data": "", "mimeType": "image/png"}
    talk.update("user_message_chunk", content=image)
    assert texts(talk) == [(Role.USER, "Fix it"), (Role.USER, "another voice")]


@pytest.mark.parametrize(
    "echoes",
    [
        ("Fix", "Fix it", "Fix it now"),
        ("Fix it", "Fix it now", "Fix it now"),
        ("Fix it now\n",),
        ("Fix it", " now", "\n"),
    ],
)
def test_an_echo_is_that_of_the_prompt_whatever_pieces_it_comes_in(echoes: tuple[str, ...]) -> None:
    talk = Conversation.opened()
    talk.prompt("Fix it now")
    for echo in echoes:
        talk.say(echo, "user_message_chunk", messageId="u")
    assert texts(talk) == [(Role.USER, "Fix it now")]


@pytest.mark.parametrize(
    "echoes",
    [
        ("Das Caf\u00e9\r\nund ich",),
        ("Das Cafe\u0301\nund ich",),
        ("Das Cafe", "\u0301\r", "\nund", " ich"),
        ("Das Cafe\u0301", "Das Cafe\u0301\r\n", "Das Cafe\u0301\r\nund ich"),
    ],
)
@pytest.mark.parametrize("prompt", ["Das Caf\u00e9\nund ich", "Das Cafe\u0301\nund ich"])
def test_an_echo_may_have_other_line_ends_and_other_accents(
    prompt: str, echoes: tuple[str, ...]
) -> None:
    talk = Conversation.opened()
    talk.prompt(prompt)
    for echo in echoes:
        talk.say(echo, "user_message_chunk")
    assert texts(talk) == [(Role.USER, prompt)]


def test_the_echo_of_a_huge_prompt_is_compared_as_it_is() -> None:
    talk = Conversation.opened()
    prompt = "a\r\n" * 300_000
    talk.prompt(prompt)
    talk.say("a\n", "user_message_chunk")
    talk.say(prompt, "user_message_chunk")
    assert texts(talk) == [(Role.USER, prompt), (Role.USER, "a\n")]


def test_a_message_of_the_person_that_grows_is_one() -> None:
    talk = Conversation.opened()
    talk.prompt("Fix it")
    for said in ("<context>", "<context>\na.py", "<context>\na.py\n</context>"):
        talk.say(said, "user_message_chunk", messageId="u")
    assert texts(talk)[1:] == [(Role.USER, "<context>\na.py\n</context>")]
    for said in ("ha", "ha"):
        talk.say(said, "user_message_chunk", messageId="v")
    assert texts(talk)[-1] == (Role.USER, "haha")


def test_updates_before_the_answer_to_session_new_are_kept() -> None:
    talk = Conversation()
    talk.say("early")
    talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "s"})
    assert texts(talk) == [(Role.AGENT, "early")]
    assert talk.session.opened


def test_a_tool_call_is_patched_and_made_by_whatever_names_it_first() -> None:
    talk = Conversation.opened()
    talk.update("tool_call_update", toolCallId="t", status="in_progress", rawInput={"a": 1})
    talk.update("tool_call", toolCallId="t", title="Edit", kind="edit")
    talk.update("tool_call_update", toolCallId="t", title=None, content=None, status="completed")
    call = talk.session.tool_call("t")
    assert call is talk.session.entries[0]
    assert isinstance(call, ToolCallEntry)
    assert (call.title, call.kind, call.status, call.raw_input) == (
        "Edit",
        "edit",
        "completed",
        {"a": 1},
    )
    assert call.announced
    assert call.ended is not None
    assert talk.session.tool_call("other") is None


def test_a_plan_is_replaced_whole_and_the_transcript_keeps_its_versions_of_a_turn() -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.update("plan", entries=[{"content": "a"}, {"content": "b"}])
    told = talk.update("plan", entries=[{"content": "c"}])
    assert told == [EntryChanged("s", 1), ScreenChanged()]
    assert [one.content for one in talk.session.plan.steps] == ["c"]
    talk.prompt()
    talk.update("plan", entries=[])
    plans = [one for one in talk.session.entries if isinstance(one, PlanSnapshot)]
    assert [len(plan.versions) for plan in plans] == [2, 1]


def test_modes_follow_the_agent_and_config_options_go_before_them() -> None:
    talk = Conversation()
    talk.update("current_mode_update", modeId="plan")  # nothing to change yet
    result = {"sessionId": "s", "modes": MODES}
    talk.call("session/new", {"cwd": "/work"}, result=result)
    assert talk.session.config.mode == "Ask"
    talk.update("current_mode_update", currentModeId="plan")
    assert talk.session.config.mode == "plan"  # a mode that was never listed
    talk.update("config_option_update", configOptions=[{"type": "boolean"}, SELECT])
    assert talk.session.config.mode == "Plan first"
    talk.update("config_option_update", configOptions=[{**SELECT, "category": "model"}])
    assert talk.session.config.mode == "plan"  # no option for modes: those of session/new hold
    assert talk.session.config.model == "Plan first"


def test_a_model_is_named_for_people_where_the_agent_names_it() -> None:
    assert Conversation.opened().session.config.model is None
    talk = Conversation()
    models = {"availableModels": [{"modelId": "a", "name": "A"}], "currentModelId": "a"}
    talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "s", "models": models})
    assert (talk.session.config.mode, talk.session.config.model) == (None, "A")
    talk.call("session/set_model", {"sessionId": "s", "modelId": "b"}, result={})
    assert talk.session.config.model == "b"  # a model that was never listed


def test_facts_of_the_session_are_patched() -> None:
    talk = Conversation.opened()
    talk.update("session_info_update", title="Tea", updatedAt="2026-01-01")
    talk.update("session_info_update", updatedAt=None)
    assert (talk.session.title, talk.session.updated_at) == ("Tea", None)
    talk.update("usage_update", used=5, size=9, cost={"amount": 1, "currency": "EUR"})
    talk.update("usage_update", used=6, size=9)
    assert (talk.session.usage.used, talk.session.usage.size) == (6, 9)
    assert talk.session.usage.cost is not None
    talk.update("available_commands_update", availableCommands=[{"name": "go"}])
    assert [one.name for one in talk.session.commands] == ["go"]


def test_a_notice_is_an_entry() -> None:
    talk = Conversation.opened()
    talk.update("notice", severity="warning", title="Low on tokens")
    (notice,) = talk.session.entries
    assert isinstance(notice, NoticeEntry)
    assert (notice.title, notice.ours) == ("Low on tokens", False)


def test_a_compaction_is_patched_by_its_id_and_null_clears() -> None:
    talk = Conversation.opened()
    text = {"type": "text", "text": "so far"}
    talk.update("compaction_summary_chunk", compactionId="c", content=text)
    talk.update("compaction_summary_chunk", compactionId="c", content=text)
    (entry,) = talk.session.entries
    assert isinstance(entry, CompactionEntry)
    assert len(entry.blocks) == 1
    talk.update("compaction_update", compactionId="c", status="failed", error="full")
    assert (entry.status, entry.error, len(entry.blocks)) == ("failed", "full", 1)
    talk.update("compaction_update", compactionId="c", status="completed", summary=[text])
    assert (entry.error, len(entry.blocks)) == ("full", 1)
    talk.update("compaction_update", compactionId="c", status="x", summary=None, error=None)
    assert (entry.error, entry.blocks) == (None, [])


@pytest.mark.parametrize("update", [{"sessionUpdate": "brand_new", "x": None}, {"x": 1}])
def test_what_has_no_name_or_no_sense_is_shown_as_it_came(update: dict[str, Any]) -> None:
    talk = Conversation.opened()
    params = {"sessionId": "s", "update": update}
    talk.frame(Direction.IN, {"method": "session/update", "params": params})
    (entry,) = talk.session.entries
    assert isinstance(entry, RawEntry)
    assert update in (entry.raw, entry.raw.get("update"))
    assert (entry.problem is None) == ("sessionUpdate" in update)


def test_an_unknown_update_that_nests_deep_is_no_reason_to_fail() -> None:
    talk = Conversation.opened()
    deep: dict[str, Any] = {}
    for _ in range(190):
        deep = {"a": deep}
    assert talk.update("brand_new", x=deep) == [EntryAdded("s", 0)]


@pytest.mark.parametrize("params", [[], None, {"update": {}}, {"sessionId": 5}])
def test_an_update_for_no_session_changes_none(params: Any) -> None:
    talk = Conversation.opened()
    assert talk.frame(Direction.IN, {"method": "session/update", "params": params}) == []
    assert list(talk.state.sessions) == ["s"]


def test_other_notifications_leave_no_trace() -> None:
    talk = Conversation.opened()
    assert talk.frame(Direction.IN, {"method": "_vendor/status", "params": {}}) == []


def test_meta_overrides_nothing() -> None:
    talk = Conversation.opened()
    meta = {
        "sessionId": "other",
        "toolCallId": "x",
        "title": "Evil",
        "kind": "read",
        "status": "failed",
    }
    talk.update(
        "tool_call", toolCallId="t", title="Run", kind="execute", status="pending", _meta=meta
    )
    talk.update("tool_call_update", toolCallId="t", _meta={**meta, "rawInput": {"command": "rm x"}})
    call = talk.session.tool_call("t")
    assert call is not None
    assert (call.title, call.kind, call.status, call.raw_input) == (
        "Run",
        "execute",
        "pending",
        None,
    )
    assert list(talk.state.sessions) == ["s"]
    assert list(talk.session.indexes.tool_calls) == ["t"]


def asks_about(talk: Conversation, tool_call_id: str) -> int:
    options = [{"optionId": "y", "name": "Allow", "kind": "allow_once"}]
    tool_call = {"toolCallId": tool_call_id}
    return talk.asks("session/request_permission", toolCall=tool_call, options=options)


def allow(talk: Conversation, question: int) -> None:
    talk.settle(question, result={"outcome": {"outcome": "selected", "optionId": "y"}})


def calls(talk: Conversation) -> list[tuple[str, str, list[str]]]:
    entries = [one for one in talk.session.entries if isinstance(one, ToolCallEntry)]
    return [(one.title, one.status, one.consent.decisions) for one in entries]


def test_a_call_of_a_later_turn_with_the_id_of_an_earlier_one_is_another() -> None:
    talk = Conversation.opened()
    for title in ("Edit a", "Edit b"):
        asked = talk.prompt()
        talk.update("tool_call", toolCallId="call-1", title=title)
        question = asks_about(talk, "call-1")
        entries = [one for one in talk.session.entries if isinstance(one, ToolCallEntry)]
        assert [one.title for one in entries if one.consent.waiting.questions] == [title]
        allow(talk, question)
        talk.update("tool_call_update", toolCallId="call-1", status="completed")
        talk.answer(asked, result={"stopReason": "end_turn"})
    assert calls(talk) == [("Edit a", "completed", ["Allow"]), ("Edit b", "completed", ["Allow"])]


def test_an_announced_call_is_another_one_if_its_id_was_that_of_an_unfinished_turn() -> None:
    talk = Conversation.opened()
    for title in ("Edit a", "Edit b"):
        talk.answer(talk.prompt(), result={"stopReason": "end_turn"})
        talk.prompt()
        talk.update("tool_call", toolCallId="c", title=title)
    assert calls(talk) == [("Edit a", "pending", []), ("Edit b", "pending", [])]


def test_within_a_turn_a_finished_call_and_one_of_its_id_are_two() -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.update("tool_call", toolCallId="c", title="Edit a", status="pending")
    talk.update("tool_call", toolCallId="c", title="Edit a", status="completed")
    talk.update("tool_call", toolCallId="c", title="Edit a", status="completed")
    assert calls(talk) == [("Edit a", "completed", [])]
    talk.update("tool_call", toolCallId="c", title="Edit a", status="pending")
    assert calls(talk) == [("Edit a", "completed", []), ("Edit a", "pending", [])]


def test_a_question_about_a_finished_call_of_an_earlier_turn_is_about_a_new_one() -> None:
    talk = Conversation.opened()
    asked = talk.prompt()
    talk.update("tool_call", toolCallId="c", title="Edit a", status="completed")
    talk.answer(asked, result={"stopReason": "end_turn"})
    talk.prompt()
    question = asks_about(talk, "c")
    talk.update("tool_call", toolCallId="c", title="Edit b")
    allow(talk, question)
    assert calls(talk) == [("Edit a", "completed", []), ("Edit b", "pending", ["Allow"])]


LS = {
    "toolCallId": "c",
    "title": "ls",
    "kind": "execute",
    "rawInput": {"command": "ls"},
    "locations": [{"path": "/work"}],
}


@pytest.mark.parametrize("is_allowed", [True, False])
@pytest.mark.parametrize("status", ["completed", "in_progress"])
@pytest.mark.parametrize("ends", [True, False])
def test_a_question_about_a_call_that_is_over_shows_only_what_it_brings(
    is_allowed: bool, status: str, ends: bool
) -> None:
    talk = Conversation.opened()
    prompted = talk.prompt()
    talk.update("tool_call", **LS)
    if is_allowed:
        allow(talk, asks_about(talk, "c"))
    talk.update("tool_call_update", toolCallId="c", status=status)
    if ends:
        talk.answer(prompted, result={"stopReason": "end_turn"})
        talk.prompt()
    diff = {"type": "diff", "path": "/work/x", "newText": "x"}
    edit = {"toolCallId": "c", "title": "Edit x", "kind": "edit", "content": [diff]}
    talk.asks("session/request_permission", toolCall=edit, options=[])
    (permission,) = talk.session.permissions
    is_another = ends or status == "completed"
    asked = asked_about(talk.session, permission)
    assert asked.raw_input == (None if is_another else LS["rawInput"])
    assert [one.path for one in asked.locations] == ([] if is_another else ["/work"])
    titles = [title for title, _, _ in calls(talk)]
    assert titles == (["ls", "Edit x"] if is_another else ["Edit x"])


def test_a_question_after_the_turn_is_about_the_call_that_was_announced_in_it() -> None:
    talk = Conversation.opened()
    prompted = talk.prompt()
    talk.update("tool_call", **LS)
    talk.answer(prompted, result={"stopReason": "end_turn"})
    allow(talk, asks_about(talk, "c"))
    assert calls(talk) == [("ls", "pending", ["Allow"])]
    asks_about(talk, "c")
    assert len(calls(talk)) == 2


def test_an_answer_stays_with_its_call_while_another_one_takes_over_the_id() -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.update("tool_call", toolCallId="c", title="Edit a")
    question = asks_about(talk, "c")
    talk.update("tool_call_update", toolCallId="c", status="failed")
    talk.update("tool_call", toolCallId="c", title="Edit b")
    (permission,) = talk.session.permissions
    assert asked_about(talk.session, permission).title == "Edit a"
    allow(talk, question)
    assert calls(talk) == [("Edit a", "failed", ["Allow"]), ("Edit b", "pending", [])]


def test_what_was_found_in_files_stays_with_its_call() -> None:
    talk = Conversation.opened()
    talk.prompt()
    for _ in range(2):
        talk.update("tool_call", toolCallId="c", title="Edit", status="in_progress")
        talk.update("tool_call_update", toolCallId="c", status="completed")
    talk.happened(EditLooked(9.0, "s", "c", "/a", remark="of the first", use=0))
    talk.happened(EditLooked(9.0, "s", "c", "/a", remark="of the newest"))
    entries = [one for one in talk.session.entries if isinstance(one, ToolCallEntry)]
    assert [edit_facts.edit_remarks(one) for one in entries] == [
        [("of the first", False)],
        [("of the newest", False)],
    ]


def test_a_replayed_call_of_a_later_turn_with_the_id_of_an_earlier_one_is_another() -> None:
    talk = Conversation.opened()
    for text in ("one", "two"):
        talk.say(text, "user_message_chunk")
        talk.update("tool_call", toolCallId="c", title=text, status="in_progress")
    assert calls(talk) == [("one", "in_progress", []), ("two", "in_progress", [])]


def test_calls_that_share_an_id_end_with_the_process() -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.prompt()
    talk.update("tool_call", toolCallId="c", title="one")
    talk.prompt()
    talk.update("tool_call", toolCallId="c", title="two")
    talk.happened(ProcessExited(9.0, 1, None))
    assert calls(talk) == [("one", "cancelled", []), ("two", "cancelled", [])]


IMAGE = {"type": "image", "data": "", "mimeType": "image/png"}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def suggest(talk: Conversation, *prompts: list[dict[str, Any]]) -> None:
    talk.update("prompt_suggestions_update", suggestions=[{"prompt": one} for one in prompts])


@pytest.mark.parametrize("talk", [Conversation.opened(), Conversation.opened_in_2()])
def test_the_first_suggestion_with_a_text_counts_until_a_prompt_is_sent(talk: Conversation) -> None:
    suggest(talk, [IMAGE], [text(" ")], [text("run "), IMAGE, text("the tests ")], [text("stop")])
    assert talk.session.suggested_prompt == "run the tests"
    talk.update("usage_update", used=1, size=2)
    assert talk.session.suggested_prompt == "run the tests"
    talk.call("session/prompt", {"sessionId": "s", "prompt": [text("no")]})
    assert talk.session.suggested_prompt == ""


def test_an_empty_list_withdraws_a_suggestion() -> None:
    talk = Conversation.opened()
    suggest(talk, [text("run the tests")])
    suggest(talk)
    assert talk.session.suggested_prompt == ""


def test_a_suggestion_that_nobody_reads_to_its_end_is_none() -> None:
    talk = Conversation.opened()
    suggest(talk, [text("x" * 3000)], [text("run it")])
    assert talk.session.suggested_prompt == "run it"


def test_what_is_replayed_leaves_a_suggestion_as_it_is() -> None:
    talk = Conversation.opened()
    talk.call("session/load", {"sessionId": "s", "cwd": "/work", "mcpServers": []})
    suggest(talk, [text("run the tests")])
    assert talk.session.suggested_prompt == "run the tests"


@pytest.mark.parametrize(
    ("suggested", "shown"),
    [
        ({"suggestions": [{"text": " "}, {"text": "run it "}, {"text": "stop"}]}, "run it"),
        ({"suggestions": []}, ""),
        ({"suggestions": [{"text": 5}, "x", {}, None]}, ""),
        ({"suggestions": "run it"}, "before"),
        ({}, "before"),
        ("run it", "before"),
        (None, "before"),
    ],
)
def test_a_suggestion_may_come_in_meta(suggested: Any, shown: str) -> None:
    talk = Conversation.opened()
    suggest(talk, [text("before")])
    talk.update("session_info_update", title="T", _meta={"promptSuggestions": suggested})
    assert talk.session.suggested_prompt == shown
    assert talk.session.title == "T"


def test_a_fact_without_meta_leaves_a_suggestion_as_it_is() -> None:
    talk = Conversation.opened()
    suggest(talk, [text("before")])
    talk.update("session_info_update", title="T")
    assert talk.session.suggested_prompt == "before"
