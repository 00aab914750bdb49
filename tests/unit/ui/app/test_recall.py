"""Prompts of earlier runs: found by going back, and by their words."""

from pathlib import Path
from threading import Event

import pytest

from acp_tui.store.prompts import PromptFile, SentPrompt
from acp_tui.ui.prompt import recall
from tests.hosting import PATIENCE
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall, "LATER", 0.0)


def kept(folder: Path, *sent: tuple[str, str]) -> PromptFile:
    """A file with prompts: where each was sent, and its text."""
    file = PromptFile(folder / "prompts.jsonl")
    for where, text in sent:
        file.add_prompt(where, text)
    return file


async def begin(it: Running, file: PromptFile) -> None:
    """Go on as if these had been there from the beginning."""
    it.app.feature.recall.path = file._path
    await it.changed()
    await it.until(lambda: bool(it.app.conversation.prompt.earlier.prompts) or not file.load())


async def test_going_back_finds_what_earlier_runs_sent_in_this_folder(tmp_path: Path) -> None:
    state, _ = states.opened()
    file = kept(tmp_path, ("/elsewhere", "other"), (states.CWD, "brew"), (states.CWD, "pour"))
    async with running(state) as it:
        await begin(it, file)
        await it.write("draft")
        await it.press("up")
        assert it.prompt == "pour"
        await it.press("up", "up")
        assert it.prompt == "brew"
        await it.press("down", "down")
        assert it.prompt == "draft"


async def test_up_that_comes_before_the_file_is_read_finds_the_prompt_once_it_is(
    tmp_path: Path,
) -> None:
    state, _ = states.opened()
    file = kept(tmp_path, (states.CWD, "brew"), (states.CWD, "pour"))
    async with running(state) as it:
        await it.press("up", "up")
        assert it.prompt == ""
        await begin(it, file)
        await it.until(lambda: it.prompt == "brew")
        await it.press("down", "down")
        assert it.prompt == ""


async def test_what_was_written_meanwhile_stays_when_the_file_is_read(tmp_path: Path) -> None:
    state, _ = states.opened()
    file = kept(tmp_path, (states.CWD, "brew"))
    async with running(state) as it:
        await it.press("up", "m")
        await begin(it, file)
        assert it.prompt == "m"


async def test_what_is_sent_is_kept_once_for_all_runs(tmp_path: Path) -> None:
    state, _ = states.opened()
    file = PromptFile(tmp_path / "prompts.jsonl")
    async with running(state) as it:
        it.app.feature.recall.path = file._path
        await it.press("t", "enter", *" n", "enter")
        await it.until(lambda: len(it.asked) == 2 and bool(file.load()))
    assert [(one.folder, one.text) for one in file.load()] == [(states.CWD, "t")]


async def test_ctrl_r_searches_and_sends_nothing(tmp_path: Path) -> None:
    state, _ = states.opened()
    file = kept(
        tmp_path,
        (states.CWD, "brew tea"),
        ("/b", "brew milk"),
        (states.CWD, "pour\ntwo"),
        ("/b", "brew tea"),
    )
    async with running(state) as it:
        await begin(it, file)
        await it.press("m", "ctrl+r")
        await it.until(lambda: "pour  +1 line" in it.screen)
        assert "brew milk" not in it.screen
        await it.press("escape")
        assert it.prompt == "m", "as it was"
        await it.press("ctrl+r", "ctrl+r", "enter")
        assert it.prompt == "brew tea"
        await it.press("ctrl+z")
        assert it.prompt == "m"
        await it.press("ctrl+r")
        await it.until(lambda: "brew tea" in it.screen)
        await it.press("tab")
        await it.until(lambda: "/b" in it.screen)
        shown = it.screen
        assert shown.index("brew tea") < shown.index("pour"), "it was sent again elsewhere"
        await it.press(*"mil", "enter")
        assert it.prompt == "brew milk"
        assert not it.asked


async def test_escapes_in_the_file_reach_no_terminal(tmp_path: Path) -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await begin(it, kept(tmp_path, (states.CWD, "a\x1b]0;x\x07b")))
        await it.press("ctrl+r")
        await it.until(lambda: "ab" in it.screen)
        await it.press("enter")
        assert "\x1b" not in it.prompt


async def test_a_second_ctrl_r_before_the_file_is_read_opens_no_second_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_load = Event()
    load = PromptFile.load

    def load_late(file: PromptFile) -> list[SentPrompt]:
        may_load.wait(PATIENCE)
        return load(file)

    state, _ = states.opened()
    file = kept(tmp_path, (states.CWD, "brew"))
    async with running(state) as it:
        await begin(it, file)
        monkeypatch.setattr(PromptFile, "load", load_late)
        await it.press("ctrl+r", "ctrl+r")
        may_load.set()
        await it.until(lambda: "brew" in it.screen)
        await it.press("escape")
        assert it.app.screen is it.app.conversation
