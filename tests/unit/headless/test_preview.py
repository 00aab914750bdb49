"""Diffs in questions without a screen name what the lines alone don't show."""

import pytest

from acp_tui.headless.preview import PAGE, ROW, count_rows, describe_content, split_pages
from acp_tui.headless.rows import MARK
from acp_tui.protocol.content import Diff, FileChange

LINES = "".join(f"line {number}\n" for number in range(12))
DOS = LINES.replace("\n", "\r\n")
CHANGED = LINES.replace("line 5", "LINE 5")


def described(old: str | None, new: str) -> list[str]:
    """Return what is printed below the path, without our own mark before the agent's lines."""
    path, *lines = describe_content(Diff(path="/w/win.txt", old_text=old, new_text=new))
    assert path == f"  {MARK}/w/win.txt"
    return [line.replace(f"  {MARK}", "") for line in lines]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        (LINES, DOS, ["  line ends: LF to CRLF"]),
        (LINES, "\ufeff" + LINES, ["  BOM added"]),
        ("a\n", "a\r\n", ["  line ends: LF to CRLF", "@@", "-a", "+a␍"]),
        ("a", "a\n", ["  the last newline is added"]),
        ("a\n", "a", ["  the last newline is removed"]),
        ("a\r\n", "a\n", ["  line ends: CRLF to LF", "@@", "-a␍", "+a"]),
        (LINES, LINES, ["  (nothing changes)"]),
        (None, "a\r\nb\r\n", ["@@", "+a", "+b"]),
        (None, "a\rb\n", ["@@", "+a␍b"]),
        ("a\n", "", ["@@", "-a"]),
    ],
)
def test_line_ends_that_change_are_named(old: str | None, new: str, lines: list[str]) -> None:
    assert described(old, new) == lines


@pytest.mark.parametrize("old", [LINES, DOS])
@pytest.mark.parametrize("new", [CHANGED, CHANGED.replace("\n", "\r\n")])
def test_one_changed_word_is_one_changed_line(old: str, new: str) -> None:
    changed = [line for line in described(old, new) if line[0] in "+-"]
    assert changed == ["-line 5", "+LINE 5"]


def test_the_note_stands_above_lines_that_are_many() -> None:
    long = "".join(f"{number}\n" for number in range(3 * PAGE))
    first, *_, last = described(long, long.replace("\n", "!\r\n"))
    assert first == "  line ends: LF to CRLF"
    assert last == f"+{3 * PAGE - 1}!"


def test_two_changed_lines_of_a_long_file_are_shown_alone() -> None:
    lines = [f"{number}\n" for number in range(3000)]
    new = "".join(["first\n", *lines[1:-1], "last\n"])
    changed = [line for line in described("".join(lines), new) if line[0] in "+-"]
    assert changed == ["-0", "+first", "-2999", "+last"]


def test_pages_leave_nothing_out() -> None:
    lines = [f"line {number}" for number in range(PAGE + 1)]
    assert split_pages(lines) == [lines[:PAGE], lines[PAGE:]]
    assert split_pages([]) == [[]]
    long = "".join(chr(0x4E00 + number) for number in range(2 * PAGE * ROW))
    pages = split_pages(["above", long])
    assert len(pages) > 2
    assert max(sum(map(count_rows, page)) for page in pages) <= PAGE
    first, *more = [piece for page in pages for piece in page][1:]
    assert first + "".join(one.removeprefix(f"  {MARK}…") for one in more) == long


def test_a_path_is_whole_however_long_it_is() -> None:
    path = f"/w/{'a' * 2000}/../../../etc/passwd"
    assert describe_content(FileChange(operation="add", path=path))[-1] == f"  {MARK}{path}"
    assert describe_content(Diff(path=path, new_text=""))[0] == f"  {MARK}{path}"
