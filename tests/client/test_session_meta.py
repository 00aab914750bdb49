"""The `_meta` of sessions: in each request that opens one, and in no other."""

from datetime import date
from pathlib import Path

import pytest
from pydantic import ValidationError

from acp_tui.client.launch import Launch, SessionStart, launch_of
from acp_tui.config.settings import AgentSettings
from acp_tui.state.commands import ForkSession, OpenSession
from tests.fake_agent.script import Played, Script
from tests.hosting import hosting

pytestmark = pytest.mark.anyio

META = {"claudeCode": {"emitRawSDKMessages": True}}


@pytest.mark.parametrize("history", [True, False])
async def test_it_is_in_each_request_that_opens_a_session(history: bool, tmp_path: Path) -> None:
    offered = {"loadSession": True, "sessionCapabilities": {"resume": {}, "fork": {}}}
    method = "session/load" if history else "session/resume"
    script = Script().initialize({"agentCapabilities": offered}).new_session()
    script.prompt().end_turn()
    script.expect(method).reply(method.partition("/")[2])
    script.expect("session/fork").reply("fork", {"sessionId": "s3"})
    meta = {"claudeCode": META["claudeCode"], "traceparent": "mine"}
    launch = {"meta": {"traceparent": "t", "baggage": "b"}, "session": SessionStart(meta=meta)}
    async with hosting(script.argv(tmp_path), tmp_path, **launch) as host:
        await host.turn()
        host.do(OpenSession("s2", history=history))
        await host.until(lambda: "s2" in host.state.sessions and host.state.sessions["s2"].opened)
        host.do(ForkSession("s2"))
        await host.until(lambda: "s3" in host.state.sessions)
    played = Played(tmp_path)
    played.check()
    for name in ("session/new", method, "session/fork"):
        (call,) = played.calls(name)
        assert call["params"]["_meta"] == {"baggage": "b", **meta}
    for name in ("initialize", "session/prompt"):
        (call,) = played.calls(name)
        assert call["params"]["_meta"] == {"traceparent": "t", "baggage": "b"}


async def test_without_any_there_is_none(tmp_path: Path) -> None:
    script = Script().handshake()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.opened()
    (call,) = Played(tmp_path).calls("session/new")
    assert "_meta" not in call["params"]


def test_an_option_has_precedence_over_the_agents_setting() -> None:
    settings = AgentSettings(command=["agent"], meta={"a": 1, "b": 2})
    base = Launch((), "/", session=SessionStart(meta={"b": 3}))
    assert launch_of(settings, base).session.meta == {"a": 1, "b": 3}


@pytest.mark.parametrize("value", [date(2026, 11, 28), float("nan")])
def test_a_setting_that_json_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(ValidationError, match="JSON"):
        AgentSettings(command=["agent"], meta={"a": [value]})
