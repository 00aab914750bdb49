"""A tool call's input in the order in which a person judges it."""

from typing import Any

import pytest

from acp_tui.protocol.content import Diff
from acp_tui.state.input_parts import (
    InputParts,
    _split_words,
    command_line,
    covers_words,
    input_parts,
    merge_commands,
    repeats_input,
    shell_script,
    show_blanks,
)
from acp_tui.state.state import Terminal

EDIT = Diff(path="/work/a.py", old_text="one\ntwo\n", new_text="one\n2\n")


@pytest.mark.parametrize(
    ("raw", "parts"),
    [
        (None, InputParts()),
        ({}, InputParts()),
        ("ls -la", InputParts(("ls -la",))),
        (["git", "commit", "-m", "a b"], InputParts(("git commit -m 'a b'",))),
        ([1, 2], InputParts(rest=[1, 2])),
        ([], InputParts(rest=[])),
        (7, InputParts(rest=7)),
        ({"command": "ls", "cwd": "/tmp"}, InputParts(("ls",), "/tmp")),
        ({"command": ["ls", ""], "n": 1}, InputParts(("ls ''",), None, {"n": 1})),
        ({"command": "ls", "args": ["-l", "x"]}, InputParts(("ls -l x",))),
        ({"command": "ls", "args": "-l"}, InputParts(("ls -l",))),
        ({"command": "ls", "args": ["-l"], "cmd": "ls -l"}, InputParts(("ls -l",))),
        ({"cmd": "ls -l", "command": "ls", "args": ["-l"]}, InputParts(("ls -l",))),
        ({"command": "ls", "args": ["-l"], "cmd": "ls"}, InputParts(("ls -l",))),
        ({"command": "rm -f", "args": ["-f"]}, InputParts(("'rm -f' -f",))),
        ({"command": "ls", "args": ["-l"], "cmd": 1}, InputParts(("ls -l",), None, {"cmd": 1})),
        ({"command": "ls", "args": [1]}, InputParts(rest={"command": "ls", "args": [1]})),
        ({"commands": ["ls", ["rm", "a b"]]}, InputParts(("ls", "rm 'a b'"))),
        ({"commands": "ls"}, InputParts(("ls",))),
        ({"command": "ls -l", "commands": [["ls", "-l"]]}, InputParts(("ls -l",))),
        (
            {"cmd": ["bash", "-lc", "a && b"], "command": "a && b"},
            InputParts(("bash -lc 'a && b'",)),
        ),
        ({"command": "ls", "cmd": "pwd"}, InputParts(("ls", "pwd"))),
        ({"commands": ["ls", 1]}, InputParts(("ls",), None, {"commands": ["ls", 1]})),
        ({"command": {"a": 1}}, InputParts(rest={"command": {"a": 1}})),
        ({"cwd": "/tmp", "n": 1}, InputParts(rest={"cwd": "/tmp", "n": 1})),
        (
            {"command": "ls", "cwd": "/a", "workdir": "/b"},
            InputParts(("ls",), None, {"cwd": "/a", "workdir": "/b"}),
        ),
        (
            {"command": "ls", "parsed_cmd": [1], "call_id": "c"},
            InputParts(("ls",), None, {"call_id": "c"}, {"parsed_cmd": [1]}),
        ),
        (
            {"command": ["/bin/bash", "-lc", "ls | wc"], "parsed_cmd": [{"cmd": "ls"}]},
            InputParts(("/bin/bash -lc 'ls | wc'",)),
        ),
        (
            {"command": "ls", "parsed_cmd": [{"type": "unknown", "cmd": "ls"}, {"cmd": "reboot"}]},
            InputParts(
                ("ls", "reboot"),
                None,
                None,
                {"parsed_cmd": [{"type": "unknown", "cmd": "ls"}, {"cmd": "reboot"}]},
            ),
        ),
        (
            {"command": "ls", "parsed_cmd": [{"cmd": 7}]},
            InputParts(("ls",), None, None, {"parsed_cmd": [{"cmd": 7}]}),
        ),
        ({"x": {"command": "ls"}}, InputParts(("ls",), None, {"x": {"command": "ls"}})),
    ],
)
def test_what_is_run_and_where_comes_before_the_rest(raw: Any, parts: InputParts) -> None:
    assert input_parts("execute", raw) == parts


