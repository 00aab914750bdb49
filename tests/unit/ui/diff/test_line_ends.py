"""Where line ends differ, a diff names that, and shows the words that changed."""

import math

import pytest

from acp_tui.protocol.content import Diff
from acp_tui.ui.diff.diff_lines import DiffLines
from acp_tui.ui.diff.header import count_changes

LINES = "".join(f"line {number}\n" for number in range(12))
CHANGED = LINES.replace("line 5", "LINE 5")
DOS = LINES.replace("\n", "\r\n")
MIXED = DOS.replace("\r\n", "\n", 6)


def drawn(old: str, new: str) -> list[str]:
    lines = DiffLines(Diff(path="/w/win.txt", old_text=old, new_text=new), cwd="/w")
    while not lines.lay_out(60, math.inf):
        pass
    return [lines.plain(y) for y in range(lines.height)]


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        (LINES, DOS, "line ends: LF to CRLF"),
        (DOS, LINES, "line ends: CRLF to LF"),
        (MIXED, LINES, "line ends: mixed to LF"),
        (LINES, MIXED, "line ends: LF to mixed"),
        (DOS, MIXED, "line ends: CRLF to mixed"),
        (LINES, "\ufeff" + LINES, "BOM added"),
        ("\ufeff" + LINES, LINES, "BOM removed"),
        (LINES, "\ufeff" + DOS, "line ends: LF to CRLF, BOM added"),
    ],
)
def test_only_what_differs_beside_the_lines_is_named(old: str, new: str, note: str) -> None:
    head, *rows = drawn(old, new)
    assert head == f"win.txt  {note}"
    assert rows == ["⋯ 12 unchanged lines"]
    assert count_changes(Diff(path="a", old_text=old, new_text=new)) == (0, 0)


@pytest.mark.parametrize("new", [CHANGED, CHANGED.replace("\n", "\r\n")])
@pytest.mark.parametrize("old", [LINES, DOS])
def test_one_changed_word_is_one_changed_line(old: str, new: str) -> None:
    _, *rows = drawn(old, new)
    assert [row.split()[1:] for row in rows if "5" in row.split()[-1:]] == [
        ["-", "line", "5"],
        ["+", "LINE", "5"],
    ]
    assert len(rows) == 10, "three lines around it, and the others counted"


@pytest.mark.parametrize(("old", "new"), [("a\n", "b"), ("", DOS), (DOS, ""), ("a", "a\r\n")])
def test_a_side_without_line_ends_has_none_that_differ(old: str, new: str) -> None:
    assert "line ends" not in drawn(old, new)[0]


def test_a_missing_last_newline_stays_a_change_of_its_line() -> None:
    rows = drawn(LINES, DOS.removesuffix("\r\n"))
    assert "line ends: LF to CRLF" in rows[0]
    assert any("No newline" in row for row in rows)


def test_few_changed_line_ends_are_shown_where_they_are() -> None:
    head, *rows = drawn(DOS, DOS.replace("5\r\n", "5\n"))
    assert "line ends: CRLF to mixed" in head
    assert any(row.endswith("- line 5␍") for row in rows)
