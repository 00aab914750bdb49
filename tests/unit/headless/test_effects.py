"""Lines about what the agent did through the client."""

import pytest

from acp_tui.headless.effects import describe_write
from acp_tui.protocol.file_events import FileWritten
from acp_tui.state.session import Session
from acp_tui.state.state import State

MIXED = "one\r\ntwo\nthree\r\nfour\nlast"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (MIXED, MIXED.replace("two", "TWO"), "+1 −1"),
        (MIXED, MIXED.replace("\r", ""), "+2 −2 (line ends: mixed to LF)"),
        ("a\n" * 9, "a\r\n" * 9, "(line ends: LF to CRLF)"),
        ("a\r\n" * 9, "a\n" * 8 + "b\n", "+1 −1 (line ends: CRLF to LF)"),
        ("a\r\nb\r\n", "a\rb\r\n", "+1 −2"),
        (MIXED, MIXED + "\r\n", "+1 −1"),
        ("a\n", "\ufeffa\n", "+1 −1 (BOM added)"),
        (None, "a\r\nb", "+2 (new)"),
    ],
)
def test_a_write_counts_lines_and_names_new_line_ends(
    old: str | None, new: str, words: str
) -> None:
    state = State()
    state.sessions["s"] = Session("s", "/work")
    written = FileWritten(1.0, 5, "s", "/work/a.txt", old is None, old, new)
    assert describe_write(state, written) == f"wrote a.txt {words}"
