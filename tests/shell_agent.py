"""An agent that runs each prompt as a line of sh, and says what came of it; needs nothing around it.

`--stubborn`: it outlives the end of its input and SIGTERM, and starts a child that does so, too.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def send(message: dict) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def say(text: str) -> None:
    update = {
        "sessionUpdate": "agent_message_chunk",
        "content": {"type": "text", "text": text},
    }
    send({"method": "session/update", "params": {"sessionId": "s1", "update": update}})


def main() -> None:
    stubborn = "--stubborn" in sys.argv
    if stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        subprocess.Popen(["sleep", "120"])
    for line in sys.stdin:
        message = json.loads(line)
        method, params = message.get("method"), message.get("params")
        if method == "initialize":
            send({"id": message["id"], "result": {"protocolVersion": 1, "agentCapabilities": {}}})
            claims = params["clientCapabilities"]
        elif method == "session/new":
            cwd, servers = params["cwd"], params["mcpServers"]
            send({"id": message["id"], "result": {"sessionId": "s1"}})
        elif method == "session/prompt":
            ran = subprocess.run(
                params["prompt"][0]["text"], shell=True, capture_output=True, text=True
            )
            facts = {
                "cwd": cwd,
                "pwd": str(Path.cwd()),
                "pid": os.getpid(),
                "argv": sys.argv[1:],
                "env": dict(os.environ),
                "claims": claims,
                "servers": servers,
                "out": ran.stdout,
                "err": ran.stderr,
                "code": ran.returncode,
            }
            say(json.dumps(facts))
            send({"id": message["id"], "result": {"stopReason": "end_turn"}})
    if stubborn:
        time.sleep(120)


main()
