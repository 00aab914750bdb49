"""Capabilities: whether each side uses only what the other advertises."""

from typing import Any, NamedTuple

from acp_tui.debug.exchanges import Reading, Status
from acp_tui.debug.lint.checker import Checker
from acp_tui.protocol.findings import JsonPath, protocol_rule
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import is_supported, list_at, objects_at, text_at
from acp_tui.protocol.jsonrpc import ErrorCode, Failure, Notification, Request
from acp_tui.protocol.kinds import TOOL_CALL_UPDATES

UNADVERTISED = protocol_rule("unadvertised")
WRONG_AUTH = protocol_rule("auth-method")
NOT_THERE = protocol_rule("offered-not-there")
NO_SIGN_IN = protocol_rule("sign-in-not-there")
NO_BASELINE = protocol_rule("baseline-not-there")

_Path = tuple[str, ...]

_OF_CLIENT: dict[str, _Path] = {
    "fs/read_text_file": ("fs", "readTextFile"),
    "fs/write_text_file": ("fs", "writeTextFile"),
    "terminal/create": ("terminal",),
    "terminal/output": ("terminal",),
    "terminal/wait_for_exit": ("terminal",),
    "terminal/kill": ("terminal",),
    "terminal/release": ("terminal",),
}
_OF_CLIENT_UPDATES: dict[str, _Path] = {
    "notice": ("session", "notices"),
    "compaction_update": ("session", "compaction"),
    "compaction_summary_chunk": ("session", "compaction"),
    "plan_update": ("plan",),
    "plan_removed": ("plan",),
    "subagent_update": ("subagents",),
    "session_message": ("subagents",),
    "session_message_chunk": ("subagents",),
}
_OF_NEWER_CLIENTS: dict[str, _Path] = {
    "prompt_suggestions_update": ("session", "promptSuggestions"),
    "cursor_update": ("session", "cursors"),
}
"""Capabilities of newer schemas, required in both versions."""
_OF_AGENT: dict[str, _Path] = {
    "session/load": ("loadSession",),
    "session/list": ("sessionCapabilities", "list"),
    "session/delete": ("sessionCapabilities", "delete"),
    "session/resume": ("sessionCapabilities", "resume"),
    "session/close": ("sessionCapabilities", "close"),
    "session/fork": ("sessionCapabilities", "fork"),
    "session/archive": ("sessionCapabilities", "archive"),
    "session/unarchive": ("sessionCapabilities", "archive"),
    "session/status": ("sessionCapabilities", "status"),
    "session/set_title": ("sessionCapabilities", "title"),
    "session/options": ("sessionCapabilities", "options"),
    "logout": ("auth", "logout"),
    "auth/status": ("auth", "status"),
    "providers/list": ("providers",),
    "providers/set": ("providers",),
    "providers/disable": ("providers",),
}
_OF_AGENT_CONTENT: dict[str, _Path] = {
    "image": ("promptCapabilities", "image"),
    "audio": ("promptCapabilities", "audio"),
    "resource": ("promptCapabilities", "embeddedContext"),
}
_OF_AGENT_MCP: dict[str, _Path] = {
    "http": ("mcpCapabilities", "http"),
    "sse": ("mcpCapabilities", "sse"),
    "acp": ("mcpCapabilities", "acp"),
}
_BASELINE_2 = ("session/new", "session/list", "session/resume", "session/close", "session/prompt")
_OF_AGENT_2: dict[str, _Path] = {
    **dict.fromkeys((*_BASELINE_2, "session/cancel"), ("session",)),
    **{
        f"session/{name}": ("session", name)
        for name in ("delete", "fork", "archive", "status", "options")
    },
    "session/unarchive": ("session", "archive"),
    "session/set_title": ("session", "title"),
    "auth/status": ("auth", "status"),
    **{f"providers/{name}": ("providers",) for name in ("list", "set", "disable")},
}


class _Offers(NamedTuple):
    """The capabilities that methods, updates and kinds of content require, in one protocol version."""

    client: dict[str, _Path]
    updates: dict[str, _Path]
    agent: dict[str, _Path]
    baseline: tuple[str, ...]
    content: dict[str, _Path]
    mcp: dict[str, _Path]
    directories: _Path
    sign_in: tuple[str, ...]
    """The methods for signing in and out, which an agent with authMethods has to support."""


_BY_VERSION = {
    1: _Offers(
        client=_OF_CLIENT,
        updates={**_OF_CLIENT_UPDATES, **_OF_NEWER_CLIENTS},
        agent=_OF_AGENT,
        baseline=("initialize", "session/new", "session/prompt"),
        content=_OF_AGENT_CONTENT,
        mcp=_OF_AGENT_MCP,
        directories=("sessionCapabilities", "additionalDirectories"),
        sign_in=("authenticate",),
    ),
    2: _Offers(
        client={},
        updates=_OF_NEWER_CLIENTS,
        agent=_OF_AGENT_2,
        baseline=("initialize", *_BASELINE_2),
        content={
            "skill": ("session", "prompt", "skill"),
            **{kind: ("session", "prompt", path[-1]) for kind, path in _OF_AGENT_CONTENT.items()},
        },
        mcp={kind: ("session", "mcp", kind) for kind in ("stdio", "http", "acp")},
        directories=("session", "additionalDirectories"),
        sign_in=("auth/login", "auth/logout"),
    ),
}


