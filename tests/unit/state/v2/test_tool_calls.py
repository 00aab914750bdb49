"""Tool calls of version 2: null clears, what is missing stays, and pieces are appended."""

from typing import Any

import pytest

from acp_tui.edits.edits import describe_file_change
from acp_tui.headless.permission import describe_request, only_reads
from acp_tui.policy.evaluation import ResolvedRequest, evaluate_rules
from acp_tui.policy.rules import Rule, RuleAnswer
from acp_tui.protocol.content import ContentItem, Diff, FileChange, TerminalRef, UnknownContent
from acp_tui.state.commands import CancelTerminal, CancelToolCall
from acp_tui.state.entries import NoticeEntry, ToolCallEntry
from acp_tui.state.open_questions import Permission
from acp_tui.state.request_facts import RequestFacts, permission_facts
from acp_tui.state.subagents import ASKED, command_that_stops
from acp_tui.state.subject import asked_about, commands_in_terminals, format_subject
from acp_tui.state.subject_parts import changed_since_asked
from tests.unit.state.conversation import Conversation

PATCH = """\
diff --git /work/tea.txt /work/tea.txt
index 3367afd..3e75765 100644
--- /work/tea.txt
+++ /work/tea.txt
@@ -1,2 +1,2 @@
 kettle
-old
+new
"""


def call(talk: Conversation, id: str = "c") -> ToolCallEntry:
    entry = talk.session.tool_call(id)
    assert entry is not None
    return entry


def changed(talk: Conversation, **fields: Any) -> ToolCallEntry:
    talk.update("tool_call_update", toolCallId="c", **fields)
    return call(talk)


def text(words: str) -> dict[str, Any]:
    return {"type": "content", "content": {"type": "text", "text": words}}


def test_a_new_one_has_the_protocols_defaults() -> None:
    entry = changed(Conversation.opened_in_2())
    assert (entry.title, entry.name, entry.kind, entry.status) == ("", None, "other", "pending")
    assert (entry.content, entry.locations, entry.raw_input) == ([], [], None)


@pytest.mark.check(125)
def test_fields_are_left_cleared_or_replaced() -> None:
    talk = Conversation.opened_in_2()
    given = {
        "title": "Make tea",
        "name": "kettle",
        "kind": "execute",
        "status": "in_progress",
        "content": [text("Boiling")],
        "locations": [{"path": "/work/tea.txt", "line": 0}],
        "rawInput": {"cups": 2},
        "rawOutput": "hot",
    }
    changed(talk, **given)
    malformed = {"title": 1, "kind": 2, "status": 3, "content": 4, "locations": 5, "name": 6}
    entry = changed(talk, **malformed)
    assert (entry.title, entry.name, entry.kind) == ("Make tea", "kettle", "execute")
    assert (entry.status, entry.raw_input, entry.raw_output) == ("in_progress", {"cups": 2}, "hot")
    assert [(place.path, place.line) for place in entry.locations] == [("/work/tea.txt", None)]
    assert len(entry.content) == 1
    entry = changed(talk, **dict.fromkeys(given))
    assert (entry.title, entry.name, entry.kind, entry.status) == ("", None, "other", "pending")
    assert (entry.content, entry.locations) == ([], [])
    assert (entry.raw_input, entry.raw_output) == (None, None)


@pytest.mark.check(126)
def test_pieces_are_appended_also_to_one_that_is_new() -> None:
    talk = Conversation.opened_in_2()
    for piece in (text("One"), {"type": "_chart", "bars": 3}):
        talk.update("tool_call_content_chunk", toolCallId="c", content=piece)
    first, second = call(talk).content
    assert isinstance(first, ContentItem)
    assert isinstance(second, UnknownContent)
    assert second.wire() == {"type": "_chart", "bars": 3}


@pytest.mark.check(127)
@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_what_is_over_has_an_end(status: str) -> None:
    entry = changed(Conversation.opened_in_2(), status=status, capabilities={"cancel": {}})
    assert entry.finished
    assert entry.ended is not None
    assert not entry.can_cancel


