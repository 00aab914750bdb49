"""Connections to MCP servers: as much as it takes to list their tools."""

import json
import os
import subprocess
import urllib.request
from typing import Any

Message = dict[str, Any]
_PARAMS: Message = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "conforming", "version": "1"},
}
HELLO: tuple[Message, ...] = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _PARAMS},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
)
_ASKED = (*HELLO, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})


def over_stdio(server: Message, asked: tuple[Message, ...] = _ASKED) -> None:
    """Start a server, list its tools, and end it."""
    env = {**os.environ, **{one["name"]: one["value"] for one in server["env"]}}
    pipe = subprocess.PIPE
    argv = [server["command"], *server["args"]]
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe, env=env) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for message in asked:
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            if "id" in message:
                process.stdout.readline()


def over_http(server: Message) -> None:
    """List a server's tools."""
    headers = {one["name"]: one["value"] for one in server["headers"]}
    headers |= {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    for message in _ASKED:
        data = json.dumps(message).encode()
        request = urllib.request.Request(server["url"], data, headers)
        with urllib.request.urlopen(request) as answer:
            answer.read()
