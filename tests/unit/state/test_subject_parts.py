"""What a question shows, in parts that can be compared; and what the transcript says of what was allowed."""

from typing import Any

import pytest

from acp_tui.headless.permission import describe_request, only_reads
from acp_tui.protocol.content import Diff, FileChange
from acp_tui.protocol.events import AnswerGiven
from acp_tui.protocol.file_events import AccessAsked, EditLooked, FileOperation, FilesChanged
from acp_tui.protocol.updates import ToolCallUpdate
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.open_questions import Permission
from acp_tui.state.request_facts import permission_facts
from acp_tui.state.subject import asked_about, names_what_is_written, own_and_announced
from acp_tui.state.subject_parts import (
    Parts,
    by_agent,
    changed_since_asked,
    describe_differences,
    question_parts,
    summary_line,
)
from acp_tui.testing.script import OPTIONS
from tests.unit.state.conversation import Conversation

LS = {"title": "ls", "kind": "execute", "rawInput": {"command": "ls"}}
DIFF = {"type": "diff", "path": "/work/tea.txt", "oldText": "green\n", "newText": "black\n"}


def asking(**fields: Any) -> tuple[Conversation, int]:
    talk = Conversation.opened()
    talk.prompt()
    call = {"toolCallId": "t", **fields}
    return talk, talk.asks("session/request_permission", toolCall=call, options=OPTIONS)


def parts(talk: Conversation) -> dict[str, str]:
    return dict(question_parts(talk.state, talk.session.permissions[0]))


def asked_parts(talk: Conversation) -> Parts:
    return question_parts(talk.state, talk.session.permissions[0])


def since(talk: Conversation) -> str:
    return changed_since_asked(talk.session, talk.session.permissions[0])


def test_all_that_would_be_run_or_written_is_a_part() -> None:
    text = {"type": "content", "content": {"type": "text", "text": "Brews."}}
    link = {"type": "resource_link", "uri": "file:///a", "name": "a"}
    content = [DIFF, text, {"type": "content", "content": link}]
    raw = {"command": "make", "cwd": "/work", "force": 1, "parsed_cmd": [1]}
    talk, _ = asking(title="Do", kind="execute", rawInput=raw, content=content)
    found = question_parts(talk.state, talk.session.permissions[0])
    assert [name for name, _ in found] == [
        "line",
        "title",
        "kind",
        "command",
        "folder",
        "diff of /work/tea.txt",
        "text",
        "content",
        "input",
        "input",
    ]
    assert summary_line(found) == "execute: make"
    assert summary_line(()) == ""


def test_what_the_client_asks_itself_has_its_parts() -> None:
    talk = Conversation.opened()
    asked = AccessAsked(4.0, 9, "s", FileOperation.WRITE, "/etc/x", "/etc", "text", changed=True)
    talk.happened(asked)
    assert question_parts(talk.state, talk.session.permissions[0]) == (
        ("line", "write /etc/x"),
        ("write", "/etc/x"),
        ("folder", "/etc"),
        ("content", "text"),
        ("changed on disk", "/etc/x"),
    )
    talk = Conversation.opened()
    talk.happened(AccessAsked(4.0, 9, "s", FileOperation.READ, "/etc/x", "/etc"))
    assert [name for name, _ in question_parts(talk.state, talk.session.permissions[0])] == [
        "line",
        "read",
        "folder",
    ]


def test_a_change_of_files_that_no_text_tells_is_a_part() -> None:
    talk, _ = asking(title="Move", kind="move")
    call = talk.session.tool_call("t")
    assert call is not None
    call.content = [FileChange(operation="move", old_path="/work/a", path="/work/b")]
    assert parts(talk)["change of files"] == '[["/work/a", "/work/b"], null]'


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({}, False),
        ({"rawInput": {"path": "/work/a", "n": 3}}, False),
        ({"rawInput": {"path": "/work/a", "recipe": "x"}}, True),
        ({"rawInput": {"input": {"path": "/work/a"}}}, False),
        ({"rawInput": {"input": {"path": "/work/a", "recipe": "x"}}}, True),
        ({"rawInput": {"path": "/work/a", "value": {"n": 3}}}, True),
        ({"rawInput": {"path": "/work/a", "recipe": ["x"]}}, True),
        ({"rawInput": {"path": "/work/a", "recipe": " "}}, False),
        ({"rawInput": {"command": "create", "path": "/work/a"}}, False),
        ({"content": [{"type": "content", "content": {"type": "text", "text": " "}}]}, False),
        ({"content": [{"type": "content", "content": {"type": "text", "text": "x"}}]}, True),
        ({"rawInput": "a text"}, True),
        ({"content": [DIFF]}, True),
        ({"kind": "read"}, True),
    ],
)
def test_whether_an_edit_names_what_it_writes(fields: dict[str, Any], names: bool) -> None:
    talk, _ = asking(**{"title": "Edit", "kind": "edit"} | fields)
    call = asked_about(talk.session, talk.session.permissions[0])
    assert names_what_is_written(call) is names