def test_what_an_editor_does_is_no_command() -> None:
    raw = {"command": "view", "path": "/work/a"}
    assert input_parts("read", raw) == InputParts(rest=raw)
    assert input_parts("read", {"command": "rm -rf x"}).commands == ("rm -rf x",)
    assert input_parts("read", {"command": "reboot"}).commands == ("reboot",)


def test_what_may_change_what_is_done_stands_before_notes() -> None:
    raw = {
        "call_id": "c",
        "description": "d",
        "sandbox": False,
        "deeper": {"parsed_cmd": 1, "reason": 2},
        "file": "f",
        "env": {"note": 1, "cwd": "/x"},
        "more": [{"title": "t", "path": "p"}],
    }
    rest = input_parts("execute", {"command": "ls", **raw}).rest
    assert list(rest) == ["env", "file", "sandbox", "deeper", "more", "call_id", "description"]
    assert list(rest["deeper"]) == ["reason", "parsed_cmd"]
    assert list(rest["env"]) == ["cwd", "note"]
    assert list(rest["more"][0]) == ["path", "title"]


def test_what_is_nested_deeply_stays_as_it_came() -> None:
    deep: Any = {"title": 1, "cwd": 2}
    for _ in range(6):
        deep = {"x": deep}
    assert input_parts("other", deep).rest == deep


@pytest.mark.parametrize(
    ("raw", "rest"),
    [
        ({"file_path": "/work/a.py", "content": "one\n2\n"}, None),
        ({"file_path": "/work/a.py", "old_string": "one\ntwo\n", "new_string": "one\n2\n"}, None),
        ({"path": "/work/a.py", "old_str": "two", "new_str": "2", "replace_all": False}, None),
        ({"old_str": "two", "new_str": "2", "replace_all": True}, {"replace_all": True}),
        ({"file_path": "/etc/x", "content": "one\n2\n"}, {"file_path": "/etc/x"}),
        ({"content": "one\n2\n", "mode": "0777"}, {"mode": "0777"}),
        ({"content": "other"}, {"content": "other"}),
        ({"old_str": "2", "new_str": "two"}, {"old_str": "2", "new_str": "two"}),
        ({"old_str": "o", "new_str": "0"}, {"old_str": "o", "new_str": "0"}),
        ({"old_str": 1, "new_str": "2"}, {"old_str": 1, "new_str": "2"}),
        ({"new_str": "2"}, {"new_str": "2"}),
        ({"old_str": "two"}, {"old_str": "two"}),
        ({"path": "/work/a.py", "lines": 9}, {"lines": 9}),
        ({"delete_file": "/work/a.py"}, {"delete_file": "/work/a.py"}),
    ],
)
def test_what_the_diff_says_is_not_said_twice(
    raw: dict[str, Any], rest: dict[str, Any] | None
) -> None:
    assert input_parts("edit", raw, [EDIT]).rest == rest


def test_blanks_are_counted_in_keys_and_texts_and_no_key_is_lost() -> None:
    blank, other = "\u2800" * 90, "\u3164" * 90
    assert show_blanks({f"a{blank}b": [f"x{blank}y", 1], f"a{other}b": 2}) == {
        "a ⋯ 90 blanks ⋯ b": ["x ⋯ 90 blanks ⋯ y", 1],
        "a ⋯ 90 blanks ⋯ b'": 2,
    }
    deep: Any = [blank]
    for _ in range(6):
        deep = [deep]
    assert show_blanks(deep) == deep


def test_an_input_of_which_the_diff_says_all_is_a_repetition() -> None:
    said = {"file_path": "/work/a.py", "old_string": "two", "new_string": "2"}
    assert repeats_input("edit", said, [EDIT])
    assert not repeats_input("edit", {**said, "mode": "0777"}, [EDIT])


def test_an_input_that_is_a_patch_is_not_shown_below_its_own_diff() -> None:
    patch = "*** Begin Patch\n*** Update File: a\n-1\n+2\n*** End Patch"
    diff = Diff(path="a", old_text="1\n", new_text="2\n")
    assert input_parts("edit", patch, [diff]) == InputParts()
    assert input_parts("edit", patch) == InputParts(rest=patch)
    assert input_parts("edit", [patch], [diff]) == InputParts(rest=[patch])


