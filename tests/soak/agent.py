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
from typing import Any

OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]
MODES = [{"id": name, "name": name} for name in ("ask", "code")]
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
COMMANDS = ["make", "git status", "rm -rf build", "git push origin"]
SEVERAL = {"list": {}, "resume": {}, "close": {}, "fork": {}, "delete": {}}


class Agent:
    """Reads in front; each turn has a thread of its own."""

    def __init__(self, seed: str, ledger: Path) -> None:
        self.ledger = ledger.open("a", encoding="utf-8")
        starts = ledger.with_suffix(".starts")
        with starts.open("a") as file:
            file.write("x")
        self.start = starts.stat().st_size
        self.draw = random.Random(f"{seed} {self.start}")
        self.next_id = 0
        self.said = threading.RLock()
        self.heard = threading.Condition()
        self.answers: dict[Any, Any] = {}
        self.cancelled: dict[str, bool] = {}

    def note(self, **what: Any) -> None:
        self.ledger.write(json.dumps({"pid": os.getpid(), **what}) + "\n")
        self.ledger.flush()

    def send(self, **message: Any) -> None:
        with self.said:
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            sys.stdout.flush()

    def serve(self) -> None:
        for line in sys.stdin:
            message = json.loads(line)
            if message.get("method") == "session/cancel":
                self.cancelled[message["params"]["sessionId"]] = True
            elif "method" not in message:
                with self.heard:
                    self.note(answered=message["id"])
                    self.answers[message["id"]] = message
                    self.heard.notify_all()
            elif message["method"] == "session/prompt":
                turn = Turn(self, message["params"]["sessionId"], self.draw.random())
                threading.Thread(target=turn.run, args=[message["id"]], daemon=True).start()
            elif "id" in message:
                self.send(id=message["id"], **self.answer(message["method"], message["params"]))
        os._exit(0)

    def answer(self, method: str, params: Any) -> dict[str, Any]:
        setup = {"modes": {"currentModeId": "ask", "availableModes": MODES}}
        no = {"error": {"code": -32603, "message": "not today"}}
        match method:
            case "initialize":
                able = {"loadSession": True, "sessionCapabilities": SEVERAL}
                info = {"name": "soak", "version": "1"}
                result: Any = {"protocolVersion": 1, "agentInfo": info, "agentCapabilities": able}
            case "session/new" | "session/fork":
                result = {"sessionId": f"s{self.start}-{len(self.cancelled)}", **setup}
                self.cancelled[result["sessionId"]] = False
            case "session/resume" | "session/load":
                if self.draw.random() < 0.3:
                    return no
                self.cancelled[params["sessionId"]] = False
                if method == "session/load":
                    Turn(self, params["sessionId"], self.draw.random()).talk()
                result = setup
            case "session/list":
                cwd = params.get("cwd") or str(Path.cwd())
                old = [f"old{number}" for number in range(self.draw.randint(0, 30))]
                result = {"sessions": [{"sessionId": one, "cwd": cwd, "title": one} for one in old]}
            case "session/close" | "session/delete" | "session/set_mode":
                result = {}
            case _:
                return no
        return {"result": result}


