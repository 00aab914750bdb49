"""The agent's commands over the prompt: which fit, in which order, and how they are read."""

import pytest

from acp_tui.state.commands import NewSession, SendPrompt
from acp_tui.ui.bindings import EVERYWHERE, SESSION_KEYS
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


async def test_names_and_what_they_are_for_stand_in_columns() -> None:
    async with running(talk_with(["a", "longer", "mid"]).state) as it:
        await it.press("/")
        rows = listed(it)
        assert len(rows) == 3
        assert len({row.index("Do ") for row in rows}) == 1


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
        await it.write("plan @")
        await it.press("enter")
        assert it.prompt == "/plan \\@~/.netrc now "


async def test_of_many_it_is_told_how_many_there_are() -> None:
    async with running(talk_with([f"c{number}" for number in range(10)]).state) as it:
        await it.press("/")
        assert "1 of 10" in it.screen
        await it.press("up")
        assert "10 of 10" in it.screen
        assert "Do c9" in it.screen


async def test_a_high_screen_shows_more_of_them() -> None:
    async with running(talk_with([f"c{number}" for number in range(16)]).state, (120, 60)) as it:
        await it.press("/")
        assert len(listed(it)) == 16
        assert "1 of 16" not in it.screen


async def test_what_is_sent_most_comes_first() -> None:
    async with running(talk_with(["alpha", "beta", "gamma"]).state) as it:
        await it.press(*"/gamma now", "enter", "/")
        assert "Do gamma" in listed(it)[0]
        await it.press("enter")
        assert it.prompt == "/gamma "


async def test_a_few_letters_find_it_and_enter_only_writes_it() -> None:
    state, _ = states.talked()
    state = talk_with(["markdown", "plan"]).state
    async with running(state) as it:
        await it.press(*"/md", "enter")
        assert it.prompt == "/markdown "
        assert not it.asked


@pytest.mark.parametrize("typed", ["/quit", "/exit", "/exit "])
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
        await it.until(lambda: "Search keys" in it.screen)
        assert not it.asked
        assert it.prompt == ""


@pytest.mark.parametrize("typed", ["/clear", "/new"])
async def test_clear_of_other_programs_begins_a_session_and_is_not_sent(typed: str) -> None:
    async with running(talk_with(["clear-cache"]).state) as it:
        await it.press(*typed, "enter")
        await it.until(lambda: it.asked)
        assert it.asked == [NewSession()]


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


async def test_the_whole_name_comes_before_longer_ones_that_are_used_more() -> None:
    async with running(talk_with(["plan-all", "plan"]).state) as it:
        await it.press(*"/plan-all x", "enter", *"/plan")
        assert "Do plan" in listed(it)[0]
        assert "all" not in listed(it)[0]
