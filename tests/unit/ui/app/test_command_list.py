"""The agent's commands over the prompt: which fit, in which order, and how they are read."""

from functools import partial

import pytest

from acp_tui.state.commands import NewSession, SendPrompt
from acp_tui.ui.bindings import EVERYWHERE, SESSION_KEYS
from acp_tui.ui.help.screen import HelpScreen
from acp_tui.ui.prompt.command_list import rank_name
from acp_tui.ui.prompt.familiar_commands import FAMILIAR_COMMANDS
from tests.unit.state.conversation import Conversation
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("typed", "name", "place"),
    [
        ("", "plan", 0),
        ("pl", "plan", 0),
        ("req", "review-request", 1),
        ("view", "review", 2),
        ("md", "markdown", 3),
        ("nw", "markdown", None),
        ("etc/hosts", "markdown", None),
        ("x", "plan", None),
    ],
)
def test_how_well_a_name_fits(typed: str, name: str, place: int | None) -> None:
    assert rank_name(typed, name) == place


def talk_with(names: list[str]) -> Conversation:
    """A session whose agent has these commands."""
    talk = Conversation.opened()
    found = [{"name": name, "description": f"Do {name}"} for name in names]
    talk.update("available_commands_update", "s", availableCommands=found)
    return talk


def listed(it: Running) -> list[str]:
    """The rows of the list."""
    return it.app.conversation.prompt.completion.commands.render().plain.splitlines()


async def test_what_is_written_behind_a_name_stands_there_and_long_names_are_whole() -> None:
    talk = Conversation.opened()
    long = "run-skill-generator-for-everything-there-is"
    found = [
        {"name": "tour", "description": "Show it", "input": {"hint": "fast"}},
        {"name": "fix", "description": "Mend it", "input": {"hint": "[issue] [priority]"}},
        {"name": "all", "description": "Do it", "input": {"hint": "which of all there are " * 9}},
        {"name": long, "description": "Make one", "input": {"hint": "of what"}},
        {"name": "none", "description": "Do nothing", "input": {"hint": ""}},
    ]
    talk.update("available_commands_update", "s", availableCommands=found)
    async with running(talk.state, (100, 30)) as it:
        await it.press("/")
        tour, fix, everything, cut, none = listed(it)
        assert tour.startswith("▌ /tour [fast]  ")
        assert fix.startswith("  /fix [issue] [priority]  ")
        assert "  Do it" in everything
        assert f"/{long}  Make one" in cut
        assert "[" not in none
        assert len({row.index(words) for row, words in ((tour, "Show"), (fix, "Mend"))}) == 1
        assert "Enter/Tab choose" in it.screen
        await it.press(*"all ")
        assert listed(it)[0].count("which of all there are") > 2


async def test_a_name_of_the_agents_mentions_no_file() -> None:
    async with running(talk_with(["plan @~/.netrc\nnow"]).state) as it:
        await it.press(*"/plan", "tab")
        assert it.prompt == "/plan \\@~/.netrc now "
        await it.press("ctrl+u", "alt+x")
        await it.paste("plan @")
        await it.press("enter")
        assert it.prompt == "/plan \\@~/.netrc now "


async def test_of_many_it_is_told_how_many_there_are_unless_a_high_screen_shows_all() -> None:
    async with running(talk_with([f"c{number}" for number in range(16)]).state) as it:
        await it.press("/")
        assert "1 of 16" in it.screen
        await it.press("up")
        page = it.screen
        assert "16 of 16" in page
        assert "Do c15" in page
        await it.pilot.resize_terminal(120, 60)
        await it.press()
        assert len(listed(it)) == 16
        assert " of 16" not in it.screen


async def test_a_few_letters_find_it_and_what_is_sent_most_comes_first_but_after_the_whole_name() -> (
    None
):
    async with running(talk_with(["markdown", "plan-all", "plan"]).state) as it:
        await it.press(*"/md", "enter")
        assert it.prompt == "/markdown "
        assert not it.asked
        await it.press("ctrl+u", *"/plan-all x", "enter", "/")
        assert "Do plan-all" in listed(it)[0]
        await it.press("enter")
        assert it.prompt == "/plan-all "
        await it.press("ctrl+u", *"/plan")
        assert "Do plan" in listed(it)[0]
        assert "all" not in listed(it)[0]


@pytest.mark.parametrize("typed", ["/quit", "/exit "])
async def test_a_command_that_quits_other_programs_quits_and_is_not_sent(typed: str) -> None:
    async with running(talk_with(["extract-it", "exit-all"]).state) as it:
        await it.press(*typed, "enter")
        await it.until(lambda: not it.app.is_running)
        assert not it.asked


async def test_a_command_that_quits_is_listed_once_it_is_being_written() -> None:
    async with running(talk_with(["edit"]).state) as it:
        await it.press("/")
        assert [row.split()[1] for row in listed(it)] == ["/edit"]
        await it.press("e", "x", "i")
        assert listed(it) == ["▌ /exit  Quit (Ctrl+Q)"]
        await it.press("enter")
        assert it.prompt == "/exit "
        assert it.app.is_running


async def test_help_of_other_programs_shows_the_keys_and_is_not_sent() -> None:
    async with running(talk_with(["helper"]).state) as it:
        await it.press(*"/help")
        assert listed(it)[0] == "▌ /help    Show all keys (F1)"
        assert it.row_of_keys.startswith("Enter show all keys")
        await it.press("enter")
        await it.until(lambda: isinstance(it.app.screen, HelpScreen))
        assert not it.asked
        assert it.prompt == ""


async def test_clear_of_other_programs_begins_a_session_and_is_not_sent() -> None:
    async with running(talk_with(["clear-cache"]).state) as it:
        for number, typed in enumerate(("/clear", "/new")):
            await it.press(*typed, "enter")
            await it.until(partial(are_asked, it, number + 1))
        assert it.asked == [NewSession(), NewSession()]


def are_asked(it: Running, number: int) -> bool:
    return len(it.asked) == number


def test_the_key_named_behind_a_familiar_command_does_the_same() -> None:
    actions = {one.key: one.action for one in [*EVERYWHERE, *SESSION_KEYS]}
    for command in FAMILIAR_COMMANDS.values():
        if command.key:
            assert command.action.removeprefix("app.") == actions[command.key].removeprefix("app.")


async def test_at_a_question_a_command_that_quits_answers_nothing() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press(*"/quit")
        assert it.row_of_keys.startswith("Enter quit")
        await it.press("enter")
        await it.until(lambda: not it.app.is_running)
        assert not it.asked


async def test_the_agents_own_command_of_that_name_goes_first() -> None:
    async with running(talk_with(["quit"]).state) as it:
        await it.press(*"/qui")
        assert listed(it) == ["▌ /quit  Do quit"]
        await it.press("t", "enter")
        assert isinstance(it.asked[-1], SendPrompt)
        await it.press(*"/exit now", "enter")
        assert it.app.is_running
