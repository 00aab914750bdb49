"""What real agents send when they ask, and what nobody should send."""

from typing import Any

import pytest

from acp_tui.policy.shell_words import UNKNOWN, Commands
from acp_tui.protocol.file_events import AccessAsked, FileOperation
from acp_tui.protocol.requests import CreateTerminalParams, EnvVariable, PermissionOption
from acp_tui.protocol.updates import ToolCallUpdate
from acp_tui.state.open_questions import Permission
from acp_tui.state.request_facts import (
    RequestFacts,
    paths_outside,
    permission_facts,
    terminal_facts,
    terminal_line,
)
from acp_tui.state.session import Session

HELLO = "/w/hello.md"
DIFF = {"type": "diff", "path": HELLO, "oldText": "", "newText": "x"}


def asked(**fields: Any) -> RequestFacts:
    update = ToolCallUpdate.model_validate({"toolCallId": "t", **fields})
    return permission_facts(Session("s"), Permission(1, "s", 0.0, [], update))


def clear(*parts: tuple[str, ...]) -> Commands:
    return Commands(parts, clear=True)


def test_gemini_names_a_command_only_in_its_title_and_a_file_in_diff_and_location() -> None:
    run = asked(title="curl x && ls", kind="execute", content=[], locations=[])
    assert run.commands == clear(("curl", "x"), ("ls",))
    edit = asked(
        title="Writing to hello.md", kind="edit", content=[DIFF], locations=[{"path": HELLO}]
    )
    assert (edit.paths, edit.commands) == ((HELLO,), None)


def test_claude_agentao_and_fastagent_name_them_in_their_input() -> None:
    run = asked(title="run_shell_command", kind="execute", rawInput={"command": "ls -l"})
    assert run.commands == clear(("ls", "-l"))
    edit = asked(kind="edit", rawInput={"file_path": HELLO, "old_string": "a", "new_string": "b"})
    assert edit.paths == (HELLO,)
    assert asked(kind="edit", rawInput={"path": HELLO, "content_length": 26}).paths == (HELLO,)


@pytest.mark.parametrize(
    ("raw", "commands"),
    [
        ({"command": ["bash", "-lc", "git status"]}, clear(("git", "status"))),
        ({"command": "ls", "args": ["-l", "a b"]}, clear(("ls", "-l", "a b"))),
        ({"cmd": "ls"}, clear(("ls",))),
        ({"argv": ["ls", "x;y"]}, clear(("ls", "x;y"))),
        ("ls -l", clear(("ls", "-l"))),
        (["ls", "-l"], clear(("ls", "-l"))),
        ({"input": {"commands": "", "command": "ls"}}, clear(("ls",))),
        ({"calls": [{"command": "ls"}, {"cmd": "pwd"}]}, clear(("ls",), ("pwd",))),
        ({"command": "ls", "env": {"A": "b"}}, Commands((("ls",),), clear=False)),
        ({"command": "ls -l", "args": ["x"]}, Commands((("ls -l", "x"),), clear=False, hides=True)),
        (
            {"command": "ls", "commands": ["pwd", "a && b"]},
            clear(("ls",), ("pwd",), ("a",), ("b",)),
        ),
        ({"commands": [["ls", "x;y"], "pwd"]}, clear(("ls", "x;y"), ("pwd",))),
        ({"commands": "ls"}, clear(("ls",))),
        ({"commands": ["ls", 3]}, Commands((("ls",),), clear=False, hides=True)),
        ({"commands": [{"command": "ls"}]}, Commands((("ls",),), clear=False, hides=True)),
        ({"command": 3}, UNKNOWN),
        ({"command": ["ls", 3]}, UNKNOWN),
        ({"command": "ls", "args": "x"}, UNKNOWN),
        ({"script": "rm x"}, Commands((("title",),), clear=False, hides=True)),
        ({}, clear(("title",))),
        ([], UNKNOWN),
    ],
)
def test_commands_in_all_their_forms(raw: Any, commands: Commands) -> None:
    assert asked(kind="execute", title="title", rawInput=raw).commands == commands


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        ({"command": "echo hi > /etc/x"}, ("echo hi > /etc/x",)),
        ({"calls": [{"command": "A=b ls;"}, {"argv": ["ls", "x;y"]}]}, ("A=b ls;", "ls 'x;y'")),
        ({"command": "ls", "args": ["a b", 3]}, ("ls 'a b' 3",)),
        ({"command": "ls", "args": "x"}, ("ls x",)),
        ({"command": 3}, ("3",)),
        ({"command": "ls", "commands": ["pwd", ["a", "b c"]]}, ("ls", "pwd\na 'b c'")),
        ("ls >x", ("ls >x",)),
        ({}, ()),
    ],
)
def test_lines_are_commands_as_they_came(raw: Any, lines: tuple[str, ...]) -> None:
    assert asked(kind="execute", title="title", rawInput=raw).lines == lines


