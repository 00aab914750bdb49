"""The keys that are shown can be clicked on: in the last row, in dialogs, and in what asks."""

import pytest

from acp_tui.state import commands
from acp_tui.ui.command_palette.dialog import PaletteDialog
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running
from tests.unit.ui.app.test_files import changed

pytestmark = pytest.mark.anyio


async def click(it: Running, words: str) -> None:
    """Click on words, where they stand last on the screen."""
    places = [(row.rfind(words), y) for y, row in enumerate(it.rows()) if words in row]
    await it.pilot.click(offset=(places[-1][0] + 1, places[-1][1]))
    await it.pilot.pause()


async def test_a_key_of_the_last_row_is_pressed_by_a_click() -> None:
    state, _session = states.talked()
    async with running(state, (120, 30)) as it:
        await click(it, "F1 keys")
        assert len(it.app.screen_stack) == 2
        await it.press("escape")
        await it.press("x")
        await click(it, "Enter send")
        assert it.prompt == ""
        assert isinstance(it.asked[-1], commands.SendPrompt)


async def test_keys_of_dialogs_are_pressed_by_clicks() -> None:
    state, _session = changed()
    async with running(state) as it:
        await it.press("f7", "down", "down", "down")
        await click(it, "u undo")
        assert "Undo this write?" in it.screen
        await it.wait_until_armed()
        await click(it, "Esc cancel")
        assert "Undo this write?" not in it.screen
        assert it.asked == []
        await click(it, "+ two")
        await it.until(lambda: "c comment" in it.screen)
        await click(it, "c comment")
        assert "Comment on this line" in it.screen


async def test_a_click_answers_a_question_only_when_its_key_does() -> None:
    state, _ = states.asking()
    async with running(state, (120, 30)) as it:
        await click(it, "Enter choose")  # too soon to be meant for the question
        assert it.asked == []
        await it.wait_until_armed()
        await it.write("no")
        await click(it, "Enter")
        assert not any(
            isinstance(one, commands.AnswerPermission) and one.option_id == "allow"
            for one in it.asked
        )


async def test_all_that_a_dialog_can_do_is_found_by_clicks_also_from_the_help() -> None:
    state, _session = changed()
    async with running(state, (110, 30)) as it:
        await it.press("f7")
        assert "- mine" in it.screen
        await click(it, "Alt+X more")
        page = it.screen
        assert "Commands and keys" in page
        assert "Cancel the turn" not in page
        await it.paste("next commit or turn")
        assert "no action matches" in it.screen
        await it.press("ctrl+u")
        await it.paste("side by")
        await click(it, "Side by side")
        assert stands_side_by_side(it)
        await it.press("f1")
        assert "Changed files" in it.rows()[3]
        await it.paste("patch")
        assert "Copy all listed changes as a patch" in it.screen
        await click(it, "Alt+X actions")
        await it.paste("side by")
        await click(it, "Side by side")
        assert not stands_side_by_side(it)


def stands_side_by_side(it: Running) -> bool:
    """Return whether both sides of the changed line stand in one row."""
    [row] = [row for row in it.rows() if "mine" in row]
    return "its" in row


SCREENS = {
    "the conversation": [],
    "the transcript": ["tab"],
    "changed files": ["f7"],
    "comments": ["f7", "tab", "c", "x", "enter", "C"],
    "rules": ["alt+p"],
    "sessions": ["ctrl+o"],
    "the inspector": ["f12"],
    "a frame": ["f12", "tab"],
    "held frames": ["f12", "H"],
    "the queue": [*"a", "enter", *"b", "enter", "f6"],
}


async def click_on_all(it: Running) -> None:
    """Open the list of all that can be done, by clicks alone."""
    if not any("Alt+X" in row for row in it.rows()):
        await click(it, "F1 keys")
    await click(it, "Alt+X")
    assert isinstance(it.app.screen, PaletteDialog)
    await it.press("escape")


async def test_a_click_leads_to_all_that_can_be_done() -> None:
    state, _session = changed()
    async with running(state) as it:
        for keys in ("left", "tab", "f7", ["tab", "c", "x", "enter", "C"]):
            await it.press(*([keys] if isinstance(keys, str) else keys))
            await click_on_all(it)


@pytest.mark.slow  # the same way through the program as in the test above
@pytest.mark.parametrize("keys", SCREENS.values(), ids=SCREENS)
@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_a_click_leads_to_all_that_can_be_done_on_every_screen(
    keys: list[str], size: tuple[int, int]
) -> None:
    state, _session = changed()
    async with running(state, size) as it:
        await it.press(*keys)
        await click_on_all(it)
