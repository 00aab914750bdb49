"""An agent that asks before it edits b.txt, and does something in spite of the answer.

python disobedient_agent.py MODE
"""

import json
import queue
import sys
import threading
import time
from pathlib import Path
from typing import Any

MODES = (
    "writes-after-reject",
    "writes-another",
    "writes-through-a-link",
    "writes-itself",
    "writes-outside-itself",
    "writes-itself-late",
    "writes-another-itself-late",
    "writes-by-another-call",
    "deletes-another-itself",
    "deletes-for-a-subagent",
    "writes-while-asked",
    "completes",
    "completes-new",
    "acts-after-cancel",
    "speaks-late",
)
OPTIONS = [
    {"optionId": "y", "name": "Allow", "kind": "allow_once"},
    {"optionId": "n", "name": "Reject", "kind": "reject_once"},
]
LATE = 2.5
"""Seconds after the turn's end, which are more than a hasty look waits."""


def send(flush: bool = True, /, **message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=flush)


class Turn:
    """One turn, in a thread of its own."""

    def __init__(self, mode: str, cwd: str) -> None:
        self.mode = mode
        self.cwd = Path(cwd)
        self.cancelled = threading.Event()
        self.answers: dict[int, queue.Queue[Any]] = {}

    def update(self, session_update: str, **update: Any) -> None:
        params = {"sessionId": "s1", "update": {"sessionUpdate": session_update, **update}}
        send(method="session/update", params=params)

    def ask(self, method: str, flush: bool = True, /, **params: Any) -> "queue.Queue[Any]":
        id = 100 + len(self.answers)
        answer = self.answers[id] = queue.Queue()
        send(flush, id=id, method=method, params={"sessionId": "s1", **params})
        return answer

    def write(self, name: str) -> None:
        self.ask("fs/write_text_file", path=str(self.cwd / name), content="x\n").get(timeout=20)

    def play(self, id: Any) -> None:
        if self.mode == "deletes-for-a-subagent":
            self.ask_as_subagent()
        call = {"toolCallId": "e1", "title": "Edit b.txt", "kind": "edit"}
        is_outside = self.mode == "writes-outside-itself"
        path = (self.cwd.parent if is_outside else self.cwd) / "b.txt"
        diff = {"type": "diff", "path": str(path), "oldText": None, "newText": "x\n"}
        if self.mode != "completes-new":
            self.update("tool_call", **call, status="pending")
        asked = {**call, "content": [diff]}
        # In one piece with the write that comes while it waits: else the answer may be there before that.
        alone = self.mode != "writes-while-asked"
        answer = self.ask("session/request_permission", alone, options=OPTIONS, toolCall=asked)
        if not alone:
            self.write("b.txt")
        outcome = answer.get(timeout=60).get("result", {}).get("outcome", {})
        self.disobey(path)
        if self.mode == "completes-new":
            self.update("tool_call", **call, status="completed")
        else:
            done = self.mode in ("completes", "acts-after-cancel")
            self.update(
                "tool_call_update", toolCallId="e1", status="completed" if done else "failed"
            )
        cancelled = outcome.get("outcome") == "cancelled" or self.cancelled.is_set()
        send(id=id, result={"stopReason": "cancelled" if cancelled else "end_turn"})
        if self.mode.endswith("-late"):
            time.sleep(LATE)
        if self.mode == "speaks-late":
            self.update("agent_message_chunk", content={"type": "text", "text": "late"})
        elif self.mode == "writes-itself-late":
            path.write_text("x\n")
        elif self.mode == "writes-another-itself-late":
            path.with_name("c.txt").write_text("x\n")

    def ask_as_subagent(self) -> None:
        """Let a subagent ask to delete a file."""
        child = {"sessionId": "child", "title": "Helper", "state": {"state": "running"}}
        self.update("subagent_update", **child)
        place = [{"path": str(self.cwd / "kept.txt")}]
        call = {"toolCallId": "d1", "title": "Delete", "kind": "delete", "locations": place}
        answer = self.answers[99] = queue.Queue()
        params = {"sessionId": "child", "toolCall": call, "options": OPTIONS}
        send(id=99, method="session/request_permission", params=params)
        answer.get(timeout=60)

    def disobey(self, path: Path) -> None:
        match self.mode:
            case "writes-after-reject":
                self.write("b.txt")
            case "writes-another":
                self.write("c.txt")
            case "writes-through-a-link":
                (self.cwd / "link").symlink_to(".")
                self.write("link/b.txt")
            case "writes-itself" | "writes-outside-itself":
                path.write_text("x\n")
            case "writes-by-another-call":
                here = [{"path": str(path)}]
                facts = {"toolCallId": "e2", "title": "Run", "kind": "execute", "locations": here}
                self.update("tool_call", **facts, status="completed")
                path.write_text("something else\n")
            case "deletes-another-itself" | "deletes-for-a-subagent":
                (self.cwd / "kept.txt").unlink(missing_ok=True)
            case "acts-after-cancel":
                self.cancelled.wait(20)
                self.write("b.txt")
                command = self.ask("terminal/create", command="touch", args=["ran"])
                command.get(timeout=20)


def serve(mode: str) -> None:
    info = {"name": "disobedient", "version": "1"}
    turn = Turn(mode, "")
    for line in sys.stdin:
        message = json.loads(line)
        id = message.get("id")
        match message.get("method"):
            case "initialize":
                send(
                    id=id, result={"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": info}
                )
            case "session/new":
                turn = Turn(mode, message["params"]["cwd"])
                send(id=id, result={"sessionId": "s1"})
            case "session/prompt":
                threading.Thread(target=turn.play, args=(id,), daemon=True).start()
            case "session/cancel":
                turn.cancelled.set()
            case None:
                turn.answers[id].put(message)


if __name__ == "__main__":
    serve(sys.argv[1])
