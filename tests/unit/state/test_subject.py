"""What a question is about, in one line."""

from dataclasses import replace
from typing import Any

import pytest

from acp_tui.protocol.content import Diff
from acp_tui.protocol.file_events import AccessAsked, EditLooked, FileOperation
from acp_tui.protocol.updates import ToolCallLocation
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.open_questions import Permission
from acp_tui.state.request_facts import permission_facts
from acp_tui.state.subject import asked_about, call_headline, format_subject, is_compared
from acp_tui.state.subject_parts import changed_since_asked
from acp_tui.text import one_line, whole_line
from tests.unit.state.conversation import Conversation

OPTIONS = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]


def about(call: dict[str, Any], known: dict[str, Any] | None = None) -> str:
    talk = Conversation.opened()
    talk.prompt()
    if known is not None:
        talk.update("tool_call", toolCallId="t", **known)
    talk.asks("session/request_permission", toolCall={"toolCallId": "t", **call}, options=OPTIONS)
    (permission,) = talk.state.waiting_permissions()
    return format_subject(talk.state, permission)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            {"title": "Do it", "kind": "execute", "rawInput": {"command": "git status --short"}},
            "execute: git status --short",
        ),
        ({"title": "git push", "kind": "execute"}, "execute: git push"),
        ({"title": "Do it", "rawInput": {"command": ["a", "b c"]}}, "Do it: a 'b c'"),
        (
            {"title": "Edit", "kind": "edit", "locations": [{"path": "/w/a"}]},
            "edit: /w/a",
        ),
        (
            {
                "title": "Edit",
                "kind": "edit",
                "content": [{"type": "diff", "path": "/w/b", "newText": ""}],
                "rawInput": {"file_path": "/w/b", "path": "/w/c", "file": "/d", "target": "/e"},
            },
            "edit: /w/b · /w/c · /d and 1 more",
        ),
        ({"title": "Ask the oracle"}, "Ask the oracle"),
        ({}, "t"),
        ({"kind": "think"}, "think: t"),
        ({"kind": "execute", "rawInput": "ls\nrm x"}, "execute: ls ⏎ rm x"),
    ],
)
def test_it_says_what_is_done_and_not_only_the_title(call: dict[str, Any], words: str) -> None:
    assert about(call) == words


def test_what_a_request_leaves_out_was_known_before() -> None:
    known = {"title": "Run", "kind": "execute", "rawInput": {"command": "ls"}}
    assert about({}, known) == "execute: ls"
    rm = about({"rawInput": {"command": "rm x"}}, known)
    assert rm == "execute: rm x (announced before: ls)"


def test_what_the_agent_changes_while_a_question_waits_is_what_is_asked() -> None:
    talk = Conversation.opened()
    talk.prompt()
    call = {"toolCallId": "t", "title": "Run", "kind": "execute", "rawInput": {"command": "ls"}}
    talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    (permission,) = talk.state.waiting_permissions()
    talk.update("tool_call_update", toolCallId="t", status="in_progress")
    assert not changed_since_asked(talk.session, permission)
    talk.update("tool_call_update", toolCallId="t", rawInput={"command": "rm x"})
    assert changed_since_asked(talk.session, permission)
    assert format_subject(talk.state, permission) == "execute: rm x"
    assert permission_facts(talk.session, permission).lines == ("rm x",)


def test_a_tool_call_that_a_load_has_cleared_is_what_its_request_says() -> None:
    talk = Conversation.opened()
    call = {"toolCallId": "t", "title": "Run", "kind": "execute"}
    talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    (permission,) = talk.state.waiting_permissions()
    talk.session.indexes.tool_calls.clear()
    assert asked_about(talk.session, permission).title == "Run"


def test_a_file_of_the_clients_own_question_is_named() -> None:
    talk = Conversation.opened()
    talk.asks("fs/write_text_file", path="/x", content="")
    path = f"/etc/{' ' * 90}x"
    talk.happened(AccessAsked(9.0, talk.number, "s", FileOperation.WRITE, path, "/etc", None, None))
    (permission,) = talk.state.waiting_permissions()
    assert format_subject(talk.state, permission) == "write /etc/ ⋯ 90 spaces ⋯ x"


@pytest.mark.parametrize(
    ("title", "command", "words"),
    [
        ("Do the scripted step", "git status", "Do the scripted step: git status"),
        ("execute", "ls", "execute: ls"),
        ("`git status`", "git status", "`git status`"),
        ("Run git status now", "git status", "Run git status now"),
        ("List the tools", "ls", "List the tools: ls"),
        ("", "ls", "t: ls"),
        ("`ls && pwd`", "bash -lc 'ls && pwd'", "`ls && pwd`"),
        ("ls", "./bash -lc ls", "ls: ./bash -lc ls"),
    ],
)
def test_a_headline_has_the_command_where_the_title_does_not(
    title: str, command: str, words: str
) -> None:
    entry = ToolCallEntry("t", 0, title, kind="execute", raw_input={"command": command})
    assert call_headline(entry) == words


@pytest.mark.parametrize(
    ("title", "told", "words"),
    [
        ("read_text_file", {}, "read_text_file: /work/tea.txt"),
        ("Read tea.txt", {}, "Read tea.txt"),
        ("Read /work/tea.txt", {}, "Read /work/tea.txt"),
        ("Read teapot.txt", {}, "Read teapot.txt: /work/tea.txt"),
        ("read", {"locations": [ToolCallLocation(path="/work/tea.txt")]}, "read"),
        ("edit", {"content": [Diff(path="/work/tea.txt", new_text="x")]}, "edit"),
    ],
)
def test_a_headline_has_the_file_that_only_the_input_names(
    title: str, told: dict[str, Any], words: str
) -> None:
    entry = ToolCallEntry("t", 0, title, kind="read", raw_input={"path": "/work/tea.txt"}, **told)
    assert call_headline(entry) == words


def test_a_headline_without_a_command_is_the_title() -> None:
    assert call_headline(ToolCallEntry("t", 0, "", name="write")) == "write"


def test_a_line_hides_nothing_and_is_bounded() -> None:
    assert one_line("a\x1b]0;x\x07\r\nb\n") == "a␛]0;x␇ ⏎ b"
    assert one_line("x" * 3000) == "x" * 1000 + "… 2,000 more characters"
    assert whole_line(f"{'x' * 3000}\nb\x1b\n") == f"{'x' * 3000} ⏎ b␛"


DIFF = {"type": "diff", "path": "/work/a", "oldText": "old", "newText": "new"}


def asked(**call: object) -> tuple[Conversation, Permission]:
    talk = Conversation.opened()
    talk.prompt()
    talk.asks("session/request_permission", toolCall={"toolCallId": "t", **call}, options=OPTIONS)
    return talk, talk.session.permissions[0]


def test_an_edit_is_looked_at_once_something_was_said_of_it() -> None:
    talk, permission = asked(content=[DIFF])
    assert not is_compared(talk.state, permission)
    talk.happened(EditLooked(9.0, "s", "t", "/work/a", 0, first=True, line=1))
    assert is_compared(talk.state, permission)


def test_nothing_is_waited_for_that_never_comes() -> None:
    for call in ({"kind": "execute", "rawInput": {"command": "ls"}}, {"title": "Look"}):
        talk, permission = asked(**call)
        assert is_compared(talk.state, permission)
    talk, permission = asked(content=[DIFF])
    assert is_compared(talk.state, replace(permission, tool_call=None))
    talk.state.peer.process.elsewhere = True
    assert is_compared(talk.state, permission)
