"""The palette of commands, and the help that is searched."""

import re

import pytest
from textual.widgets import Input

from acp_tui.protocol.updates import AvailableCommand
from acp_tui.ui import bindings
from acp_tui.ui.command_palette.dialog import PaletteDialog, find_actions
from acp_tui.ui.conversation.bindings import CONVERSATION
from acp_tui.ui.help.screen import HelpScreen, _page
from acp_tui.ui.prompt.bindings import PROMPT
from acp_tui.ui.question.elicitations import FormPanel
from acp_tui.ui.question.panel import QuestionPanel
from acp_tui.ui.transcript.transcript import Transcript
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running

pytestmark = pytest.mark.anyio


def found_by(it: Running, words: str) -> list[str]:
    """Return the actions that the open palette lists for these words, best match first."""
    palette = it.app.screen
    assert isinstance(palette, PaletteDialog)
    with palette.prevent(Input.Changed):
        palette._input.value = words
    palette.show()
    return [one.row.plain for one in palette._shown]


async def test_what_is_chosen_is_done_where_it_belongs() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("alt+x")
        await it.paste("changed files")
        assert "F7" in it.screen
        await it.press("enter")
        assert "No change reported yet. Files that the agent says" in it.screen
        await it.press("escape", "alt+x")
        await it.paste("turn above")
        await it.press("enter")
        assert isinstance(it.app.focused, Transcript)


async def test_words_come_first_and_keys_are_whole_on_a_small_screen() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("alt+x")
        page = it.screen
        listed = page.split("Everywhere", 1)[1].splitlines()[1:12]
        assert re.search(r"Copy, clear or quit +Ctrl\+C", page)
        assert not any("…" in line for line in listed)
        while "New line" not in page:  # beside a scroll bar
            await it.press("pagedown")
            page = it.screen
        assert "Shift+Enter, Alt+Enter, Ctrl+J " in page
        await it.paste("new line")
        assert re.search(
            r"New line; also . then Enter +Shift\+Enter, Alt\+Enter, Ctrl\+J", it.screen
        )
        assert "".join(found_by(it, "all keys")).count("Show all keys") == 1


async def test_what_would_do_nothing_is_found_with_the_reason_and_the_field_stays() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("alt+x")
        rows = it.rows()
        field = next(at for at, row in enumerate(rows) if "What do you want" in row)
        assert not any("Cancel the turn" in row for row in found_by(it, ""))
        for words, refusal in (
            ("session by number", ": only one tab is open"),
            ("waiting question", ": no question in another tab"),
            ("restart", "Restart an agent that is gone or stuck: the agent is running"),
        ):
            assert refusal in found_by(it, words)[0]
        await it.press("ctrl+u")
        await it.paste("cancel")
        rows = it.rows()
        assert "cancel" in rows[field]
        assert any("▌Cancel the turn: no turn is running" in row for row in rows)
        await it.press("enter")
        assert it.app.screen is it.app.conversation
        assert "no turn is running" in it.screen
        assert not it.asked
        state.peer.trouble = "session/load failed: the history is broken"
        await it.press("alt+x")
        assert "the agent is running" not in found_by(it, "restart")[0]


async def test_it_has_every_key_that_does_something_where_one_is() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        heard = [it.app, it.app.conversation, it.app.conversation.prompt]
        offered = [(one.keys, one.words) for one in find_actions(heard, [])]
    assert len(offered) == len(set(offered))
    assert not any(keys == "Alt+X" for keys, _ in offered)
    for table in (bindings.SESSION_KEYS, CONVERSATION, PROMPT):
        for keys, words in bindings.key_rows(table):
            assert (keys, words) in offered or words.startswith("In the ")  # a step of the cursor


async def test_enter_at_once_and_a_command_of_the_agent_send_nothing() -> None:
    state, session = states.talked()
    async with running(state) as it:
        name = session.commands[0].name
        await it.press(*"mine", "alt+x", "enter")
        assert isinstance(it.app.screen, HelpScreen)
        await it.press("escape", "alt+x")
        await it.paste(f"/{name}")
        await it.press("enter")
        assert it.prompt == f"/{name} "
        await it.press("ctrl+z")
        assert it.prompt == "mine"
        assert not it.asked


@pytest.mark.slow
async def test_a_wide_screen_has_two_columns_of_keys_and_each_row_its_words() -> None:
    state, _ = states.talked()
    for width, several in ((200, True), (80, False)):
        async with running(state, (width, 60)) as it:
            await it.press("f1")
            titles = {section.title for section in bindings.key_sections()}
            heads = [re.split(r"\s{2,}", row.strip(" │")) for row in it.rows()]
            assert any(len(titles.intersection(row)) > 1 for row in heads) is several
            await it.write("spelling of a key")
            assert "no matching key" in it.screen


