"""A fork of a session at one of the agent's cursors."""

from pathlib import Path

import pytest

from acp_tui.client.capabilities import capabilities_to_offer
from acp_tui.state.commands import ForkSession
from tests.fake_agent.script import Played, Script
from tests.hosting import hosting

pytestmark = pytest.mark.anyio

UNSTABLE = capabilities_to_offer(interactive=True, unstable=True)


@pytest.mark.parametrize("cursor", ["c", None])
async def test_a_fork_names_the_cursor_where_there_is_one(
    cursor: str | None, tmp_path: Path
) -> None:
    named = {"agentCapabilities": {"sessionCapabilities": {"fork": {}}}}
    script = Script().initialize(named).new_session().prompt().chunk("hello", messageId="m")
    anchor = {"type": "agent_message", "messageId": "m", "position": "after"}
    script.update("cursor_update", cursorId="c", anchor=anchor, capabilities={"fork": {}})
    script.end_turn().expect("session/fork").reply("fork", {"sessionId": "s2"})
    async with hosting(script.argv(tmp_path), tmp_path, capabilities=UNSTABLE) as host:
        await host.opened()
        await host.turn("hi")
        assert host.session.fork_cursors == {"c"}
        host.do(ForkSession("s1", cursor_id=cursor))
        await host.until(lambda: "s2" in host.state.sessions)
    played = Played(tmp_path)
    [initialized] = played.calls("initialize")
    assert initialized["params"]["clientCapabilities"]["session"]["cursors"] == {}
    [forked] = played.calls("session/fork")
    assert forked["params"].get("cursorId") == cursor
