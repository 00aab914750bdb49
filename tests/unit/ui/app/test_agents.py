"""Several agents in one window: whose tab, whose question, whose frames."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial

import pytest

from acp_tui.config.settings import AgentSettings
from acp_tui.host.agent import Agent
from acp_tui.protocol.content import TextContent
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.state import commands
from acp_tui.state.commands import Command, Do
from acp_tui.ui.app import AcpApp
from acp_tui.ui.features import Features
from acp_tui.ui.inspector.screen import InspectorScreen
from tests.unit.state.conversation import STARTED, Conversation
from tests.unit.ui.app.running import Clock, Running
from tests.unit.ui.settling import settled

pytestmark = pytest.mark.anyio

OPTIONS = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]


@dataclass
class FakeHosts:
    """Starts agents that say nothing; notes which were ended."""

    known: Mapping[str, AgentSettings] = field(default_factory=dict)
    opened: list[AgentSettings] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)

    def open(self, settings: AgentSettings, called: str = "") -> Agent:
        self.opened.append(settings)
        return Agent(Conversation().state, lambda _: None, settings=settings, called=called)

    def close(self, agent: Agent) -> None:
        self.closed.append(agent.name)


class Side(Running):
    """The app with several agents; `asked` is of the first, `others` of all."""

    asked_of: dict[str, list[Command]]


def talk(title: str, session_title: str = "") -> Conversation:
    """An agent with one session; all give it the same id."""
    it = Conversation()
    it.happened(STARTED)
    info = {"name": title.lower(), "title": title, "version": "1"}
    it.call("initialize", {"protocolVersion": 1}, result={"protocolVersion": 1, "agentInfo": info})
    it.call("session/new", {"cwd": "/work"}, result={"sessionId": "s"})
    if session_title:
        it.update("session_info_update", title=session_title)
    return it


def asks(it: Conversation, title: str) -> int:
    call = {"toolCallId": title, "title": title}
    return it.asks("session/request_permission", toolCall=call, options=OPTIONS)


def five() -> list[Conversation]:
    """Agents with a session each: what goes on in it is in the name."""
    titles = ("asks", "works", "works, too", "failed", "is gone")
    talks = [talk(f"Agent {number}", title) for number, title in enumerate(titles, 1)]
    for one in talks[:4]:
        one.prompt()
    asks(talks[0], "Boil water")
    talks[3].answer(talks[3].id, error={"code": -32603, "message": "burnt"})
    talks[4].happened(ProcessExited(9.0, 1))
    return talks


def doing(it: Conversation, asked: list[Command]) -> Do:
    """Note what is asked; new sessions are asked of the agent, too."""

    def do(command: Command) -> None:
        if isinstance(command, commands.AnswerPermission):
            command = replace(command, in_view=())
        asked.append(command)
        if isinstance(command, commands.NewSession):
            it.call("session/new", {"cwd": "/work"})

    return do


@asynccontextmanager
async def side_by_side(
    *talks: Conversation, size: tuple[int, int] = (80, 24), hosts: FakeHosts | None = None
) -> AsyncIterator[Side]:
    clock, asked = Clock(), [list[Command]() for _ in talks]
    agents = [
        Agent(one.state, doing(one, into), settings=AgentSettings(command=["agent"]))
        for one, into in zip(talks, asked, strict=True)
    ]
    app = AcpApp(agents, partial(Features, hosts=hosts), clock=clock, theme_name="night")
    it = Side(app, talks[0].state, clock, asked[0])
    async with app.run_test(size=size) as pilot:
        it.pilot = pilot
        await settled(pilot)
        it.asked_of = {agent.name: into for agent, into in zip(agents, asked, strict=True)}
        yield it


async def test_sessions_of_all_agents_stand_in_one_row_with_their_numbers_and_marks() -> None:
    tea, bread = talk("Tea"), talk("Bread")
    async with side_by_side(tea, talk("Tea 2"), talk("Tea")) as it:
        assert "1 ○ Tea  2 ○ Tea 2  3 ○ Tea 3" in it.rows()[0]
    async with side_by_side(tea, bread, size=(120, 24)) as it:
        assert "1 ○ Tea  2 ○ Bread" in it.rows()[0]
        tea.call("session/new", {"cwd": "/work"}, result={"sessionId": "second"})
        await it.changed()
        assert "1 ○ Tea  2 ○ Bread ▌3 ○ Tea 2" in it.rows()[0]
        tea.update("session_info_update", title="Green")
        tea.prompt()
        asks(tea, "Boil")
        bread.happened(ProcessExited(9.0, 1))
        await it.changed()
        first = it.rows()[0]
        assert "1 ◆ Tea: Green (waiting for you)" in first
        assert "2 ✗ Bread (not running)" in first


async def test_what_agents_say_under_one_session_id_is_not_mixed_up() -> None:
    tea, bread = talk("Tea"), talk("Bread")
    async with side_by_side(tea, bread) as it:
        tea.say("leaves")
        bread.say("crumbs")
        await it.changed()
        await it.changed()  # its transcript is made
        await it.until(lambda: "leaves" in it.screen)
        assert "crumbs" not in it.screen
        await it.press("alt+2")
        await it.until(lambda: "crumbs" in it.screen)
        assert "leaves" not in it.screen
        it.app.changed(it.app.tabs.agents[0], tea.say(" and milk"))
        await settled(it.pilot)
        await it.press("alt+1")
        await it.until(lambda: "leaves and milk" in it.screen)


async def test_prompts_and_cancels_go_to_the_agent_of_the_tab_whoever_else_asks() -> None:
    tea, bread = talk("Tea"), talk("Bread")
    async with side_by_side(tea, bread) as it:
        await it.press("alt+2", "k", "enter")
        assert it.asked_of["Bread"] == [commands.SendPrompt("s", (TextContent(text="k"),))]
        bread.prompt()
        await it.changed()
        await it.press("escape")
        assert it.asked_of["Bread"][1:] == [commands.Cancel("s")]
        assert it.asked_of["Tea"] == []
        asks(bread, "Bake")
        tea.prompt()
        await it.changed()
        await it.press("alt+1", "n")
        it.clock.now += 2
        await it.press("enter")
        assert "queued: 1 prompt" in it.screen
        await it.press("escape")
        assert it.asked_of["Tea"] == [commands.Cancel("s")]
        assert it.asked_of["Bread"][2:] == []


async def test_each_question_stands_in_its_own_tab_and_a_row_tells_of_it_elsewhere() -> None:
    tea, bread = talk("Tea"), talk("Bread")
    for one in (tea, bread):
        one.number += 5  # frames of different agents may have the same number
    boil, bake = asks(bread, "Bake"), asks(tea, "Boil")
    assert boil == bake
    async with side_by_side(tea, bread) as it:
        assert "Tea asks for permission" in it.screen
        assert "◆ 2 Bread waiting for you  Ctrl+S goes there" in it.screen
        assert "Bake" not in it.screen
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked_of == {"Tea": [commands.AnswerPermission(bake, "y")], "Bread": []}
        tea.settle(bake, result={"outcome": {"outcome": "selected", "optionId": "y"}})
        await it.changed()
        assert "asks for permission" not in it.screen
        await it.press("ctrl+s")
        assert "Bread asks for permission" in it.screen
        await it.press("1")
        assert it.asked_of["Bread"] == []
        await it.press("escape")
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked_of["Bread"] == [commands.AnswerPermission(boil, "y")]


async def test_others_are_looked_at_while_a_question_waits() -> None:
    tea, bread = talk("Tea"), talk("Bread")
    number = asks(tea, "Boil")
    bread.say("Risen by half.")
    async with side_by_side(tea, bread) as it:
        for key in ("ctrl+pagedown", "alt+2"):
            await it.press(key)
            shown = it.screen
            assert "Risen by half." in shown, key
            assert "◆ 1 Tea waiting for you" in shown, key
            await it.wait_until_armed()
            await it.press("1")
            assert it.prompt.endswith("1"), key
            await it.press("alt+1")
            assert it.prompt == "", key
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked_of == {"Tea": [commands.AnswerPermission(number, "y")], "Bread": []}


async def test_only_the_tab_of_a_dead_agent_is_in_trouble_and_a_key_closes_it() -> None:
    hosts, tea, bread = FakeHosts(), talk("Tea"), talk("Bread")
    async with side_by_side(tea, bread, hosts=hosts) as it:
        bread.happened(ProcessExited(9.0, 3))
        await it.changed()
        assert "r restart" not in it.screen
        await it.press("alt+2")
        shown = it.screen
        assert "Bread exited with code 3" in shown
        assert "q close" in shown
        await it.press("alt+a")
        assert it.asked_of == {"Tea": [], "Bread": [commands.Restart()]}
        await it.press("alt+1")
        assert "exited with code" not in it.screen
        await it.press("alt+2")
        await it.wait_until_armed()
        await it.press("q")
        assert hosts.closed == ["Bread"]
        assert it.app.is_running
        assert it.app.agent.name == "Tea"


async def test_inspector_and_notices_tell_whose_they_are() -> None:
    tea, bread = talk("Tea"), talk("Bread")
    async with side_by_side(tea, bread, size=(120, 24)) as it:
        await it.press("alt+2", "f12")
        await it.until(lambda: isinstance(it.app.screen, InspectorScreen))
        assert " of Bread" in it.screen
        await it.press("f12", "alt+1", "f12")
        await it.until(lambda: " of Tea" in it.screen)
        await it.press("f12")
        refused = {"code": 1, "message": "no"}
        bread.call("session/fork", {"sessionId": "s", "cwd": "/"}, error=refused)
        await it.changed()
        await it.press("f8")
        await it.until(lambda: "  Bread  " in it.screen and " ago" in it.screen)


async def test_last_tab_of_an_agent_ends_it_if_it_works_only_after_a_yes() -> None:
    hosts, bread = FakeHosts(), talk("Bread")
    bread.prompt()
    async with side_by_side(talk("Tea"), talk("Rye"), bread, hosts=hosts) as it:
        await it.press("alt+2", "alt+w")
        assert hosts.closed == ["Rye"]
        assert "Rye is ended: that was its last session" in it.screen
        await it.press("alt+2", "alt+w")
        assert "It is the last session of Bread, which is ended." in it.screen
        assert hosts.closed == ["Rye"]
        await it.wait_until_armed()
        await it.press("2")
        assert hosts.closed == ["Rye", "Bread"]
        assert "○ Tea" not in it.screen  # a single session has no row of tabs
        await it.press("alt+w")
        assert hosts.closed == ["Rye", "Bread"]
        assert "this is the only session" in it.screen


async def test_agents_to_choose_from_are_those_that_run_and_those_in_the_settings() -> None:
    named = {"bread": AgentSettings(command=["bake", "--acp"])}
    hosts = FakeHosts(named)
    async with side_by_side(talk("Tea"), hosts=hosts, size=(100, 30)) as it:
        await it.press("ctrl+t")
        shown = it.screen
        assert "▌Tea" in shown
        assert "bake --acp" in shown
        assert "Tea, once more" in shown
        await it.press(*"bre", "enter")
        await settled(it.pilot)
        assert hosts.opened == [named["bread"]]
        assert len(it.app.tabs.visible) == 2
        assert it.app.agent.settings == named["bread"]
        assert "2 ⠋ bread" in it.screen
        await it.press("ctrl+t", *"tea", "enter")
        assert it.asked == [commands.NewSession()]


async def test_any_command_can_be_written_for_an_agent() -> None:
    hosts = FakeHosts()
    async with side_by_side(talk("Tea"), hosts=hosts, size=(100, 30)) as it:
        await it.press("alt+n", *"my 'a")
        assert "this is not a command" in it.screen
        await it.press(*" b'", "enter")
        assert hosts.opened == []  # it may be a prompt that was meant for a session
        assert "Enter again starts this command" in it.screen
        await it.press("enter")
        assert hosts.opened == [AgentSettings(command=["my", "a b"])]


async def test_what_is_typed_right_after_opening_a_tab_belongs_to_it() -> None:
    tea = talk("Tea", "Green")
    async with side_by_side(tea, hosts=FakeHosts()) as it:
        await it.press(*"old", "ctrl+t")
        assert it.asked == [commands.NewSession()], "at once, where there is one agent"
        await it.press("h", "enter", *"new")
        assert it.asked == [commands.NewSession()]
        tea.answer(tea.id, result={"sessionId": "z"})
        await it.changed()
        assert it.app.session is tea.state.sessions["z"]
        assert it.asked[1:] == [commands.SendPrompt("z", (TextContent(text="h"),))]
        assert it.prompt == "new"
        await it.press("alt+1")
        assert it.prompt == "old"
        await it.press("ctrl+t", *"mine")
        refused = {"code": -32603, "message": "no room"}
        tea.answer(tea.id, error=refused)
        await it.changed()
        assert len(it.app.tabs.visible) == 2
        assert it.prompt == "mine\n\nnew", "the tab goes, what was written in it does not"


async def test_each_tab_keeps_its_place_and_its_search() -> None:
    tea, bread = talk("Tea"), talk("Bread")
    for number in range(40):
        tea.say(f"leaf {number}\n\n")
        bread.say(f"crumb {number}\n\n")
    async with side_by_side(tea, bread) as it:
        await settled(it.pilot)
        await it.press("alt+slash", *"f 12", "enter")
        await it.until(lambda: "leaf 12" in it.screen)
        await it.press("alt+2")
        await it.until(lambda: "crumb 39" in it.screen)
        shown = it.screen
        assert "leaf" not in shown
        assert "1 match" not in shown
        assert "1 of 1" not in shown
        it.app.changed(it.app.tabs.agents[0], tea.say("leaf 40"))
        await settled(it.pilot)
        await it.press("alt+1")
        await it.until(lambda: "leaf 12" in it.screen)
        shown = it.screen
        assert "leaf 40" not in shown
        assert "1 of 1" in shown


async def test_sign_in_of_an_agent_in_the_background_names_it() -> None:
    bread = Conversation()
    bread.happened(STARTED)
    offered = {
        "protocolVersion": 1,
        "agentInfo": {"name": "b", "title": "Bread", "version": "1"},
        "authMethods": [{"id": "key", "name": "By key"}],
    }
    bread.call("initialize", {"protocolVersion": 1}, result=offered)
    refused = {"code": -32000, "message": "Who are you?"}
    bread.call("session/new", {"cwd": "/work"}, error=refused)
    async with side_by_side(talk("Tea"), bread) as it:
        assert "◆ 2 Bread waiting for you" in it.screen
        await it.press("ctrl+s")
        assert "Bread wants a sign-in" in it.screen
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked_of["Bread"] == [commands.Authenticate("key")]
