"""All open sessions in one list: who needs the person first, since when, and what was used and changed."""

from typing import Any

import pytest
from textual.content import Content

from acp_tui.host.agent import Agent
from acp_tui.protocol.updates import Cost
from acp_tui.ui.sessions.picker import (
    closed_row,
    open_row,
    open_state,
    session_columns,
    session_summaries,
)
from acp_tui.ui.tabs.tabs import Tabs
from tests.unit.ui.app import states
from tests.unit.ui.app.states import NOW
from tests.unit.ui.app.test_agents import five, side_by_side

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def tabs_of(*made: Any) -> Tabs:
    tabs = Tabs([Agent(state, lambda _: None) for state, _ in made], lambda: NOW)
    tabs.follow()
    return tabs


def asked_at(at: float) -> Any:
    state, session = states.asking()
    session.permissions[0].at = at
    return state, session


def test_who_needs_the_person_comes_first_and_who_waits_longest_before_others() -> None:
    ready, done = states.talked(), states.talked()
    tabs = tabs_of(
        ready, states.working(), done, states.died(), asked_at(NOW - 5), asked_at(NOW - 9)
    )
    tabs.of(tabs.agents[0])[0].seen = len(ready[1].entries)
    found = session_summaries(tabs)
    words = [one.mark[1] for one in found]
    assert words == [
        "waiting for you",
        "waiting for you",
        "not running",
        "done",
        "working",
        "ready",
    ]
    assert [one.clock(NOW) for one in found][:2] == ["9s", "5s"]
    assert found[0].doing == f"edit: {states.CWD}/notes/g.txt"


@pytest.mark.parametrize("room", [20, 40, 72, 90, 116])
def test_a_row_has_what_there_is_room_for(room: int) -> None:
    peer, session = states.asking()
    session.usage.cost = Cost(amount=0.041, currency="USD")
    tabs = tabs_of((peer, session))
    (one,) = session_summaries(tabs)
    state = open_state(one, NOW)
    columns = session_columns([state], room)
    row = open_row(one, "Bernoulli \x1b[2Jnumbers", state, columns, room)
    assert isinstance(row, Content)
    assert row.cell_length <= room
    assert "\x1b" not in row.plain
    assert row.plain.startswith("Bernoulli")
    for words, least in (("◆", 40), ("12k/200k", 72), ("0.04 USD", 72)):
        assert (words in row.plain) is (room >= least), words


async def test_the_sessions_of_all_agents_are_listed_and_shown() -> None:
    async with side_by_side(*five(), size=(120, 30)) as it:
        await it.press("ctrl+o")
        rows = [row for row in it.screen.splitlines() if "Agent " in row and "│" in row]
        assert [row.split("Agent ")[1][0] for row in rows[:3]] == ["1", "4", "5"]
        await it.write("works, too")
        await it.press("enter")
        assert it.app.agent.name == "Agent 3"


@pytest.mark.parametrize("room", [40, 74, 94])
def test_times_of_all_rows_begin_in_one_column_and_touch_no_title(room: int) -> None:
    ages = [Content("just now"), Content("4 h ago"), Content("2026-10-02")]
    columns = session_columns(ages, room)
    titles = ["Tea", "Explain how steeping times are cached " * 3, "茶" * 60]
    rows = [
        closed_row(title, "/tea/house", age, columns, room)
        for title, age in zip(titles, ages, strict=True)
    ]
    for row, age in zip(rows, ages, strict=True):
        before, _, after = row.plain.partition(age.plain)
        assert Content(before).cell_length == columns.title
        assert before.endswith("  ")
        assert after.startswith("  ")