def test_what_a_request_says_itself_is_not_completed_by_what_was_announced() -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.update(
        "tool_call", toolCallId="t", title="Edit", kind="edit", rawInput="x", content=[DIFF]
    )
    other = DIFF | {"newText": "white\n"}
    call = {"toolCallId": "t", "content": [other], "locations": [{"path": "/work/b"}]}
    talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    diffs = [text for name, text in asked_parts(talk) if name == "diff of /work/tea.txt"]
    assert len(diffs) == 1
    assert "white" in diffs[0]
    assert parts(talk)["place"] == "/work/b"


HOOK = {"type": "diff", "path": "/work/.git/hooks/pre-commit", "newText": "rm -rf ~\n"}


@pytest.mark.parametrize("changes", [False, True])
def test_an_announced_change_of_a_file_that_the_request_leaves_out_is_shown(changes: bool) -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.update("tool_call", toolCallId="t", title="Edit", kind="edit", content=[DIFF, HOOK])
    call = {"toolCallId": "t", "content": [DIFF]}
    talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    if changes:
        white = DIFF | {"newText": "white\n"}
        talk.update("tool_call_update", toolCallId="t", content=[white])
    permission = talk.session.permissions[0]
    names = [name for name, _ in asked_parts(talk) if name.startswith("diff of ")]
    assert names == ["diff of /work/tea.txt", "diff of /work/.git/hooks/pre-commit"]
    _, announced = own_and_announced(talk.session, permission)
    assert [item.path for item in announced if isinstance(item, Diff)] == [HOOK["path"]]
    lines = describe_request(talk.state, permission)
    at = lines.index("  Announced before, left out of this request:")
    assert lines[at + 1] == "  | /work/.git/hooks/pre-commit"
    assert "  | /work/.git/hooks/pre-commit" not in lines[:at]


def test_an_announced_move_is_left_out_unless_all_its_files_are_asked_about() -> None:
    entry = ToolCallEntry("t", 0.0, content=[Diff(path="/a", new_text="x")])
    moved = FileChange(operation="move", path="/b", old_path="/a")
    patch = FileChange(operation="patch", patch="?")
    permission = Permission(
        1,
        "s",
        0.0,
        [],
        ToolCallUpdate(tool_call_id="t", content=[Diff(path="/a", new_text="x")]),
        announced=ToolCallEntry("t", 0.0, content=[moved, patch]),
    )
    session = Conversation.opened().session
    assert own_and_announced(session, permission) == (entry.content, [moved, patch])


def test_a_title_is_the_command_where_there_is_no_input() -> None:
    talk, _ = asking(title="ls", kind="execute")
    assert parts(talk)["command"] == "ls"


def test_a_long_text_is_compared_by_all_of_it() -> None:
    long = "x" * 100_000
    talk, _ = asking(**LS | {"rawInput": {"command": long}})
    before = question_parts(talk.state, talk.session.permissions[0])
    assert len(dict(before)["command"]) < 200
    talk.update("tool_call_update", toolCallId="t", rawInput={"command": f"{long}y"})
    after = question_parts(talk.state, talk.session.permissions[0])
    assert describe_differences(before, after).startswith("command (was “xxx")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, ""),
        ({"status": "in_progress"}, ""),
        ({"title": "rm", "rawInput": {"command": "rm"}}, "command (was “ls”)"),
        ({"title": "Look"}, "title (was “ls”)"),
        ({"content": [DIFF]}, "new diff of /work/tea.txt"),
        ({"rawInput": {"x": 1}}, "no command anymore, new input"),
        ({"locations": [{"path": "/a"}]}, "new place"),
    ],
)
def test_what_the_agent_changes_is_named(fields: dict[str, Any], words: str) -> None:
    talk, _ = asking(**LS)
    talk.update("tool_call_update", toolCallId="t", **fields)
    assert since(talk) == words


