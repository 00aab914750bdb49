"""The settings on the screen: where each comes from, and what a change does."""

import re
from collections.abc import Iterator
from functools import partial
from itertools import cycle
from pathlib import Path

import pytest

from acp_tui.config.layers import load_settings
from acp_tui.config.paths import own_themes, settings_file
from acp_tui.config.settings import Settings
from acp_tui.config.themes import theme_files
from acp_tui.host.agent import Agent
from acp_tui.state.commands import Command, UseSetting
from acp_tui.state.state import State
from acp_tui.ui import bindings
from acp_tui.ui.app import AcpApp
from acp_tui.ui.feature import AppReady, SettingsChanged
from acp_tui.ui.keymap import move_keys
from acp_tui.ui.keys import MOVED, key_name
from acp_tui.ui.lines.lines import measure
from acp_tui.ui.textual_fixes.key_bindings import rebind_keys
from tests.unit.state.conversation import Conversation
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


@pytest.fixture
def keys_move_back(tmp_path: Path) -> Iterator[None]:
    """Leave the keys of this process as they were."""
    yield
    move_keys(Settings(), tmp_path)
    AcpApp.BINDINGS[:] = [*bindings.EVERYWHERE, *bindings.SESSION_KEYS]
    rebind_keys([])


def follow_file(it: Running) -> None:
    """Follow the settings file, as a run on a terminal does."""
    it.app.feature.settings.file = settings_file()
    it.app.feature.settings.followed.known = load_settings(settings_file())
    it.app.feature.settings.watch(AppReady())


async def opened(it: Running) -> None:
    it.app.feature.settings.file = settings_file()
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
        await it.until(
            lambda: "false" in file.read_text() and not it.app.feature.questions.bell_enabled
        )
        assert file.read_text() == "# mine\nbell = false # loud\n"


async def test_settings_whose_names_have_the_words_come_first_and_what_is_set_says_where() -> None:
    write("prose_width = 90\nhints = false\n")
    async with running(states.opened()[0], (100, 30)) as it:
        await opened(it)
        await it.write("key")
        await it.until(lambda: " of " in it.screen)
        assert it.screen.index("key_preset") < it.screen.index("hints")
        rows = [row.strip(" │▌").split() for row in it.rows()]
        assert ["hints", "false", "true", "settings.toml:2:1"] in rows
        assert ["key_preset", "default"] in rows


async def test_a_setting_goes_back_to_its_default_and_all_else_stays() -> None:
    file = write("# mine\nbell = false # loud\nprose_width = 90\n")
    async with running(Conversation().state, (80, 24)) as it:
        await opened(it)
        await it.write("ring")
        assert "Delete back to the default" in it.screen
        await it.press("enter")
        assert "Delete back to the default" in it.screen
        await it.press("delete")
        await it.until(
            lambda: (
                file.read_text() == "# mine\nprose_width = 90\n"
                and it.app.feature.questions.bell_enabled
            )
        )
        await it.until(lambda: "bell: true from now on, the default" in it.screen)
        await it.press("delete")
        assert "your settings don't set it" in it.screen
        assert file.read_text() == "# mine\nprose_width = 90\n"


async def test_a_setting_tells_its_unit_what_holds_without_it_and_what_it_is_for() -> None:
    write("prose_width = 90\n")
    async with running(Conversation().state, (120, 24)) as it:
        await opened(it)
        [width] = [row.split() for row in it.rows() if "prose_width" in row]
        assert width[2:7] == ["90", "cells", "110", "cells", "settings.toml:1:1"]
    async with running(Conversation().state, (80, 24)) as it:
        await opened(it)
        rows = list(it.rows())
        [width] = [row.split() for row in rows if "prose_width" in row]
        assert width[2:5] == ["90", "cells", "settings.toml:1:1"]
        assert any("icons" in row and "automatic" in row for row in rows)
        assert any("┃" in row for row in rows)
        await it.write("question")
        assert "Setting" in it.screen
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
        it.app.feature.recall.path = kept = tmp_path / "prompts"
        await it.press("a", "enter")
        await it.until(kept.exists)
        await opened(it)
        await it.write("history")
        await it.press("enter", "down", "enter")
        await it.until(lambda: not it.app.feature.recall.enabled)
        before = kept.read_text()
        await it.press("escape", "b", "enter", "ctrl+r")
        await it.until(lambda: "Tab" in it.screen)
        assert kept.read_text() == before


