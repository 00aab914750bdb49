"""What the client asks of an agent in version 2: sign-ins, sessions with their history, one turn at a time."""

import json
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_tui import AgentExitedError, open_agent
from acp_tui.protocol.content import TextContent
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.state.commands import (
    Authenticate,
    CloseSession,
    Interrupt,
    Logout,
    OpenSession,
    Restart,
    SendPrompt,
    SetConfigOption,
)
from acp_tui.state.peer import Phase
from tests.hosting import Host, hosting

pytestmark = pytest.mark.anyio

AGENT = r"""
import json, sys

signed_in, turns = {signed_in!r}, 0
option = {"type": "select", "configId": "model", "name": "Model", "category": "model",
          "currentValue": "a", "options": [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}]}

def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def update(kind, **fields):
    say(method="session/update",
        params={"sessionId": "s1", "update": {"sessionUpdate": kind, **fields}})

def text(words):
    return [{"type": "text", "text": words}]

for line in sys.stdin:
    call = json.loads(line)
    method, params, result = call["method"], call.get("params", {}), {}
    if method == "session/cancel":
        update("state_update", state="idle", stopReason="cancelled")
        continue
    if method == "initialize":
        result = {"protocolVersion": 2, "info": {"name": "two", "version": "1"},
                  "capabilities": {"session": {"delete": {}}},
                  "authMethods": [{"type": "agent", "methodId": "key", "name": "By key"}]}
    elif method in ("session/new", "session/resume") and not signed_in:
        say(id=call["id"], error={"code": -32000, "message": "Sign in first"})
        continue
    elif method == "auth/login":
        signed_in = True
    elif method == "session/new":
        result = {"sessionId": "s1", "configOptions": [option],
                  "availableCommands": [{"type": "command", "name": "go", "description": "Goes"}]}
    elif method == "session/resume" and params.get("replayFrom"):
        update("user_message", messageId="u0", content=text("before"))
        update("agent_message", messageId="a0", content=text("I remember"))
    elif method == "session/set_config_option":
        result = {"configOptions": [{**option, "currentValue": params["value"]}]}
    elif method == "session/prompt":
        turns += 1
        result = {"messageId": f"u{turns}"}
    say(id=call["id"], result=result)
    if method == "session/prompt":
        update("user_message", messageId=f"u{turns}", content=params["prompt"])
        update("state_update", state="running")
        update("agent_message", messageId=f"a{turns}", content=text(f"answer {turns}"))
        if params["prompt"][0]["text"] == "die":
            sys.exit(3)
        if params["prompt"][0]["text"] != "wait":
            update("state_update", state="idle", stopReason="end_turn")
"""


def agent(folder: Path, *, signed_in: bool = True) -> list[str]:
    path = folder / "agent.py"
    path.write_text(AGENT.replace("{signed_in!r}", repr(signed_in)))
    return [sys.executable, str(path)]


def sent(host: Host) -> list[tuple[str, Any]]:
    """What the client has called, and its params."""
    frames = [
        json.loads(one.raw)
        for one in host.records
        if isinstance(one, Frame) and one.direction is Direction.OUT
    ]
    return [(one["method"], one.get("params")) for one in frames if "method" in one]


def words(text: str) -> tuple[TextContent, ...]:
    return (TextContent(text=text),)


@pytest.mark.check(106)
async def test_a_sign_in_is_a_login_and_what_was_refused_is_asked_again(tmp_path: Path) -> None:
    async with hosting(agent(tmp_path, signed_in=False), tmp_path, protocol="2") as host:
        await host.until(lambda: host.state.peer.phase is Phase.SIGN_IN)
        host.do(Authenticate("key"))
        await host.until(host.state.open_sessions)
        assert host.state.peer.sign_in is None
        host.do(Logout())
        await host.until(lambda: any(one.title == "Signed out" for one in host.state.notices))
        calls = [method for method, _ in sent(host)]
        assert calls == ["initialize", "session/new", "auth/login", "session/new", "auth/logout"]


@pytest.mark.check(109)
async def test_a_session_brings_its_options_and_commands(tmp_path: Path) -> None:
    async with hosting(agent(tmp_path), tmp_path, protocol="2") as host:
        await host.until(host.state.open_sessions)
        assert [one.name for one in host.session.commands] == ["go"]
        host.do(SetConfigOption("s1", "model", "b"))
        await host.until(lambda: host.session.config.model == "B")
        assert sent(host)[-1][1]["type"] == "id"
        host.do(CloseSession("s1"))
        await host.until(lambda: not host.state.open_sessions())


@pytest.mark.check(118)
async def test_what_interrupts_a_turn_is_sent_when_the_agent_is_idle(tmp_path: Path) -> None:
    async with hosting(agent(tmp_path), tmp_path, protocol="2") as host:
        await host.until(host.state.open_sessions)
        host.do(SendPrompt("s1", words("wait")))
        await host.until(lambda: host.session.turn is not None and host.session.turn.seen_running)
        host.do(Interrupt("s1", words("now")))
        await host.until(lambda: len(host.ends) == 2)
        assert [one.stop_reason for one in host.ends] == ["cancelled", "end_turn"]
        assert [method for method, _ in sent(host)][-3:] == [
            *("session/prompt", "session/cancel", "session/prompt"),
        ]


@pytest.mark.check(107)
async def test_a_session_is_loaded_by_a_resume_that_replays_it(tmp_path: Path) -> None:
    opening = OpenSession("s1", history=True)
    async with hosting(agent(tmp_path), tmp_path, protocol="2", opening=opening) as host:
        await host.until(host.state.open_sessions)
        assert "I remember" in host.said
        method, params = sent(host)[-1]
        assert (method, params["replayFrom"]) == ("session/resume", {"type": "start"})


@pytest.mark.check(111)
async def test_the_library_s_turns_last_until_the_agent_is_idle(tmp_path: Path) -> None:
    async with open_agent(agent(tmp_path), tmp_path, protocol="auto") as hosted:
        session = await hosted.new_session()
        turn = await session.prompt("first")
        assert (turn.stop_reason, turn.text) == ("end_turn", "answer 1")
        with anyio.move_on_after(0.5):
            await session.prompt("wait")
        assert session.turns[-1].stop_reason == "cancelled"
        assert (await session.prompt("third")).text == "answer 3"


@pytest.mark.check(119)
async def test_an_agent_that_dies_in_a_turn_is_an_error_of_the_library(tmp_path: Path) -> None:
    async with open_agent(agent(tmp_path), tmp_path, protocol="2") as hosted:
        session = await hosted.new_session()
        with pytest.raises(AgentExitedError, match="exited with code 3"):
            await session.prompt("die")
        assert session.turns[-1].lost


@pytest.mark.check(108)
async def test_after_a_restart_a_session_is_resumed_without_its_history(tmp_path: Path) -> None:
    async with hosting(agent(tmp_path), tmp_path, protocol="2") as host:
        await host.until(host.state.open_sessions)
        host.do(SendPrompt("s1", words("first")))
        await host.until(lambda: host.ends)
        host.do(Restart())
        await host.until(lambda: len([m for m, _ in sent(host) if m == "session/resume"]) == 1)
        await host.until(host.state.open_sessions)
        method, params = sent(host)[-1]
        assert method == "session/resume"
        assert "replayFrom" not in params
        host.do(SendPrompt("s1", words("second")))
        await host.until(lambda: len(host.ends) == 2)