@pytest.mark.check(127)
def test_what_is_paused_may_go_on() -> None:
    talk = Conversation.opened_in_2()
    assert changed(talk, status="paused").status == "paused"
    assert not call(talk).finished
    assert changed(talk, status="in_progress").status == "in_progress"


@pytest.mark.check(129)
def test_words_that_are_new_are_kept_and_taken_for_what_they_are_not_less() -> None:
    talk = Conversation.opened_in_2()
    entry = changed(talk, status="_brewing", kind="_kettle")
    assert (entry.status, entry.kind) == ("in_progress", "other")
    assert entry.new_words == {"status": "_brewing", "kind": "_kettle"}
    entry = changed(talk, status="completed", kind="read")
    assert entry.new_words == {}


@pytest.mark.check(128)
def test_only_what_offers_it_can_be_stopped_alone() -> None:
    talk = Conversation.opened_in_2()
    assert command_that_stops(talk.state, talk.session, changed(talk)) is None
    entry = changed(talk, status="in_progress", capabilities={"cancel": {}})
    assert command_that_stops(talk.state, talk.session, entry) == CancelToolCall("s", "c")
    params = {"sessionId": "s", "toolCallId": "c"}
    id = talk.call("tool_call/cancel", params)
    assert command_that_stops(talk.state, talk.session, entry) == ASKED
    talk.answer(id, error={"code": -32602, "message": "it is over"})
    assert command_that_stops(talk.state, talk.session, entry) == CancelToolCall("s", "c")
    talk.call("tool_call/cancel", params, result={})
    assert entry.stop_requested
    assert not changed(talk, status="cancelled").stop_requested
    talk.call("tool_call/cancel", params, result={})
    assert not entry.stop_requested
    for given in ({"cancel": None}, {}, None, 3):
        changed(talk, status="in_progress", capabilities={"cancel": {}})
        assert not changed(talk, capabilities=given).can_cancel


def test_a_request_that_cant_be_read_stops_nothing() -> None:
    talk = Conversation.opened_in_2()
    talk.call("tool_call/cancel", {"sessionId": "s"}, result={})
    talk.call("terminal/cancel", {"sessionId": "s", "terminalId": "unheard-of"}, result={})
    assert talk.session.entries == []


def test_a_terminal_of_a_tool_call_can_be_stopped_alone() -> None:
    talk = Conversation.opened_in_2()
    embedded = [{"type": "terminal", "terminalId": id} for id in ("t", "u", "unheard-of")]
    entry = changed(talk, content=embedded)
    assert command_that_stops(talk.state, talk.session, entry) is None
    for id in ("t", "u"):
        talk.update("terminal_update", terminalId=id, capabilities={"cancel": {}})
    assert command_that_stops(talk.state, talk.session, entry) == CancelTerminal("s", "s/t")
    own = talk.session.entries[-1]
    assert command_that_stops(talk.state, talk.session, own) == CancelTerminal("s", "s/u")
    talk.call("terminal/cancel", {"sessionId": "s", "terminalId": "t"})
    assert command_that_stops(talk.state, talk.session, entry) == CancelTerminal("s", "s/u")
    talk.update("terminal_update", terminalId="u", exitStatus={})
    assert command_that_stops(talk.state, talk.session, entry) == ASKED
    talk.update("terminal_update", terminalId="t", exitStatus={"exitCode": 0})
    talk.call("terminal/cancel", {"sessionId": "s", "terminalId": "t"})
    assert command_that_stops(talk.state, talk.session, entry) is None
    talk.say("No tool", messageId="m")
    assert command_that_stops(talk.state, talk.session, talk.session.entries[-1]) is None


@pytest.mark.check(130)
def test_the_hunks_of_a_patch_are_diffs() -> None:
    diff = {
        "type": "diff",
        "changes": [{"operation": "modify", "path": "/work/tea.txt"}],
        "patch": {"format": "git_patch", "text": PATCH},
    }
    entry = changed(Conversation.opened_in_2(), content=[diff])
    old, new = "kettle\nold\n", "kettle\nnew\n"
    assert entry.content == [Diff(path="/work/tea.txt", old_text=old, new_text=new)]


