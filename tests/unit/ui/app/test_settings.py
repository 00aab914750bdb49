"""The settings on the screen: where each comes from, and what a change does."""

import re
from functools import partial
from pathlib import Path

import pytest

from acp_tui.config.paths import own_themes, settings_file
from acp_tui.config.themes import theme_files
from acp_tui.session.commands import Command, UseSetting
from acp_tui.session.state import State
from acp_tui.ui.lines.measure import measure
from acp_tui.ui.sessions.agent import Agent
from tests.unit.session.conversation import Conversation
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def write(text: str) -> Path:
    file = settings_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


async def opened(it: Running) -> None:
    it.app.controllers.settings.file = settings_file()
    await it.press("f10")
    await it.until(lambda: "Search the settings" in it.screen)


async def test_a_setting_is_found_and_changed_and_comments_stay() -> None:
    file = write("# mine\nbell = true # loud\n")
    async with running(Conversation().state, (80, 24)) as it:
        await opened(it)
        assert "settings.toml:2" in it.screen
        assert "Enter change" in it.screen
        await it.write("ring")
        assert "prose_width" not in it.screen
        await it.press("enter")
        assert "● true" in it.screen
        await it.press("down", "enter")
        await it.until(lambda: "false" in file.read_text() and not it.app.rings)
        assert file.read_text() == "# mine\nbell = false # loud\n"


async def test_a_setting_tells_its_unit_what_holds_without_it_and_what_it_is_for() -> None:
    write("prose_width = 90\n")
    async with running(Conversation().state, (80, 24)) as it:
        await opened(it)
        rows = list(it.rows())
        [width] = [row.split() for row in rows if "prose_width" in row]
        assert width[2:7] == ["90", "cells", "110", "cells", "settings.toml:1:1"]
        assert any("icons" in row and "automatic" in row for row in rows)
        assert any("┃" in row for row in rows)
        await it.write("question")
        assert "Setting" in it.screen
        await it.press("down")
        assert "Seconds that you may take to answer before it is canceled" in it.screen
        assert "default no limit; also ACP_TUI_LIMITS_QUESTION" in it.screen
        assert "┃" not in it.screen


async def test_pressed_twice_it_opens_once() -> None:
    async with running(Conversation().state, (80, 24)) as it:
        await it.press_at_once("f10", "f10")
        await it.until(lambda: "Search the settings" in it.screen)
        await it.press("escape")
        assert "Search the settings" not in it.screen


async def test_a_wrong_value_is_said_and_can_be_mended() -> None:
    file = write("")
    async with running(Conversation().state, (80, 24)) as it:
        await opened(it)
        await it.write("prose")
        await it.press("enter")
        await it.press(*["backspace"] * 3, *"wide", "enter")
        await it.until(lambda: "must be a whole number" in it.screen)
        assert file.read_text() == ""
        await it.press(*["backspace"] * 4, *"90", "enter")
        await it.until(lambda: file.read_text() == "prose_width = 90\n")


async def changed(it: Running, name: str, value: str) -> None:
    """Change a setting that is written."""
    await it.write(name)
    await it.press("enter", "ctrl+u", *value, "enter")


async def test_the_width_of_prose_is_another_one_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "cells", measure.cells)
    write("")
    talk = Conversation.opened()
    talk.prompt("long " * 30)
    talk.say("endless " * 30)
    async with running(talk.state, (120, 40)) as it:
        assert any(row.count("endless") > 10 for row in it.rows())
        await opened(it)
        await changed(it, "prose_width", "40")
        await it.press("escape")
        await it.until(lambda: measure.cells == 40)
        assert 0 < max(row.count("endless") for row in it.rows()) <= 5
        assert 0 < max(row.count("long") for row in it.rows()) <= 8


