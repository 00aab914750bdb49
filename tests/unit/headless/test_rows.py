"""What is broken into rows for a terminal: no word of an agent's begins one."""

import fcntl
import os
import pty
import struct
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.headless.rows import MARK, MOST_EMPTY, Rows
from acp_tui.text import clean_line, clean_text

WORDS = st.text(st.sampled_from("ab \t\n漢é👩‍💻❤\ufe0f\u0301🇩🇪")) | st.text()


@contextmanager
def stream(columns: int, encoding: str = "utf-8", errors: str = "strict") -> Iterator[TextIO]:
    """A terminal that is so wide, to be written to."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    try:
        with os.fdopen(slave, "w", encoding=encoding, errors=errors) as it:
            yield it
    finally:
        os.close(master)


def drawn(text: str, columns: int) -> list[str]:
    """The rows of a terminal that has got a text, without empty ones below."""
    screen = pyte.HistoryScreen(columns, 1000)
    pyte.Stream(screen).feed(text.replace("\n", "\r\n"))
    rows = ["".join(screen.buffer[y][x].data for x in range(columns)) for y in range(1000)]
    return "\n".join(row.rstrip() for row in rows).rstrip("\n").split("\n")


@given(st.lists(WORDS, max_size=6), st.integers(5, 40))
def test_whatever_an_agent_says_each_row_has_the_mark(pieces: list[str], columns: int) -> None:
    with stream(columns) as it:
        rows = Rows(it)
        text = "".join(rows.feed(clean_text(piece)) for piece in pieces) + rows.finish()
    assert text == "" or text.endswith("\n")
    shown = drawn(text, columns)
    assert all(row.startswith(MARK.rstrip()) for row in shown) or shown == [""]
    assert len(shown) == max(1, text.count("\n"))  # the terminal itself has broken none


@given(WORDS, st.integers(5, 40))
def test_of_a_line_that_is_judged_nothing_is_left_out(text: str, columns: int) -> None:
    line = clean_line(text).rstrip(" ")
    with stream(columns) as it:
        rows = Rows(it, first="").feed(line)
    assert rows.replace(f"\n{MARK}", "") == line
    assert all(row.startswith(MARK.rstrip()) for row in drawn(rows, columns)[1:])


@pytest.mark.parametrize(
    ("pieces", "rows"),
    [
        (["one two three ", "five5"], ["| one two", "| three", "| five5"]),
        (["one", "two", "three"], ["| onetwothre", "| e"]),
        (["a" * 12], ["| aaaaaaaaaa", "| aa"]),
        (["one " + "a" * 12], ["| one aaaaaa", "| aaaaaa"]),
        (["漢字漢字漢字"], ["| 漢字漢字漢", "| 字"]),
        (["\tif\n", "a\tb"], ["|         if", "| a       b"]),
        (["y" + " " * 200 + "acp-tui: x\n"], ["| y", "| acp-tui: x"]),
        ([" " * 200 + "acp-tui: x"], ["| acp-tui: x"]),
        (["a\n", "\n\n", "\t\nb"], ["| a", "|", "|", "|", "| b"]),
        (["\n" * 9, " b"], ["|"] * MOST_EMPTY + ["| ⋯ 5 more", "| empty", "| lines", "|  b"]),
        (["b" + "\n" * 9], ["| b", "|", "|", "|", "|", "| ⋯ 4 more", "| empty", "| lines"]),
        ([" \n"], ["|"]),
    ],
)
def test_rows_are_broken_between_words_and_blanks_fill_none(
    pieces: list[str], rows: list[str]
) -> None:
    with stream(13) as it:
        it_in_rows = Rows(it)
        text = "".join(map(it_in_rows.feed, pieces)) + it_in_rows.finish()
    assert drawn(text, 13) == rows


def test_a_blank_at_the_end_of_a_row_is_seen_at_the_next_in_a_line_that_is_judged() -> None:
    with stream(13) as it:
        for line in ("rm -rf ./ build", "rm -rf ./build"):
            rows = Rows(it, first="").feed(line).split("\n")
            assert rows == (
                ["rm -rf ./", "|  build"] if " build" in line else ["rm -rf", "|  ./build"]
            )


def test_what_takes_more_cells_as_it_is_written_is_measured_so() -> None:
    with stream(13, "ascii", "backslashreplace") as it:
        rows = Rows(it)
        text = rows.feed("äää") + rows.finish()
    assert text.split("\n") == ["| \\xe4\\xe4\\x", "| e4", ""]


def test_a_terminal_that_is_gone_ends_nothing() -> None:
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as it:
        os.close(master)
        assert Rows(it).feed("tea") == "| tea"


def test_a_terminal_that_says_no_width_has_eighty_columns() -> None:
    with stream(0) as it:
        assert Rows(it).feed("x" * 100).index("\n") == 79