@pytest.mark.check(135)
def test_terminals_of_sessions_with_the_same_id_stay_apart() -> None:
    talk = Conversation.opened_in_2()
    content = [{"type": "terminal", "terminalId": "t"}]
    talk.update("tool_call_update", toolCallId="c", content=content)
    talk.update("tool_call_update", "other", toolCallId="c", content=content)
    talk.update("terminal_update", terminalId="t", command="make tea")
    talk.update("terminal_update", "other", terminalId="t", command="make coffee")
    ours, theirs = call(talk).content[0], talk.state.session("other").entries[0]
    assert isinstance(ours, TerminalRef)
    assert isinstance(theirs, ToolCallEntry)
    assert talk.state.terminals[ours.terminal_id].command == "make tea"
    assert theirs.shows_terminal("other/t")
    assert talk.state.terminals["other/t"].command == "make coffee"


@pytest.mark.check(130)
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (FileChange(operation="add", path="/w/a"), "/w/a: new"),
        (FileChange(operation="move", path="/w/b", old_path="/w/a"), "/w/a → /w/b: moved"),
        (FileChange(operation="modify", path="/w/a", details=["binary"]), "/w/a: changed (binary)"),
        (FileChange(operation="patch", details=["ed"]), "a patch that can't be read (ed)"),
        (FileChange(operation="_swap\x1b[2J", path="/w/\x1b]0;x\x07"), "/w/␛]0;x␇: _swap␛[2J"),
    ],
)
def test_changes_of_files_are_told_in_words(change: FileChange, told: str) -> None:
    assert describe_file_change(change) == told


OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "new", "name": "Perhaps", "kind": "_maybe"},
]
ASK = "session/request_permission"
TOOL = {"toolCallId": "c", "title": "Boil", "kind": "read", "rawInput": {"path": "/work/a"}}
COMMAND = {"type": "command", "command": "rm -r /tea", "cwd": "/tmp"}


def asked(talk: Conversation, **fields: Any) -> Permission:
    number = talk.asks(ASK, **{"title": "May I?", "options": OPTIONS, **fields})
    permission = talk.state.permission(number)
    assert permission is not None
    return permission


def facts(talk: Conversation, permission: Permission) -> RequestFacts:
    return permission_facts(talk.session, permission)


@pytest.mark.check(136)
def test_a_tool_call_is_updated_by_the_question_about_it() -> None:
    talk = Conversation.opened_in_2()
    permission = asked(
        talk, description="It is cold.", subject={"type": "tool_call", "toolCall": TOOL}
    )
    assert (permission.title, permission.description) == ("May I?", "It is cold.")
    call = talk.session.tool_call("c")
    assert call is not None
    assert (call.title, call.kind, call.consent.waiting.questions) == ("Boil", "read", 1)
    assert facts(talk, permission).paths == ("/work/a",)
    assert only_reads(talk.state, permission)
    talk.settle(permission.number, result={"outcome": {"outcome": "selected", "optionId": "yes"}})
    assert call.consent.decisions == ["Yes"]


@pytest.mark.check(137)
def test_a_command_is_judged_as_the_command_that_it_is() -> None:
    talk = Conversation.opened_in_2()
    permission = asked(talk, subject=COMMAND)
    found = facts(talk, permission)
    assert (found.kind, found.lines, found.paths) == ("execute", ("rm -r /tea",), ("/tmp",))
    assert not only_reads(talk.state, permission)
    assert format_subject(talk.state, permission) == "execute: rm -r /tea"
    more = asked(talk, subject={**COMMAND, "env": {"LD_PRELOAD": "/e"}})
    assert any("LD_PRELOAD" in line for line in describe_request(talk.state, more))
    lines = describe_request(talk.state, permission)
    assert "  $ rm -r /tea" in lines
    assert "  in /tmp" in lines


