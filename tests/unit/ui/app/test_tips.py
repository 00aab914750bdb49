"""Hints in the empty prompt: one after the other, each until what it is about was used."""

import json
from pathlib import Path

import pytest

from acp_tui.ui.feature import ActionDone
from tests.examples import parametrize
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running

pytestmark = pytest.mark.anyio


async def sent(it: Running, words: str) -> None:
    await it.write(words)
    await it.press("escape", "enter")


async def test_a_hint_goes_once_it_was_seen_or_used_and_stays_away(tmp_path: Path) -> None:
    state, _ = states.talked()
    file = tmp_path / "used.json"
    async with running(state, (80, 30)) as it:
        it.app.feature.tips.path = file
        await it.changed()
        assert "for its commands" not in it.screen  # it may have been used
        await it.until(lambda: "Ask the agent; / for its commands, @ for files" in it.screen)
        await sent(it, "x")
        await it.until(lambda: "Ask the agent; Alt+X lists all actions" in it.screen)
        await it.press("alt+x", "escape")
        await it.changed()
        assert "Ask the agent; Ctrl+R searches sent prompts" in it.screen
        await it.until(lambda: file.exists() and "recall" in file.read_text())
    async with running(states.talked()[0], (80, 30)) as it:
        it.app.feature.tips.path = file
        await it.changed()
        await it.until(lambda: "Ask the agent; F12 shows protocol messages" in it.screen)
        assert {"commands", "files", "palette", "recall"} <= {*json.loads(file.read_text())}


async def test_what_is_hinted_at_is_there_and_not_in_the_last_row_and_hints_are_wanted() -> None:
    state, session = states.talked()
    commands, session.commands = session.commands, []
    async with running(state, (100, 30)) as it:
        assert "Ask the agent; @ for files" in it.screen
        session.commands = commands
        state.peer.process.elsewhere = True
        await it.changed()
        assert "Ask the agent; / for its commands " in it.screen
        session.commands = []
        await it.pilot.resize_terminal(200, 30)
        for action in ("palette.open", "review.open", "recall.open"):
            it.app.emit(ActionDone(action))
        await it.changed()
        page = it.screen
        assert "F12 protocol" in page.splitlines()[-1]
        assert "Ask the agent " in page
        await it.pilot.resize_terminal(80, 30)
        await it.changed()
        assert "Ask the agent; F12 shows protocol messages" in it.screen
        it.app.feature.tips.enabled = False
        await it.changed()
        page = it.screen
        assert "Ask the agent" in page
        assert "F12 shows" not in page


@parametrize(1, "text", ["{", "[1, 2]", '"x"', "\0"])
async def test_a_file_that_is_none_of_ours_is_no_trouble(tmp_path: Path, text: str) -> None:
    file = tmp_path / "used.json"
    file.write_text(text)
    state, _ = states.talked()
    async with running(state, (100, 30)) as it:
        it.app.feature.tips.path = file
        await it.changed()
        await it.press("f7", "escape")
        await it.until(lambda: '"review"' in file.read_text())
