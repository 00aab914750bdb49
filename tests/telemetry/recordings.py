"""Recordings made by hand, of many agents over many weeks."""

import json
from pathlib import Path
from random import Random
from typing import Any

from acp_tui.protocol.frames import Direction, Frame
from acp_tui.recordings import recording

AGENTS = ("swift", "steady", "sloth")
REPOSITORIES = ("/src/kettle", "/src/teapot")
WEEK = 7 * 24 * 3600
MONDAY = 1_788_739_200.0
"""2026-09-07, a Monday."""


class Made:
    """A recording that grows line by line."""

    def __init__(self) -> None:
        self.at = 100.0
        self.lines: list[str] = []
        self._number = 0

    def put(self, direction: Direction, message: dict[str, Any], after: float = 0.01) -> None:
        """Add a message, so many seconds after the one before."""
        self.at += after
        self._number += 1
        raw = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.lines.append(recording.format_record(Frame(direction, raw, self.at, self._number)))

    def call(self, id: int, method: str, params: dict[str, Any]) -> None:
        self.put(Direction.OUT, {"id": id, "method": method, "params": params})

    def answer(self, id: int, result: dict[str, Any], after: float = 0.01) -> None:
        self.put(Direction.IN, {"id": id, "result": result}, after)

    def update(self, kind: str, after: float = 0.01, /, **fields: Any) -> None:
        params = {"sessionId": "s1", "update": {"sessionUpdate": kind, **fields}}
        self.put(Direction.IN, {"method": "session/update", "params": params}, after)


def make(folder: Path, number: int) -> Path:
    """Make one of many recordings; what is in it follows from its number.

    `sloth` takes a second longer each week; every tenth run of `steady` fails a tool, and every
    fifth run of `swift` sends a plan without its entries.
    """
    random = Random(number)
    agent, week = AGENTS[number % 3], number % 8
    seconds = 2.0 + (week if agent == "sloth" else 0)
    cwd = REPOSITORIES[number % 2]
    it = Made()
    about = {"name": agent, "version": f"1.{week // 4}"}
    client = {
        "clientInfo": {"name": "c", "version": "1"},
        "clientCapabilities": {"fs": {"writeTextFile": True}},
    }
    it.call(0, "initialize", {"protocolVersion": 1, **client})
    setup = {"protocolVersion": 1, "agentInfo": about, "agentCapabilities": {}, "authMethods": []}
    it.answer(0, setup)
    it.call(1, "session/new", {"cwd": cwd, "mcpServers": []})
    it.answer(1, {"sessionId": "s1"})
    prompt = [{"type": "text", "text": "mend the spout"}]
    it.call(2, "session/prompt", {"sessionId": "s1", "prompt": prompt})
    text = {"type": "text", "text": "I look"}
    it.update("agent_message_chunk", 0.5, content=text)
    it.update("tool_call", toolCallId="t1", title="Mend", kind="edit", status="in_progress")
    write = {"sessionId": "s1", "path": f"{cwd}/spout.py", "content": "x"}
    it.put(Direction.IN, {"id": 7, "method": "fs/write_text_file", "params": write})
    it.put(Direction.OUT, {"id": 7, "result": {}})
    failed = agent == "steady" and number % 10 == 1
    it.update("tool_call_update", toolCallId="t1", status="failed" if failed else "completed")
    if agent == "swift" and number % 5 == 0:
        it.update("plan")
    cost = {"amount": 0.01, "currency": "USD"}
    share = {"rateLimitType": "five_hour", "utilization": 0.5 + number / 100}
    limits = {"_meta": {"_claude/rateLimit": share}} if agent == "steady" else {}
    it.update("usage_update", used=500, size=1000, cost=cost, **limits)
    tokens = {"inputTokens": 400 + random.randrange(10), "outputTokens": 100, "totalTokens": 500}
    rows = [{"model": "large", "token_count": {"totalTokens": 500}}]
    quota = {"_meta": {"quota": {"model_usage": rows}}} if agent == "steady" else {}
    it.answer(2, {"stopReason": "end_turn", "usage": tokens, **quota}, seconds)
    facts = {
        "argv": [agent],
        "cwd": cwd,
        "started": MONDAY + week * WEEK + number,
        "monotonic": 100.0,
    }
    path = folder / f"{number:05}-{agent}.jsonl"
    path.write_text("\n".join([recording.format_header(facts), *it.lines, ""]), "utf-8")
    return path