async def test_the_dialog_says_from_when_on_a_change_holds_and_where_it_is_kept() -> None:
    write("")
    async with running(Conversation().state, (120, 24)) as it:
        await opened(it)
        for name, value, words in (
            ("recordings.kept", "9", "recordings.kept: 9 when the next recording begins, kept in"),
            ("otel", None, "otel: true from the next turn on, kept in"),
            ("fold_pastes", "9", "fold_pastes: 9 lines from now on, kept in"),
        ):
            if value is None:
                await it.write(name)
                assert "; a change holds from the next" in it.screen
                await it.press("enter", "up", "enter")
            else:
                await changed(it, name, value)
            await it.until(partial(is_seen, it, words))
            assert not it.app.notes
            await it.press("ctrl+u")


def is_seen(it: Running, words: str) -> bool:
    return words in it.screen


async def test_a_preset_moves_keys_at_once_in_all_that_is_open(keys_move_back: None) -> None:
    file = write("")
    state, _ = states.opened()
    async with running(state, (120, 40)) as it:
        await opened(it)
        await it.write("key_preset")
        await it.press("enter", "down", "enter")
        await it.until(lambda: "emacs" in file.read_text() and bool(MOVED))
        await it.press("ctrl+u", "ctrl+p", "enter")
        assert "notify.after" in it.screen
        await it.press("escape", "escape", "f1")
        await it.write("close the session")
        assert "Alt+K" in it.screen
        await it.press("escape")
        await opened(it)
        await it.write("key_preset")
        await it.press("enter", "up", "enter")
        await it.until(lambda: "default" in file.read_text() and not MOVED)


async def test_keys_moved_in_the_file_hold_as_soon_as_it_is_saved(keys_move_back: None) -> None:
    file = write("bell = true\n")
    state, _ = states.opened()
    async with running(state, (120, 40)) as it:
        follow_file(it)
        await it.press("f1")
        await it.write("f12")
        assert "Alt+I" not in it.screen
        await it.press(*["backspace"] * 3)
        file.write_text('bell = false\n[keys.everywhere]\nF12 = "Alt+I"\n')
        await it.until(lambda: not it.app.feature.questions.bell_enabled)
        await it.write("protocol messages")
        assert "Alt+I" in it.screen
        assert "│   F12" not in it.screen
        await it.press("escape")
        await it.until(lambda: "Alt+I" in it.row_of_keys)
        await it.press("f12")
        assert it.app.screen is it.app.conversation
        await it.press("alt+i")
        await it.until(lambda: it.app.screen is not it.app.conversation)


async def test_a_mistake_in_the_saved_file_is_told_and_changes_nothing(
    keys_move_back: None,
) -> None:
    file = write('[keys.everywhere]\nF12 = "Alt+I"\n')
    async with running(Conversation().state) as it:
        follow_file(it)
        move_keys(load_settings(file), file)
        it.app.use_keys()
        file.write_text('[keys.everywhere]\nF12 = "F7"\n')
        await it.until(partial(is_told, it, "F7 is taken"))
        assert key_name("f12") == "Alt+I"
        file.write_text("bell = maybe\n")
        await it.until(partial(is_told, it, "settings.toml:1"))
        assert it.app.feature.questions.bell_enabled


async def test_a_change_in_the_file_is_told_also_after_the_settings_were_looked_at() -> None:
    file = write("")
    async with running(Conversation().state) as it:
        follow_file(it)
        await opened(it)
        file.write_text("bell = false\n")
        await it.until(lambda: "settings.toml:1" in it.screen)
        await it.press("escape")
        file.write_text("bell = false\nprose_width = 90\n")
        await it.until(lambda: "changed in settings.toml: prose_width" in it.note)


