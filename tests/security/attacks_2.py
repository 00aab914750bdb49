"""A session of version 2 in which every string that an agent may choose is an attack."""

from base64 import b64encode
from collections.abc import Callable
from typing import Any

from tests.security.attacks import text
from tests.unit.state.conversation import INITIALIZE_2, STARTED, Conversation

Attack = Callable[[], str]


def everything(attack: Attack) -> Conversation:
    """Return the session, in the middle of a turn."""
    talk = Conversation()
    talk.happened(STARTED)
    info = {"name": attack(), "version": attack(), "title": attack()}
    hello = {"protocolVersion": 2, "info": info, "capabilities": {"session": {}}}
    talk.call("initialize", INITIALIZE_2, result=hello)
    commands = [
        {
            "type": "command",
            "name": attack(),
            "description": attack(),
            "input": {"type": attack(), "hint": attack()},
        }
    ]
    opened = {"sessionId": "s", "availableCommands": commands}
    talk.call("session/new", {"cwd": "/work", "mcpServers": []}, result=opened)
    failed_turn(talk, attack)
    talk.answer(talk.prompt(), result={"messageId": attack()})
    for kind in ("user_message", "agent_thought", "agent_message"):
        talk.update(kind, messageId=attack(), content=[text(attack()), {"type": attack()}])
    for kind in ("items", attack()):
        step = {"content": attack(), "priority": attack(), "status": attack()}
        talk.update("plan_update", plan={"type": kind, "planId": kind, "entries": [step]})
    tool_calls(talk, attack)
    beside = [
        {"type": "tool_call", "toolCallId": "c"},
        {"type": "terminal", "terminalId": "t"},
        {"type": attack()},
    ]
    talk.update("state_update", state=attack(), background=beside)
    return talk


def failed_turn(talk: Conversation, attack: Attack) -> None:
    talk.answer(talk.prompt(), result={"messageId": "m"})
    talk.update("state_update", state="running", background=[{"type": attack()}])
    error = {"code": -32002, "message": attack(), "data": {attack(): attack()}}
    talk.update("state_update", state="idle", stopReason="error", error=error)
    talk.update("state_update", state="running")
    talk.update("state_update", state="idle", stopReason=attack())


def tool_calls(talk: Conversation, attack: Attack) -> None:
    paths = ["/" + attack(), "/" + attack()]
    changes = [
        {"operation": "move", "path": paths[0], "oldPath": paths[1], "fileType": attack()},
        {"operation": attack(), "path": attack(), "mimeType": attack(), "fileType": attack()},
    ]
    written = f"diff --git {paths[0]} {paths[0]}\n--- {paths[0]}\n+++ {paths[0]}\n"
    patch = f"{written}@@ -1 +1 @@\n-{attack()}\n+{attack()}\n"
    content = [
        {"type": "diff", "changes": changes},
        {"type": "diff", "changes": changes, "patch": {"format": attack(), "text": attack()}},
        {"type": "diff", "changes": changes, "patch": {"format": "git_patch", "text": patch}},
        {"type": attack(), "x": attack()},
        {"type": "terminal", "terminalId": "t"},
        {"type": "terminal", "terminalId": attack()},
    ]
    fields = {"title": attack(), "name": attack(), "kind": attack(), "status": attack()}
    beside = {"toolCallId": "c", "capabilities": {"cancel": {}}}
    talk.update("tool_call_update", **beside, **fields, content=content, rawInput=attack())
    talk.update("tool_call_update", toolCallId="d", title=attack(), status="paused")
    for id in ("t", attack()):
        output = b64encode(attack().encode("utf-8", "surrogatepass")).decode()
        told = {"terminalId": id, "command": attack(), "cwd": "/" + attack()}
        talk.update("terminal_update", **told, capabilities={"cancel": {}})
        talk.update("terminal_output_chunk", terminalId=id, data=output)
    talk.update("terminal_update", terminalId=attack(), exitStatus={"signal": attack()})


def ask(talk: Conversation, about: str, attack: Attack) -> None:
    """Ask about a tool call, a command, something new, or nothing."""
    subjects: dict[str, dict[str, Any] | None] = {
        "tool_call": {"toolCall": {"toolCallId": "p", "title": attack(), "kind": attack()}},
        "command": {"command": attack(), "cwd": "/" + attack()},
        "other": {"x": attack(), attack(): attack()},
        "nothing": None,
    }
    subject = subjects[about]
    if subject is not None:
        kind = attack() if about == "other" else about
        subject = {**subject, "type": kind}
    options = [{"optionId": attack(), "name": attack(), "kind": attack()}]
    words = {"title": attack(), "description": attack()}
    talk.asks("session/request_permission", **words, subject=subject, options=options)
