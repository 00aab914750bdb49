"""The switches of what an agent is offered."""

import pytest

from acp_tui.config.client_profiles import PROFILES, SWITCHES, offers_capability
from acp_tui.state.commands import Command, OfferAs, Restart
from tests.unit.ui.inspector.scene import inspecting, talk

pytestmark = pytest.mark.anyio


async def test_a_capability_is_switched_and_the_agent_restarted_with_it() -> None:
    asked: list[Command] = []
    async with inspecting(talk().records, (80, 24)) as it:
        it.app.tabs.agent.do = asked.append
        await it.press("A")
        shown = it.screen
        assert "☑ terminals" in shown
        assert "☐ notices" in shown
        await it.pilot.resize_terminal(80, 12)
        assert "r restart the agent so" in it.screen
        names = list(SWITCHES)
        for key, name in (("up", names[-1]), ("down", names[0])):
            await it.press(key)
            assert any("▌" in row and name in row for row in it.rows), "what is marked is in view"
        await it.press("down", "down", "space", "escape")
        assert asked == []
        await it.press("A", "down", "down", "space", "r")
        offer, restart = asked
        assert isinstance(offer, OfferAs)
        assert offer.params is not None
        assert not offers_capability(offer.params, ("terminal",))
        assert offers_capability(offer.params, ("fs", "readTextFile"))
        assert restart == Restart()


async def test_all_are_taken_from_a_known_client_which_says_how_it_is_known() -> None:
    asked: list[Command] = []
    async with inspecting(talk().records, (80, 24)) as it:
        it.app.tabs.agent.do = asked.append
        await it.press("A", "2")
        assert "It calls itself JetBrains.IntelliJ IDEA" in it.screen
        assert "are a guess" in it.screen
        await it.press("4")
        assert "It does not say who it is" in it.screen
        await it.press("5")
        assert "AIR itself was" in it.screen
        await it.press("1", "r")
        assert asked[0] == OfferAs(PROFILES["zed"].params)
