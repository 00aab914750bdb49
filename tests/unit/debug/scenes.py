"""Frames and logs for tests, in as few words as can be."""

import json
from collections.abc import Sequence
from typing import Any

from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.log import Log
from acp_tui.protocol.events import LocalEvent, Record
from acp_tui.protocol.frames import Direction, Frame, Origin
from acp_tui.protocol.process_events import ProcessExited, ProcessStarted

AGENT_INFO = {"name": "a", "version": "1"}
CLIENT_INFO = {"name": "acp-tui", "version": "1"}
FULL_CLIENT = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}


class Wire:
    """A conversation being written down: `out` and `got` add a frame, a hundredth second apart."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.frames = 0
        self.at = 100.0

    def raw(self, direction: Direction, raw: bytes, by: Origin | None = None) -> "Wire":
        self.frames += 1
        self.at += 0.01
        self.records.append(Frame(direction, raw, self.at, self.frames, size=len(raw), by=by))
        return self

    def by_hand(self, **message: Any) -> "Wire":
        """What a person sends as it is."""
        raw = json.dumps({"jsonrpc": "2.0", **message}).encode()
        return self.raw(Direction.OUT, raw, Origin.HAND)

    def out(self, **message: Any) -> "Wire":
        return self.raw(Direction.OUT, json.dumps({"jsonrpc": "2.0", **message}).encode())

    def got(self, **message: Any) -> "Wire":
        return self.raw(Direction.IN, json.dumps({"jsonrpc": "2.0", **message}).encode())

    def happened(self, event: LocalEvent) -> "Wire":
        self.records.append(event)
        return self

    def started(self) -> "Wire":
        """The recording has the agent's process from its start."""
        return self.happened(ProcessStarted(self.at, ("agent",), "/w", 1))

    def died(self) -> "Wire":
        return self.happened(ProcessExited(self.at, 1))

    def quitted(self) -> "Wire":
        return self.happened(ProcessExited(self.at, 0, asked=True))

    def cancel(self, session: str = "s") -> "Wire":
        return self.out(method="session/cancel", params={"sessionId": session})

    def load(self, id: int, session: str = "old") -> "Wire":
        params = {"cwd": "/w", "mcpServers": [], "sessionId": session}
        return self.out(id=id, method="session/load", params=params)

    def later(self, seconds: float) -> "Wire":
        self.at += seconds
        return self

    def initialized(
        self, client: dict[str, Any] | None = None, agent: dict[str, Any] | None = None
    ) -> "Wire":
        params = {
            "protocolVersion": 1,
            "clientCapabilities": FULL_CLIENT if client is None else client,
            "clientInfo": CLIENT_INFO,
        }
        result = {
            "protocolVersion": 1,
            "agentCapabilities": agent or {},
            "agentInfo": AGENT_INFO,
            "authMethods": [{"id": "key", "name": "Key"}],
        }
        return self.out(id=0, method="initialize", params=params).got(id=0, result=result)

    def opened(self, client: dict[str, Any] | None = None, **result: Any) -> "Wire":
        self.initialized(client)
        self.out(id=1, method="session/new", params={"cwd": "/w", "mcpServers": []})
        return self.got(id=1, result={"sessionId": "s", **result})

    def prompted(self, client: dict[str, Any] | None = None, **result: Any) -> "Wire":
        self.opened(client, **result)
        return self.prompt(2)

    def prompt(self, id: int) -> "Wire":
        params = {"sessionId": "s", "prompt": [{"type": "text", "text": "hi"}]}
        return self.out(id=id, method="session/prompt", params=params)

    def ended(self, id: int = 2, reason: str = "end_turn") -> "Wire":
        return self.got(id=id, result={"stopReason": reason})

    def update(self, kind: str, session: str = "s", **update: Any) -> "Wire":
        params = {"sessionId": session, "update": {"sessionUpdate": kind, **update}}
        return self.got(method="session/update", params=params)

    def chunk(self, text: str = "hi", kind: str = "agent_message_chunk", **more: Any) -> "Wire":
        return self.update(kind, content={"type": "text", "text": text}, **more)

    def ask(self, id: int, method: str, **params: Any) -> "Wire":
        return self.got(id=id, method=method, params={"sessionId": "s", **params})

    def system_prompt(self, mode: str, **prompt: Any) -> "Wire":
        """A session that is opened with a system prompt."""
        content = [{"type": "text", "text": "Be brief."}]
        params = {"cwd": "/w", "mcpServers": []}
        whole = {"mode": mode, "content": content, **prompt}
        self.out(id=1, method="session/new", params={**params, "systemPrompt": whole})
        return self.got(id=1, result={"sessionId": "s"})

    # Version 2

    def initialized_2(
        self, agent: dict[str, Any] | None = None, *methods: dict[str, Any], **client: Any
    ) -> "Wire":
        params = {"protocolVersion": 2, "info": CLIENT_INFO, "capabilities": client}
        capabilities = {"session": {}} if agent is None else agent
        result = {"protocolVersion": 2, "info": AGENT_INFO, "capabilities": capabilities}
        self.out(id=0, method="initialize", params=params)
        return self.got(id=0, result={**result, "authMethods": list(methods)})

    def opened_2(self, **result: Any) -> "Wire":
        self.initialized_2().out(id=1, method="session/new", params={"cwd": "/w"})
        return self.got(id=1, result={"sessionId": "s", **result})

    def accepted_2(self, id: int = 2, message: str = "u1") -> "Wire":
        """A prompt that is taken and echoed."""
        self.prompt(id).got(id=id, result={"messageId": message})
        content = [{"type": "text", "text": "hi"}]
        return self.update("user_message", messageId=message, content=content)

    def running_2(self) -> "Wire":
        """In a session that is at work for a prompt."""
        return self.opened_2().accepted_2().state("running")

    def state(self, state: str, **more: Any) -> "Wire":
        return self.update("state_update", state=state, **more)

    def idle(self, reason: str = "end_turn", **more: Any) -> "Wire":
        return self.state("idle", stopReason=reason, **more)

    def resume(self, session: str = "s", **more: Any) -> "Wire":
        params = {"sessionId": session, "cwd": "/w", **more}
        return self.out(id=7, method="session/resume", params=params)

    def log(self) -> Log:
        return read(self.records)

    def found(self) -> list[str]:
        """The ids of the broken rules, in the order of the records."""
        return [finding.rule.id for finding in self.log().findings]


def read(records: Sequence[Record]) -> Log:
    """The log of a complete recording, with its findings."""
    log = Log(records, Linter())
    log.catch_up()
    log.finish()
    return log
