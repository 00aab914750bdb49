"""The screen that searches all recordings: what is written is found, opened, or resumed."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from textual.pilot import Pilot

from acp_tui.cli.main import run
from acp_tui.protocol.process_events import ProcessStarted
from acp_tui.ui.find.app import FindApp, FoundChoice
from tests.examples import parametrize
from tests.hosting import PATIENCE
from tests.unit.debug.scenes import Wire
from tests.unit.index.test_index import record, wire
from tests.unit.ui.app.running import until_armed
from tests.unit.ui.screens import screen_text
from tests.unit.ui.settling import moment

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


@asynccontextmanager
async def searching(
    tmp_path: Path,
    written: str = "",
    made: Wire | None = None,
    size: tuple[int, int] = (80, 24),
) -> AsyncIterator[tuple[FindApp, Pilot[FoundChoice]]]:
    folder = record("20260101-000000-tea-1", made or wire()).parent
    app = FindApp(tmp_path / "archive.sqlite", folder, written)
    async with app.run_test(size=size) as pilot:
        yield app, pilot


async def until_shown(app: FindApp, pilot: Pilot[FoundChoice], words: str) -> None:
    with anyio.fail_after(PATIENCE):
        while words not in screen_text(app):
            await moment(pilot)


async def test_what_is_written_is_found_and_enter_opens_it(tmp_path: Path) -> None:
    async with searching(tmp_path) as (app, pilot):
        await until_shown(app, pilot, "prompt   Fix the teapot")
        await pilot.press(*"kett")
        await until_shown(app, pilot, "a 1 in /w, turn 1, #4, 0.25 USD")
        assert "Fix the teapot" not in screen_text(app)
        await pilot.press("enter")
    chosen = app.return_value
    assert chosen is not None
    assert (chosen.hit.text, chosen.resume, chosen.written) == (
        "I look at the kettle.",
        False,
        "kett",
    )


@parametrize(2, "words", ["te", "te ", '"te"', "kind:file te", "teapot fix"])
async def test_the_screen_finds_what_the_command_finds(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record("20260101-000000-tea-1", wire())
    run(["find", "--json", *words.split()])
    found = [json.loads(line)["text"] for line in capsys.readouterr().out.splitlines()]
    async with searching(tmp_path, words) as (app, pilot):
        await until_shown(app, pilot, found[0] if found else "nothing found")
        assert [one.hit.text for one in app._rows if one.hit is not None] == found


async def test_a_session_is_resumed_after_a_question_that_shows_the_whole_command(
    tmp_path: Path,
) -> None:
    async with searching(tmp_path, "kettle") as (app, pilot):
        await until_shown(app, pilot, "turn 1, #4")
        await pilot.press("alt+r")
        await until_shown(app, pilot, "Start this agent, and resume its session?")
        assert "tea-agent --acp" in screen_text(app)
        assert "in /w" in screen_text(app)
        await until_armed(pilot)
        await pilot.press("enter")  # the mark begins at "no"
        await until_shown(app, pilot, "turn 1, #4")
        assert app.return_value is None
        await pilot.press("alt+r")
        await until_armed(pilot)
        await pilot.press("2")
    assert app.return_value is not None
    assert app.return_value.resume


async def test_what_ran_in_a_sandbox_is_not_started_without_it(tmp_path: Path) -> None:
    made = wire()
    made.records.insert(0, ProcessStarted(99.0, ("tea-agent",), "/w", 1, "sandbox"))
    async with searching(tmp_path, "kettle", made) as (app, pilot):
        await until_shown(app, pilot, "turn 1, #4")
        await pilot.press("alt+r")
        await until_shown(app, pilot, "it ran in another place (sandbox)")
    assert app.return_value is None


async def test_what_is_wrong_with_a_query_is_said_and_escape_leaves(tmp_path: Path) -> None:
    async with searching(tmp_path, "kind:tea") as (app, pilot):
        await until_shown(app, pilot, "kind:tea: there are prompt, message")
        await pilot.press("escape")
    assert app.return_value is None


async def test_the_question_has_its_keys_for_itself(tmp_path: Path) -> None:
    async with searching(tmp_path, "kettle") as (app, pilot):
        await until_shown(app, pilot, "turn 1, #4")
        await pilot.press("alt+r")
        await until_armed(pilot)
        await pilot.press("down", "enter")
    assert app.return_value is not None
    assert app.return_value.resume


async def test_what_is_found_once_the_screen_is_being_left_ends_nothing(tmp_path: Path) -> None:
    async with searching(tmp_path) as (app, _):
        await app.screen.query("*").remove()  # as it is when one leaves
        app._show([])
        assert app._marked is None


async def test_what_is_found_is_counted_and_stands_below_its_recording(tmp_path: Path) -> None:
    record("20260102-000000-tea-2", wire())
    async with searching(tmp_path, "teapot kind:prompt") as (app, pilot):
        await until_shown(app, pilot, "2 found in 2 recordings")
        shown = screen_text(app).splitlines()
        heads = [at for at, row in enumerate(shown) if "── w · a 1 · " in row]
        assert len(heads) == 2
        assert all("Fix the teapot" in shown[at + 1] for at in heads)
        assert shown[heads[0] + 1].startswith("▌")
        await pilot.press("down")
        await until_shown(app, pilot, "▌")
        assert screen_text(app).splitlines()[heads[1] + 1].startswith("▌")


async def test_without_anything_found_no_key_opens_it(tmp_path: Path) -> None:
    async with searching(tmp_path) as (app, pilot):
        await until_shown(app, pilot, "Enter open the moment")
        await pilot.press(*"nowhere")
        await until_shown(app, pilot, "nothing found")
        assert "open the moment" not in screen_text(app)
        assert "Esc quit" in screen_text(app)


async def test_on_a_wide_screen_what_is_marked_stands_beside_the_list(tmp_path: Path) -> None:
    async with searching(tmp_path, "kettle", size=(160, 30)) as (app, pilot):
        await until_shown(app, pilot, "found in 1 recording")
        await until_shown(app, pilot, "a 1 in /w, turn 1")
        rows = screen_text(app).splitlines()
        assert any("── w ·" in row and "a 1 in /w, turn 1" in row for row in rows)


async def test_what_is_found_meanwhile_does_not_hide_a_fault(tmp_path: Path) -> None:
    async with searching(tmp_path) as (app, pilot):
        await until_shown(app, pilot, "prompt   Fix the teapot")
        app.show_fault("A bug in acp-tui, in the key down: oh")
        record("20260101-000001-kettle-1", wire("Fill the kettle"))
        app.run_worker(app._update, thread=True)
        found = len(app._rows)
        with anyio.fail_after(PATIENCE):
            while len(app._rows) == found:
                await moment(pilot)
        await pilot.pause()
        assert "A bug in acp-tui" in screen_text(app)
        await pilot.press(*"tea")
        with anyio.fail_after(PATIENCE):
            while "A bug in acp-tui" in screen_text(app):
                await moment(pilot)
