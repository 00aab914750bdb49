"""Messages into a turn that runs, and choices of modes, options and models."""

from collections.abc import Callable
from pathlib import Path

import pytest

from acp_tui.protocol.content import TextContent
from acp_tui.state.commands import Interrupt, SetConfigOption, SetMode, SetModel, Steer
from acp_tui.state.entries import MessageEntry, Role
from tests.conformance.conftest import Play
from tests.fake_agent.script import Played, Script
from tests.hosting import Host, run_turn

pytestmark = pytest.mark.anyio
Wire = Callable[[], Played]
STEERABLE = {"_meta": {"steering": {"supported": True}}}
WORDS = (TextContent(text="and quickly"),)
OPTIONS = [
    {
        "id": "level",
        "name": "Level",
        "type": "select",
        "currentValue": "low",
        "options": [
            {"group": "g", "name": "G", "options": [{"value": "low", "name": "Low"}]},
            {"group": "h", "name": "H", "options": [{"value": "high", "name": "High"}]},
        ],
    },
    {"id": "fast", "name": "Fast", "type": "boolean", "currentValue": False},
    {"id": "odd", "name": "Odd", "type": "dial", "currentValue": 3},
]


def mine(host: Host) -> list[str]:
    """What the person said."""
    entries = [one for one in host.entries if isinstance(one, MessageEntry)]
    return [one.text for one in entries if one.role is Role.USER]


async def test_a_message_joins_the_turn_that_runs(play: Play) -> None:
    script = Script().handshake(STEERABLE).prompt().expect("_session/steering")
    script.reply("steering", {"outcome": "injected"}).end_turn()
    async with play(script) as host:
        await host.opened()
        host.prompt("work")
        host.do(Steer("s1", WORDS))
        await host.turn_ended()
        assert mine(host) == ["work", "and quickly"]


async def test_a_message_that_comes_too_late_is_a_prompt(play: Play) -> None:
    script = Script().handshake(STEERABLE).prompt().expect("_session/steering").end_turn()
    script.reply("steering", {"outcome": "promptRequired", "reason": "noRunningTurn"})
    script.prompt(save="next").end_turn(to="next")
    async with play(script) as host:
        await host.opened()
        host.prompt("work")
        host.do(Steer("s1", WORDS))
        await host.turn_ended(before=1)
        assert mine(host) == ["work", "and quickly"]


@pytest.mark.parametrize("command", [Steer, Interrupt])
async def test_where_nobody_steers_the_turn_is_cancelled_first(
    play: Play, played: Wire, command: type[Steer | Interrupt]
) -> None:
    script = Script().handshake().prompt().expect("session/cancel").end_turn("cancelled")
    script.prompt(save="next").end_turn(to="next")
    async with play(script) as host:
        await host.opened()
        host.prompt("work")
        host.do(command("s1", WORDS))
        await host.turn_ended(before=1)
        assert mine(host) == ["work", "and quickly"]
    assert played().calls("_session/steering") == []


async def test_what_could_not_be_sent_is_given_back(play: Play) -> None:
    script = Script().handshake(STEERABLE).prompt().expect("_session/steering")
    script.reply("steering", error={"code": -32603, "message": "no"}).expect("session/cancel")
    async with play(script.exit(1)) as host:
        await host.opened()
        host.prompt("work")
        host.do(Steer("s1", WORDS))
        await host.until(lambda: host.notices)
        host.do(Interrupt("s1", (TextContent(text="then this"),)))
        await host.until(lambda: len([1 for one in host.notices if one.title == "Not sent"]) == 2)
        told = "".join(one.description or "" for one in host.notices)
        assert "and quickly" in told
        assert "then this" in told


@pytest.mark.check(54)
async def test_options_are_sent_as_they_are_offered(play: Play) -> None:
    """A boolean is sent with its type; the response is the complete list of options."""
    script = Script().handshake(new={"configOptions": OPTIONS})
    script.expect(
        "session/set_config_option", {"configId": "fast", "type": "boolean", "value": True}
    )
    script.reply("set_config_option", {"configOptions": OPTIONS[1:2]})
    async with play(script) as host:
        await host.opened()
        for value in ("fast", "low-ish", True):
            host.do(SetConfigOption("s1", "level", value))
        host.do(SetConfigOption("s1", "fast", "yes"))
        host.do(SetConfigOption("s1", "odd", "4"))
        host.do(SetMode("s1", "unheard-of"))
        assert [one.title for one in host.notices] == ["Not possible"] * 6
        host.do(SetConfigOption("s1", "fast", True))
        await host.until(lambda: len(host.session.config.options or []) == 1)


async def test_models_of_older_agents_can_be_chosen(play: Play) -> None:
    models = {
        "currentModelId": "small",
        "availableModels": [{"modelId": one, "name": one} for one in ("small", "large")],
    }
    script = Script().handshake(new={"models": models})
    script.expect("session/set_model", {"modelId": "large"}).reply("set_model")
    async with play(script) as host:
        session = await host.opened()
        host.do(SetModel("s1", "large"))
        await host.until(
            lambda: session.config.models and session.config.models.current_model_id == "large"
        )
        host.do(SetModel("s1", "huge"))
        assert "small, large" in str(host.notices[-1].description)


def test_a_turn_with_chosen_options(tmp_path: Path) -> None:
    script = Script().handshake(new={"configOptions": OPTIONS})
    script.expect("session/set_config_option", {"configId": "level", "value": "high"}, save="a")
    changed = [{**one, "currentValue": "high"} for one in OPTIONS if one["id"] == "level"]
    script.reply("a", {"configOptions": changed}).prompt().end_turn()
    ran = run_turn("--set", "level=high", argv=script.argv(tmp_path))
    Played(tmp_path).check()
    assert ran.code == 0


def test_an_option_that_the_agent_leaves_as_it_was_ends_the_run(tmp_path: Path) -> None:
    script = Script().handshake(new={"configOptions": OPTIONS})
    script.expect("session/set_config_option", save="a").reply("a", {"configOptions": OPTIONS})
    ran = run_turn("--set", "level=high", argv=script.expect_eof().argv(tmp_path))
    Played(tmp_path).check()
    assert ran.code == 1
    assert "The agent left level at low; you chose high." in ran.err


def test_an_option_that_is_not_there_ends_the_run(tmp_path: Path) -> None:
    script = Script().handshake(new={"configOptions": OPTIONS}).expect_eof()
    ran = run_turn("--set", "level=highest", argv=script.argv(tmp_path))
    assert ran.code == 1
    assert "offered: low, high" in ran.err
