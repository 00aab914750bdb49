"""A tool call and a terminal are stopped alone where the agent offers it, and never where it doesn't."""

import sys
from pathlib import Path

import pytest

from acp_tui.state.commands import CancelTerminal, CancelToolCall, SendPrompt
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.state import Terminal
from tests.client.test_version_2 import sent, words
from tests.hosting import Host, hosting

pytestmark = pytest.mark.anyio

AGENT = r"""
import json, sys

def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def update(kind, **fields):
    say(method="session/update",
        params={"sessionId": "s1", "update": {"sessionUpdate": kind, **fields}})

offered, left = {"cancel": {}}, 2
for line in sys.stdin:
    call = json.loads(line)
    method, params, result = call["method"], call.get("params", {}), {}
    if method == "initialize":
        result = {"protocolVersion": 2, "info": {"name": "two", "version": "1"},
                  "capabilities": {"session": {}}}
    elif method == "session/new":
        result = {"sessionId": "s1"}
    elif method == "session/prompt":
        result = {"messageId": "u1"}
    say(id=call["id"], result=result)
    if method == "session/prompt":
        update("state_update", state="running")
        update("tool_call_update", toolCallId="c", status="in_progress", capabilities=offered)
        update("tool_call_update", toolCallId="d", status="in_progress")
        update("terminal_update", terminalId="t", command="make tea", capabilities=offered)
        update("terminal_update", terminalId="u", command="make coffee")
    elif method == "tool_call/cancel":
        update("tool_call_update", toolCallId=params["toolCallId"], status="cancelled")
        left -= 1
    elif method == "terminal/cancel":
        update("terminal_update", terminalId=params["terminalId"], exitStatus={"signal": "SIGTERM"})
        left -= 1
    if left == 0:
        update("state_update", state="idle", stopReason="end_turn")
"""


def call(host: Host, id: str) -> ToolCallEntry:
    entry = host.session.tool_call(id)
    assert entry is not None
    return entry


def terminal(host: Host, id: str) -> Terminal:
    return host.state.terminals[f"s1/{id}"]


@pytest.mark.check(128)
async def test_only_what_offers_it_is_stopped_and_the_turn_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "agent.py"
    path.write_text(AGENT)
    async with hosting([sys.executable, str(path)], tmp_path, protocol="2") as host:
        await host.until(host.state.open_sessions)
        host.do(SendPrompt("s1", words("go")))
        await host.until(lambda: "s1/u" in host.state.terminals)
        for id in ("d", "unheard-of", "c", "c"):
            host.do(CancelToolCall("s1", id))
        await host.until(lambda: call(host, "c").status == "cancelled")
        assert call(host, "d").status == "in_progress"
        assert host.session.turn is not None
        for id in ("s1/u", "s1/unheard-of", "s1/t", "s1/t"):
            host.do(CancelTerminal("s1", id))
        await host.until(lambda: terminal(host, "t").signal == "SIGTERM")
        await host.until(lambda: host.ends)
        assert terminal(host, "u").ended is None
        cancels = [(method, params) for method, params in sent(host) if method.endswith("/cancel")]
        assert cancels == [
            ("tool_call/cancel", {"sessionId": "s1", "toolCallId": "c"}),
            ("terminal/cancel", {"sessionId": "s1", "terminalId": "t"}),
        ]
        host.do(CancelToolCall("s1", "c"))
        host.do(CancelToolCall("gone", "c"))
        assert len(sent(host)) == 5