@pytest.mark.parametrize("subject", [None, COMMAND, {**COMMAND, "toolCallId": "c"}])
def test_the_answer_to_any_question_is_kept(subject: Any) -> None:
    """What was not allowed is held against the disk, whether or not it is a tool call."""
    talk = Conversation.opened_in_2()
    talk.update("tool_call_update", **TOOL)
    permission = asked(talk, subject=subject)
    talk.settle(permission.number, result={"outcome": {"outcome": "selected", "optionId": "no"}})
    (answer,) = talk.session.answers
    assert not answer.allowed
    assert answer.call is not None
    if subject is not None:
        assert answer.call.raw_input["command"] == "rm -r /tea"


@pytest.mark.check(137)
def test_a_tool_call_that_only_reads_lets_no_command_pass_for_reading() -> None:
    talk = Conversation.opened_in_2()
    talk.update("tool_call_update", **TOOL)
    permission = asked(talk, subject={**COMMAND, "toolCallId": "c"})
    assert facts(talk, permission).kind == "execute"
    assert not only_reads(talk.state, permission)
    talk.update("tool_call_update", toolCallId="c", title="Look", rawInput={"path": "/work/b"})
    assert not changed_since_asked(talk.session, permission)
    assert asked_about(talk.session, permission).raw_input["command"] == "rm -r /tea"
    assert facts(talk, permission).lines == ("rm -r /tea",)


@pytest.mark.parametrize("status", ["completed", "failed", "in_progress"])
def test_a_question_about_a_call_that_is_over_is_about_a_new_one(status: str) -> None:
    talk = Conversation.opened_in_2()
    talk.update("tool_call_update", **TOOL)
    talk.update("tool_call_update", toolCallId="c", status=status)
    first = talk.session.tool_call("c")
    assert first is not None
    edit = {"toolCallId": "c", "title": "Pour"}
    permission = asked(talk, subject={"type": "tool_call", "toolCall": edit})
    is_another = status != "in_progress"
    about = asked_about(talk.session, permission)
    assert about.raw_input == (None if is_another else TOOL["rawInput"])
    talk.settle(permission.number, result={"outcome": {"outcome": "selected", "optionId": "yes"}})
    second = talk.session.tool_call("c")
    assert second is not None
    assert (second is not first) == is_another
    assert (first.title, first.consent.decisions) == (
        ("Boil", []) if is_another else ("Pour", ["Yes"])
    )
    assert (second.title, second.consent.decisions) == ("Pour", ["Yes"])


def test_a_call_that_runs_in_the_background_is_asked_about_in_a_later_turn() -> None:
    talk = Conversation.opened_in_2()
    talk.prompt()
    talk.update("state_update", state="running")
    talk.update("tool_call_update", **TOOL, status="in_progress")
    talk.update("state_update", state="idle", stopReason="end_turn")
    talk.prompt()
    talk.update("state_update", state="running")
    permission = asked(talk, subject={"type": "tool_call", "toolCall": {"toolCallId": "c"}})
    assert asked_about(talk.session, permission).raw_input == TOOL["rawInput"]


def test_a_command_shows_the_other_one_that_its_call_announced() -> None:
    talk = Conversation.opened_in_2()
    talk.update(
        "tool_call_update", toolCallId="c", kind="execute", rawInput={"command": "rm -rf ~"}
    )
    permission = asked(talk, subject={**COMMAND, "toolCallId": "c"})
    assert facts(talk, permission).lines == ("rm -r /tea", "rm -rf ~")
    assert "  $ rm -rf ~" in describe_request(talk.state, permission)


def test_a_command_with_the_id_of_a_call_that_is_over_is_none_of_it() -> None:
    talk = Conversation.opened_in_2()
    talk.update("tool_call_update", **TOOL, status="completed")
    permission = asked(talk, subject={**COMMAND, "toolCallId": "c"})
    assert format_subject(talk.state, permission) == "execute: rm -r /tea"
    talk.settle(permission.number, result={"outcome": {"outcome": "selected", "optionId": "yes"}})
    call = talk.session.tool_call("c")
    assert call is not None
    assert call.consent.decisions == []
    assert isinstance(talk.session.entries[-1], NoticeEntry)