def test_the_title_says_nothing_beside_an_input() -> None:
    assert asked(kind="execute", title="ls", rawInput={"command": "rm x"}).commands == clear(
        ("rm", "x")
    )


def test_a_line_for_a_shell_of_windows_is_not_read_for_certain() -> None:
    update = {"toolCallId": "t", "kind": "execute", "rawInput": {"command": 'echo "a\\";rm x;"'}}
    permission = Permission(1, "s", 0.0, [], ToolCallUpdate.model_validate(update))
    for folder, is_clear in (
        ("/w", True),
        ("C:\\w", False),
        ("d:/w", False),
        ("\\\\host\\w", False),
    ):
        facts = permission_facts(Session("s", folder), permission)
        assert facts.commands is not None
        assert (facts.clear, facts.commands.clear) == (is_clear, is_clear)
        assert facts.commands.hides is not is_clear


def test_what_reads_or_edits_may_be_a_command_or_the_name_of_an_editors_doing() -> None:
    assert asked(kind="read", rawInput={"command": "cat x"}).commands == clear(("cat", "x"))
    assert asked(kind="edit", rawInput={"command": "view", "path": HELLO}).commands is None
    assert asked(kind="read", rawInput={"command": "reboot"}).commands == clear(("reboot",))
    assert asked(kind="edit", rawInput={"command": "make", "path": HELLO}).lines == ("make",)


@pytest.mark.parametrize("key", ["script", "shell_script", "bash", "code"])
@pytest.mark.parametrize("kind", ["read", "search", "fetch", "edit"])
def test_a_script_is_a_command_that_nobody_can_read_whatever_kind_it_is_called(
    kind: str, key: str
) -> None:
    facts = asked(kind=kind, title="title", rawInput={"path": HELLO, key: "rm x"})
    assert (facts.commands, facts.lines) == (UNKNOWN, ("rm x",))
    assert asked(kind=kind, rawInput={"path": HELLO, key: ""}).commands is None


@pytest.mark.parametrize("raw", ["reboot", ["rm", "x"]])
def test_bare_text_may_be_a_command_whatever_the_kind(raw: Any) -> None:
    facts = asked(kind="read", rawInput=raw)
    assert facts.commands == UNKNOWN
    assert asked(kind="think", rawInput=raw).commands is None


def test_paths_wherever_they_may_be() -> None:
    raw = {
        "source": "a",
        "destinationPath": "b",
        "files": ["c", "d", 3],
        "options": {"cwd": "e"},
        "pattern": "no",
        "file_text": "no",
        "directory": "f\ng",
        "uri": "",
    }
    assert asked(kind="move", rawInput=raw).paths == ("a", "b", "c", "d", "e")


