"""What an agent is offered when the client is another one: no more is served."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.config.client_profiles import PROFILES, ClientProfile
from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.log import Log
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.state.commands import OfferAs, Restart
from tests.fake_agent.script import Played, Script
from tests.hosting import Host, hosting

pytestmark = pytest.mark.anyio
NOT_THERE = {"code": -32601}
FORM = {"mode": "form", "message": "Name?", "requestedSchema": {"type": "object", "properties": {}}}


def found(host: Host) -> list[str]:
    log = Log(host.records, Linter())
    log.catch_up()
    return [f"{one.rule.id}: {one.message}" for one in log.findings]


async def test_what_is_not_offered_is_not_there_and_asking_for_it_is_a_finding(
    tmp_path: Path,
) -> None:
    profile = PROFILES["neovim"]
    script = Script().expect("initialize", dict(profile.params), save="init")
    script.reply("init", {"protocolVersion": 1, "agentInfo": {"name": "a", "version": "1"}})
    script.new_session().prompt()
    session = {"sessionId": script.session_id}
    asked: dict[str, dict[str, Any]] = {
        "terminal/create": {**session, "command": "true"},
        "elicitation/create": {**session, **FORM},
        "_agentao.cn/ask_user": {**session, "question": "Which?"},
    }
    for method, params in asked.items():
        script.request(method, params, save=method).expect_answer(method, error=NOT_THERE)
    script.end_turn()
    async with hosting(script.argv(tmp_path), tmp_path, profile=profile) as host:
        await host.turn()
        assert "unadvertised: terminal/create: the client has no terminal" in found(host)
        assert any("neovim" in one.title for one in host.state.notices)
    Played(tmp_path).check()


async def test_another_client_is_offered_after_a_restart(tmp_path: Path) -> None:
    script = Script().handshake().prompt().end_turn()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.opened()
        offered = host.state.peer.offered
        assert offered["clientInfo"]["name"] == "acp-tui"
        host.do(OfferAs(PROFILES["minimal"].params))
        host.do(Restart())
        await host.until(lambda: host.state.peer.offered == dict(PROFILES["minimal"].params))
        host.do(OfferAs(None))
        host.do(Restart())
        await host.until(lambda: host.state.peer.offered == offered)


async def test_what_cannot_be_read_is_sent_and_nothing_of_it_served(tmp_path: Path) -> None:
    profile = ClientProfile("mine", {"clientCapabilities": {"terminal": "perhaps"}}, "Mine.")
    script = Script().handshake()
    async with hosting(script.argv(tmp_path), tmp_path, profile=profile) as host:
        await host.opened()
        sent = next(one for one in host.records if isinstance(one, Frame))
        assert sent.direction is Direction.OUT
        assert b'"terminal":"perhaps"' in sent.raw