def test_other_texts_of_a_part_are_named_without_them() -> None:
    talk, _ = asking(title="Edit", kind="edit", content=[DIFF])
    talk.update("tool_call_update", toolCallId="t", content=[DIFF | {"newText": "red\n"}])
    assert since(talk) == "another diff of /work/tea.txt"


def test_a_question_that_a_load_has_replaced_has_not_changed() -> None:
    talk, _ = asking(**LS)
    permission = talk.session.permissions[0]
    talk.session.indexes.tool_calls.clear()
    assert changed_since_asked(talk.session, permission) == ""


def test_what_the_client_finds_is_a_part_that_the_agent_has_not_changed() -> None:
    raw = {"file_path": "/etc/x", "content": "x"}
    talk, number = asking(title="Edit", kind="edit", rawInput=raw)
    before = question_parts(talk.state, talk.session.permissions[0])
    talk.happened(FilesChanged(1.0, number, ["/etc/x"]))
    talk.happened(EditLooked(1.0, "s", "t", "/etc/x", remark="It is far.", warns=True))
    talk.happened(EditLooked(1.0, "s", "t", "/etc/x", derived=True, old_text="", text="x"))
    after = question_parts(talk.state, talk.session.permissions[0])
    found = describe_differences(before, after)
    assert found == "new changed on disk, new warning, new edit found"
    assert by_agent(before) == by_agent(after)
    assert since(talk) == ""


def test_what_was_announced_stays_part_of_the_question() -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.update(
        "tool_call",
        toolCallId="t",
        title="Edit",
        kind="edit",
        content=[DIFF],
        rawInput={"cwd": "/srv"},
        locations=[{"path": "/srv"}],
    )
    call = {"toolCallId": "t", "content": [], "locations": [], "rawInput": {"command": "make"}}
    talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    found = parts(talk)
    assert (found["command"], found["folder"], found["place"]) == ("make", "/srv", "/srv")
    assert "diff of /work/tea.txt" in found


def allowed(in_view: bool = True, **fields: Any) -> Conversation:
    """A call that was allowed as it was asked about."""
    talk, number = asking(**fields)
    seen = question_parts(talk.state, talk.session.permissions[0]) if in_view else ()
    talk.happened(AnswerGiven(9.0, number, "", in_view=seen))
    talk.settle(number, result={"outcome": {"outcome": "selected", "optionId": "yes"}})
    return talk


def changed_after(talk: Conversation) -> dict[int, str]:
    call = talk.session.tool_call("t")
    assert call is not None
    return call.consent.changed_since


def test_another_command_after_the_answer_was_not_allowed() -> None:
    talk = allowed(**LS)
    talk.update("tool_call_update", toolCallId="t", status="in_progress", title="Listing")
    assert changed_after(talk) == {}
    talk.update("tool_call_update", toolCallId="t", rawInput={"command": "rm"})
    assert changed_after(talk) == {0: "command (was “ls”)"}
    call = talk.session.tool_call("t")
    assert call is not None
    assert summary_line(call.consent.allowed[0]) == "execute: ls"


def test_another_file_after_the_answer_was_not_allowed() -> None:
    talk = allowed(title="Edit", kind="edit", content=[DIFF])
    talk.update("tool_call_update", toolCallId="t", content=[DIFF | {"oldText": "all of it\n"}])
    assert changed_after(talk) == {}
    talk.update("tool_call_update", toolCallId="t", content=[DIFF | {"path": "/etc/passwd"}])
    assert changed_after(talk) == {0: "new diff of /etc/passwd"}


def test_a_file_that_the_question_named_may_get_its_diff_later() -> None:
    talk = allowed(title="Edit", kind="edit", locations=[{"path": "/work/tea.txt"}])
    talk.update("tool_call_update", toolCallId="t", content=[DIFF])
    assert changed_after(talk) == {}


def test_a_call_with_the_id_of_a_finished_one_is_another_act() -> None:
    talk = allowed(**LS)
    talk.update("tool_call_update", toolCallId="t", status="completed")
    talk.update("tool_call", toolCallId="t", title="rm", kind="execute", rawInput={"command": "rm"})
    assert changed_after(talk) == {}


