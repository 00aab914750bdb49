"""An agent that does whatever comes to its mind: `python tests/soak/agent.py SEED LEDGER`.

It draws from the seed and the number of its start. Each request that it makes and each answer
that it gets is written to LEDGER, so that somebody can see whether all were answered once.
"""

import json
import os
import random
import sys
import threading
import time
from pathlib import Path
from queue import Empty, Queue
from typing import Any

LINES: Queue[Any] = Queue()
OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]
WORDS = [
    "a",
    "terminal",
    "client",
    "**bold**",
    "`code`",
    "[link](https://x.org)",
    "宽",
    "\x1b[2J\n\n-",
    "item\n\n```py\nx\n",
]


def read() -> None:
    for line in sys.stdin:
        LINES.put(json.loads(line))
    LINES.put(None)


class Agent:
    def __init__(self, seed: str, ledger: Path) -> None:
        self.ledger = ledger.open("a", encoding="utf-8")
        starts = ledger.with_suffix(".starts")
        with starts.open("a") as file:
            file.write("x")
        self.draw = random.Random(f"{seed} {starts.stat().st_size}")
        self.next_id = 0
        self.cancelled = False
        self.answers: dict[Any, Any] = {}

    def note(self, **what: Any) -> None:
        self.ledger.write(json.dumps({"pid": os.getpid(), **what}) + "\n")
        self.ledger.flush()

    def send(self, **message: Any) -> None:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()

    def update(self, kind: str, /, **fields: Any) -> None:
        params = {"sessionId": "s", "update": {"sessionUpdate": kind, **fields}}
        self.send(method="session/update", params=params)

    def ask(self, method: str, **params: Any) -> int:
        self.next_id += 1
        self.note(asked=self.next_id, method=method)
        self.send(id=self.next_id, method=method, params={"sessionId": "s", **params})
        return self.next_id

    def answer_of(self, id: int) -> Any:
        while id not in self.answers:
            self.listen(1.0)
        return self.answers[id]

    def listen(self, seconds: float) -> Any:
        """Take what comes; gives a request of the client's that begins something."""
        try:
            message = LINES.get(timeout=seconds)
        except Empty:
            return None
        if message is None:
            sys.exit(0)
        if message.get("method") == "session/cancel":
            self.cancelled = True
        elif "method" not in message:
            self.note(answered=message["id"])
            self.answers[message["id"]] = message
        elif "id" in message:
            return message
        return None

    def serve(self) -> None:
        while True:
            message = self.listen(60.0)
            if message is None:
                continue
            if message["method"] == "initialize":
                result: Any = {"protocolVersion": 1, "agentInfo": {"name": "soak", "version": "1"}}
            elif message["method"] == "session/new":
                result = {"sessionId": "s"}
            elif message["method"] == "session/prompt":
                self.turn()
                result = {"stopReason": "cancelled" if self.cancelled else "end_turn"}
            else:
                self.send(id=message["id"], error={"code": -32601, "message": "no"})
                continue
            self.send(id=message["id"], result=result)

    def turn(self) -> None:
        self.cancelled = False
        for _ in range(self.draw.randint(1, 8)):
            if self.cancelled:
                return
            acts = [self.talk, self.talk, self.flood, self.tool, self.noise, self.permission]
            acts += [self.many_permissions, self.terminal, self.files, self.pause, self.crash]
            self.draw.choice(acts)()

    def talk(self) -> None:
        for _ in range(self.draw.randint(1, 60)):
            text = " ".join(self.draw.choices(WORDS, k=6))
            self.update("agent_message_chunk", content={"type": "text", "text": text})

    def flood(self) -> None:
        for _ in range(self.draw.randint(500, 3000)):
            self.update("agent_thought_chunk", content={"type": "text", "text": "thinking hard "})

    def tool(self) -> None:
        id = f"t{self.draw.randint(0, 10**9)}"
        diff = {"type": "diff", "path": "/x", "oldText": "a\n" * 50, "newText": "b\n" * 50}
        self.update("tool_call", toolCallId=id, title="Edit", kind="edit", content=[diff])
        self.update("tool_call_update", toolCallId=id, status="completed")

    def noise(self) -> None:
        sys.stdout.write("npm warn deprecated\n" * self.draw.randint(1, 2000))
        sys.stdout.flush()
        sys.stderr.write("oh no \x1b[31mred\n" * self.draw.randint(1, 5000))
        sys.stderr.flush()

    def permission(self) -> None:
        call = {"toolCallId": f"p{self.next_id}", "title": "May I"}
        self.answer_of(self.ask("session/request_permission", toolCall=call, options=OPTIONS))

    def many_permissions(self) -> None:
        call = {"toolCallId": "many", "title": "May I"}
        for id in [
            self.ask("session/request_permission", toolCall=call, options=OPTIONS)
            for _ in range(self.draw.randint(2, 5))
        ]:
            self.answer_of(id)

    def terminal(self) -> None:
        command = self.draw.choice(["yes | head -c 200000", "sleep 0.2", "seq 1 500; exit 3"])
        made = self.answer_of(self.ask("terminal/create", command=command))
        if self.draw.random() < 0.1:
            return  # forgotten: the client has to end it
        if "result" not in made:
            return
        id = made["result"]["terminalId"]
        self.update(
            "tool_call",
            toolCallId=id,
            title=command,
            content=[{"type": "terminal", "terminalId": id}],
        )
        if self.draw.random() < 0.7:
            self.answer_of(self.ask("terminal/wait_for_exit", terminalId=id))
        self.answer_of(self.ask("terminal/release", terminalId=id))

    def files(self) -> None:
        path = str(Path.cwd() / f"file-{self.draw.randint(0, 5)}.txt")
        ids = [self.ask("fs/write_text_file", path=path, content="x" * 10_000)]
        ids += [self.ask("fs/read_text_file", path=path) for _ in range(5)]
        for id in ids:
            self.answer_of(id)

    def pause(self) -> None:
        until = time.monotonic() + self.draw.random() * 1.5
        while time.monotonic() < until and not self.cancelled:
            self.listen(0.05)

    def crash(self) -> None:
        if self.draw.random() < 0.3:
            sys.stdout.write('{"jsonrpc": "2.0", "meth')
            sys.stdout.flush()
            os.kill(os.getpid(), 9)


if __name__ == "__main__":
    threading.Thread(target=read, daemon=True).start()
    Agent(sys.argv[1], Path(sys.argv[2])).serve()
