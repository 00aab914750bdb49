"""Options that are chosen before a session begins, in a box of their own."""

from typing import Any

import pytest

from acp_tui.state import commands
from acp_tui.ui.tabs.conditions import missing_choice
from tests.unit.state.conversation import STARTED, Conversation
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio

OPTIONS: list[dict[str, Any]] = [
    {
        "type": "select",
        "id": "llm",
        "name": "Model",
        "category": "model",
        "currentValue": "slow",
        "options": [{"value": "slow", "name": "Slow"}, {"value": "fast", "name": "Fast"}],
    },
    {"type": "boolean", "id": "think", "name": "Think aloud", "currentValue": False},
]


def started(**offered: Any) -> Conversation:
    talk = Conversation()
    talk.happened(STARTED)
    claims = {"protocolVersion": 1, "clientCapabilities": {"plan": {}}}
    named = {"agentCapabilities": {"sessionCapabilities": {"options": {}, **offered}}}
    talk.call("initialize", claims, result={"protocolVersion": 1, **named})
    return talk


def offer(talk: Conversation) -> None:
    talk.call("session/options", {"cwd": "/work"}, result={"configOptions": OPTIONS})


async def test_the_first_session_begins_with_the_options_that_were_chosen_for_it() -> None:
    talk = started()
    async with running(talk.state, (100, 30)) as it:
        it.app.tabs.agent.choosing_options = True
        await it.changed()
        offer(talk)
        await it.changed()
        assert "New session of" in it.screen
        await it.press("down", "enter", "down", "enter")
        assert "● Fast" in it.screen
        await it.press("down", "enter")
        assert "☑ on" in it.screen
        assert it.asked == []
        await it.press("home", "up", "up", "enter")
        begins = commands.NewSession("/work", (("llm", "fast"), ("think", True)))
        assert it.asked == [begins]
        talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "s"})
        await it.changed()
        assert it.app.session is talk.session


async def test_escape_begins_the_first_session_with_the_options_that_are_shown() -> None:
    talk = started()
    async with running(talk.state, (100, 30)) as it:
        for keys, chosen in (((), ()), (("down", "enter", "down", "enter"), (("llm", "fast"),))):
            it.asked.clear()
            it.app.tabs.agent.choosing_options = True
            await it.changed()
            offer(talk)
            await it.changed()
            assert "Esc begin as it is" in it.screen
            assert missing_choice(talk.state) == "the options of the session"
            await it.press(*keys)
            if chosen:
                assert "● Fast" in it.screen
                await it.press("enter", "escape")
            await it.press("escape")
            assert it.asked == [commands.NewSession("/work", chosen)]


async def test_another_session_is_begun_with_options_or_not_at_all() -> None:
    talk = started()
    talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "s"})
    async with running(talk.state) as it:
        for _ in range(2):
            await it.press("alt+t")
            offer(talk)
            await it.changed()
            assert "New session of" in it.screen
            await it.press("escape")
            assert "New session of" not in it.screen
        assert it.asked == [commands.AskSessionOptions()] * 2
        await it.press("alt+t")
        offer(talk)
        await it.changed()
        await it.press("enter")
        assert it.asked[3:] == [commands.NewSession("/work")]


async def test_an_agent_that_lists_no_options_before_a_session_is_not_asked() -> None:
    talk = started(options=None)
    talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "s"})
    async with running(talk.state, (100, 30)) as it:
        await it.press("alt+t")
        assert "lists no options before a session" in it.screen
        assert it.asked == []


async def test_options_that_were_listed_in_a_recording_are_not_asked_about() -> None:
    talk = started()
    offer(talk)
    async with running(talk.state, (100, 30)) as it:
        assert "New session of" not in it.screen


async def test_a_mode_that_is_no_option_is_chosen_before_the_session() -> None:
    talk = started()
    modes = [{"id": "ask", "name": "Ask"}, {"id": "plan", "name": "Plan"}]
    async with running(talk.state, (100, 30)) as it:
        it.app.tabs.agent.choosing_options = True
        await it.changed()
        offered = {"modes": {"currentModeId": "ask", "availableModes": modes}}
        talk.call("session/options", {"cwd": "/work"}, result=offered)
        await it.changed()
        assert "● Ask  ○ Plan" in it.screen
        await it.press("down", "enter", "down", "enter")
        assert "○ Ask  ● Plan" in it.screen
        await it.press("home", "up", "enter")
        assert it.asked == [commands.NewSession("/work", mode="plan")]