async def test_help_opens_at_where_one_is_and_is_searched() -> None:
    state, session = states.asking()
    async with running(state, (150, 40)) as it:
        await it.press("f1")
        assert re.search("Question of the agent.* Everywhere", it.screen)  # in two columns
        await it.pilot.resize_terminal(80, 40)
        await it.press()
        page = it.screen
        assert page.index("Question of the agent") < page.index("Answer by number")
        assert page.index("Answer by number") < page.index("Everywhere")
        await it.press("escape", "tab", "f1")  # who reads wants the keys of the transcript
        page = it.screen
        assert "Entry above" in page
        assert "Answer by number" not in page
        await it.paste("copy mark")
        page = it.screen
        assert "Copy it as Markdown" in page
        assert "Entry above" not in page
        await it.paste("zzz")
        assert "no matching key" in it.screen
        await it.press("f1")
        assert it.app.screen is it.app.conversation
        session.permissions.clear()
        await it.changed()
        await it.press("tab")
        assert it.app.feature.questions.topic == ""
        assert bindings.section_of(it.app.focused) == "Prompt"


def test_help_about_a_place_has_its_parts_first_and_no_others_alike() -> None:
    heads = [one.title for one in bindings.key_sections("Prompt")][:3]
    assert heads == ["Prompt", "Prompt: writing, as in any shell", "Everywhere"]
    for panel in (QuestionPanel, FormPanel):
        assert bindings.key_sections(panel.topic)[0].title.startswith(panel.topic)


@pytest.mark.slow
async def test_keys_of_any_shell_stand_below_those_of_the_program() -> None:
    async with running(states.talked()[0], (100, 400)) as it:
        await it.press("f1")
        page = it.screen
        assert page.index("Send; during a turn") < page.index("Prompt: writing, as in any")
        assert page.index("Delete back to whitespace") < page.index("Switch between prompt")
        assert page.count("Character right; also Right") == 1


LOOKED_FOR = {
    "rewi": "Rewind",
    "review": "Changed files",
    "retry": "Send the last prompt again",
    "undo": "Undo the agent's last write",
    "fork": "Rewind",
    "split": "Show protocol messages alongside",
    "side": "Toggle diffs side by side",
    "detach": "Quit (agents can keep running)",
    "background": "Quit (agents can keep running)",
    "dark": "Themes",
    "theme": "Themes",
    "cost": "Options: model, mode, sign-in",
    "usage": "Options: model, mode, sign-in",
    "log": "Protocol messages",
    "help": "Show all keys",
    "quit": "Quit (agents can keep running)",
    "copy": "Copy the selection",
}
"""What is marked for the words that people use."""


async def test_words_that_people_use_find_actions_before_commands_of_the_agent() -> None:
    state, session = states.working()
    session.commands += [AvailableCommand(name=one, description=one) for one in LOOKED_FOR]
    session.commands += [
        AvailableCommand(name="tea", description="Brew, or show the zebra"),
        AvailableCommand(name="zebra", description="Draw an animal"),
    ]
    async with running(state) as it:
        await it.press("alt+x")
        palette = it.app.screen
        assert isinstance(palette, PaletteDialog)
        first = {sought: found_by(it, sought)[palette._listing.cursor] for sought in LOOKED_FOR}
        assert {one: row for one, row in first.items() if not row.startswith(LOOKED_FOR[one])} == {}
        begins = [row.startswith("Undo") for row in found_by(it, "undo") if row[0] != "/"]
        assert begins == sorted(begins, reverse=True)
        assert begins[0]
        assert not begins[-1]
        names = [row.split("  ")[0] for row in found_by(it, "zebra")]
        assert names == ["/zebra", "/tea"]  # whose name it is, before what only speaks of it
        assert found_by(it, "cancel")[0].startswith("Cancel the turn")
        assert any(row.startswith("Cancel the turn") for row in found_by(it, "stop"))


def test_help_has_first_what_the_words_of_people_mean() -> None:
    sections = bindings.sections_here("Prompt", is_alone=False)
    first = {}
    for sought in (*LOOKED_FOR, "cancel", "rewind", "history", "paste"):
        title, row, *_ = (line.plain for line in _page(sections, sought, 95))
        assert title in {one.title for one in sections}
        first[sought] = row
    expected = {**LOOKED_FOR, "cancel": "Cancel the turn", "rewind": "Rewind"}
    expected |= {"undo": "Undo", "quit": "Quit", "fork": "Fork", "side": "Side by side"}
    expected |= {"history": "Search sent prompts", "paste": "Paste text, else an image"}
    assert {one: row for one, row in first.items() if expected[one] not in row} == {}
    found = [line.plain for line in _page(sections, "rewind", 95)]
    assert not any("Next session" in line for line in found)


async def test_it_is_narrow_and_has_first_what_was_used_last() -> None:
    state, _ = states.talked()
    async with running(state, (200, 40)) as it:
        await it.press("alt+x")
        assert "Recently used" not in it.screen
        await it.paste("notifications")
        await it.press("enter")
        assert "no notices so far" in it.screen
        await it.press("escape", "alt+x")
        rows = [row.strip() for row in it.rows()]
        box = [row for row in rows if row.startswith("│") and row.endswith("│")]
        assert {len(row) for row in box} == {80}
        at = next(at for at, row in enumerate(box) if "Recently used" in row)
        assert box[at + 1].startswith("│ ▌Notifications ")
        assert sum("Notifications " in row for row in rows) == 1
