"""The palette of commands, and the help that is searched."""

import re

import pytest

from acp_tui.protocol.updates import AvailableCommand
from acp_tui.ui import bindings
from acp_tui.ui.command_palette.dialog import find_actions
from acp_tui.ui.conversation.bindings import CONVERSATION
from acp_tui.ui.prompt.bindings import PROMPT
from acp_tui.ui.transcript.transcript import Transcript
from tests.examples import parametrize
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running
from tests.unit.ui.app.test_elicitation import form

pytestmark = pytest.mark.anyio


async def test_what_is_chosen_is_done_where_it_belongs() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("alt+x", *"changed files")
        assert "F7" in it.screen
        await it.press("enter")
        assert "No change reported yet. Files that the agent says" in it.screen
        await it.press("escape", "alt+x", *"turn above", "enter")
        assert isinstance(it.app.focused, Transcript)


async def test_words_come_first_and_are_whole_on_a_small_screen() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("alt+x")
        listed = it.screen.split("Everywhere", 1)[1].splitlines()[1:12]
        assert re.search(r"Copy, clear or quit +Ctrl\+C", it.screen)
        assert not any("…" in line for line in listed)
        await it.press(*"all keys")
        assert it.screen.count("Show all keys") == 1


async def test_all_keys_of_an_action_are_whole_where_its_words_leave_room() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("alt+x", *"new line")
        assert re.search(
            r"New line; also . then Enter +Shift\+Enter, Alt\+Enter, Ctrl\+J", it.screen
        )


async def test_beside_a_scroll_bar_the_keys_are_whole_too() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("alt+x")
        while "New line" not in it.screen:
            await it.press("pagedown")
        assert "Shift+Enter, Alt+Enter, Ctrl+J " in it.screen


async def test_what_begins_with_the_words_comes_before_what_only_has_them() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("alt+x", *"undo")
        found = [row.split("▌")[-1].strip("│ ") for row in it.rows() if "ndo" in row][1:]
        begins = [words.startswith("Undo") for words in found]
        assert begins == sorted(begins, reverse=True)
        assert begins[0]
        assert not begins[-1]


async def test_what_would_do_nothing_is_found_with_the_reason_and_the_field_stays() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("alt+x")
        assert "Cancel the turn" not in it.screen
        field = next(at for at, row in enumerate(it.rows()) if "What do you want" in row)
        for words, refusal in (
            ("cancel", "▌Cancel the turn: no turn is running"),
            ("session by number", ": only one tab is open"),
            ("waiting question", ": no question in another tab"),
            (
                "restart",
                "▌Restart an agent that is gone or stuck: the agent is running",
            ),
        ):
            await it.press("ctrl+u", *words)
            assert refusal in it.screen
            assert words in list(it.rows())[field]
        await it.press("ctrl+u", *"cancel", "enter")
        await it.until(lambda: "no turn is running" in it.screen and "Commands" not in it.screen)
        assert not it.asked
    async with running(states.without_session()) as it:
        await it.press("alt+x", *"restart")
        assert "Restart an agent" in it.screen


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


async def test_a_command_of_the_agent_is_written_and_not_sent() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        name = state.sessions[next(iter(state.sessions))].commands[0].name
        await it.press(*"mine", "alt+x", *f"/{name}", "enter")
        assert it.prompt == f"/{name} "
        await it.press("ctrl+z")
        assert it.prompt == "mine"
        assert not it.asked


async def test_enter_at_once_sends_nothing() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press(*"mine", "alt+x", "enter")
        assert not it.asked
        assert "Keys" in it.screen


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


async def test_help_opens_at_the_keys_of_the_question_that_has_them() -> None:
    state, session = states.asking()
    async with running(state, (80, 40)) as it:
        await it.press("f1")
        await it.until(lambda: "Answer by number" in it.screen)
        assert it.screen.index("Question of the agent") < it.screen.index("Everywhere")
        await it.press("escape", "tab", "f1")  # who reads wants the keys of the transcript
        await it.until(lambda: "Entry above" in it.screen)
        assert "Answer by number" not in it.screen
        await it.press("escape")
        session.permissions.clear()
        await it.changed()
        await it.press("tab", "f1")
        await it.until(lambda: "Send; during a turn" in it.screen)
        heads = [one.title for one in bindings.key_sections("Prompt")][:2]
        assert heads == ["Prompt", "Prompt: writing, as in any shell"]  # not another place's, alike
    talk, _ = form()
    async with running(talk.state, (80, 40)) as it:
        await it.press("f1")
        await it.until(lambda: "Next field" in it.screen)
        assert it.screen.index("Form of the agent") < it.screen.index("Everywhere")


