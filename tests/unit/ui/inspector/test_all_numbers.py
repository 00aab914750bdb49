"""From the numbers of a session one goes to those of all recordings, and back."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest

from acp_tui.recordings.recorded_numbers import FIRST_CHUNK, RATE, Numbers, NumbersProgress
from acp_tui.ui.inspector.all_numbers import number_lines
from tests.hosting import PATIENCE
from tests.unit.ui.inspector.scene import Inspecting, inspecting, talk

pytestmark = pytest.mark.anyio


def part(seconds: float, agent: str = "tea 1.0") -> Numbers:
    found = Numbers(
        sums=Counter({"recordings": 3, "turns": 4, "seconds": 60, "inputTokens": 1000}),
        agents=Counter({agent: 3}),
        outcomes=Counter(allow_once=2),
        findings=Counter({f"error schema {agent}": 2}),
        failed=Counter(edit=1),
    )
    found.answers = {"session/prompt (agent)": [seconds]}
    found.spans = {FIRST_CHUNK: [seconds], RATE: [seconds]}
    found.tools = {"edit": [seconds]}
    return found


class Source:
    """Answers at once, and remembers what was asked."""

    def __init__(self, *news: NumbersProgress) -> None:
        self.asked: list[tuple[str, float]] = []
        self.news_of = list(news)
        self.is_open = False
        self._send, self._receive = anyio.create_memory_object_stream[NumbersProgress](100)

    async def select(self, agent: str, age: float) -> None:
        self.asked.append((agent, age))
        for one in self.news_of:
            await self._send.send(one)

    async def updates(self) -> AsyncIterator[NumbersProgress]:
        async for one in self._receive:
            yield one

    @asynccontextmanager
    async def read(self) -> AsyncIterator["Source"]:
        self.is_open = True
        try:
            with self._send, self._receive:
                yield self
        finally:
            self.is_open = False


def all_read(*parts: Numbers) -> NumbersProgress:
    return NumbersProgress(9, 9, ["tea 1.0", "milk 2"], [(at, one) for at, one in enumerate(parts)])


async def opened(it: Inspecting, source: Source) -> None:
    it.app.feature.numbers.read_all = source.read
    await it.press("S")
    await it.press("S")


async def test_the_numbers_of_all_are_a_key_away_and_s_goes_back() -> None:
    source = Source(all_read(part(1.0), part(2.0)))
    async with inspecting(talk().records) as it:
        await opened(it, source)
        assert "6 recordings, 8 turns, 2m 00s" in it.screen
        answered = it.row("session/prompt (agent)")
        assert answered.split("│")[1].split()[2:] == ["2", "1.00s", "2.00s", "2.00s", "▅█"]
        await it.press("S")
        assert "Statistics of this session" in it.screen
        with anyio.fail_after(PATIENCE):
            while source.is_open:
                await anyio.sleep(0.001)


async def test_where_not_all_or_nothing_is_read_it_says_so() -> None:
    async with inspecting(talk().records) as it:
        await opened(it, Source(NumbersProgress(4, 9, ["tea 1.0"], [(0.0, part(1.0))])))
        screen = it.screen
        assert "reading: 4 of 9" in screen
        assert "3 recordings" in screen
        await it.press("escape", "escape")
        await opened(it, Source(NumbersProgress(0, 0, [], [])))
        assert "no recordings" in it.screen
        await it.press("escape", "escape")
        it.app.feature.numbers.read_all = None
        it.app.feature.numbers.open()
        await it.press("left")
        assert "recordings can't be read from here" in it.screen


async def test_agents_and_times_are_chosen() -> None:
    source = Source(all_read(part(1.0)))
    async with inspecting(talk().records) as it:
        await opened(it, source)
        await it.press("slash", *"tea")
        assert "agents with “tea”, of all times (1 agent)" in it.screen
        await it.press("enter", "t", "t")
        assert source.asked[-1] == ("tea", 7 * 86400.0)
        await it.press("T", "escape")
        assert source.asked[-1] == ("", 86400.0)
        assert "all agents, of the last day" in it.screen
        await it.press("escape")
        assert "Statistics of this session" in it.screen


@pytest.mark.parametrize("width", [20, 75, 145])
def test_lines_are_as_wide_as_there_is_room(width: int) -> None:
    agent = "\x1b[31mred" + "x" * 300
    lines = list(number_lines([(0.0, part(1.0, agent)), (1.0, part(5000.0, agent))] * 30, width))
    assert max(one.cell_length for one in lines[4:]) <= max(width, 44)
    assert not any("\x1b" in one.plain for one in lines)
    if width > 20:
        assert any("edit (60 failed)" in one.plain and "1h 23m" in one.plain for one in lines)


def test_no_count_is_wider_than_its_column() -> None:
    whole = part(1.0)
    whole.sums.update(outputTokens=10**30, totalTokens=-(10**9), thoughtTokens=1_234_567)
    rows = [one.plain.split() for one in number_lines([(0.0, whole)], 75)]
    counts = {row[0]: row[1] for row in rows if len(row) > 1}
    assert (counts["output"], counts["total"], counts["thought"]) == ("1e+30", "-1e+09", "1.2M")
    assert counts["input"] == "1,000"
