"""What real agents send when they ask, and what nobody should send."""

from typing import Any

import pytest

from acp_tui.policy.shell import UNKNOWN, Commands
from acp_tui.protocol.events import AccessAsked, FileOperation
from acp_tui.protocol.requests import CreateTerminalParams, EnvVariable
from acp_tui.protocol.updates import ToolCallUpdate
from acp_tui.session.state import Permission, Session
from acp_tui.session.wanted import Asked, permission_asked, terminal_asked, terminal_line

HELLO = "/w/hello.md"
DIFF = {"type": "diff", "path": HELLO, "oldText": "", "newText": "x"}


def asked(**fields: Any) -> Asked:
    update = ToolCallUpdate.model_validate({"toolCallId": "t", **fields})
    return permission_asked(Session("s"), Permission(1, "s", 0.0, [], update))


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


def test_the_title_says_nothing_beside_an_input() -> None:
    assert asked(kind="execute", title="ls", rawInput={"command": "rm x"}).commands == clear(
        ("rm", "x")
    )


def test_what_reads_or_edits_may_be_a_command_or_the_name_of_an_editors_doing() -> None:
    assert asked(kind="read", rawInput={"command": "cat x"}).commands == clear(("cat", "x"))
    assert asked(kind="edit", rawInput={"command": "view", "path": HELLO}).commands is None


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


def test_an_input_is_not_looked_into_for_ever() -> None:
    raw: Any = {"path": "deep"}
    for _ in range(50):
        raw = {"x": [raw]}
    assert asked(kind="read", rawInput=raw).paths == ()


def test_questions_of_our_own_and_terminals() -> None:
    def access(operation: FileOperation, path: str) -> Asked:
        event = AccessAsked(0.0, 1, "s", operation, path, "/w")
        return permission_asked(Session("s"), Permission(1, "s", 0.0, [], access=event))

    assert access(FileOperation.WRITE, "/etc/x") == Asked("edit", "", ("/etc/x",), None)
    assert access(FileOperation.RUN, "ls -l") == Asked("execute", "", ("/w",), clear(("ls", "-l")))
    line = CreateTerminalParams(session_id="s", command="ls && pwd")
    assert terminal_asked(line) == Asked("execute", "", (), clear(("ls",), ("pwd",)))
    words = CreateTerminalParams(session_id="s", command="ls", args=["a;b"], cwd="/x")
    assert terminal_asked(words) == Asked("execute", "", ("/x",), clear(("ls", "a;b")))
    assert [terminal_line(line), terminal_line(words)] == ["ls && pwd", "ls 'a;b'"]
    preloaded = words.model_copy(update={"env": [EnvVariable(name="LD_PRELOAD", value="./a b")]})
    assert terminal_line(preloaded) == "LD_PRELOAD='./a b' ls 'a;b'"
