"""Conversations in version 2, each of which breaks a rule."""

from collections.abc import Callable
from typing import Any

from acp_tui.protocol.file_events import EditCompared, EditVerdict, UnapprovedChange
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.process_events import Connecting, Disconnected
from tests.unit.debug.scenes import AGENT_INFO, Wire

OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]
NOT_FOUND = {"code": -32601, "message": "Method not found"}
KEY = {"methodId": "key", "name": "Key", "type": "agent"}
TTY = {"methodId": "tty", "name": "Terminal", "type": "terminal"}
NEW = {"cwd": "/w"}
CANCELABLE = {"cancel": {}}
ITEM = {"type": "tool_call", "toolCallId": "t"}
UNSUPPORTED = {"code": -32022, "message": "Unsupported protocol version"}
MESSAGE = {"messageId": "m", "content": [{"type": "text", "text": "hi"}]}


def call(wire: Wire, status: str = "in_progress", **more: Any) -> Wire:
    return wire.update("tool_call_update", toolCallId="t", title="Work", status=status, **more)


def permission(wire: Wire, options: list[Any] = OPTIONS, tool: str = "t", **more: Any) -> Wire:
    subject = {"type": "tool_call", "toolCall": {"toolCallId": tool, **more}}
    params = {"title": "May I?", "subject": subject, "options": options}
    return wire.ask(9, "session/request_permission", **params)


def permission_to_run(wire: Wire) -> Wire:
    subject = {"type": "command", "command": "make all", "cwd": "/w", "toolCallId": "t"}
    params = {"title": "May I?", "subject": subject, "options": OPTIONS}
    return wire.ask(9, "session/request_permission", **params)


def runs(wire: Wire) -> Wire:
    return wire.update("terminal_update", terminalId="x", command="make all")


def outcome(outcome: str, **more: Any) -> dict[str, Any]:
    return {"outcome": {"outcome": outcome, **more}}


def asks_for(protocol: int, answer: dict[str, Any]) -> Wire:
    params = {"protocolVersion": protocol, "info": AGENT_INFO, "capabilities": {}}
    return Wire().out(id=0, method="initialize", params=params).got(id=0, **answer)


def answers(version: int) -> dict[str, Any]:
    return {"result": {"protocolVersion": version, "info": AGENT_INFO, "capabilities": {}}}


def plan(*contents: str) -> dict[str, Any]:
    entries = [{"content": one, "priority": "low", "status": "pending"} for one in contents]
    return {"plan": {"type": "items", "planId": "p", "entries": entries}}


def config(*options: dict[str, Any]) -> list[dict[str, Any]]:
    values = [{"value": "a", "name": "A"}]
    select = {"type": "select", "name": "O", "currentValue": "a", "options": values}
    return [{"configId": "o", **select, **one} for one in options]


def resumed(wire: Wire) -> Wire:
    return wire.got(id=7, result={})


def connected() -> Wire:
    return Wire().happened(Connecting(100.0, "ws://host/acp", "/w"))


def option_set(wire: Wire) -> Wire:
    params = {"sessionId": "s", "configId": "mode", "type": "id", "value": "plan"}
    return wire.out(id=8, method="session/set_config_option", params=params)


def keyed(wire: Wire, id: int, message: str, key: str = "k") -> Wire:
    """A prompt with an idempotency key, which is accepted."""
    params = {"sessionId": "s", "prompt": [{"type": "text", "text": "hi"}], "idempotencyKey": key}
    return wire.out(id=id, method="session/prompt", params=params).got(
        id=id, result={"messageId": message}
    )


def listed(*items: dict[str, Any]) -> dict[str, Any]:
    return {"background": list(items)}


def cancels(wire: Wire, of: str = "tool_call", **ids: str) -> Wire:
    return wire.out(id=8, method=f"{of}/cancel", params={"sessionId": "s", **ids})


def canceled_call() -> Wire:
    """A tool call whose cancel the agent has accepted."""
    wire = call(Wire().started().running_2(), capabilities=CANCELABLE)
    return cancels(wire, toolCallId="t").got(id=8, result={})


def diff(**change: Any) -> list[dict[str, Any]]:
    return [{"type": "diff", "changes": [{"operation": "modify", **change}]}]


