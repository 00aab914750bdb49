"""What needs a person, done by one: in the app, with an agent that looks at the wire, and on a terminal."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from acp_tui.client.capabilities import capabilities_to_offer
from acp_tui.host.agent import Agent
from acp_tui.state.commands import OpenSession
from acp_tui.state.peer import Phase
from acp_tui.ui.app import AcpApp
from acp_tui.ui.features import Features
from tests.conformance.conftest import Play
from tests.e2e.terminal import terminal
from tests.examples import parametrize
from tests.fake_agent.script import Played, Script
from tests.hosting import Host
from tests.unit.ui.app.running import Clock, Running
from tests.unit.ui.conftest import (  # noqa: F401  fixtures for every test with an app
    nothing_drawn_for_nobody,
    nothing_drawn_is_kept,
    prose_as_wide_as_there_is_room,
)
from tests.unit.ui.settling import settled

pytestmark = pytest.mark.anyio
CANCELLED = {"outcome": {"outcome": "cancelled"}}
MODES = {
    "currentModeId": "ask",
    "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
}
KEEPS = {"agentCapabilities": {"loadSession": True, "sessionCapabilities": {"list": {}}}}
OLD = {"sessionId": "old", "cwd": "/x", "title": "Old tea"}


class Ahead(Clock):
    """A clock that goes, and may be put forward."""

    def __call__(self) -> float:
        return time.monotonic() + self.now


class Person(NamedTuple):
    """Who sees the app's screen and presses keys, and what the client knows."""

    it: Running
    host: Host

    async def sees(self, holds: Callable[[], Any], *words: str) -> str:
        """Wait until something holds, which the screen says then; return the screen."""
        await self.host.until(holds)
        await settled(self.it.pilot)
        screen = self.it.screen
        assert all(one in screen for one in words), screen
        return screen

    async def is_asked(self, holds: Callable[[], Any], *words: str) -> str:
        """Wait for a question, until it takes keys; return the screen."""
        screen = await self.sees(holds, *words)
        await self.it.wait_until_armed()
        return screen

    async def prompts(self) -> None:
        """Send a prompt once the session is open."""
        await self.host.opened()
        await settled(self.it.pilot)
        await self.it.press(*"tea", "enter")

    def questions(self) -> int:
        return len(self.host.state.waiting_permissions())

    def ended(self) -> bool:
        """Whether the last turn has ended."""
        return bool(self.host.ends) and self.host.session.turn is None


@asynccontextmanager
async def opened(
    play: Play, script: Script, resumed: str = "", **launch: Any
) -> AsyncIterator[Person]:
    """Run the app with an agent that plays a script."""
    capabilities = capabilities_to_offer(interactive=True)
    async with play(script, capabilities=capabilities, **launch) as host:
        agent, clock = Agent(host.state, host.do, resumed=resumed), Ahead(0.0)
        app = AcpApp([agent], Features, clock=clock, theme_name="night")
        host.client.listen(lambda _, changes: app.changed(agent, changes))
        it = Running(app, host.state, clock, [])
        async with app.run_test(size=(80, 24)) as pilot:
            it.pilot = pilot
            await settled(pilot)
            yield Person(it, host)


def selected(option_id: str) -> dict[str, Any]:
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


@pytest.mark.check(8)
async def test_a_session_that_cannot_be_loaded_is_not_asked_for(play: Play, tmp_path: Path) -> None:
    script = Script().initialize().new_session()
    async with opened(play, script, resumed="old", opening=OpenSession("old")) as person:
        await person.host.opened()
    methods = [message["method"] for message in Played(tmp_path).messages]
    assert methods == ["initialize", "session/new"]


@pytest.mark.check(11)
async def test_signing_in_by_the_chosen_method_opens_the_session(play: Play) -> None:
    methods = [{"id": "key", "name": "API key"}, {"id": "web", "name": "Browser"}]
    refused = {"code": -32000, "message": "Authentication required"}
    script = Script().initialize({"authMethods": methods})
    script.expect("session/new").reply("new", error=refused)
    script.expect("authenticate", {"methodId": "web"}).reply("authenticate").new_session()
    async with opened(play, script) as person:
        await person.is_asked(lambda: person.host.state.peer.phase is Phase.SIGN_IN, "Browser")
        await person.it.press("2")
        await person.host.opened()