async def test_what_clients_follow_is_told_to_all_agents_and_to_those_that_come_later() -> None:
    write("")
    state, _ = states.opened()
    async with running(state) as it:
        await opened(it)
        await changed(it, "limits.new", "7")
        await it.until(lambda: UseSetting("limits.new", 7.0) in it.asked)
        assert it.app.agent.limits.new == 7.0
        later: list[Command] = []
        it.app.tabs.add(Agent(State(), later.append))
        it.app.refresh_view()
        assert later == [UseSetting("limits.new", 7.0)]
        it.app.refresh_view()
        assert len(later) == 1


async def test_prompts_are_kept_no_more_at_once(tmp_path: Path) -> None:
    write("")
    state, _ = states.opened()
    async with running(state) as it:
        it.app.controllers.recall.path = kept = tmp_path / "prompts"
        await it.press("a", "enter")
        await it.until(kept.exists)
        await opened(it)
        await it.write("history")
        await it.press("enter", "down", "enter")
        await it.until(lambda: not it.app.controllers.recall.wanted)
        before = kept.read_text()
        await it.press("escape", "b", "enter", "ctrl+r")
        await it.until(lambda: "Tab" in it.screen)
        assert kept.read_text() == before


async def test_what_is_followed_at_once_is_what_the_page_says() -> None:
    write("")
    async with running(Conversation().state, (80, 24)) as it:
        await opened(it)
        for name, value, words in (
            ("recordings.kept", "9", "from the next start on"),
            ("fold_pastes", "9", "kept in"),
        ):
            it.app._notifications.clear()
            await changed(it, name, value)
            await it.until(lambda: bool(it.app._notifications))
            (said,) = [one.message for one in it.app._notifications]
            assert words in said
            await it.press("ctrl+u")


async def test_a_preset_whose_keys_are_taken_is_not_kept() -> None:
    file = write('[keys.transcript]\n"s" = "Ctrl+P"\n')
    async with running(Conversation().state, (80, 24)) as it:
        await opened(it)
        await it.write("key_preset")
        await it.press("enter", "down", "enter")
        await it.until(lambda: any("Ctrl+P is" in one.message for one in it.app._notifications))
        assert "emacs" not in file.read_text()


async def test_a_broken_file_is_told_and_stays_as_it_is() -> None:
    async with running(Conversation().state, (80, 24), notifications=True) as it:
        file = write("bell = maybe")
        await it.press("f10")
        await it.until(
            lambda: "settings.toml:1:8" in re.sub(r"[\s▌▐]", "", it.screen)
        )  # it may wrap
        assert file.read_text() == "bell = maybe"


async def test_the_theme_of_f3_is_kept() -> None:
    file = write("# colors\n")
    async with running(Conversation().state) as it:
        it.app.controllers.settings.file = file
        await it.press("f3")
        await it.until(lambda: "theme" in file.read_text())
        assert file.read_text() == f'# colors\ntheme = "{it.app.theme}"\n'


def is_told(it: Running, words: str) -> bool:
    """Whether a toast has these words, however they are wrapped."""
    return any(words in " ".join(one.message.split()) for one in it.app._notifications)


async def test_an_own_theme_is_followed_as_it_is_edited() -> None:
    own_themes().mkdir(parents=True)
    file = own_themes() / "night.toml"
    text = theme_files()["night"].read_text("utf-8")
    file.write_text(text, "utf-8")
    async with running(Conversation().state, notifications=True) as it:
        before = it.app.current_theme.background
        assert before is not None
        background = it.app.screen.styles.background
        file.write_text(text.replace(before, "#500000"), "utf-8")
        await it.until(lambda: it.app.screen.styles.background != background)
        assert it.app.screen.styles.background.r > 70
        for mistake, told in (
            ("description = ", "not valid TOML"),
            (text.replace(before, "#ff00"), "background: must be a color"),
            (text.replace('primary = "#', 'primary = "ansi_pink#'), "primary: must be a color"),
            (f"{text}\n[variables]\nscrollbar = 'zzz'", "'zzz' is no color"),
        ):
            file.write_text(mistake, "utf-8")
            await it.until(partial(is_told, it, told))
            assert it.app.screen.styles.background.r > 70