CODEX_COMMAND = {
    "call_id": "c",
    "turn_id": "3",
    "started_at_ms": 3,
    "command": ["/bin/bash", "-lc", "git status"],
    "cwd": "/w",
    "reason": "to see",
    "proposed_execpolicy_amendment": ["git", "status"],
    "available_decisions": ["approved", {"network_policy_amendment": {"host": "x"}}],
    "parsed_cmd": [{"type": "unknown", "cmd": "git status"}],
}
CODEX_EDIT = {
    "call_id": "c",
    "changes": {
        "/w/a": {"type": "update", "unified_diff": "@@ -1 +1 @@", "move_path": "/w/b"},
        "/w/c": {"type": "add", "content": "x\ny"},
    },
    "reason": None,
}


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        ("execute", {"command": "ls", "description": "look", "timeout": 9, "args": ["-l"]}),
        ("execute", {"command": "ls", "dangerouslyDisableSandbox": False, "script": None}),
        ("execute", {"command": "ls", "commands": ["ls", "pwd"], "is_background": True}),
        ("execute", {"command": "ls", "run_in_background": False, "workdir": "/w", "env": {}}),
        ("execute", "ls"),
        ("execute", CODEX_COMMAND),
        ("edit", CODEX_EDIT),
        ("edit", {"path": HELLO, "content": ""}),
        ("edit", {"command": "undo_edit", "path": HELLO}),
        ("delete", {"path": HELLO}),
        ("move", {"source": HELLO, "destination": "/w/b"}),
        ("read", None),
        ("read", {"command": "cat a"}),
        ("read", {"path": HELLO, "encoding": "utf-8"}),
        ("edit", {"file_path": HELLO, "old_string": "a\n", "new_string": "b", "replace_all": True}),
        ("edit", {"file_path": HELLO, "edits": [{"old_string": "a", "new_string": "b"}]}),
        ("edit", {"notebook_path": HELLO, "new_source": "a\nb", "cell_id": "1"}),
        ("edit", {"command": "create", "path": HELLO, "file_text": "a\nb"}),
        ("read", {"file_path": HELLO, "offset": 1, "limit": 9}),
        ("search", {"pattern": "a.*b", "path": "/w", "glob": "*.py", "-n": True}),
    ],
)
def test_what_agents_send_is_understood(kind: str, raw: Any) -> None:
    assert asked(kind=kind, rawInput=raw).clear


def test_a_folder_that_a_shell_may_expand_is_not_understood() -> None:
    for folder in ("$HOME", "a/`id`", "${X}"):
        assert not asked(kind="execute", rawInput={"command": "ls", "cwd": folder}).clear
    assert asked(kind="execute", rawInput={"command": "ls", "cwd": "a"}).clear
    edit = {"file_path": "routes/$id.tsx", "old_string": "a", "new_string": "b"}
    assert asked(kind="edit", rawInput=edit).clear


def test_codex_names_the_files_of_an_edit_as_keys() -> None:
    assert asked(kind="edit", rawInput=CODEX_EDIT).paths == ("/w/a", "/w/c", "/w/b")


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        ("execute", {"command": "git status", "script": "rm -rf /"}),
        ("execute", {"command": "git status", "stdin": "rm -rf /"}),
        ("execute", {"command": "git status", "content": "rm -rf /"}),
        ("execute", {"command": "git status", "input": {"more": [["rm"]]}}),
        ("execute", {"command": "git status", "description": {"script": "rm"}}),
        ("execute", {"command": "bash", "file": "x.sh"}),
        ("execute", {"command": "ls", "directive": "rm"}),
        ("execute", {"command": "ls", "dangerouslyDisableSandbox": True}),
        ("execute", {"command": "ls", "with_escalated_permissions": True}),
        ("execute", {"command": "ls", "sandbox": False}),
        ("execute", {"command": "ls", "options": {"uid": 0}}),
        ("execute", {"command": "ls", "flags": [1]}),
        ("edit", {"path": HELLO, "follow_path": True}),
        ("read", {"path": HELLO, "recursive": True}),
        ("execute", {"command": "ls", "additional_permissions": {"network": "all"}}),
        ("edit", {"patch": "*** Update File: /etc/passwd\n"}),
        ("edit", {"path": HELLO, "diff": "--- /etc/passwd"}),
        ("edit", {"path": "a\nb"}),
        ("edit", {"path": HELLO, "remove": {"/etc/passwd": True}}),
        ("edit", {"changes": {"/w/a": {"script": "x"}}}),
        ("edit", {"changes": {"/w/a": "--- /etc/passwd"}}),
        ("edit", {"path": HELLO, "args": ["x"]}),
        ("edit", "*** Update File: /etc/passwd"),
        ("search", {"pattern": "/etc/*", "path": "/w"}),
        ("search", {"pattern": "../*", "path": "/w"}),
        ("search", {"pattern": "x", "exec": "rm"}),
        ("search", {"path": "a", "text": "x"}),
        ("read", {"path": "a", "instruction": "add x"}),
        ("edit", None),
        ("edit", {}),
        ("edit", {"path": HELLO}),
        ("edit", {"path": HELLO, "mode": "x", "content": None}),
    ],
)
def test_what_no_known_key_names_is_not(kind: str, raw: Any) -> None:
    assert not asked(kind=kind, rawInput=raw).clear


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"kind": "edit", "rawInput": {"path": HELLO, "content": "x"}}, (True, True)),
        ({"kind": "read", "rawInput": {"path": HELLO, "content": "x"}}, (True, False)),
        ({"kind": "read", "rawInput": {"path": HELLO, "edits": [{"old_str": "x"}]}}, (True, False)),
        ({"kind": "read", "rawInput": {"path": HELLO, "content": ""}}, (False, True)),
        ({"kind": "execute", "rawInput": {"command": "ls", "patch": "x"}}, (True, False)),
        ({"kind": "read", "rawInput": {"path": HELLO}}, (False, True)),
        (
            {"kind": "read", "content": [{"type": "diff", "path": HELLO, "newText": "x"}]},
            (True, False),
        ),
    ],
)
def test_what_brings_a_change_is_no_reading_and_no_command(
    fields: dict[str, Any], said: tuple[bool, bool]
) -> None:
    found = asked(**fields)
    assert (found.writes, found.is_of_kind) == said