@pytest.mark.check(23, 24)
async def test_each_question_gets_its_own_answer(play: Play) -> None:
    script = Script().handshake().prompt()
    script.ask_permission({"toolCallId": "a", "title": "Boil"}, save="a")
    script.ask_permission({"toolCallId": "b", "title": "Pour"}, save="b")
    script.expect_answer("a", result=selected("yes")).expect_answer("b", result=selected("no"))
    async with opened(play, script.end_turn()) as person:
        await person.prompts()
        await person.is_asked(lambda: person.questions() == 2, "Boil", "1 of 2")
        await person.it.press("1")
        screen = await person.is_asked(lambda: person.questions() == 1, "Pour")
        assert "1 of 2" not in screen
        await person.it.press("3")
        await person.host.turn_ended()


@pytest.mark.check(25, 26, 28, 29)
async def test_escape_cancels_the_turn_and_all_its_questions(play: Play, tmp_path: Path) -> None:
    script = Script().handshake().prompt().ask_permission(save="a").ask_permission(save="b")
    script.expect("session/cancel", {"sessionId": "s1"})
    script.expect_answer("a", result=CANCELLED).expect_answer("b", result=CANCELLED)
    script.ask_permission(save="late").expect_answer("late", result=CANCELLED)
    script.reply("prompt", error={"code": -32603, "message": "stopped hard"})
    script.prompt(save="again").chunk("still here").end_turn(to="again")
    async with opened(play, script) as person:
        await person.prompts()
        await person.is_asked(lambda: person.questions() == 2, "1 of 2")
        await person.it.press("escape")
        await person.sees(person.ended, "stopped hard")
        await person.prompts()
        await person.host.turn_ended(before=1)
    (cancel,) = Played(tmp_path).calls("session/cancel")
    assert "id" not in cancel


@pytest.mark.check(38)
async def test_where_there_are_options_modes_are_not_set(play: Play, tmp_path: Path) -> None:
    choices = [{"value": "plan", "name": "Plan"}, {"value": "act", "name": "Act"}]
    option = {"id": "m", "name": "Mode", "category": "mode", "type": "select", "options": choices}
    script = Script().handshake(
        None, {"modes": MODES, "configOptions": [{**option, "currentValue": "plan"}]}
    )
    script.expect("session/set_config_option", {"configId": "m", "value": "act"}, save="set")
    script.reply("set", {"configOptions": [{**option, "currentValue": "act"}]})
    async with opened(play, script) as person:
        await person.sees(person.host.state.open_sessions, "mode Plan")
        await person.it.press("shift+tab")
        await person.sees(lambda: person.host.session.config.mode == "Act", "mode Act")
    assert Played(tmp_path).calls("session/set_mode") == []


@pytest.mark.check(38)
async def test_without_options_modes_are_set(play: Play) -> None:
    script = Script().handshake(None, {"modes": MODES})
    script.expect("session/set_mode", {"modeId": "code"}).reply("set_mode")
    async with opened(play, script) as person:
        await person.sees(person.host.state.open_sessions, "mode Ask")
        await person.it.press("shift+tab")
        await person.sees(lambda: person.host.session.config.mode == "Code", "mode Code")


@pytest.mark.check(39)
async def test_an_old_session_is_found_and_its_history_shown_once(play: Play) -> None:
    script = Script("old").initialize(KEEPS).expect("session/new")
    script.reply("new", {"sessionId": "s1"})
    script.expect("session/list", save="first")
    script.reply(
        "first", {"sessions": [{**OLD, "sessionId": "x", "title": "Milk"}], "nextCursor": "/?=2"}
    )
    script.expect("session/list", {"cursor": "/?=2"}, save="second")
    script.reply("second", {"sessions": [OLD]})
    script.expect("session/load", {"sessionId": "old", "cwd": "/x", "mcpServers": []})
    content = {"type": "text", "text": "a cup"}
    script.update("user_message_chunk", content=content).chunk("oolong").reply("load")
    async with opened(play, script) as person:
        await person.host.opened()
        await person.it.press("ctrl+o")
        await person.sees(lambda: "old" in person.host.state.catalogue.sessions, "Old tea", "Milk")
        await person.it.press(*"old tea", "enter")
        assert "Work in this folder?" in person.it.screen
        await person.it.wait_until_armed()
        await person.it.press("2")
        screen = await person.sees(lambda: person.host.state.sessions["old"].opened)
        assert (screen.count("oolong"), screen.count("a cup")) == (1, 1)


