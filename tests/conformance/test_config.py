"""Session Modes and Session Config Options."""

from collections.abc import Callable
from typing import Any

import pytest

from acp_tui.state.commands import SetConfigOption, SetMode
from acp_tui.state.entries import NoticeEntry
from tests.conformance.conftest import Play
from tests.fake_agent.script import Played, Script

pytestmark = pytest.mark.anyio
Wire = Callable[[], Played]

MODES = {
    "currentModeId": "ask",
    "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
}


def options(model: str, fast: bool) -> list[dict[str, Any]]:
    choices = [{"value": "m1", "name": "One"}, {"value": "m2", "name": "Two"}]
    return [
        {"id": "m", "name": "Model", "type": "select", "currentValue": model, "options": choices},
        {"id": "fast", "name": "Fast", "type": "boolean", "currentValue": fast},
        {"id": "odd", "name": "Odd", "type": "knob", "currentValue": 11},
    ]


@pytest.mark.check(53)
async def test_a_mode_is_set_by_its_id_and_shown_when_agreed(play: Play) -> None:
    """modeId must be one of availableModes, in a turn, too; the agent's answer makes it current."""
    script = Script().handshake(None, {"modes": MODES})
    script.prompt()
    script.expect("session/set_mode", {"sessionId": "s1", "modeId": "code"}).reply("set_mode")
    async with play(script) as host:
        session = await host.opened()
        host.prompt()
        assert session.config.mode == "Ask"
        host.do(SetMode("s1", "code"))
        assert session.config.mode == "Ask"
        await host.until(lambda: session.config.mode == "Code")


async def test_a_refused_mode_stays_as_it_was(play: Play) -> None:
    """Only what the agent confirmed is true."""
    script = Script().handshake(None, {"modes": MODES}).expect("session/set_mode")
    script.reply("set_mode", error={"code": -32602, "message": "no"}).chunk("refused")
    async with play(script) as host:
        session = await host.opened()
        host.do(SetMode("s1", "code"))
        await host.until(lambda: host.said == "refused")
        assert session.config.mode == "Ask"


async def test_an_option_is_set_whose_answer_is_empty_and_whose_update_follows(play: Play) -> None:
    """The agent agreed; what holds now is what its update lists."""
    script = Script().handshake(None, {"configOptions": options("m1", False)})
    script.expect("session/set_config_option", save="set").reply("set")
    script.update("config_option_update", configOptions=options("m2", False))
    async with play(script) as host:
        session = await host.opened()
        host.do(SetConfigOption("s1", "m", "m2"))
        await host.until(lambda: (session.config.options or [])[0].current_value == "m2")  # type: ignore[union-attr]
        assert session.entries == []


async def test_an_option_that_no_update_confirms_is_reported(play: Play) -> None:
    """An empty answer says nothing of what holds: the old value must not pass for it."""
    script = Script().handshake(None, {"configOptions": options("m1", False)})
    script.expect("session/set_config_option", save="set").reply("set")
    async with play(script) as host:
        session = await host.opened()
        host.do(SetConfigOption("s1", "m", "m2"))
        await host.until(lambda: session.entries != [])
        (notice,) = session.entries
        assert isinstance(notice, NoticeEntry)
        assert notice.title == "The agent didn't confirm m m2"


@pytest.mark.check(38)
async def test_options_are_set_with_their_own_types(play: Play, played: Wire) -> None:
    """A select's value is an id, a boolean's is a bool with type boolean; the answer's complete
    list replaces all.
    """
    script = Script().handshake(None, {"configOptions": options("m1", False)})
    script.expect("session/set_config_option", {"configId": "m", "value": "m2"}, save="m")
    script.reply("m", {"configOptions": options("m2", False)})
    fast = {"configId": "fast", "type": "boolean", "value": True}
    script.expect("session/set_config_option", fast, save="fast")
    script.reply("fast", {"configOptions": options("m2", True)[:2]})
    async with play(script) as host:
        session = await host.opened()
        host.do(SetConfigOption("s1", "m", "m2"))
        host.do(SetConfigOption("s1", "fast", True))
        await host.until(lambda: len(session.config.options or []) == 2)
        values = [option.current_value for option in session.config.options or []]  # type: ignore[union-attr]
        assert values == ["m2", True]
    first, second = played().calls("session/set_config_option")
    assert set(first["params"]) == {"sessionId", "configId", "value"}
    assert second["params"]["value"] is True