def test_without_what_was_in_view_nothing_is_said() -> None:
    talk = allowed(in_view=False, **LS)
    talk.update("tool_call_update", toolCallId="t", rawInput={"command": "rm"})
    assert changed_after(talk) == {}


RM = {"title": "rm -rf ~", "kind": "execute", "rawInput": {"command": "rm -rf ~"}}


def announced(call: dict[str, Any], **request: Any) -> Conversation:
    """A request about a call that was announced before it."""
    talk = Conversation.opened()
    talk.prompt()
    talk.update("tool_call", toolCallId="t", **call)
    asked = {"toolCallId": "t", **request}
    talk.asks("session/request_permission", toolCall=asked, options=OPTIONS)
    return talk


@pytest.mark.parametrize("raw", [{"command": "rm -rf ~"}, "rm -rf ~", ["rm", "-rf", "~"]])
def test_a_command_that_was_announced_is_shown_with_the_one_that_is_asked_for(raw: Any) -> None:
    talk = announced(RM | {"rawInput": raw}, **LS)
    [rm] = [text for name, text in asked_parts(talk) if name == "announced command"]
    assert rm in ("rm -rf ~", "rm -rf '~'")
    assert parts(talk)["command"] == "ls"
    assert summary_line(asked_parts(talk)) == f"execute: ls (announced before: {rm})"
    lines = describe_request(talk.state, talk.session.permissions[0])
    at = lines.index("  ⚠ Announced before, left out of this request:")
    assert lines[at - 1 : at + 2] == ["  $ ls", lines[at], f"  $ {rm}"]


