"""What was chosen on a screen holds in the next run."""

import json
from pathlib import Path

import pytest

from acp_tui.protocol.content import ContentItem, Diff, TextContent
from acp_tui.state.blocks import TextRun
from acp_tui.state.entries import MessageEntry, Role, ToolCallEntry
from acp_tui.state.state import State
from tests.examples import parametrize
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running

pytestmark = pytest.mark.anyio


def with_diff() -> State:
    state, session = states.talked()
    diff = Diff(path=f"{session.cwd}/a.txt", old_text="old\n", new_text="new\n")
    at = states.NOW
    session.entries.append(
        ToolCallEntry("t", at, status="completed", content=[diff], kind="edit", ended=at)
    )
    return state


def has_split(it: Running) -> bool:
    return any("old" in row and "new" in row and "-" in row for row in it.rows())


async def test_how_diffs_are_drawn_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "choices.json"
    async with running(with_diff(), (132, 20)) as it:
        it.app.feature.choices.path = file
        await it.changed()
        assert has_split(it)
        await it.press("tab", "s")
        assert not has_split(it)
        await it.until(file.exists)
    assert json.loads(file.read_text()) == {"split_diffs": False}
    async with running(with_diff(), (132, 20)) as it:
        it.app.feature.choices.path = file
        await it.changed()
        await it.until(lambda: not has_split(it))


def with_thoughts() -> State:
    """A session with two thoughts and two calls of the same kind, of which one failed."""
    state, session = states.talked()
    at = states.NOW
    for number in range(2):
        words = TextRun([f"head\n\nthinking {number}"])
        session.entries.append(MessageEntry(Role.THOUGHT, at, blocks=[words], ended=at))
    for number, status in enumerate(("completed", "failed")):
        text = ContentItem(content=TextContent(text=f"found {number}"))
        session.entries.append(
            ToolCallEntry(f"t{number}", at, status=status, content=[text], kind="search", ended=at)
        )
    return state


async def test_what_is_folded_of_a_kind_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "choices.json"
    async with running(with_thoughts(), (80, 30)) as it:
        it.app.feature.choices.path = file
        await it.changed()
        assert "thinking 0" not in it.screen
        await it.press("tab", "up", "up", "up", "z")
        shown = it.screen
        assert "all thoughts open, in later runs, too" in shown
        assert ["thinking 0" in shown, "thinking 1" in shown] == [True, True]
        await it.press("down", "down", "z")
        shown = it.screen
        assert ["found 0" in shown, "found 1" in shown] == [True, True]
        await it.press("z")
        shown = it.screen
        assert ["found 0" in shown, "found 1" in shown] == [False, True]
        await it.until(lambda: file.exists() and '"search tool calls": false' in file.read_text())
        await it.press("home", "z")
        assert "there is nothing to fold of this kind" in it.screen
    async with running(with_thoughts(), (80, 30)) as it:
        it.app.feature.choices.path = file
        await it.changed()
        await it.until(lambda: "thinking 0" in it.screen)
        assert "found 0" not in it.screen


async def test_columns_that_are_not_wanted_stay_away(tmp_path: Path) -> None:
    file = tmp_path / "choices.json"
    state, _ = states.talked()
    async with running(state, (132, 20)) as it:
        it.app.feature.choices.path = file
        await it.changed()
        it.app.feature.choices.hide_columns({"time"})
        await it.until(file.exists)
    async with running(state, (132, 20)) as it:
        it.app.feature.choices.path = file
        await it.changed()
        await it.until(lambda: it.app.feature.choices.hidden_columns == {"time"})
        await it.press("f12")
        inspector = it.app.feature.inspector.front
        assert inspector is not None
        assert inspector.table.hidden == {"time"}


@parametrize(1, "text", ["{", "[]", '{"split_diffs": 3, "hidden_columns": "x"}', "[" * 9])
async def test_a_file_that_is_none_of_ours_chooses_nothing(tmp_path: Path, text: str) -> None:
    file = tmp_path / "choices.json"
    file.write_text(text)
    async with running(with_diff(), (132, 20)) as it:
        it.app.feature.choices.path = file
        await it.changed()
        it.app.feature.choices.split(is_split=True)
        await it.until(lambda: '"split_diffs": true' in file.read_text())
        assert it.app.feature.choices.hidden_columns == set()


async def test_the_last_mode_is_told_in_a_new_session_and_not_set(tmp_path: Path) -> None:
    file = tmp_path / "choices.json"
    state, _ = states.talked()
    async with running(state, (80, 24)) as it:
        it.app.feature.choices.path = file
        await it.changed()
        await it.press("shift+tab")
        (asked,) = it.asked
        await it.until(file.exists)
    (mode,) = json.loads(file.read_text())["modes"].values()
    assert "Mode" in type(asked).__name__ or "Config" in type(asked).__name__
    state, _ = states.opened()
    async with running(state, (80, 24)) as it:
        it.app.feature.choices.path = file
        await it.changed()
        await it.until(lambda: f"your last one was {mode}; Shift+Tab changes it" in it.screen)
        assert it.asked == []