class CapabilityChecker(Checker):
    """Checks that methods, updates, content and options were advertised in initialize."""

    @property
    def _offers(self) -> _Offers:
        return _BY_VERSION[self.peers.version]

    def check_record(self, reading: Reading) -> None:
        if isinstance(reading.message, Failure):
            if reading.message.error.code == ErrorCode.METHOD_NOT_FOUND:
                self._check_refusal(reading)
        elif reading.direction is Direction.IN:
            self._check_agent_record(reading)
        elif isinstance(reading.message, Request | Notification):
            self._check_client_record(reading)

    def _check_agent_record(self, reading: Reading) -> None:
        if isinstance(reading.message, Request | Notification):
            needed = self._offers.client.get(reading.method)
            if needed is not None:
                self._require(self.peers.client, needed, reading, ("method",))
            if reading.method == "elicitation/create":
                mode = text_at(reading.params, "mode")
                self._require(self.peers.client, ("elicitation", mode), reading, ("params", "mode"))
            if (needed := self._offers.updates.get(reading.kind)) is not None:
                path: JsonPath = ("params", "update", "sessionUpdate")
                self._require(self.peers.client, needed, reading, path)
            self._check_links(reading)
            self._check_skills(reading.update, ("params", "update"), reading)
            self._check_booleans(reading.update, ("params", "update"), reading)
        elif reading.status is Status.OK:
            self._check_booleans(reading.result, ("result",), reading)
            self._check_skills(reading.result, ("result",), reading)
            if reading.method == "initialize":
                self._check_terminal_auth(reading)

    def _check_client_record(self, reading: Reading) -> None:
        needed = self._offers.agent.get(reading.method)
        if needed is not None:
            self._require(self.peers.agent, needed, reading, ("method",))
        if reading.method in self._offers.sign_in:
            self._check_authenticate(reading)
        if reading.method == "session/prompt":
            self._check_prompt(reading)
        if reading.params.get("additionalDirectories"):
            path = ("params", "additionalDirectories")
            self._require(self.peers.agent, self._offers.directories, reading, path)
        for index, server in enumerate(objects_at(reading.params, "mcpServers")):
            if (needed := self._offers.mcp.get(text_at(server, "type"))) is not None:
                where = ("params", "mcpServers", index, "type")
                self._require(self.peers.agent, needed, reading, where)

    def _check_prompt(self, reading: Reading) -> None:
        for index, block in enumerate(objects_at(reading.params, "prompt")):
            if (needed := self._offers.content.get(text_at(block, "type"))) is not None:
                where = ("params", "prompt", index, "type")
                self._require(self.peers.agent, needed, reading, where)

    def _require(
        self, capabilities: dict[str, Any], needed: _Path, reading: Reading, path: JsonPath
    ) -> None:
        if self.peers.initialize_sent and not is_supported(capabilities, *needed):
            side = "client" if reading.direction is Direction.IN else "agent"
            what = reading.kind or reading.method
            self.report(
                UNADVERTISED, reading, f"{what}: the {side} has no {'.'.join(needed)}", path
            )

    def _check_links(self, reading: Reading) -> None:
        """Check that links to subagents' sessions go only to a client that supports subagents."""
        if self.peers.version != 1 or reading.kind not in TOOL_CALL_UPDATES:
            return  # every client of version 2 supports them
        for index, item in enumerate(list_at(reading.update, "content")):
            if isinstance(item, dict) and item.get("type") == "session":
                path = ("params", "update", "content", index, "type")
                self._require(self.peers.client, ("subagents",), reading, path)

    def _check_skills(self, holder: dict[str, Any], where: JsonPath, reading: Reading) -> None:
        """Check that the commands contain skills only if the client supports skills."""
        for index, command in enumerate(objects_at(holder, "availableCommands")):
            if self.peers.version != 1 and command.get("type") == "skill":
                path = (*where, "availableCommands", index, "type")
                self._require(self.peers.client, ("session", "commands", "skill"), reading, path)

    def _check_booleans(self, holder: dict[str, Any], where: JsonPath, reading: Reading) -> None:
        if self.peers.version != 1:
            return  # every client of version 2 supports them
        for index, option in enumerate(objects_at(holder, "configOptions")):
            if option.get("type") == "boolean":
                path = (*where, "configOptions", index, "type")
                capability = ("session", "configOptions", "boolean")
                self._require(self.peers.client, capability, reading, path)

    def _check_terminal_auth(self, reading: Reading) -> None:
        for index, method in enumerate(objects_at(reading.result, "authMethods")):
            if method.get("type") == "terminal":
                path = ("result", "authMethods", index, "type")
                self._require(self.peers.client, ("auth", "terminal"), reading, path)

    def _check_refusal(self, reading: Reading) -> None:
        by_agent = reading.direction is Direction.IN
        methods = self._offers.agent if by_agent else self._offers.client
        offered = self.peers.agent if by_agent else self.peers.client
        needed = methods.get(reading.method, ())
        if by_agent and reading.method in self._offers.sign_in and self.peers.auth_methods:
            how = f"{reading.method} is answered -32601, though there are authMethods"
            self.report(NO_SIGN_IN, reading, how, ("error",))
        elif by_agent and reading.method in self._offers.baseline:
            self.report(NO_BASELINE, reading, f"{reading.method} is answered -32601", ("error",))
        elif needed and is_supported(offered, *needed):
            how = f"{reading.method} is answered -32601, though {'.'.join(needed)} is offered"
            self.report(NOT_THERE, reading, how, ("error",))

    def _check_authenticate(self, reading: Reading) -> None:
        method = text_at(reading.params, "methodId")
        path = ("params", "methodId")
        if not self.peers.initialized:
            return
        if reading.method == "auth/logout":
            if not self.peers.auth_methods:
                self.report(WRONG_AUTH, reading, "there are no authMethods", ("method",))
        elif method not in self.peers.auth_methods:
            self.report(WRONG_AUTH, reading, f"the agent offers no {method!r}", path)
        elif self.peers.auth_methods[method] == "terminal":
            self.report(WRONG_AUTH, reading, f"{method!r} is a terminal method", path)