class Turn:
    """What is done for one prompt."""

    def __init__(self, agent: Agent, session: str, seed: float) -> None:
        self.agent = agent
        self.session = session
        self.draw = random.Random(seed)

    def run(self, id: Any) -> None:
        self.agent.cancelled[self.session] = False
        acts = [self.talk, self.talk, self.flood, self.tool, self.noise, self.permission, self.plan]
        acts += [self.many_permissions, self.terminal, self.files, self.pause, self.crash]
        for _ in range(self.draw.randint(1, 8)):
            if self.is_cancelled:
                break
            self.draw.choice(acts)()
        reason = "cancelled" if self.is_cancelled else "end_turn"
        self.agent.send(id=id, result={"stopReason": reason})

    @property
    def is_cancelled(self) -> bool:
        return self.agent.cancelled[self.session]

    def update(self, kind: str, /, **fields: Any) -> None:
        params = {"sessionId": self.session, "update": {"sessionUpdate": kind, **fields}}
        self.agent.send(method="session/update", params=params)

    def ask(self, method: str, **params: Any) -> int:
        agent = self.agent
        with agent.said:
            agent.next_id += 1
            id = agent.next_id
            agent.note(asked=id, method=method)
            agent.send(id=id, method=method, params={"sessionId": self.session, **params})
        return id

    def answer_of(self, id: int) -> Any:
        with self.agent.heard:
            self.agent.heard.wait_for(lambda: id in self.agent.answers)
            return self.agent.answers.pop(id)

    def talk(self) -> None:
        for _ in range(self.draw.randint(1, 60)):
            text = " ".join(self.draw.choices(WORDS, k=6))
            self.update("agent_message_chunk", content={"type": "text", "text": text})

    def flood(self) -> None:
        for _ in range(self.draw.randint(500, 3000)):
            self.update("agent_thought_chunk", content={"type": "text", "text": "thinking hard "})

    def plan(self) -> None:
        steps = [{"content": f"step {n}", "priority": "low", "status": "pending"} for n in range(5)]
        self.update("plan", entries=steps)

    def tool(self) -> None:
        id = f"t{self.draw.randint(0, 10**9)}"
        diff = {"type": "diff", "path": "/x", "oldText": "a\n" * 50, "newText": "b\n" * 50}
        self.update("tool_call", toolCallId=id, title="Edit", kind="edit", content=[diff])
        self.update("tool_call_update", toolCallId=id, status="completed")

    def noise(self) -> None:
        with self.agent.said:
            sys.stdout.write("npm warn deprecated\n" * self.draw.randint(1, 2000))
            sys.stdout.flush()
        sys.stderr.write("oh no \x1b[31mred\n" * self.draw.randint(1, 5000))
        sys.stderr.flush()

    def may(self) -> int:
        command = self.draw.choice(COMMANDS)
        call = {
            "toolCallId": f"p{self.draw.randint(0, 10**9)}",
            "title": command,
            "kind": "execute",
            "rawInput": {"command": command},
        }
        return self.ask("session/request_permission", toolCall=call, options=OPTIONS)

    def permission(self) -> None:
        self.answer_of(self.may())

    def many_permissions(self) -> None:
        for id in [self.may() for _ in range(self.draw.randint(2, 5))]:
            self.answer_of(id)

    def terminal(self) -> None:
        command = self.draw.choice(["yes | head -c 200000", "sleep 0.2", "seq 1 500; exit 3"])
        made = self.answer_of(self.ask("terminal/create", command=command))
        if self.draw.random() < 0.1:
            return  # forgotten: the client has to end it
        if "result" not in made:
            return
        id = made["result"]["terminalId"]
        shown = [{"type": "terminal", "terminalId": id}]
        self.update("tool_call", toolCallId=id, title=command, content=shown)
        if self.draw.random() < 0.7:
            self.answer_of(self.ask("terminal/wait_for_exit", terminalId=id))
        self.answer_of(self.ask("terminal/release", terminalId=id))

    def files(self) -> None:
        path = str(Path.cwd() / f"file-{self.draw.randint(0, 5)}.txt")
        content = self.draw.choice("xyz") * 10_000
        ids = [self.ask("fs/write_text_file", path=path, content=content)]
        ids += [self.ask("fs/read_text_file", path=path) for _ in range(5)]
        for id in ids:
            self.answer_of(id)

    def pause(self) -> None:
        until = time.monotonic() + self.draw.random() * 1.5
        while time.monotonic() < until and not self.is_cancelled:
            time.sleep(0.05)

    def crash(self) -> None:
        if self.draw.random() < 0.2:
            with self.agent.said:
                sys.stdout.write('{"jsonrpc": "2.0", "meth')
                sys.stdout.flush()
                os.kill(os.getpid(), 9)


if __name__ == "__main__":
    Agent(sys.argv[1], Path(sys.argv[2])).serve()
