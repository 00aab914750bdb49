"""The table fits every terminal and is safe to print."""

import unicodedata

import pytest

from acp_tui.cli.table import fit_cells, format_table
from acp_tui.debug.log import Log
from acp_tui.debug.view import LogView
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.process_events import StderrLine
from tests.unit.debug.scenes import Wire, read


def log() -> Log:
    wire = Wire().prompted().chunk("日本語 " * 40).chunk("e\u0301" * 90)
    wire.raw(Direction.IN, b"\x1b[31mred\x1b[0m \x07 bell").got(method="x\x1b[2J" * 30)
    return read(wire.happened(StderrLine(101.0, "two\nlines\t\u202e")).records)


def cells(text: str) -> int:
    return sum(
        0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1
        for one in text
    )


@pytest.mark.parametrize("width", [10, 20, 40, 60, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    view = LogView(log())
    view.catch_up()
    lines = list(format_table((view[place] for place in range(len(view))), width))
    assert len(lines) == len(view) + 1
    assert max(map(cells, lines)) <= width
    assert not any(character < " " or character in "\x7f\u202e" for character in "".join(lines))


def test_a_wide_table_shows_every_column() -> None:
    view = LogView(Wire().opened().log())
    view.catch_up()
    title, *_, answer = format_table((view[place] for place in range(len(view))), 160)
    assert title.split() == [
        "#",
        "time",
        "delta",
        "what",
        "id",
        "session",
        "bytes",
        "took",
        "status",
        "issues",
    ]
    assert answer.split() == ["4", "0.030", "+0.010", "←", "response", "to", "session/new", "1", "s", "57", "10.0ms", "ok", "s"]  # fmt: skip


def test_fit() -> None:
    assert fit_cells("abc", 5) == "abc  "
    assert fit_cells("abc", 5, right=True) == "  abc"
    assert fit_cells("abcdef", 4) == "abc…"
    assert fit_cells("日本語", 4) == "日… "
    assert fit_cells("日本", 4) == "日本"
    assert fit_cells("abc", 0) == ""