def test_a_rule_has_to_allow_the_announced_command_too() -> None:
    talk = announced(RM, **LS)
    facts = permission_facts(talk.session, talk.session.permissions[0])
    assert facts.commands is not None
    assert facts.commands.parts == (("ls",), ("rm", "-rf", "~"))
    assert facts.lines == ("ls", "rm -rf ~")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"command": "ls"}, {"command": "ls"}),
        ({"command": ["bash", "-lc", "ls"]}, {"command": "ls"}),
        ({"command": "ls"}, {"command": ["bash", "-lc", "ls"]}),
        ({"cmd": "rm"}, {"command": "ls"}),
        ({}, {"command": "ls"}),
    ],
)
def test_an_announced_command_that_the_question_shows_is_not_repeated(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    talk = announced(RM | {"rawInput": before}, **LS | {"rawInput": after})
    assert "announced command" not in parts(talk)


TEA = {"title": "Edit", "kind": "edit", "locations": [{"path": "/work/tea.txt"}]}
PAGE = {"title": "Fetch", "kind": "fetch", "rawInput": {"url": "https://tea.test/"}}


@pytest.mark.parametrize(
    ("before", "asked", "left_out"),
    [
        ({"locations": [{"path": "/home/me/.bashrc"}]}, TEA, ["/home/me/.bashrc"]),
        ({"rawInput": {"path": "/home/me/.bashrc"}}, TEA | {"rawInput": "x"}, ["/home/me/.bashrc"]),
        ({"rawInput": {"url": "https://evil.test/"}}, PAGE, ["https://evil.test/"]),
        ({"rawInput": {"urls": ["https://evil.test/"]}}, PAGE | {"rawInput": []}, ["https://evil.test/"]),
        ({"rawInput": "https://evil.test/"}, PAGE, ["https://evil.test/"]),
        ({"rawInput": {"href": "evil.test"}}, PAGE | {"rawInput": {"href": ""}}, ["evil.test"]),
        ({"rawInput": {"page": "https://evil.test/"}}, PAGE | {"rawInput": {"page": 1}}, ["https://evil.test/"]),
        ({"locations": [{"path": "tea.txt"}]}, TEA, []),
        ({"locations": [{"path": "file:///work/tea.txt"}]}, TEA, []),
        ({"locations": [{"path": "/work/link/../tea.txt"}]}, TEA, ["/work/link/../tea.txt"]),
        ({"rawInput": {"file_path": "./tea.txt", "content": "https://evil.test/ is"}}, TEA, []),
        ({"rawInput": {"url": "https://tea.test/", "prompt": "p"}}, PAGE, []),
        ({}, TEA, []),
    ],
)  # fmt: skip
def test_an_announced_path_or_address_is_shown_where_the_question_names_another(
    before: dict[str, Any], asked: dict[str, Any], left_out: list[str]
) -> None:
    talk = announced({"title": "Work", "kind": asked["kind"]} | before, **asked)
    permission = talk.session.permissions[0]
    assert [text for name, text in asked_parts(talk) if name == "announced place"] == left_out
    lines = describe_request(talk.state, permission)
    assert [one for one in lines if HEADER in one] == [f"{HEADER} {one}" for one in left_out]
    told = f" (announced before: {' · '.join(left_out)})" if left_out else ""
    assert summary_line(asked_parts(talk)).endswith(told) or not left_out
    assert ("announced before" in summary_line(asked_parts(talk))) is bool(left_out)
    assert set(left_out) <= set(permission_facts(talk.session, permission).paths)


HEADER = "  ⚠ Announced before, left out of this request:"


def test_a_rule_has_to_allow_the_announced_input_too() -> None:
    talk = announced(PAGE, **PAGE | {"rawInput": {"url": None}})
    assert not permission_facts(talk.session, talk.session.permissions[0]).clear
    talk = announced(
        {"title": "Read", "kind": "read", "rawInput": {"script": "x"}},
        **TEA | {"rawInput": {"script": ""}},
    )
    assert not permission_facts(talk.session, talk.session.permissions[0]).clear


def test_a_command_that_only_a_title_announced_is_shown_where_another_title_asks() -> None:
    only_title = {"title": "rm -rf ~", "kind": "execute"}
    talk = announced(only_title, title="ls", kind="execute")
    assert parts(talk)["announced command"] == "rm -rf ~"
    facts = permission_facts(talk.session, talk.session.permissions[0])
    assert facts.lines == ("rm -rf ~",)
    talk = announced({"title": "Terminal", "kind": "execute"}, **LS)
    assert "announced command" not in parts(talk)


@pytest.mark.parametrize(
    ("before", "asked", "left_out"),
    [
        ("delete", "read", ["delete"]),
        ("read", "delete", ["read"]),
        ("edit", "other", ["edit"]),
        ("other", "edit", []),
        ("edit", "edit", []),
        ("unheard-of", "edit", []),
    ],
)
def test_an_announced_kind_is_shown_where_the_question_has_another(
    before: str, asked: str, left_out: list[str]
) -> None:
    talk = announced(TEA | {"kind": before}, **TEA | {"kind": asked})
    assert [text for name, text in asked_parts(talk) if name == "announced kind"] == left_out
    lines = describe_request(talk.state, talk.session.permissions[0])
    header = "  ⚠ Announced before as another kind of tool:"
    assert [one for one in lines if header in one] == [f"{header} {one}" for one in left_out]
    assert (f"(announced before: {before})" in summary_line(asked_parts(talk))) is bool(left_out)


def test_no_rule_for_reads_allows_what_was_announced_as_something_else() -> None:
    def is_clear(before: str, asked: str) -> bool:
        talk = announced(TEA | {"kind": before}, **TEA | {"kind": asked})
        return permission_facts(talk.session, talk.session.permissions[0]).clear

    assert not is_clear("delete", "read")
    assert is_clear("search", "read")
    assert is_clear("read", "delete")
    assert is_clear("other", "read")


@pytest.mark.parametrize(
    ("before", "asked", "reads"),
    [
        ({}, {"locations": [{"path": "/work/tea.txt"}]}, True),
        ({}, {"rawInput": {"path": "/work/tea.txt", "limit": 5}}, True),
        ({"kind": "delete"}, {}, False),
        ({"kind": "search"}, {}, True),
        ({}, {"rawInput": {"command": "rm -rf ~"}}, False),
        ({"rawInput": {"command": "rm -rf ~"}}, {}, False),
        ({}, {"rawInput": {"path": "/work/tea.txt", "content": "hot"}}, False),
        ({}, {"content": [{"type": "diff", "path": "/work/tea.txt", "newText": "hot"}]}, False),
    ],
)
def test_what_only_claims_to_read_is_no_read(
    before: dict[str, Any], asked: dict[str, Any], reads: bool
) -> None:
    talk = announced({"title": "Look", "kind": "read"} | before, title="Look", kind="read", **asked)
    assert only_reads(talk.state, talk.session.permissions[0]) is reads