@pytest.mark.parametrize(
    ("shown", "other"),
    [
        ("ls -la", "ls -la"),
        ("ls  -la", "ls -la"),
        ("git commit -m 'a b'", 'git commit -m "a b"'),
        ("git log '--author=a b'", 'git log --author="a b"'),
        ("bash -lc 'make && rm x'", "make && rm x"),
        ("/bin/sh -c 'echo $HOME'", "echo $HOME"),
        ('bash -l -c "ls -la"', "ls -la"),
        ("zsh -lc pwd", "pwd"),
    ],
)
def test_a_command_that_says_the_same_covers_another(shown: str, other: str) -> None:
    assert covers_words(shown, other)


@pytest.mark.parametrize(
    ("shown", "other"),
    [
        ("make && rm x", "bash -lc 'make && rm x'"),  # which shell it is may matter
        ("echo '$HOME'", "echo $HOME"),
        ("echo 'a; rm x'", "echo a; rm x"),
        ("'ls -la'", "ls -la"),
        ("'A=b' ls", "A=b ls"),
        ("ls '~'", "ls ~"),
        ("ls '*'", "ls *"),
        ("echo a\nrm b", "echo a rm b"),
        ("./bash -lc ls", "ls"),
        ("/tmp/sh -c ls", "ls"),
        ("bash -xc ls", "ls"),
        ("bash -c ls x", "ls"),
        ('bash -lc "echo $X"', "echo $X"),  # an outer shell expands it first
        ("bash -lc 'ls", "ls"),
        ("ls", "ls -la"),
    ],
)
def test_a_command_that_may_do_something_else_is_not_covered(shown: str, other: str) -> None:
    assert not covers_words(shown, other)


@pytest.mark.parametrize(
    ("sources", "merged"),
    [
        ([["ls"], ["ls"]], ("ls",)),
        ([["ls"], ["ls", "pwd"]], ("ls", "pwd")),
        ([["./step", "./step"]], ("./step", "./step")),  # it runs twice
        ([["./step"], ["./step", "./step"]], ("./step", "./step")),
        ([["ls"], ["bash -lc ls"]], ("bash -lc ls",)),
        ([["bash -lc ls"], ["ls"]], ("bash -lc ls",)),
        ([["sh -c ls"], ["bash -c ls"]], ("sh -c ls", "bash -c ls")),
        ([["pwd", "ls"], ["ls"]], ("pwd", "ls")),
        ([], ()),
    ],
)
def test_commands_of_several_fields_are_merged(
    sources: list[list[str]], merged: tuple[str, ...]
) -> None:
    assert merge_commands(sources) == merged


def test_only_a_short_command_is_compared_word_by_word() -> None:
    short, long = "echo" + " a" * 1_000, "echo" + " a" * 200_000
    assert covers_words(f"{short} 'b'", f"{short} b")
    assert not covers_words(f"{long} 'b'", f"{long} b")
    assert covers_words(long, long)


def test_a_question_that_is_looked_at_again_splits_no_command_again() -> None:
    raw = {"cmd": "make one 'two'", "commands": ["make one two", "sh -c 'make three'", "make four"]}
    parts = input_parts("execute", raw)
    splits = _split_words.cache_info().misses
    assert input_parts("execute", raw) == parts
    assert _split_words.cache_info().misses == splits


def test_only_the_systems_shells_run_a_script() -> None:
    assert shell_script(["bash", "-l", "-c", "ls"]) == "ls"
    assert shell_script(["bash"]) is None
    assert shell_script([]) is None
    assert shell_script(["bash", "script.sh"]) is None


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["/bin/sh", "-c", "make && rm -r x"], "make && rm -r x"),
        (["bash", "-x", "a b"], "bash -x 'a b'"),
        (["ls", "-c", "a b"], "ls -c 'a b'"),
        (["sh", "-c"], "sh -c"),
        (["./bash", "-c", "ls"], "./bash -c ls"),
    ],
)
def test_a_command_is_told_as_one_would_type_it(argv: list[str], line: str) -> None:
    command, *args = argv
    assert command_line(Terminal("t", "s", command, args, None, 0.0)) == line
