import pytest

from acp_tui.state.state import Terminal
from acp_tui.state.terminal_command import command_line


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