async def test_help_opens_at_where_one_is_and_is_searched() -> None:
    state, _ = states.talked()
    async with running(state, (80, 40)) as it:
        await it.press("f1")
        assert it.screen.index("Prompt") < it.screen.index("Send; during a turn")
        await it.press("escape", "tab", "f1")
        assert "Entry above" in it.screen
        await it.press(*"copy mark")
        assert "Copy it as Markdown" in it.screen
        assert "Entry above" not in it.screen
        await it.press(*"zzz")
        assert "no matching key" in it.screen
        await it.press("f1")
        assert "no key" not in it.screen


@pytest.mark.slow
async def test_keys_of_any_shell_stand_below_those_of_the_program() -> None:
    async with running(states.talked()[0], (100, 400)) as it:
        await it.press("f1")
        page = it.screen
        assert page.index("Send; during a turn") < page.index("Prompt: writing, as in any")
        assert page.index("Delete back to whitespace") < page.index("Switch between prompt")
        assert page.count("Character right; also Right") == 1


@parametrize(
    1,
    ("sought", "found"),
    [
        ("rewind", "Rewind"),
        ("history", "Search sent prompts"),
        ("undo", "Undo the agent's last write"),
        ("paste", "Paste text, else an image"),
        ("copy", "Copy the selection, else the entry"),
    ],
)
async def test_words_that_people_look_for_find_their_keys(sought: str, found: str) -> None:
    async with running(states.talked()[0], (120, 60)) as it:
        await it.press("f1")
        await it.write(sought)
        await it.until(lambda: found in it.screen and "Next session" not in it.screen)


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
    state, session = states.talked()
    session.commands += [AvailableCommand(name=one, description=one) for one in LOOKED_FOR]
    async with running(state) as it:
        await it.press("alt+x")
        for sought, found in LOOKED_FOR.items():
            await it.press_at_once("ctrl+u", *sought)
            assert f"▌{found}" in it.screen, sought
    state, _ = states.working()
    async with running(state) as it:
        await it.press("alt+x", *"cancel")
        assert "▌Cancel the turn" in it.screen
        await it.press("ctrl+u", *"stop")
        assert "Cancel the turn" in it.screen


async def test_help_has_first_what_the_words_of_people_mean() -> None:
    state, _ = states.talked()
    titles = {section.title for section in bindings.key_sections()}
    async with running(state, (100, 50)) as it:
        await it.press("f1")
        first = {}
        for sought in (*LOOKED_FOR, "cancel"):
            await it.press_at_once("ctrl+u", *sought)
            rows = [row.strip(" │") for row in it.rows()]
            first[sought] = rows[next(at for at, row in enumerate(rows) if row in titles) + 1]
        expected = {**LOOKED_FOR, "cancel": "Cancel the turn"}
        expected |= {"undo": "Undo", "quit": "Quit", "fork": "Fork", "side": "Side by side"}
        assert {one: row for one, row in first.items() if expected[one] not in row} == {}


async def test_a_name_is_found_before_what_only_speaks_of_it() -> None:
    state, session = states.talked()
    session.commands = [
        AvailableCommand(name="tea", description="Brew, or show the zebra"),
        AvailableCommand(name="zebra", description="Draw an animal"),
    ]
    async with running(state) as it:
        await it.press("alt+x", *"zebra")
        rows = [row.strip("│ ▌") for row in it.rows()]
        assert rows.index("/zebra  Draw an animal") < rows.index("/tea  Brew, or show the zebra")


@pytest.mark.parametrize("width", [80, 200])
async def test_it_is_narrow_and_has_first_what_was_used_last(width: int) -> None:
    state, _ = states.talked()
    async with running(state, (width, 40)) as it:
        await it.press("alt+x")
        assert "Recently used" not in it.screen
        await it.press(*"notifications", "enter")
        await it.until(lambda: "no notices so far" in it.screen)
        await it.press("escape", "alt+x")
        rows = [row.strip() for row in it.rows()]
        box = [row for row in rows if row.startswith("│") and row.endswith("│")]
        assert {len(row) for row in box} == {80}
        at = next(at for at, row in enumerate(box) if "Recently used" in row)
        assert box[at + 1].startswith("│ ▌Notifications ")
        assert it.screen.count("Notifications ") == 1