def test_what_is_no_tool_call_is_not_taken_for_one_without_an_id() -> None:
    talk = Conversation.opened_in_2()
    talk.update("tool_call_update", **{**TOOL, "toolCallId": ""})
    permission = asked(talk)
    assert facts(talk, permission).kind == "other"
    assert not only_reads(talk.state, permission)


@pytest.mark.check(138)
@pytest.mark.parametrize("about", [None, {"type": "_spell", "path": "/work/a"}])
def test_what_is_not_known_is_never_clear(about: dict[str, Any] | None) -> None:
    talk = Conversation.opened_in_2()
    permission = asked(talk, subject=about)
    assert not permission.kind_known
    assert not facts(talk, permission).clear
    assert any("not in a form" in line for line in describe_request(talk.state, permission))
    assert format_subject(talk.state, permission).startswith("May I?")


def test_an_answer_that_no_tool_call_is_about_is_written_down() -> None:
    talk = Conversation.opened_in_2()
    for id in ("yes", None):
        outcome = {"outcome": "selected", "optionId": id} if id else {"outcome": "cancelled"}
        talk.settle(asked(talk).number, result={"outcome": outcome})
    told = [entry for entry in talk.session.entries if isinstance(entry, NoticeEntry)]
    assert [entry.title for entry in told] == ["May I?: Yes", "May I?: canceled"]


@pytest.mark.parametrize("rule", ["", "your rule: everything"])
def test_a_rule_that_asked_is_named_beside_the_answer(rule: str) -> None:
    talk = Conversation.opened_in_2()
    permission = asked(talk)
    permission.rule = rule
    talk.settle(permission.number, result={"outcome": {"outcome": "selected", "optionId": "yes"}})
    told = talk.session.entries[-1]
    assert isinstance(told, NoticeEntry)
    assert told.description == (f"Asked by {rule}" if rule else None)


def test_a_rule_that_decided_is_named_in_the_place_of_an_answer() -> None:
    talk = Conversation.opened_in_2()
    permission = asked(talk)
    permission.rule, permission.ruled = "your rule: all", "Rejected"
    talk.settle(permission.number, result={"outcome": {"outcome": "cancelled"}})
    told = talk.session.entries[-1]
    assert isinstance(told, NoticeEntry)
    assert told.title == "May I?: Rejected by your rule: all"

    talk = Conversation.opened_in_2()
    asked(talk).by = "a program"
    answer = {"outcome": {"outcome": "selected", "optionId": "yes"}}
    talk.settle(talk.session.permissions[0].number, result=answer)
    told = talk.session.entries[-1]
    assert isinstance(told, NoticeEntry)
    assert told.title == "May I?: answered by a program: Yes"


@pytest.mark.check(141)
@pytest.mark.parametrize(
    "wrong",
    [
        {"options": []},
        {"title": 3},
        {"subject": {"type": "command", "command": "ls"}},
        {"subject": {"type": "tool_call", "toolCall": {}}},
    ],
)
def test_a_malformed_question_is_none(wrong: dict[str, Any]) -> None:
    talk = Conversation.opened_in_2()
    number = talk.asks(ASK, **{"title": "May I?", "options": OPTIONS, **wrong})
    assert talk.state.permission(number) is None


@pytest.mark.check(139)
def test_no_outcome_but_selected_is_approval() -> None:
    talk = Conversation.opened_in_2()
    permission = asked(talk, subject={"type": "tool_call", "toolCall": TOOL})
    talk.settle(permission.number, result={"outcome": {"outcome": "_later", "optionId": None}})
    call = talk.session.tool_call("c")
    assert call is not None
    assert call.consent.decisions == ["cancelled"]