async def test_drafts_are_kept_no_more_at_once_and_then_again(tmp_path: Path) -> None:
    write("")
    state, _ = states.opened()
    async with running(state) as it:
        folder = it.app.feature.drafts.folder = tmp_path / "drafts"
        it.app.feature.drafts.use_settings(SettingsChanged(Settings()))
        await it.write("unsent words")
        await it.until(lambda: any(folder.glob("*.json")))
        await opened(it)
        await it.write("drafts")
        await it.press("enter", "down", "enter")
        await it.until(lambda: not any(folder.glob("*.json")))
        await it.press("enter", "up", "enter")
        await it.until(lambda: any("unsent" in one.read_text() for one in folder.glob("*.json")))


async def test_the_index_is_kept_up_to_date_no_more_at_once() -> None:
    write("")
    async with running(Conversation().state) as it:
        await opened(it)
        await it.write("index")
        await it.press("enter", "down", "enter")
        await it.until(lambda: not it.app.feature.settings.followed.indexing_enabled)


async def test_the_room_for_recordings_is_told_to_all_agents() -> None:
    write("")
    state, _ = states.opened()
    async with running(state) as it:
        await opened(it)
        await changed(it, "recordings.gigabytes", "2")
        await it.until(lambda: UseSetting("recordings.gigabytes", 2.0) in it.asked)


async def test_a_preset_whose_keys_are_taken_is_not_kept() -> None:
    file = write('[keys.transcript]\n"s" = "Ctrl+P"\n')
    async with running(Conversation().state, (80, 24)) as it:
        await opened(it)
        await it.write("key_preset")
        await it.press("enter", "down", "enter")
        await it.until(lambda: "Ctrl+P is taken" in it.screen)
        told = " ".join(it.screen.replace("│", " ").split())
        assert 'give that another key, or "" for none' in told
        assert "Esc back" in it.screen
        assert "emacs" not in file.read_text()


async def test_a_broken_file_is_told_and_stays_as_it_is() -> None:
    async with running(Conversation().state, (80, 24)) as it:
        file = write("bell = maybe")
        await it.press("f10")
        # Without blanks and edges: the line may wrap.
        await it.until(lambda: "settings.toml:1:8" in re.sub(r"[\s▌▐]", "", it.screen))
        assert file.read_text() == "bell = maybe"


async def test_the_theme_of_f3_is_kept() -> None:
    file = write("# colors\n")
    async with running(Conversation().state) as it:
        it.app.feature.settings.file = file
        await it.press("f3")
        await it.write("moss")
        assert it.app.theme == "moss"
        assert file.read_text() == "# colors\n"
        await it.press("enter")
        await it.until(lambda: "theme: moss from now on, kept in" in it.note)
        assert file.read_text() == '# colors\ntheme = "moss"\n'
        assert it.app.theme == "moss"


def is_told(it: Running, words: str) -> bool:
    """Whether a note has these words, however they are wrapped."""
    return any(words in " ".join(one.words.split()) for one in it.app.notes)


async def test_an_own_theme_that_is_chosen_among_the_settings_is_followed() -> None:
    write("")
    own_themes().mkdir(parents=True)
    file = own_themes() / "mine.toml"
    text = theme_files()["night"].read_text("utf-8")
    file.write_text(text, "utf-8")
    async with running(Conversation().state) as it:
        await opened(it)
        await it.write("theme")
        await it.press("enter")
        await it.write("mine")
        await it.press("enter")
        await it.until(lambda: it.app.theme == "mine")
        before = it.app.current_theme.background
        assert before is not None
        background = it.app.screen.styles.background
        # the first look may come after the file was written: it is written until that is seen
        shades = cycle(range(0x30, 0x80))

        def is_followed() -> bool:
            file.write_text(text.replace(before, f"#{next(shades):02x}0000"), "utf-8")
            return it.app.screen.styles.background != background

        await it.until(is_followed)


async def test_an_own_theme_is_followed_as_it_is_edited() -> None:
    own_themes().mkdir(parents=True)
    file = own_themes() / "night.toml"
    text = theme_files()["night"].read_text("utf-8")
    file.write_text(text, "utf-8")
    async with running(Conversation().state) as it:
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


@pytest.mark.parametrize("text", ["", "bell = false\n"])
async def test_defaults_have_a_column_where_a_setting_differs_from_its_own(text: str) -> None:
    write(text)
    async with running(Conversation().state, (120, 24)) as it:
        await opened(it)
        [heading] = (row for row in it.rows() if "Setting " in row and "Value" in row)
        assert ("Default" in heading) == bool(text)