def test_an_edit_is_known_by_its_diff_alone() -> None:
    diff = {"type": "diff", "path": HELLO, "newText": "x"}
    place = [{"path": HELLO}]
    assert asked(kind="edit", content=[diff], locations=place).clear
    assert not asked(kind="edit", locations=place).clear
    assert not asked(kind="read", content=[diff], rawInput={"text": "x"}).clear


def test_an_input_is_not_looked_into_for_ever() -> None:
    raw: Any = {"path": "deep"}
    for _ in range(50):
        raw = {"x": [raw]}
    assert asked(kind="read", rawInput=raw) == RequestFacts("read", "", (), None, clear=False)


def test_questions_of_our_own_and_terminals() -> None:
    def access(operation: FileOperation, path: str) -> RequestFacts:
        event = AccessAsked(0.0, 1, "s", operation, path, "/w")
        return permission_facts(Session("s"), Permission(1, "s", 0.0, [], access=event))

    assert access(FileOperation.WRITE, "/etc/x") == RequestFacts("edit", "", ("/etc/x",), None)
    assert access(FileOperation.RUN, "ls -l") == RequestFacts(
        "execute", "", ("/w",), clear(("ls", "-l"))
    )
    line = CreateTerminalParams(session_id="s", command="ls && pwd")
    assert terminal_facts(line) == RequestFacts("execute", "", (), clear(("ls",), ("pwd",)))
    words = CreateTerminalParams(session_id="s", command="ls", args=["a;b"], cwd="/x")
    assert terminal_facts(words) == RequestFacts("execute", "", ("/x",), clear(("ls", "a;b")))
    assert [terminal_line(line), terminal_line(words)] == ["ls && pwd", "ls 'a;b'"]
    preloaded = words.model_copy(update={"env": [EnvVariable(name="LD_PRELOAD", value="./a b")]})
    assert terminal_line(preloaded) == "LD_PRELOAD='./a b' ls 'a;b'"


@pytest.mark.parametrize(
    ("path", "is_outside"),
    [
        ("/work/tea/a.txt", False),
        ("a.txt", False),
        ("/more/b.txt", False),
        ("/work/tea/../bread/a.txt", True),
        ("../a.txt", True),
        ("/work/teapot/a.txt", True),
        ("/etc/passwd", True),
        ("~/.bashrc", True),
    ],
)
def test_places_outside_the_folders_of_the_session(path: str, is_outside: bool) -> None:
    session = Session("s", cwd="/work/tea", additional_directories=["/more"])
    assert paths_outside(session, [path]) == ([path] if is_outside else [])
    assert paths_outside(Session("s"), [path]) == []


@pytest.mark.parametrize(
    ("options", "rejection"),
    [
        ([("y", "allow_once"), ("n", "reject_once")], "n"),
        ([("n", "reject_always"), ("o", "reject_once")], "o"),
        ([("n", "reject_always")], None),
        ([("x", "allow_once"), ("x", "reject_once")], None),
    ],
)
def test_what_rejects_once_and_means_nothing_else(
    options: list[tuple[str, str]], rejection: str | None
) -> None:
    offered = [PermissionOption(option_id=id, name=id, kind=kind) for id, kind in options]
    assert Permission(1, "s", 0.0, offered).rejection == rejection


def test_a_place_by_its_uri_is_outside_too() -> None:
    session = Session("s", cwd="/work")
    named = ["file:///etc/x", "FILE:/etc/x", "file:///work/../etc/%78", "file://localhost/etc/x"]
    assert paths_outside(session, [*named, "file:///work/x", "file:/work/x", "file:x"]) == named