BREAKS_2: list[tuple[str, Callable[[], Wire]]] = [
    # the set-up
    ("schema", lambda: Wire().opened_2().prompt(2).got(id=2, result={"stopReason": "end_turn"})),
    ("method-of-other-version", lambda: Wire().opened_2().out(id=3, method="session/load", params={})),
    ("method-of-other-version", lambda: Wire().opened_2().ask(3, "fs/read_text_file", path="/w/a")),
    ("method-of-other-version", lambda: Wire().opened().out(id=3, method="tool_call/cancel", params={})),
    ("reserved-value", lambda: Wire().running_2().update("tool_call", toolCallId="t", title="Work")),
    ("reserved-value", lambda: Wire().running_2().idle("gave_up")),
    ("reserved-value", lambda: call(Wire().running_2(), status="done")),
    ("reserved-value", lambda: call(Wire().running_2(), content=[{"type": "picture"}])),
    ("reserved-value", lambda: Wire().running_2().update("agent_message_chunk", messageId="m", content={"type": "smell"})),
    ("reserved-value", lambda: permission(Wire().running_2(), [{"optionId": "o", "name": "O", "kind": "perhaps"}])),
    ("other-version", lambda: asks_for(3, answers(2))),
    ("version-above", lambda: asks_for(2, answers(2)).out(id=1, method="initialize", params={"protocolVersion": 1, "info": AGENT_INFO, "capabilities": {}}).got(id=1, **answers(2))),
    ("unsupported-version-data", lambda: asks_for(2, {"error": UNSUPPORTED})),
    ("unsupported-version-data", lambda: asks_for(2, {"error": {**UNSUPPORTED, "data": {"requested": 2}}})),
    ("before-initialize", lambda: Wire().started().out(id=1, method="auth/login", params={"methodId": "k"})),
    ("session-id-reuse", lambda: Wire().opened_2().out(id=2, method="session/new", params=NEW).got(id=2, result={"sessionId": "s"})),
    ("null-id", lambda: Wire().opened_2().got(id=None, method="_x")),
    ("id-reuse", lambda: Wire().opened_2().got(id=3, method="_x").got(id=3, method="_x")),
    ("batch", lambda: Wire().opened_2().raw(Direction.IN, b"[]")),
    ("unadvertised", lambda: Wire().initialized_2({}).out(id=1, method="session/new", params=NEW)),
    ("unadvertised", lambda: Wire().opened_2().out(id=2, method="session/delete", params={"sessionId": "s"})),
    ("unadvertised", lambda: Wire().opened_2().out(id=2, method="session/prompt", params={"sessionId": "s", "prompt": [{"type": "image", "data": "", "mimeType": "image/png"}]})),
    ("unadvertised", lambda: Wire().initialized_2().out(id=1, method="session/new", params={**NEW, "mcpServers": [{"type": "stdio", "name": "m", "command": "/m", "args": [], "env": []}]})),
    ("unadvertised", lambda: Wire().initialized_2().out(id=1, method="session/new", params={**NEW, "additionalDirectories": ["/x"]})),
    ("subagent-announced-late", lambda: Wire().opened_2().chunk(session="c", messageId="m").update("subagent_update", sessionId="c")),
    ("subagent-not-a-child", lambda: Wire().opened_2().update("subagent_update", sessionId="s")),
    ("subagent-moved", lambda: Wire().opened_2().update("subagent_update", sessionId="c").update("subagent_update", sessionId="d").update("subagent_update", session="c", sessionId="d")),
    ("subagent-restricted", lambda: Wire().opened_2().update("subagent_update", sessionId="c").out(method="session/cancel", params={"sessionId": "c"})),
    ("system-prompt-not-offered", lambda: Wire().initialized_2().system_prompt("append")),
    ("system-prompt-override", lambda: Wire().initialized_2({"session": {"systemPrompt": {}}}).system_prompt("override")),
    ("system-prompt-content", lambda: Wire().initialized_2({"session": {"systemPrompt": {}}}).system_prompt("append", content=[])),
    ("system-prompt-mode-ignored", lambda: Wire().initialized_2({"session": {"systemPrompt": {}}}).system_prompt("_mine")),
    ("unadvertised", lambda: Wire().initialized_2({}, TTY)),
    ("auth-method", lambda: Wire().initialized_2().out(id=1, method="auth/login", params={"methodId": "key"})),
    ("auth-method", lambda: Wire().initialized_2().out(id=1, method="auth/logout", params={})),
    ("auth-method", lambda: Wire().initialized_2({}, TTY, auth={"terminal": {}}).out(id=1, method="auth/login", params={"methodId": "tty"})),
    ("sign-in-not-there", lambda: Wire().initialized_2({}, KEY).out(id=1, method="auth/login", params={"methodId": "key"}).got(id=1, error=NOT_FOUND)),
    ("baseline-not-there", lambda: Wire().opened_2().resume().got(id=7, error=NOT_FOUND)),
    ("duplicate-id", lambda: Wire().initialized_2({}, KEY, KEY)),
    ("duplicate-id", lambda: Wire().opened_2(configOptions=config({}, {}))),
    ("duplicate-command", lambda: Wire().opened_2(availableCommands=[{"name": "a", "description": ""}] * 2)),
    ("command-name", lambda: Wire().opened_2().update("available_commands_update", availableCommands=[{"name": "a b", "description": ""}])),
    ("config-value", lambda: Wire().opened_2(configOptions=config({"currentValue": "z"}))),
    ("config-incomplete", lambda: Wire().opened_2(configOptions=config({}, {"configId": "p"})).out(id=3, method="session/set_config_option", params={"sessionId": "s", "configId": "o", "type": "id", "value": "a"}).got(id=3, result={"configOptions": config({"configId": "o"})})),
    ("relative-path", lambda: call(Wire().running_2(), content=diff(path="a"))),
    ("relative-path", lambda: Wire().running_2().update("tool_call_content_chunk", toolCallId="t", content=diff(operation="move", oldPath="a", path="/b")[0])),
    ("relative-path", lambda: Wire().running_2().update("terminal_update", terminalId="x", cwd="w")),
    ("relative-path", lambda: Wire().running_2().ask(9, "session/request_permission", title="T", subject={"type": "command", "command": "ls", "cwd": "w"}, options=OPTIONS)),
    ("line-zero", lambda: call(Wire().running_2(), locations=[{"path": "/a", "line": 0}])),
    # sessions at work
    ("empty-prompt", lambda: Wire().opened_2().out(id=2, method="session/prompt", params={"sessionId": "s", "prompt": []})),
    ("work-before-running", lambda: Wire().opened_2().accepted_2().chunk(messageId="m")),
    ("idle-without-reason", lambda: Wire().running_2().state("idle")),
    ("error-without-details", lambda: Wire().running_2().idle("error")),
    ("action-without-question", lambda: Wire().running_2().state("requires_action").state("running")),
    ("work-while-action-required", lambda: permission(call(Wire().running_2()).state("requires_action")).out(id=9, result=outcome("selected", optionId="yes")).chunk(messageId="m")),
    ("prompt-not-echoed", lambda: Wire().opened_2().prompt(2).got(id=2, result={"messageId": "u1"}).state("running").later(1).idle()),
    ("message-id-reuse", lambda: Wire().running_2().idle().accepted_2(3, "u1")),
    ("message-id-reuse", lambda: Wire().running_2().chunk(messageId="m").idle().accepted_2(3, "u2").state("running").chunk(messageId="m")),
    ("update-after-turn", lambda: Wire().running_2().idle(background=[]).chunk(messageId="m")),
    ("update-after-cancelled", lambda: Wire().running_2().cancel().idle("cancelled").chunk(messageId="m")),
    ("not-cancelled", lambda: Wire().running_2().cancel().later(1).idle("error", error={"code": -32603, "message": "aborted"})),
    ("not-cancelled", lambda: Wire().started().running_2().cancel().later(30).quitted()),
    ("cancel-crossed", lambda: Wire().running_2().cancel().idle()),
    ("close-not-cancelled", lambda: Wire().running_2().out(id=3, method="session/close", params={"sessionId": "s"}).got(id=3, result={})),
    ("speaks-after-close", lambda: Wire().opened_2().out(id=3, method="session/close", params={"sessionId": "s"}).got(id=3, result={}).update("session_info_update", title="T")),
    ("plan-shrinks", lambda: Wire().running_2().update("plan_update", **plan("a", "b")).update("plan_update", **plan("a")).update("plan_update", **plan("b"))),
    ("background-unannounced", lambda: Wire().running_2().idle(**listed(ITEM))),
    ("background-removed", lambda: call(Wire().running_2()).idle(**listed(ITEM)).state("idle", background=[])),
    ("background-removed", lambda: Wire().running_2().update("terminal_update", terminalId="x").idle(**listed({"type": "terminal", "terminalId": "x"})).state("idle", background=[])),
    ("background-twice", lambda: call(Wire().running_2()).idle(**listed(ITEM, ITEM))),
    ("background-left-out", lambda: Wire().running_2().idle(background=[]).state("running")),
    # the connection is lost
    ("answer-lost", lambda: option_set(connected().opened_2()).happened(Disconnected(101.0, "cut"))),
    ("retry-counted-twice", lambda: keyed(keyed(Wire().opened_2(), 2, "u1").idle(), 3, "u2")),
    # sessions resumed
    ("resume-without-state", lambda: resumed(Wire().opened_2().resume())),
    ("replay-after-state", lambda: Wire().opened_2().resume(replayFrom={"type": "start"}).state("idle").update("user_message", **MESSAGE)),
    ("replay-not-asked", lambda: Wire().opened_2().resume().update("user_message", **MESSAGE)),
    ("resume-replayed-nothing", lambda: resumed(Wire().running_2().idle().resume(replayFrom={"type": "start"}).state("idle"))),
    ("replay-without-end", lambda: resumed(Wire().opened_2().resume(replayFrom={"type": "start"}).state("idle"))),
    ("replay-end-misplaced", lambda: Wire().opened_2().resume(replayFrom={"type": "start"}).update("replay_complete").update("replay_complete")),
    ("replay-end-not-asked", lambda: Wire().opened_2().resume().update("replay_complete")),
    ("replay-after-resume", lambda: resumed(Wire().opened_2().resume(replayFrom={"type": "start"}).state("idle")).update("user_message", **MESSAGE)),
    # tool calls, terminals, permissions
    ("tool-call-unfinished", lambda: call(Wire().running_2()).idle(background=[])),
    ("tool-call-reopened", lambda: call(call(Wire().running_2(), "cancelled"))),
    ("chunk-of-nothing", lambda: Wire().running_2().update("terminal_output_chunk", terminalId="x", data="")),
    ("chunk-of-nothing", lambda: Wire().running_2().update("tool_call_content_chunk", toolCallId="t", content={"type": "content", "content": {"type": "text", "text": "x"}})),
    ("not-a-time", lambda: Wire().opened_2().update("session_info_update", updatedAt="2026-11-28T12:00:00")),
    ("content-not-base64", lambda: Wire().running_2().update("agent_message", messageId="m", content=[{"type": "image", "mimeType": "image/png", "data": "a!"}])),
    ("terminal-not-base64", lambda: Wire().running_2().update("terminal_update", terminalId="x", output={"data": "hello!"})),
    ("terminal-not-base64", lambda: Wire().running_2().update("terminal_update", terminalId="x").update("terminal_output_chunk", terminalId="x", data="YQ")),
    ("terminal-never-told", lambda: call(Wire().running_2(), "completed", content=[{"type": "terminal", "terminalId": "x"}]).idle()),
    ("cancel-not-offered", lambda: cancels(call(Wire().running_2()), toolCallId="t")),
    ("cancel-not-offered", lambda: cancels(Wire().running_2(), "terminal", terminalId="x")),
    ("cancel-still-offered", lambda: call(Wire().running_2(), "completed", capabilities=CANCELABLE).idle()),
    ("cancel-not-confirmed", lambda: canceled_call().later(30).quitted()),
    ("permission-without-options", lambda: permission(Wire().running_2(), [])),
    ("permission-outcome", lambda: permission(Wire().running_2()).out(id=9, result=outcome("perhaps"))),
    ("permission-answer", lambda: permission(Wire().running_2()).out(id=9, result=outcome("selected", optionId="z"))),
    ("not-approved-but-completed", lambda: call(permission(Wire().running_2()).out(id=9, result=outcome("perhaps")), "completed")),
    ("not-approved-but-completed", lambda: call(permission(Wire().running_2()).out(id=9, result=outcome("cancelled")), "completed")),
    ("not-approved-but-running", lambda: call(permission(Wire().running_2()).out(id=9, result=outcome("cancelled")).later(0.1), "in_progress")),
    ("not-approved-but-completed", lambda: call(permission(Wire().running_2()).out(id=9, result=outcome("selected", optionId="z")), "completed")),
    ("rejected-but-completed", lambda: call(permission(Wire().running_2()).out(id=9, result=outcome("selected", optionId="no")), "completed")),
    ("rejected-but-running", lambda: call(permission(Wire().running_2()).out(id=9, result=outcome("selected", optionId="no")).later(0.1), "in_progress")),
    ("rejected-but-done", lambda: runs(permission_to_run(Wire().running_2()).out(id=9, result=outcome("selected", optionId="no")))),
    ("not-approved-but-done", lambda: runs(permission_to_run(Wire().running_2()).out(id=9, result=outcome("cancelled")))),
    ("done-while-asked", lambda: runs(permission_to_run(Wire().running_2()))),
    ("begun-after-cancel", lambda: call(Wire().running_2().cancel().later(1), "in_progress")),
    ("completed-after-cancel", lambda: call(call(Wire().running_2(), "in_progress").cancel().later(4), "completed")),
    ("done-after-cancel", lambda: runs(Wire().running_2().cancel().later(1))),
    ("ran-before-permission", lambda: call(permission(Wire().running_2()))),
    ("changed-without-consent", lambda: Wire().running_2().happened(UnapprovedChange(9.0, "s", "/w/a", "made", "nothing was allowed"))),
    ("edit-not-as-shown", lambda: Wire().running_2().happened(EditCompared(9.0, "s", "t", "/w/a", EditVerdict.DIFFERS, "it has more"))),
]  # fmt: skip
"""A rule, and a conversation that breaks it."""
