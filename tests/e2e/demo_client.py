"""A small client that drives the demo agent with raw lines and keeps what was said."""

import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from acp_tui.protocol.connection import Connection
from acp_tui.protocol.events import Notified, Requested, Responded, Unreadable
from acp_tui.protocol.frames import Direction, Frame

EVERYTHING = {
    "fs": {"readTextFile": True, "writeTextFile": True},
    "terminal": True,
    "session": {"notices": {}},
}
PATIENCE = 30.0


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) and message else None


class DemoClient:
    """Serves the agent's requests itself; those in `unanswered` it leaves open.

    `option` is what it chooses when the agent asks for permission.
    """

    def __init__(
        self, cwd: Path, capabilities: dict[str, Any] | None = None, speed: str = "0"
    ) -> None:
        self.cwd = cwd
        self.capabilities = EVERYTHING if capabilities is None else capabilities
        self.option = "once"
        self.unanswered: set[str] = set()
        self.frames: list[Frame] = []
        self.received: list[dict[str, Any]] = []
        self.noise: list[bytes] = []
        self.terminals: dict[str, subprocess.Popen[bytes]] = {}
        self.session_id = ""
        self._ids = 0
        self._lines: queue.Queue[bytes] = queue.Queue(maxsize=1000)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "acp_tui.demo_agent"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "ACP_DEMO_SPEED": speed},
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        while self._lines.get(timeout=PATIENCE):
            pass
        for terminal in self.terminals.values():
            terminal.kill()
            terminal.communicate()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()

    def send(self, message: dict[str, Any]) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._record(Direction.OUT, line)
        self.send_line(line)

    def send_line(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def _record(self, direction: Direction, raw: bytes) -> None:
        self.frames.append(Frame(direction, raw, 0.0, len(self.frames) + 1))

    def start(self, method: str, **params: Any) -> int:
        """Send a request; returns its id."""
        self._ids += 1
        self.send({"id": self._ids, "method": method, "params": params})
        return self._ids

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request, serve the agent until it answers; returns the whole answer."""
        return self.answer(self.start(method, **params))

    def answer(self, id: int | str) -> dict[str, Any]:
        """Serve the agent until it answers a request of ours."""
        return self.until(lambda message: "method" not in message and message["id"] == id)

    def until(self, wanted: Any) -> dict[str, Any]:
        """Serve the agent until it sends a message that is wanted; ours to answer included."""
        deadline = time.monotonic() + PATIENCE
        while True:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            if not line:
                self._lines.put(line)
                raise AssertionError("the agent's stdout ended")
            self._record(Direction.IN, line.removesuffix(b"\n"))
            message = _parsed(line)
            if message is None:
                self.noise.append(line)
                continue
            self.received.append(message)
            if "method" in message and "id" in message:
                self._serve(message)
            if wanted(message):
                return message

    def until_called(self, method: str) -> dict[str, Any]:
        """Serve the agent until it calls a method."""
        return self.until(lambda message: message.get("method") == method)

    def _serve(self, message: dict[str, Any]) -> None:
        if message["method"] not in self.unanswered:
            result = self._result(message["method"], message["params"])
            self.send({"id": message["id"], "result": result})

    def _result(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method == "session/request_permission":
            return {"outcome": {"outcome": "selected", "optionId": self.option}}
        if method == "fs/read_text_file":
            return {"content": Path(params["path"]).read_text("utf-8")}
        if method == "fs/write_text_file":
            Path(params["path"]).write_text(params["content"], "utf-8")
            return {}
        return self._terminal(method, params)

    def _terminal(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method == "terminal/create":
            id = f"terminal-{len(self.terminals)}"
            extra = {one["name"]: one["value"] for one in params.get("env", [])}
            self.terminals[id] = subprocess.Popen(
                [params["command"], *params["args"]],
                cwd=params["cwd"],
                env={**os.environ, **extra},
                stdout=subprocess.PIPE,
            )
            return {"terminalId": id}
        terminal = self.terminals[params["terminalId"]]
        if method == "terminal/wait_for_exit":
            return {"exitCode": terminal.wait()}
        if method == "terminal/output":
            return {"output": "", "truncated": False}
        if method == "terminal/kill":
            terminal.kill()
        return {}

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

    def updates(self, *kinds: str) -> list[dict[str, Any]]:
        """All updates, or those of some kinds."""
        found = [
            message["params"]["update"]
            for message in self.received
            if message.get("method") == "session/update"
        ]
        return [update for update in found if not kinds or update["sessionUpdate"] in kinds]

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
        connection = Connection()
        found = []
        for frame in self.frames:
            event = connection.receive(frame)
            if frame.direction is Direction.OUT:
                continue
            if isinstance(event, Unreadable):
                found.append(event.reason)
            elif isinstance(event, Requested | Notified | Responded):
                found += [f"{event}"] if event.problem else []
            else:
                found.append(f"{event}")
        return found
