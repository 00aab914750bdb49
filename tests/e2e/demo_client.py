"""A client that drives the demo agent with raw lines, and serves it files and terminals."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from acp_tui.protocol.connection import WireConnection
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.wire_events import Notified, Requested, Responded, Unreadable
from acp_tui.testing import FakeClient

EVERYTHING = {
    "fs": {"readTextFile": True, "writeTextFile": True},
    "terminal": True,
    "session": {"notices": {}},
}


class DemoClient(FakeClient):
    """Does what the demo agent asks for. `option` is what it chooses when it is asked to permit."""

    def __init__(
        self, cwd: Path, capabilities: dict[str, Any] | None = None, speed: str = "0"
    ) -> None:
        argv = [sys.executable, "-m", "acp_tui.demo_agent"]
        super().__init__(argv, Path.cwd(), env={"ACP_DEMO_SPEED": speed}, answers=self._answers())
        self.cwd = cwd
        self.capabilities = EVERYTHING if capabilities is None else capabilities
        self.option = "once"
        self.terminals: dict[str, subprocess.Popen[bytes]] = {}
        self.session_id = ""

    def _answers(self) -> dict[str, Any]:
        return {
            "session/request_permission": lambda _: {
                "outcome": {"outcome": "selected", "optionId": self.option}
            },
            "fs/read_text_file": lambda params: {
                "content": Path(params["path"]).read_text("utf-8")
            },
            "fs/write_text_file": self._write,
            "terminal/create": self._create,
            "terminal/wait_for_exit": lambda params: {"exitCode": self._terminal(params).wait()},
            "terminal/output": {"output": "", "truncated": False},
            "terminal/kill": self._kill,
            "terminal/release": {},
        }

    def _write(self, params: dict[str, Any]) -> dict[str, Any]:
        Path(params["path"]).write_text(params["content"], "utf-8")
        return {}

    def _create(self, params: dict[str, Any]) -> dict[str, Any]:
        id = f"terminal-{len(self.terminals)}"
        extra = {one["name"]: one["value"] for one in params.get("env", [])}
        self.terminals[id] = subprocess.Popen(
            [params["command"], *params["args"]],
            cwd=params["cwd"],
            env={**os.environ, **extra},
            stdout=subprocess.PIPE,
        )
        return {"terminalId": id}

    def _kill(self, params: dict[str, Any]) -> dict[str, Any]:
        self._terminal(params).kill()
        return {}

    def _terminal(self, params: dict[str, Any]) -> "subprocess.Popen[bytes]":
        return self.terminals[params["terminalId"]]

    def close(self) -> None:
        """Kill the agent and its terminals."""
        super().close()
        for terminal in self.terminals.values():
            terminal.kill()
            terminal.communicate()

    def initialize(self) -> dict[str, Any]:
        return self.call("initialize", protocolVersion=1, clientCapabilities=self.capabilities)

    def new_session(self) -> str:
        """Open a session; prompts go to the newest one."""
        answer = self.call("session/new", cwd=str(self.cwd), mcpServers=[])
        self.session_id = answer["result"]["sessionId"]
        self.until_update("available_commands_update")
        return self.session_id

    def prompt(self, text: str) -> int:
        """Begin a turn; returns the request's id."""
        block = {"type": "text", "text": text}
        return self.start("session/prompt", sessionId=self.session_id, prompt=[block])

    def turn(self, text: str) -> str:
        """A whole turn; returns the stop reason."""
        return str(self.answer(self.prompt(text))["result"]["stopReason"])

    def cancel(self) -> None:
        self.send({"method": "session/cancel", "params": {"sessionId": self.session_id}})

    def until_update(self, kind: str) -> dict[str, Any]:
        """Serve the agent until it sends an update of a kind."""

        def is_it(message: dict[str, Any]) -> bool:
            return bool(
                message.get("method") == "session/update"
                and message["params"]["update"]["sessionUpdate"] == kind
            )

        return self.until(is_it)

    def methods(self) -> list[str]:
        """What the agent called, updates left out."""
        called = [message["method"] for message in self.received if "method" in message]
        return [method for method in called if method != "session/update"]

    def said(self) -> str:
        """The text of all agent messages."""
        chunks = self.updates("agent_message_chunk")
        return "".join(chunk["content"]["text"] for chunk in chunks)

    def statuses(self) -> dict[str, str]:
        """The last status of each tool call, by its title."""
        titles: dict[str, str] = {}
        statuses: dict[str, Any] = {}
        for update in self.updates("tool_call", "tool_call_update"):
            id = update["toolCallId"]
            titles[id] = update.get("title", titles.get(id, id))
            statuses[id] = update.get("status", statuses.get(id))
        return {titles[id]: status for id, status in statuses.items()}

    def complaints(self) -> list[str]:
        """What the typed protocol has against the agent's frames."""
        connection = WireConnection()
        found = []
        for number, (is_agents, line) in enumerate(self.lines, 1):
            direction = Direction.IN if is_agents else Direction.OUT
            event = connection.receive(Frame(direction, line, 0.0, number))
            if not is_agents:
                continue
            if isinstance(event, Unreadable):
                found.append(event.reason)
            elif isinstance(event, Requested | Notified | Responded):
                found += [f"{event}"] if event.problem else []
            else:
                found.append(f"{event}")
        return found
