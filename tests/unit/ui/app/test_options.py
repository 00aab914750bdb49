"""What can be set in a session, and the account."""

import time
from typing import Any

import pytest

from acp_tui.formatting import duration, reset_words
from acp_tui.state import commands
from tests.unit.state.conversation import STARTED, Conversation
from tests.unit.ui.app.running import running
from tests.unit.ui.app.test_clicked_keys import click

pytestmark = pytest.mark.anyio

OPTIONS: list[dict[str, Any]] = [
    {
        "type": "select",
        "id": "model",
        "name": "Model",
        "category": "model",
        "currentValue": "big",
        "options": [
            {
                "group": "g",
                "name": "Recommended",
                "options": [
                    {"value": "small", "name": "Small", "description": "Quick"},
                    {"value": "big", "name": "Big"},
                ],
            },
            {"group": "o", "name": "Old", "options": [{"value": "old", "name": "Oldest"}]},
        ],
    },
    {"type": "boolean", "id": "think", "name": "Think aloud", "currentValue": False},
    {"type": "slider", "id": "x", "name": "Volume", "currentValue": 3},
]


def talk_with(new: dict[str, Any], initialized: dict[str, Any] | None = None) -> Conversation:
    talk = Conversation()
    talk.happened(STARTED)
    info = {"name": "a", "version": "1", "title": "Agent"}
    result = {"protocolVersion": 1, "agentInfo": info, **(initialized or {})}
    talk.call("initialize", {"protocolVersion": 1}, result=result)
    talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "s", **new})
    return talk


async def test_the_system_prompt_is_shown_with_its_mode_and_opens() -> None:
    content = [{"type": "text", "text": "Be brief.\nBe kind."}]
    prompt = {"mode": "override", "content": content}
    talk = Conversation()
    talk.happened(STARTED)
    talk.call("initialize", {"protocolVersion": 1}, result={"protocolVersion": 1})
    params = {"cwd": "/work", "systemPrompt": prompt}
    talk.call("session/new", params, result={"sessionId": "s"})
    async with running(talk.state, (100, 30)) as it:
        assert "System prompt, in place of the agent's own: Be brief." in it.screen
        await it.press("f4")
        assert "System prompt           in place of its own" in it.screen
        await it.press("enter")
        rows = [row.strip("│ ") for row in it.rows()]
        assert rows.index("Be kind.") == rows.index("Be brief.") + 1
        assert it.asked == []


async def test_the_details_have_the_quota_the_tokens_of_each_model_and_what_each_subagent_used() -> (
    None
):
    talk = talk_with({"configOptions": OPTIONS})
    later, now = time.time() + 60, time.time()
    for limit, resets_at in (("five_hour", later), ("seven_day", 1.1e9), ("overage", None)):
        share = {"rateLimitType": limit, "utilization": 0.85, "resetsAt": resets_at}
        talk.update("usage_update", used=1, size=9, _meta={"_claude/rateLimit": share})
    usage = [{"model": "large", "token_count": {"totalTokens": 4200}}]
    quota = {"quota": {"model_usage": usage}}
    talk.answer(talk.prompt(), result={"stopReason": "end_turn", "_meta": quota})
    talk.prompt()
    done = {"state": "idle", "stopReason": "end_turn", "usage": {"totalTokens": 4200}}
    talk.update("subagent_update", sessionId="c", title="Ada", state={"state": "running"})
    talk.update("subagent_update", session_id="c", sessionId="d", title="Dee")
    cost = {"amount": 0.5, "currency": "USD"}
    talk.update("usage_update", session_id="c", used=7, size=9, cost=cost)
    talk.update("subagent_update", sessionId="c", state=done)
    child = talk.state.sessions["c"].subagent
    assert child is not None
    assert child.ended is not None
    seconds = duration(child.ended - child.began)
    async with running(talk.state, (120, 40)) as it:
        await it.press("f4")
        rows = [" ".join(row.strip("│ ").split()) for row in it.rows()]
        assert f"Quota 5-hour limit 85%. {reset_words(int(later), now)}" in rows
        assert "Quota weekly limit was reset; the agent hasn't reported it since" in rows
        assert "Quota limit of extra usage 85%. When it resets isn't known." in rows
        assert "Tokens large 4,200 in this session" in rows
        assert f"Subagent Ada done · {seconds} · 4,200 tokens · 0.50 USD" in rows
        assert "Subagent Dee state not reported" in rows


async def test_value_is_chosen_from_its_groups_or_searched_and_the_list_follows_the_agent() -> None:
    talk = talk_with({"configOptions": OPTIONS})
    async with running(talk.state, (100, 30)) as it:
        await it.press("f4")
        shown = it.screen
        assert "[model]" not in shown
        assert "Volume" not in shown
        assert "Model                   ○ Small  ● Big  ○ Oldest" in shown
        assert "Search the options" not in shown
        await it.press("enter")
        shown = it.screen
        assert "Recommended" in shown
        assert "● Big" in shown
        await it.press("up", "enter")
        assert it.asked == [commands.SetConfigOption("s", "model", "small")]
        assert "Think aloud" in it.screen
        await it.press("enter", *"old")
        shown = it.screen
        assert "○ Oldest" in shown
        assert "● Big" not in shown
        await it.press("enter")
        assert it.asked[1:] == [commands.SetConfigOption("s", "model", "old")]
        await it.press("down", "enter")
        assert it.asked[2:] == [commands.SetConfigOption("s", "think", True)]
        changed = [{**OPTIONS[1], "currentValue": True}]
        talk.update("config_option_update", configOptions=changed)
        await it.changed()
        shown = it.screen
        assert "☑ on" in shown
        assert "Model" not in shown
        await it.press("escape")
        assert "Think aloud" not in it.screen


