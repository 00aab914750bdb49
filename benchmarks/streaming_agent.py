"""An agent that answers a prompt such as `stream 315 10` by so many chunks, so many ms apart.

`ask` is answered by a question for permission, `edit` by edits. It needs nothing but Python.
"""

import json
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent)]

from benchmarks.text import chunks  # noqa: E402 - it may be run from anywhere


def send(**body: object) -> None:
    """Write a message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **body}) + "\n")
    sys.stdout.flush()


def stream(session: str, count: int, pause: float) -> None:
    """Stream Markdown."""
    for chunk in chunks(count):
        content = {"type": "text", "text": chunk}
        update = {"sessionUpdate": "agent_message_chunk", "content": content}
        send(method="session/update", params={"sessionId": session, "update": update})
        time.sleep(pause)


def ask(session: str) -> None:
    """Ask for permission, and wait for the answer."""
    options = [
        {"optionId": "yes", "name": "Allow once", "kind": "allow_once"},
        {"optionId": "always", "name": "Always allow", "kind": "allow_always"},
        {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    ]
    call = {"toolCallId": "t", "title": "Boil the water", "rawInput": {"command": "boil water"}}
    params = {"sessionId": session, "toolCall": call, "options": options}
    send(id="ask", method="session/request_permission", params=params)
    sys.stdin.readline()


def edit(session: str) -> None:
    """Tell of edits in two files."""
    old = "".join(
        f"def answer_{at}(question: str) -> int:\n    return {at}\n\n" for at in range(20)
    )
    for at, name in enumerate(("answers.py", "more/answers.py")):
        new = old.replace("    return ", f"    return {at + 4} * ")
        diff = {"type": "diff", "path": name, "oldText": old, "newText": new}
        call = {"toolCallId": name, "title": "Edit", "status": "completed", "content": [diff]}
        update = {"sessionUpdate": "tool_call", **call}
        send(method="session/update", params={"sessionId": session, "update": update})


def main() -> None:
    """Answer what is asked, until nobody asks any more."""
    sessions = 0
    for line in sys.stdin:
        message = json.loads(line)
        method, params = message.get("method"), message.get("params", {})
        result: dict[str, object] = {}
        if method == "initialize":
            result = {"protocolVersion": 1}
        elif method == "session/new":
            sessions += 1
            result = {"sessionId": f"s{sessions}"}
        elif method == "session/prompt":
            what, *numbers = params["prompt"][0]["text"].split()
            if what == "ask":
                ask(params["sessionId"])
            elif what == "edit":
                edit(params["sessionId"])
            else:
                stream(params["sessionId"], int(numbers[0]), int(numbers[1]) / 1000)
            result = {"stopReason": "end_turn"}
        if "id" in message:
            send(id=message["id"], result=result)


if __name__ == "__main__":
    main()
