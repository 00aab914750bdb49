"""The screen of the matrix: rows are found by their words, columns are gone through."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from textual.pilot import Pilot

from acp_tui.ui.matrix.app import MatrixApp, MatrixTable, MatrixValue, TableRow
from tests.hosting import PATIENCE
from tests.unit.ui.screens import screen_text
from tests.unit.ui.settling import moment

pytestmark = pytest.mark.anyio
AGENTS = [(f"agent-{number}", f"run {number}") for number in range(9)]


def table() -> MatrixTable:
    loads = [MatrixValue("yes" if number % 2 else "no", "handshake") for number in range(9)]
    plans = [MatrixValue("not seen") for _ in range(8)] + [
        MatrixValue("yes", "turn", Path("/none"), 7)
    ]
    return MatrixTable(
        "9 agents", AGENTS, [TableRow("Can", "load", loads), TableRow("Does", "plan", plans)]
    )


@asynccontextmanager
async def shown(
    content: MatrixTable | None = None,
) -> AsyncIterator[tuple[MatrixApp, Pilot[None]]]:
    app = MatrixApp(content or table(), lambda _path, _frame: None)
    async with app.run_test(size=(80, 24)) as pilot:
        with anyio.fail_after(PATIENCE):
            while "agent-0" not in screen_text(app):
                await moment(pilot)
        yield app, pilot


async def test_columns_beyond_the_screen_come_with_the_mark() -> None:
    async with shown() as (app, pilot):
        assert "agent-0" in screen_text(app)
        assert "agent-8" not in screen_text(app)
        await pilot.press(*["right"] * 12)
        assert "agent-8, Can: load" in screen_text(app)
        assert "agent-0" not in screen_text(app)
        await pilot.press("down")
        assert "agent-8, Does: plan" in screen_text(app)
        assert "seen: turn" in screen_text(app)


async def test_no_cell_is_cut_by_the_scroll_bar() -> None:
    rows = [TableRow("Can", f"row {at}", [MatrixValue("yes")] * 2) for at in range(40)]
    async with shown(MatrixTable("2 agents", AGENTS[:2], rows)) as (app, _):
        assert "┃" in screen_text(app)
        assert "…" not in screen_text(app)


async def test_words_leave_the_rows_that_have_them() -> None:
    async with shown() as (app, pilot):
        await pilot.press(*"plan")
        assert "plan" in screen_text(app)
        assert "load" not in screen_text(app)
        await pilot.press(*"x")
        assert "no row has these words" in screen_text(app)
        await pilot.press("enter")
        assert "no frame shows that" in screen_text(app)


async def test_enter_says_where_a_recording_is_gone() -> None:
    async with shown() as (app, pilot):
        await pilot.press("down", *["right"] * 8, "enter")
        assert "its recording is gone: /none" in screen_text(app)
        await pilot.press("escape")
    assert not app.is_running


async def test_f1_shows_the_keys_of_the_matrix_first_and_finds_them() -> None:
    async with shown() as (app, pilot):
        await pilot.press("right", "f1")
        with anyio.fail_after(PATIENCE):
            while "Agents side by side" not in screen_text(app):
                await moment(pilot)
        assert "Agent to the left" in screen_text(app)
        await pilot.press(*"queue", "left")
        with anyio.fail_after(PATIENCE):
            while "Agent to the left" in screen_text(app):
                await moment(pilot)
        await pilot.press("escape")
        with anyio.fail_after(PATIENCE):
            while "agent-1, Can: load" not in screen_text(app):  # where it was
                await moment(pilot)
