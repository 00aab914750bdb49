"""MCP servers: the demo connects to those over stdio and lists their tools, which it has no use for."""

import json
import os
import subprocess
import threading
from typing import Any

from acp_tui.demo_agent.wire import Message, encode

_SERVER_TIMEOUT = 5.0
"""Seconds that a server gets to end."""
_ASKED: tuple[Message, ...] = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "acp-tui-demo", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
)


def connect(servers: list[Any], cwd: str) -> None:
    """Connect to servers, each in a thread of its own: no session waits for them."""
    for server in servers:
        if isinstance(server, dict) and isinstance(server.get("command"), str):
            threading.Thread(target=_connect, args=(server, cwd), daemon=True).start()


def _connect(server: Message, cwd: str) -> None:
    variables = {one["name"]: one["value"] for one in server.get("env") or ()}
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    argv = [server["command"], *server.get("args", ())]
    try:
        with subprocess.Popen(
            argv, stdin=pipe, stdout=pipe, stderr=null, cwd=cwd, env={**os.environ, **variables}
        ) as process:
            _list_tools(process)
            try:
                process.wait(_SERVER_TIMEOUT)
            except subprocess.TimeoutExpired:
                process.kill()
    except (OSError, ValueError):
        return  # no server, or none that speaks MCP: the demo does without


def _list_tools(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    for message in _ASKED:
        process.stdin.write(encode(message))
        process.stdin.flush()
        while "id" in message and (line := process.stdout.readline()):
            if json.loads(line).get("id") == message["id"]:
                break
    process.stdin.close()
