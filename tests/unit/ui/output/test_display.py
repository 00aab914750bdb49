"""Frames come at once, but at most sixty a second, and none while the last isn't taken."""

import asyncio

import pytest
from rich.segment import Segment
from textual.strip import Strip

from acp_tui.ui.output import display as module
from acp_tui.ui.output.display import BEGIN, END, Display
from acp_tui.ui.output.grid import Grid
from tests.unit.ui.output.eyes import CONSOLE

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Line:
    """A line to a terminal, with a clock that is moved by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        self.sent: list[str] = []
        self.busy = False
        self.most = 10_000
        monkeypatch.setattr(module, "perf_counter", lambda: self.now)
        grid = Grid()
        grid.resize(80, 3)
        self.display = Display(grid, self.sent.append, lambda: self.busy, lambda: self.most)
        self.display.start()

    def show(self, text: str) -> None:
        self.display.grid.put(0, 0, [Strip([Segment(text)])], CONSOLE)
        self.display.draw()


async def test_what_changes_before_the_next_frame_may_come_is_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = Line(monkeypatch)
    monkeypatch.setattr(module, "PERIOD", 0.001)
    line.show("one")
    assert len(line.sent) == 1
    line.show("two")
    line.show("six")
    assert len(line.sent) == 1
    line.now += 1
    while len(line.sent) < 2:
        await asyncio.sleep(0.001)
    assert "six" in line.sent[1]
    line.now += 1
    line.show("ten")
    assert "ten" in line.sent[2]


async def test_what_a_person_waits_for_does_not_wait_for_the_time_of_the_next_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = Line(monkeypatch)
    line.show("one")
    line.show("two")
    line.display.draw_now()
    assert "two" in line.sent[1]
    line.display.draw_now()
    assert len(line.sent) == 2
    line.show("six")
    line.busy = True
    line.display.draw_now()
    assert len(line.sent) == 2, "more would only wait on the way"
    line.busy = False
    line.display.draw_late()
    assert len(line.sent) == 3


async def test_a_terminal_that_does_not_keep_up_gets_fewer_frames(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = Line(monkeypatch)
    line.busy = True
    for word in ("one", "two", "six"):
        line.now += 1
        line.show(word)
    assert line.sent == []
    line.busy = False
    line.display.draw_late()
    assert len(line.sent) == 1
    assert "six" in line.sent[0]
    line.display.draw_late()
    assert len(line.sent) == 1


async def test_nothing_is_drawn_where_somebody_else_has_the_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = Line(monkeypatch)
    line.show("one")
    line.show("two")
    assert line.display.stop() == "\x1b]8;;\x1b\\\x1b[m"
    line.now += 1
    line.show("six")
    assert len(line.sent) == 1
    line.display.start()
    assert "six" in line.sent[1], "all of it: the other has drawn over it"


async def test_a_large_frame_is_held_back_until_it_is_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = Line(monkeypatch)
    line.display.synchronizes = True
    line.show("x" * 30)
    assert BEGIN not in line.sent[0]
    line.now += 1
    line.display.grid.forget()
    for y in range(3):
        line.display.grid.put(0, y, [Strip([Segment("y" * 80)])], CONSOLE)
    line.now += 1
    line.display.draw()
    assert line.sent[-1].startswith(BEGIN)
    assert line.sent[-1].endswith(END)
