"""Commands that are one to a person who reads them, and those that only look alike."""

import pytest

from acp_tui.state.input_parts import command_line, covers, merge_commands, shell_script
from acp_tui.state.state import Terminal


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
    assert covers(shown, other)


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
    assert not covers(shown, other)


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
