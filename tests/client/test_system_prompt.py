"""The system prompt: given to each session in each way of opening it, or else no session is opened."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.client.launch import Launch, SessionStart, launch_of, make_system_prompt
from acp_tui.config.settings import AgentSettings
from acp_tui.protocol.setup import SystemPrompt
from acp_tui.state.commands import ForkSession, OpenSession, Restart
from tests.fake_agent.script import Played, Script
from tests.hosting import hosting

pytestmark = pytest.mark.anyio

APPENDS = {"systemPrompt": {}}
OVERRIDES = {"systemPrompt": {"mode": {"override": {}}}}
BRIEF = make_system_prompt("Be brief.", "append")
BRIEFLY = {"mode": "append", "content": [{"type": "text", "text": "Be brief."}]}


def offering(**session: Any) -> Script:
    capabilities = {"loadSession": True, "sessionCapabilities": session}
    return Script().initialize({"agentCapabilities": capabilities})


@pytest.mark.parametrize(("history", "method"), [(True, "session/load"), (False, "session/resume")])
async def test_it_is_sent_again_when_a_session_is_opened_again(
    history: bool, method: str, tmp_path: Path
) -> None:
    script = offering(resume={}, **APPENDS).new_session()
    script.expect(method, {"sessionId": "s2"}).reply(method.partition("/")[2])
    async with hosting(script.argv(tmp_path), tmp_path, session=SessionStart(BRIEF)) as host:
        await host.opened()
        assert host.session.system_prompt == BRIEF
        host.do(OpenSession("s2", history=history))
        await host.until(lambda: "s2" in host.state.sessions and host.state.sessions["s2"].opened)
        assert host.state.sessions["s2"].system_prompt == BRIEF
    played = Played(tmp_path)
    assert [one["params"]["systemPrompt"] for one in played.calls("session/new")] == [BRIEFLY]
    assert [one["params"]["systemPrompt"] for one in played.calls(method)] == [BRIEFLY]


async def test_it_is_sent_with_a_fork(tmp_path: Path) -> None:
    script = offering(fork={}, **APPENDS).new_session()
    script.expect("session/fork", {"systemPrompt": BRIEFLY}).reply("fork", {"sessionId": "s2"})
    async with hosting(script.argv(tmp_path), tmp_path, session=SessionStart(BRIEF)) as host:
        await host.opened()
        host.do(ForkSession("s1"))
        await host.until(lambda: "s2" in host.state.sessions)
    Played(tmp_path).check()


async def test_it_is_sent_again_after_a_restart(tmp_path: Path) -> None:
    first = offering(resume={}, **APPENDS).new_session().prompt().chunk("x").end_turn()
    again = offering(resume={}, **APPENDS)
    again.expect("session/resume", {"systemPrompt": BRIEFLY}).reply("resume")
    async with hosting(first.argv(tmp_path, again), tmp_path, session=SessionStart(BRIEF)) as host:
        await host.opened()
        await host.turn("hi")
        host.do(Restart())
        await host.until(lambda: host.state.sessions["s1"].lost)
        await host.opened()
    Played(tmp_path, run=2).check()


@pytest.mark.parametrize(
    ("offered", "mode", "why"),
    [
        ({}, "append", "takes no system prompt: it doesn't offer systemPrompt."),
        (APPENDS, "override", "it doesn't offer systemPrompt.mode.override."),
        (
            {"systemPrompt": {"mode": {}}},
            "override",
            "it doesn't offer systemPrompt.mode.override.",
        ),
    ],
)
async def test_no_session_is_opened_where_the_agent_does_not_offer_it(
    offered: dict[str, Any], mode: str, why: str, tmp_path: Path
) -> None:
    prompt = make_system_prompt("Be brief.", mode)
    argv = offering(**offered).argv(tmp_path)
    async with hosting(argv, tmp_path, session=SessionStart(prompt)) as host:
        await host.until(lambda: host.state.notices)
        (notice,) = host.state.notices
        assert notice.title == "Not possible"
        assert why in (notice.description or "")
    assert Played(tmp_path).calls("session/new") == []


async def test_one_that_is_too_long_for_a_line_is_not_sent(tmp_path: Path) -> None:
    prompt = make_system_prompt("word " * 4_000_000, "append")
    argv = offering(**APPENDS).argv(tmp_path)
    async with hosting(argv, tmp_path, session=SessionStart(prompt)) as host:
        await host.until(lambda: host.state.notices)
        words = host.state.notices[0].description or ""
        assert words.startswith("The system prompt is too long: 20,")
    assert Played(tmp_path).calls("session/new") == []


async def test_an_agent_that_offers_both_modes_gets_either(tmp_path: Path) -> None:
    script = offering(**OVERRIDES).new_session()
    prompt = make_system_prompt("Be brief.", "override")
    async with hosting(script.argv(tmp_path), tmp_path, session=SessionStart(prompt)) as host:
        await host.opened()
    [sent] = Played(tmp_path).calls("session/new")
    assert sent["params"]["systemPrompt"] == {**BRIEFLY, "mode": "override"}


def texts(launch: Launch) -> tuple[str, str] | None:
    prompt: SystemPrompt | None = launch.session.whole_system_prompt()
    return None if prompt is None else (prompt.mode, prompt.text)


def test_the_project_prompt_follows_that_of_the_agent_in_its_mode() -> None:
    base = Launch((), "/")
    agent = AgentSettings(command=["a"], system_prompt="One.", system_prompt_mode="override")
    plain = AgentSettings(command=["a"])
    assert texts(launch_of(plain, base)) is None
    assert texts(launch_of(agent, base)) == ("override", "One.")
    with_project = Launch((), "/", session=SessionStart(project_prompt="Two."))
    assert texts(launch_of(plain, with_project)) == ("append", "Two.")
    assert texts(launch_of(agent, with_project)) == ("override", "One.\n\nTwo.")


def test_the_command_line_wins_over_the_agents_settings() -> None:
    agent = AgentSettings(command=["a"], system_prompt="One.")
    assert texts(launch_of(agent, Launch((), "/", session=SessionStart(BRIEF)))) == (
        "append",
        "Be brief.",
    )


def test_what_is_not_utf_8_in_an_argument_is_replaced() -> None:
    assert make_system_prompt("br\udcffef", "append").text == "br\N{REPLACEMENT CHARACTER}ef"