def asking(params: dict[str, Any], answer: dict[str, Any]) -> Script:
    script = Script().handshake().prompt()
    script.request("elicitation/create", {"sessionId": "s1", "message": "Who?", **params}, save="q")
    return script.expect_answer("q", result=answer).end_turn()


SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2},
        "count": {"type": "integer", "default": 3},
    },
    "required": ["name"],
}


@pytest.mark.check(40, 64)
@parametrize(
    1,
    ("steps", "last", "answer"),
    [
        (
            [
                (("A", "d", "a"), "▏Ada"),
                (("enter",), "field 2 of 2"),
                (("tab",), "1-2 answer"),
            ],
            "1",
            {"action": "accept", "content": {"name": "Ada", "count": 3}},
        ),
        (
            [
                (("tab",), "field 2 of 2"),
                (("tab", "tab"), "Tab to the form"),
                (("shift+tab",), "1-2 answer"),
            ],
            "2",
            {"action": "decline"},
        ),
        ([], "escape", {"action": "cancel"}),
    ],
    ids=["accept", "decline", "cancel"],
)
async def test_a_form_is_accepted_declined_or_cancelled(
    play: Play, steps: list[tuple[tuple[str, ...], str]], last: str, answer: dict[str, Any]
) -> None:
    script = asking({"mode": "form", "requestedSchema": SCHEMA}, answer)
    async with opened(play, script) as person:
        await person.prompts()
        shown = ("Fake agent asks", "Who?")
        await person.is_asked(lambda: person.host.state.elicitations, *shown)
        assert "field 1 of 2" in person.it.screen  # it has the focus once keys count
        for keys, words in steps:
            await person.it.press(*keys)
            assert words in person.it.screen
        await person.it.press(last)
        await person.host.turn_ended()


@pytest.mark.check(40)
async def test_a_link_is_shown_whole_and_not_opened_unasked(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs, noted = tmp_path / "programs", tmp_path / "opened"
    programs.mkdir()
    for name in ("xdg-open", "open", "www-browser"):
        (programs / name).write_text(f'#!/bin/sh\necho "$1" > {noted}\n')
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("BROWSER", "")
    url = "https://xn--80ak6aa92e.com/login?state=1"
    script = asking({"mode": "url", "elicitationId": "e", "url": url}, {"action": "accept"})
    async with opened(play, script) as person:
        await person.prompts()
        screen = await person.is_asked(lambda: person.host.state.elicitations, url)
        assert "xn--80ak6aa92e.com" in screen.replace(url, "")
        assert not noted.exists()
        await person.it.press("1")
        await person.host.until(lambda: noted.exists() and noted.read_text())
        await person.host.turn_ended()
    assert noted.read_text().strip() == url


@pytest.mark.check(41)
async def test_the_last_words_of_an_agent_are_on_the_screen(play: Play) -> None:
    script = Script().handshake().prompt().chunk("half a").stderr("no more tea\n").exit(7)
    async with opened(play, script) as person:
        await person.prompts()
        exited = lambda: person.host.state.peer.phase is Phase.EXITED  # noqa: E731
        await person.sees(exited, "exited with code 7", "no more tea")


@pytest.mark.check(43)
def test_leaving_in_mid_turn_leaves_nothing(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("working").ignore_eof().ignore_sigterm()
    with terminal("--no-record", "--", *script.sleep(60).argv(tmp_path)) as it:
        it.wait_for("○ ready")
        it.type_line("go on")
        it.wait_for("working")
        it.leave()
        assert it.wait_for_exit() == 0
        it.wait_until(lambda: not it.processes, "end of all processes")
