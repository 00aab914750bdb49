"""The settings on the screen: where each comes from, and what a change does."""

from collections.abc import Iterator
from functools import partial
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
from acp_tui.ui.feature import AppReady, SettingsChanged, ViewRefreshed
from acp_tui.ui.keymap import move_keys
from acp_tui.ui.keys import MOVED, key_name
from acp_tui.ui.lines.lines import measure
from acp_tui.ui.prompt import drafts
from acp_tui.ui.prompt.recall_picker import RecallPicker
from acp_tui.ui.settings import feature
from acp_tui.ui.textual_fixes.key_bindings import rebind_keys
from tests.unit.state.conversation import Conversation
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running
from tests.unit.ui.features.window import FakeWindow

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def files_are_looked_at_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look is cheaper than to wait for the next one."""
    monkeypatch.setattr(feature, "PERIOD", 0.02)
    monkeypatch.setattr(feature, "THEME_PERIOD", 0.02)


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


async def test_a_setting_is_changed_or_goes_back_to_its_default_and_all_else_stays() -> None:
    keys = '[keys.transcript]\n"s" = "Ctrl+P"\n'
    file = write(f"# mine\nbell = true # loud\nprose_width = 90\n{keys}")
    async with running(Conversation().state, (80, 24)) as it:
        questions = it.app.feature.questions
        it.app.feature.settings.file = file
        await it.press_at_once("f10", "f10")  # it opens once
        await it.until(lambda: len(it.app.screen_stack) == 2)
        page = it.screen
        assert "settings.toml:2" in page
        assert "Enter change" in page
        await it.paste("ring")
        page = it.screen
        assert "prose_width" not in page
        assert "Delete back to the default" in page
        await it.press("enter")
        page = it.screen
        assert "● true" in page
        assert "Delete back to the default" in page
        await it.press("down", "enter")
        await it.until(lambda: "false" in file.read_text() and not questions.bell_enabled)
        assert file.read_text() == f"# mine\nbell = false # loud\nprose_width = 90\n{keys}"
        await it.press("delete")
        await it.until(lambda: "bell" not in file.read_text() and questions.bell_enabled)
        await it.until(lambda: "bell: true from now on, the default" in it.screen)
        await it.press("delete")
        assert "your settings don't set it" in it.screen
        assert file.read_text() == f"# mine\nprose_width = 90\n{keys}"
        await it.press("ctrl+u")
        await it.paste("prose")
        await it.press("enter", "ctrl+u", *"no", "enter")
        assert "must be a whole number" in it.screen
        assert file.read_text() == f"# mine\nprose_width = 90\n{keys}"
        await it.press("ctrl+u", *"80", "enter")
        await it.until(lambda: file.read_text() == f"# mine\nprose_width = 80\n{keys}")
        await it.press("ctrl+u")
        await it.paste("key_preset")
        await it.press("enter", "down", "enter")
        await it.until(lambda: "Ctrl+P is taken" in it.screen)
        page = it.screen
        assert 'give that another key, or "" for none' in " ".join(page.replace("│", " ").split())
        assert "Esc back" in page
        assert file.read_text() == f"# mine\nprose_width = 80\n{keys}"
        await it.press("escape", "escape")
        assert it.app.screen is it.app.conversation


async def test_a_setting_tells_its_value_unit_default_and_place_and_what_it_is_for() -> None:
    write("prose_width = 90\nhints = false\n")
    async with running(states.opened()[0], (120, 24)) as it:
        await opened(it)
        rows = it.rows()
        [width] = [row.split() for row in rows if "prose_width" in row]
        assert width[2:7] == ["90", "cells", "110", "cells", "settings.toml:1:1"]
        [heading] = (row for row in rows if "Setting " in row and "Value" in row)
        assert "Default" in heading
        await it.paste("key")
        page = it.screen
        assert page.index("key_preset") < page.index("hints"), "first who has it in its name"
        rows = [row.strip(" │▌").split() for row in page.splitlines()]
        assert ["hints", "false", "true", "settings.toml:2:1"] in rows
        assert ["key_preset", "default"] in rows
        await it.press("ctrl+u")
        await it.pilot.resize_terminal(80, 24)
        await it.press()
        rows = it.rows()
        [width] = [row.split() for row in rows if "prose_width" in row]
        assert width[2:5] == ["90", "cells", "settings.toml:1:1"]
        assert any("icons" in row and "automatic" in row for row in rows)
        assert any("┃" in row for row in rows)
        await it.paste("question")
        page = it.screen
        assert "Setting" in page
        assert "Seconds that you may take to answer before it is canceled" in page
        assert "default no limit; also ACP_TUI_LIMITS_QUESTION" in page
        assert "┃" not in page


async def changed(it: Running, name: str, value: str) -> None:
    """Change a setting that is written."""
    await it.paste(name)
    await it.press("enter", "ctrl+u")
    await it.paste(value)
    await it.press("enter")


async def test_the_width_of_prose_is_another_one_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "cells", measure.cells)
    talk = Conversation.opened()
    talk.prompt("long " * 30)
    talk.say("endless " * 30)
    async with running(talk.state, (120, 30)) as it:
        assert any(row.count("endless") > 10 for row in it.rows())
        followed = it.app.feature.settings.followed
        followed.start(Settings())
        followed.follow(Settings(prose_width=40), settings_file())
        await it.press()
        rows = it.rows()
        assert 0 < max(row.count("endless") for row in rows) <= 5
        assert 0 < max(row.count("long") for row in rows) <= 8


async def test_what_clients_follow_is_told_to_all_agents_and_to_those_that_come_later(
    tmp_path: Path,
) -> None:
    window = FakeWindow(states.opened()[0])
    followed = window.feature.settings.followed
    followed.start(Settings())
    values = {"limits": {"new": 7}, "recordings": {"gigabytes": 2}}
    followed.follow(Settings.model_validate(values), tmp_path / "settings.toml")
    window.emit(ViewRefreshed())
    told = [UseSetting("limits.new", 7.0), UseSetting("recordings.gigabytes", 2.0)]
    assert sorted(window.asked, key=str) == told
    assert window.tabs.agent.limits.new == 7.0
    later: list[Command] = []
    window.tabs.add(Agent(State(), later.append))
    for _ in range(2):
        window.emit(ViewRefreshed())
        assert sorted(later, key=str) == told
    values["limits"]["new"] = 9
    followed.follow(Settings.model_validate(values), tmp_path / "settings.toml")
    assert window.asked[-1] == later[-1] == UseSetting("limits.new", 9.0)
    await window.finish()


async def test_prompts_are_kept_no_more_at_once(tmp_path: Path) -> None:
    window = FakeWindow(states.opened()[0])
    recall = window.feature.recall
    recall.path = tmp_path / "prompts"
    recall.store("a")
    await window.finish()
    before = recall.path.read_text()
    assert "a" in before
    window.emit(SettingsChanged(Settings(history=False)))
    recall.store("b")
    await window.finish()
    assert recall.path.read_text() == before
    recall.open()
    await window.finish()
    picker = window.screens[-1]
    assert isinstance(picker, RecallPicker)
    assert picker._sent == []


async def test_the_dialog_says_from_when_on_a_change_holds_and_where_it_is_kept() -> None:
    write("")
    async with running(Conversation().state, (120, 24)) as it:
        await opened(it)
        [heading] = (row for row in it.rows() if "Setting " in row and "Value" in row)
        assert "Default" not in heading, "each has its default"
        for name, value, words in (
            ("recordings.kept", "9", "recordings.kept: 9 when the next recording begins, kept in"),
            ("fold_pastes", "9", "fold_pastes: 9 lines from now on, kept in"),
            ("otel", None, "otel: true from the next turn on, kept in"),
        ):
            if value is None:
                await it.paste(name)
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
        await it.paste("key_preset")
        await it.press("enter", "down", "enter")
        await it.until(lambda: "emacs" in file.read_text() and bool(MOVED))
        await it.press("ctrl+u", "ctrl+p", "enter")
        assert "notify.after" in it.screen
        assert key_name("alt+w") == "Alt+K"
        await it.press("escape")
        await it.paste("key_preset")
        await it.press("enter", "up", "enter")
        await it.until(lambda: "default" in file.read_text() and not MOVED)


async def test_keys_moved_in_the_file_hold_as_soon_as_it_is_saved_and_a_mistake_changes_nothing(
    keys_move_back: None,
) -> None:
    file = write("bell = true\n")
    state, _ = states.opened()
    async with running(state, (120, 40)) as it:
        follow_file(it)
        await it.press("f1")
        await it.paste("protocol messages")
        page = it.screen
        assert "│   F12" in page
        assert "Alt+I" not in page
        file.write_text('bell = false\n[keys.everywhere]\nF12 = "Alt+I"\n')
        await it.until(lambda: not it.app.feature.questions.bell_enabled)
        page = it.screen
        assert "Alt+I" in page
        assert "│   F12" not in page
        await it.press("escape")
        assert "Alt+I" in it.row_of_keys
        await it.press("f12")
        assert it.app.screen is it.app.conversation
        file.write_text('bell = false\n[keys.everywhere]\nF12 = "F7"\n')
        await it.until(partial(is_told, it, "F7 is taken"))
        assert key_name("f12") == "Alt+I"
        file.write_text("bell = maybe\n")
        await it.until(partial(is_told, it, "settings.toml:1"))
        assert not it.app.feature.questions.bell_enabled
        await it.press("alt+i")
        await it.until(lambda: it.app.screen is not it.app.conversation)


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


async def test_drafts_are_kept_no_more_at_once_and_then_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts, "PERIOD", 0.0)
    window = FakeWindow(states.opened()[0])
    folder = window.feature.drafts.folder = tmp_path / "drafts"
    window.editor.write("unsent words")

    async def kept(settings: Settings) -> list[bool]:
        """Change the settings; return which files have what is unsent."""
        window.emit(SettingsChanged(settings))
        window.feature.drafts.follow_tabs(ViewRefreshed())
        await window.finish()
        return ["unsent" in one.read_text() for one in folder.glob("*.json")]

    assert await kept(Settings()) == [True]
    assert await kept(Settings(drafts=False)) == []
    assert await kept(Settings()) == [True]


async def test_a_broken_file_is_told_and_stays_as_it_is() -> None:
    file = write("bell = maybe")
    window = FakeWindow(Conversation().state)
    window.feature.settings.file = file
    window.feature.settings.open()
    await window.finish()
    [told] = window.toasts
    assert "settings.toml:1:8" in told
    assert len(window.screens) == 1
    assert file.read_text() == "bell = maybe"


async def test_the_theme_of_f3_is_kept() -> None:
    file = write("# colors\n")
    async with running(Conversation().state) as it:
        it.app.feature.settings.file = file
        await it.press("f3")
        await it.paste("moss")
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
        await it.paste("theme")
        await it.press("enter")
        await it.paste("mine")
        await it.press("enter")
        await it.until(lambda: it.app.theme == "mine" and it.app.feature.themes._follows)
        before = it.app.current_theme.background
        assert before is not None
        background = it.app.screen.styles.background
        file.write_text(text.replace(before, "#500000"), "utf-8")
        await it.until(lambda: it.app.screen.styles.background != background)


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
            (text.replace('primary = "#', 'primary = "ansi_pink#'), "primary: must be a color"),
            (f"{text}\n[variables]\nscrollbar = 'zzz'", "'zzz' is no color"),
        ):
            file.write_text(mistake, "utf-8")
            await it.until(partial(is_told, it, told))
            assert it.app.screen.styles.background.r > 70