def test_all_files_of_a_diff_count_wherever_they_are_named() -> None:
    talk = Conversation.opened_in_2()
    moved = {"operation": "move", "path": "/work/b", "oldPath": "/etc/a"}
    patch = {"format": "_mine", "text": "--- a/work/c\n+++ b/etc/d\n"}
    content = [
        {"type": "diff", "changes": [moved], "patch": patch},
        {"type": "content", "content": {"type": "text", "text": "so it is"}},
    ]
    call = {"toolCallId": "c", "kind": "edit", "content": content}
    found = facts(talk, asked(talk, subject={"type": "tool_call", "toolCall": call}))
    assert set(found.paths) == {"/etc/a", "/work/b", "work/c", "etc/d"}
    assert found.writes


def verdict(talk: Conversation, permission: Permission, *rules: Rule) -> str:
    found = facts(talk, permission)
    paths = tuple((path, path) for path in found.paths)
    request = ResolvedRequest(
        "s",
        "/work",
        found.kind,
        found.title,
        paths,
        found.commands,
        clear=found.clear,
        writes=found.writes,
    )
    said = evaluate_rules(rules, request)
    return "nothing" if said is None else str(said.answer)


@pytest.mark.check(140)
@pytest.mark.parametrize(
    ("subject", "answer"),
    [
        ({**COMMAND, "command": "git status", "cwd": "/work"}, "allow"),
        ({**COMMAND, "command": "git status && rm -r /", "cwd": "/work"}, "nothing"),
        ({**COMMAND, "command": "$(git status)", "cwd": "/work"}, "nothing"),
        ({**COMMAND, "command": "git status", "cwd": "/work", "script": "rm -r /"}, "nothing"),
        ({**COMMAND, "command": "git status", "cwd": "/work", "sandbox": False}, "nothing"),
        ({"type": "_spell", "command": "git status", "cwd": "/work"}, "nothing"),
        ({"type": "tool_call", "toolCall": {**TOOL, "kind": "_new"}}, "nothing"),
        ({"type": "tool_call", "toolCall": TOOL}, "allow"),
        (None, "nothing"),
    ],
)
def test_rules_are_as_strict_as_they_are_in_version_1(subject: Any, answer: str) -> None:
    talk = Conversation.opened_in_2()
    rules = [
        Rule(RuleAnswer.ALLOW, commands=("git status",)),
        Rule(RuleAnswer.ALLOW, kinds=("read",), paths=("/work/**",)),
    ]
    assert verdict(talk, asked(talk, subject=subject), *rules) == answer
    everything = Rule(RuleAnswer.REJECT, titles=("*",))
    assert verdict(talk, asked(talk, subject=subject), *rules, everything) == "reject"


def test_what_a_named_terminal_runs_is_told_unless_just_that_is_asked_for() -> None:
    talk = Conversation.opened_in_2()
    talk.update("terminal_update", terminalId="t", command="rm -r /", cwd="/")
    named = {**COMMAND, "terminalId": "t"}
    for about, told in (
        (named, ["rm -r /"]),
        ({**named, "command": "rm -r /"}, []),
        ({**named, "terminalId": "none"}, []),
        (COMMAND, []),
    ):
        assert commands_in_terminals(talk.state, asked(talk, subject=about)) == told
    shown = {**TOOL, "kind": "execute", "content": [{"type": "terminal", "terminalId": "t"}]}
    question = asked(talk, subject={"type": "tool_call", "toolCall": shown})
    assert commands_in_terminals(talk.state, question) == ["rm -r /"]


def test_a_folder_without_a_name_is_told_as_that() -> None:
    talk = Conversation.opened_in_2()
    lines = describe_request(talk.state, asked(talk, subject={**COMMAND, "cwd": " "}))
    assert "  in a folder without a name" in lines


def test_what_the_agent_says_of_a_call_later_is_not_what_was_asked_about() -> None:
    talk = Conversation.opened_in_2()
    permission = asked(talk, subject={"type": "tool_call", "toolCall": TOOL})
    talk.update("tool_call_update", toolCallId=TOOL["toolCallId"], status="_brewing")
    call = talk.session.tool_call(TOOL["toolCallId"])
    assert call is not None
    assert permission.described_call is not None
    assert (call.new_words, permission.described_call.new_words) == ({"status": "_brewing"}, {})