async def test_many_values_are_offered_to_be_searched_and_not_listed_in_the_row() -> None:
    many = [{"value": f"v{at}", "name": f"Value {at}"} for at in range(9)]
    option = {"type": "select", "id": "x", "name": "X", "currentValue": "v3", "options": many}
    async with running(talk_with({"configOptions": [option]}).state, (100, 30)) as it:
        await it.press("f4")
        assert "Value 3" in it.screen
        assert "Value 4" not in it.screen
        await it.press("enter")
        assert "Search the options" in it.screen
        assert "● Value 3" in it.screen


async def test_what_the_agent_says_of_modes_stands_in_a_column_and_whole_below_it() -> None:
    said = "Asks before it changes a file, runs a command, or goes anywhere that is not this folder"
    modes = {
        "currentModeId": "ask",
        "availableModes": [
            {"id": "ask", "name": "Ask", "description": said},
            {"id": "code", "name": "Code away", "description": "Changes files"},
            {"id": "edit", "name": "Edit", "description": "Never asks"},
            {"id": "odd", "name": "▲ Odd"},
        ],
    }
    async with running(talk_with({"modes": modes}).state, (80, 24)) as it:
        await it.press("f4")
        assert said in " ".join(it.screen.replace("│", " ").split())
        await it.press("enter")
        rows = it.rows()
        [ask] = [row.index("Asks before") for row in rows if "● Ask" in row]
        [code] = [row.index("Changes files") for row in rows if "○ Code away" in row]
        assert ask == code
        shown = " ".join(it.screen.replace("│", " ").split())
        assert said in shown
        assert "○ ▲ Edit Never asks" in shown
        assert "○ “▲ Odd”" in shown, "only a name with a sign of its own is quoted"
        await it.press("down")
        assert said not in " ".join(it.screen.replace("│", " ").split())


async def test_modes_and_models_of_older_agents() -> None:
    modes = {
        "currentModeId": "ask",
        "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
    }
    models = {
        "currentModelId": "m1",
        "availableModels": [{"modelId": "m1", "name": "One"}, {"modelId": "m2", "name": "Two"}],
    }
    talk = talk_with({"modes": modes, "models": models})
    async with running(talk.state, (100, 30)) as it:
        await it.press("f4", "enter", "down", "enter")
        await it.press("down", "enter", "down", "enter")
        assert it.asked == [commands.SetMode("s", "code"), commands.SetModel("s", "m2")]


async def test_signing_in_and_out() -> None:
    offered = {
        "authMethods": [{"id": "key", "name": "API key"}],
        "agentCapabilities": {"auth": {"logout": {}}},
    }
    talk = talk_with({}, offered)
    async with running(talk.state) as it:
        await it.press("f4", "enter")
        assert it.asked == [commands.Authenticate("key")]
        await it.press("down", "enter")
        assert it.asked[1:] == []
        await it.wait_until_armed()
        await it.press("2")
        assert it.asked[1:] == [commands.Logout()]


async def test_nothing_to_set_is_said() -> None:
    async with running(talk_with({}).state) as it:
        await it.press("f4", "enter")
        assert "the agent has no options to set" in it.screen


async def test_mode_model_and_usage_of_the_status_line_open_their_lists_by_a_click() -> None:
    modes = [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]
    talk = talk_with(
        {"configOptions": OPTIONS, "modes": {"currentModeId": "ask", "availableModes": modes}}
    )
    cost = {"amount": 0.5, "currency": "USD"}
    talk.update("usage_update", session_id="s", used=70, size=100, cost=cost)
    async with running(talk.state, (120, 24)) as it:
        await click(it, "mode Ask")
        assert "Options of Agent  Mode" in it.screen
        await it.press("down", "enter")
        assert it.asked == [commands.SetMode("s", "code")]
        assert "Options of Agent" not in it.screen
        await click(it, "model Big")
        shown = it.screen
        assert "Oldest" in shown
        assert "Think aloud" not in shown
        await it.press("escape")
        assert "Oldest" not in it.screen
        for words in ("cost 0.50 USD", "context 70%"):
            await click(it, words)
            shown = it.screen
            assert "Options of Agent  Usage" in shown
            assert "Cost                    0.50 USD" in shown
            assert "70 of 100" in shown
            [title] = (row for row in it.rows() if "Usage" in row)
            assert "0" not in title
            assert "Enter choose" not in shown
            await it.press("escape")
            assert "Options of Agent" not in it.screen
