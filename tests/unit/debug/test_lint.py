"""Each rule: a conversation that breaks it, and that a good one breaks none."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from acp_tui.protocol.events import NotSent, TimedOut
from acp_tui.protocol.file_events import EditCompared, EditVerdict, UnapprovedChange
from acp_tui.protocol.findings import Severity, protocol_rules
from acp_tui.protocol.frames import Direction, Flaw, Frame
from acp_tui.protocol.process_events import (
    Connecting,
    Disconnected,
    ProcessExited,
    StdoutClosed,
    TerminalExited,
)
from tests.unit.debug.breaks_2 import BREAKS_2
from tests.unit.debug.scenes import AGENT_INFO, FULL_CLIENT, Wire

OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]
CALL = {"toolCallId": "t", "title": "Edit"}
IN = Direction.IN
TAKES_PROMPTS = {"sessionCapabilities": {"systemPrompt": {}}}


def flawed(flaw: Flaw, raw: bytes = b'{"jsonrpc"') -> Wire:
    wire = Wire().initialized()
    wire.records.append(Frame(IN, raw, 101.0, 3, flaw, 9_000_000))
    return wire


def plan(*contents: str) -> list[dict[str, str]]:
    return [{"content": one, "priority": "low", "status": "pending"} for one in contents]


def permission(wire: Wire, options: list[Any], tool: str = "t", **more: Any) -> Wire:
    wire.update("tool_call", **CALL)
    call = {"toolCallId": tool, **more}
    return wire.ask(9, "session/request_permission", toolCall=call, options=options)


def selected(option: str) -> dict[str, Any]:
    return {"outcome": {"outcome": "selected", "optionId": option}}


CANCELLED = {"outcome": {"outcome": "cancelled"}}


def writes(wire: Wire, path: str = "/w/a") -> Wire:
    return wire.ask(11, "fs/write_text_file", path=path, content="x")


def config(*options: dict[str, Any]) -> list[dict[str, Any]]:
    values = [{"value": "a", "name": "A"}]
    return [
        {"id": "o", "name": "O", "type": "select", "currentValue": "a", "options": values, **one}
        for one in options
    ]


BOOLEAN = [{"id": "b", "name": "B", "type": "boolean", "currentValue": True}]
MODES = {"currentModeId": "x", "availableModes": [{"id": "x", "name": "X"}]}
NEW = {"cwd": "/w", "mcpServers": []}
LOAD = {"cwd": "/w", "mcpServers": [], "sessionId": "old"}
CANCEL = {"method": "session/cancel", "params": {"sessionId": "s"}}
USAGE = {"totalTokens": 2, "inputTokens": 1, "outputTokens": 1}
TWICE = b'{"jsonrpc":"2.0","method":"_x","params":{"a":1,"a":2}}'
NOT_FOUND = {"code": -32601, "message": "Method not found"}
PARSE_ERROR = {"code": -32700, "message": "Parse error"}
PERMISSION = "session/request_permission"
NO_VERSION = b'{"id":5,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}'


def closing() -> Wire:
    """A session that is closed in the middle of a turn."""
    close = {"sessionCapabilities": {"close": {}}}
    wire = Wire().initialized(agent=close).out(id=1, method="session/new", params=NEW)
    wire.got(id=1, result={"sessionId": "s"}).prompt(2)
    return wire.out(id=3, method="session/close", params={"sessionId": "s"})


def closed() -> Wire:
    """A session whose close was answered a second ago; the turn before ended as canceled."""
    return closing().got(id=2, result={"stopReason": "cancelled"}).got(id=3, result={}).later(1)


def deleted() -> Wire:
    """A session that is deleted, and a list that is asked for."""
    offered = {"sessionCapabilities": {"delete": {}, "list": {}}}
    wire = Wire().initialized(agent=offered)
    wire.out(id=3, method="session/delete", params={"sessionId": "s"}).got(id=3, result={})
    return wire.out(id=4, method="session/list", params={})


def third_version() -> Wire:
    """A connection in a version of the protocol that isn't there yet."""
    params = {"protocolVersion": 3, "info": AGENT_INFO, "capabilities": {}}
    return Wire().out(id=0, method="initialize", params=params).got(id=0, result=params)


def signing_in(*methods: dict[str, Any]) -> Wire:
    params = {"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": {}}
    wire = Wire().out(id=0, method="initialize", params=params)
    return wire.got(id=0, result={"protocolVersion": 1, "authMethods": methods})


def parent() -> Wire:
    """A turn of a client that knows subagents."""
    return Wire().prompted(client={**FULL_CLIENT, "subagents": {}})


def sign_in_at_terminal() -> Wire:
    return signing_in({"id": "tty", "name": "Terminal", "type": "terminal"})


def terminal(wire: Wire) -> Wire:
    wire.ask(4, "terminal/create", command="ls")
    return wire.out(id=4, result={"terminalId": "t1"})


def shows(*terminals: str) -> dict[str, Any]:
    content = [{"type": "terminal", "terminalId": one} for one in terminals]
    return {"toolCallId": "t", "title": "Run", "content": content}


def usage(used: int, size: int = 1000, **more: Any) -> dict[str, Any]:
    return {"kind": "usage_update", "used": used, "size": size, **more}


def cost(amount: float) -> dict[str, Any]:
    return usage(10, cost={"amount": amount, "currency": "USD"})


def image(data: str) -> dict[str, Any]:
    return {"type": "image", "mimeType": "image/png", "data": data}


def command(name: str) -> dict[str, Any]:
    return {"name": name, "description": ""}


def mode(wire: Wire) -> Wire:
    params = {"sessionId": "s", "modeId": "x"}
    return wire.out(id=2, method="session/set_mode", params=params)


def loading(**more: Any) -> Wire:
    return Wire().initialized(agent={"loadSession": True, **more}).load(1)


def growing(**more: Any) -> Wire:
    wire = Wire().prompted()
    for end in range(4, 40, 4):
        wire.chunk("This is what the agent says, all of it."[:end], **more)
    return wire


def compared(verdict: EditVerdict) -> Wire:
    event = EditCompared(9.0, "s", "t", "/w/a", verdict, "it has more")
    return Wire().prompted().update("tool_call", **CALL).happened(event)


TOO_DEEP = b'{"jsonrpc":"2.0","method":"_x","params":' + b"[" * 20_000 + b"]" * 20_000 + b"}"

AT_MESSAGE = {"type": "agent_message", "messageId": "m", "position": "after"}
FORKED = {"sessionId": "s", "cwd": "/w", "mcpServers": [], "cursorId": "c"}


def cursors(**fields: Any) -> Wire:
    """A turn with a cursor."""
    wire = Wire().prompted().update("cursor_update", cursorId="c", anchor=AT_MESSAGE)
    return wire.update("cursor_update", cursorId="c", **{"capabilities": {"fork": {}}, **fields})


def test_a_fork_at_a_cursor_that_offers_it_breaks_nothing() -> None:
    found = cursors().ended().out(id=5, method="session/fork", params=FORKED).found()
    assert not {"cursor-fork", "cursor-anchor"} & set(found)


def test_the_first_anchor_that_a_log_has_of_a_cursor_moves_nothing() -> None:
    wire = Wire().update("cursor_update", cursorId="c", capabilities={})
    wire.update("cursor_update", cursorId="c", anchor=AT_MESSAGE)
    assert "cursor-anchor" not in wire.found()
    wire.update("cursor_update", cursorId="c", anchor={**AT_MESSAGE, "position": "before"})
    assert wire.found().count("cursor-anchor") == 1


def test_a_new_cursor_without_an_anchor_is_reported_once() -> None:
    wire = Wire().prompted().update("cursor_update", cursorId="c")
    wire.update("cursor_update", cursorId="c", anchor=AT_MESSAGE)
    assert wire.found().count("cursor-anchor") == 1


BREAKS: list[tuple[str, Callable[[], Wire]]] = [
    # the schema
    ("schema", lambda: Wire().prompted().update("agent_message_chunk")),
    ("schema", lambda: Wire().prompted().update("zzz")),
    ("schema", lambda: Wire().prompted().ended(reason="error")),
    ("schema-salvaged", lambda: Wire().prompted().update("tool_call", **CALL, status="zzz")),
    ("unstable", lambda: Wire().prompted().got(id=2, result={"stopReason": "end_turn", "usage": USAGE})),
    ("auth-type", lambda: signing_in({"id": "k", "name": "K", "type": "env_var", "vars": []})),
    ("removed", lambda: Wire().opened(models={"currentModelId": "m", "availableModels": []})),
    ("documented-form", lambda: Wire().opened(modes=MODES).update("current_mode_update", modeId="x")),
    ("version-not-checked", lambda: third_version()),
    ("custom-field", lambda: Wire().prompted().chunk(mood="good")),
    ("newer-than-schema", lambda: Wire().chunk().update("mood_update")),
    ("cursor-anchor", lambda: cursors().update("cursor_update", cursorId="new")),
    ("cursor-anchor", lambda: cursors().update("cursor_update", cursorId="c", anchor={**AT_MESSAGE, "messageId": "x"})),
    ("cursor-fork", lambda: cursors(capabilities=None).ended().out(id=5, method="session/fork", params=FORKED)),
    ("extension", lambda: Wire().opened().got(method="_x/y")),
    ("unknown-method", lambda: Wire().opened().got(method="foo/bar")),
    ("wrong-side", lambda: Wire().opened().got(id=3, method="session/prompt", params={})),
    ("notification-with-id", lambda: Wire().opened().got(id=3, method="session/update", params={})),
    ("request-without-id", lambda: Wire().opened().got(method="fs/read_text_file", params={})),
    ("null-result", lambda: Wire().opened().ask(4, "terminal/release", terminalId="t").out(id=4, result=None)),
    ("jsonrpc-version", lambda: Wire().opened().raw(Direction.OUT, NO_VERSION)),
    ("envelope-field", lambda: Wire().opened().got(method="_x", extra=1)),
    # lines, ids, answers
    ("stdout-noise", lambda: Wire().opened().raw(IN, b"Loading model...")),
    ("stdout-noise", lambda: flawed(Flaw.OVERSIZED, b"Loading")),
    ("not-a-message", lambda: Wire().opened().raw(IN, b'{"jsonrpc":"2.0"}')),
    ("batch", lambda: Wire().opened().raw(IN, b"[]")),
    ("not-utf8", lambda: Wire().opened().raw(IN, b'{"jsonrpc":"2.0","method":"_\xff"}')),
    ("unfinished-line", lambda: flawed(Flaw.UNFINISHED)),
    ("oversized-line", lambda: flawed(Flaw.OVERSIZED)),
    ("nested-too-deep", lambda: Wire().opened().raw(IN, TOO_DEEP)),
    ("null-id", lambda: Wire().opened().got(id=None, method="_x")),
    ("id-reuse", lambda: Wire().opened().got(id=3, method="_x").got(id=3, method="_x")),
    ("second-answer", lambda: Wire().opened().got(id=1, result={"sessionId": "s2"})),
    ("orphan-answer", lambda: Wire().opened().got(id=77, result={})),
    ("orphan-answer", lambda: Wire().prompted().got(id="2", result={"stopReason": "end_turn"})),
    ("answer-to-notification", lambda: Wire().prompted().cancel().got(id=None, result=None)),
    ("answer-to-notification", lambda: Wire().prompted().cancel().got(id=None, error={"code": -32601, "message": "no"})),
    ("line-not-understood", lambda: Wire().prompted().got(id=None, error=PARSE_ERROR)),
    ("result-and-error", lambda: Wire().prompted().got(id=2, result={"stopReason": "end_turn"}, error=None)),
    ("result-and-error", lambda: Wire().prompted().got(id=2, result=None, error=PARSE_ERROR)),
    ("duplicate-key", lambda: Wire().prompted().raw(IN, TWICE)),
    ("unanswered", lambda: Wire().started().prompted().died()),
    ("unanswered", lambda: Wire().started().prompted().happened(StdoutClosed(101.0)).quitted()),
    ("unanswered", lambda: mode(Wire().started().opened(modes=MODES)).prompt(3).ended(3).prompt(4).ended(4).quitted()),
    ("unanswered", lambda: Wire().started().prompted().cancel().later(30).quitted()),
    ("timed-out", lambda: Wire().opened().happened(TimedOut(101.0, 1, 60.0))),
    ("agent-exited", lambda: Wire().opened().happened(ProcessExited(101.0, 1))),
    ("connection-lost", lambda: Wire().happened(Connecting(100.0, "ws://host/acp", "/w")).prompted().happened(Disconnected(101.0, "cut"))),
    ("agent-killed", lambda: Wire().opened().happened(ProcessExited(101.0, None, "SIGKILL"))),
    # the set-up
    ("before-initialize", lambda: Wire().started().out(id=1, method="session/new", params=NEW)),
    ("initialize-twice", lambda: Wire().initialized().initialized()),
    ("other-version", lambda: Wire().out(id=0, method="initialize", params={"protocolVersion": 1}).got(id=0, result={"protocolVersion": 2})),
    ("no-name-and-version", lambda: Wire().out(id=0, method="initialize", params={"protocolVersion": 1}).got(id=0, result={"protocolVersion": 1})),
    ("no-capabilities", lambda: Wire().out(id=0, method="initialize", params={"protocolVersion": 1}).got(id=0, result={"protocolVersion": 1})),
    ("no-auth-methods", lambda: Wire().out(id=0, method="initialize", params={"protocolVersion": 1}).got(id=0, result={"protocolVersion": 1}).out(id=1, method="session/new", params={"cwd": "/", "mcpServers": []}).got(id=1, error={"code": -32000, "message": "sign in"})),
    ("session-id-reuse", lambda: Wire().opened().out(id=2, method="session/new", params={"cwd": "/", "mcpServers": []}).got(id=2, result={"sessionId": "s"})),
    ("session-id-reuse", lambda: Wire().started().prompted().ended().died().started().initialized(agent={"loadSession": True}).out(id=1, method="session/new", params=NEW).got(id=1, result={"sessionId": "s"})),
    ("update-before-session", lambda: Wire().initialized().out(id=1, method="session/new", params={"cwd": "/", "mcpServers": []}).chunk()),
    ("unknown-session", lambda: Wire().opened().chunk(session="other")),
    ("load-replayed-nothing", lambda: Wire().prompted().ended().load(3, "s").got(id=3, result={})),
    ("load-perhaps-nothing", lambda: loading().got(id=1, result={})),
    ("load-without-user", lambda: loading().chunk(session="old").got(id=1, result={})),
    ("replay-after-load", lambda: loading().got(id=1, result={}).chunk(kind="user_message_chunk", session="old")),
    ("resume-replayed", lambda: Wire().initialized(agent={"sessionCapabilities": {"resume": {}}}).out(id=1, method="session/resume", params=LOAD).chunk(session="old")),
    # capabilities
    ("unadvertised", lambda: Wire().prompted(client={}).ask(4, "fs/read_text_file", path="/a")),
    ("unadvertised", lambda: Wire().prompted(client={}).ask(4, "terminal/create", command="ls")),
    ("unadvertised", lambda: Wire().prompted().update("notice", severity="info", title="T")),
    ("unadvertised", lambda: Wire().opened(configOptions=BOOLEAN)),
    ("unadvertised", lambda: Wire().prompted().got(id=4, method="elicitation/create", params={"mode": "form", "message": "m", "sessionId": "s", "requestedSchema": {}})),
    ("unadvertised", lambda: Wire().opened().out(id=2, method="session/list", params={})),
    ("unadvertised", lambda: Wire().opened().out(id=2, method="session/prompt", params={"sessionId": "s", "prompt": [{"type": "image", "data": "", "mimeType": "image/png"}]})),
    ("offered-not-there", lambda: loading().got(id=1, error=NOT_FOUND)),
    ("offered-not-there", lambda: Wire().prompted().ask(4, "fs/read_text_file", path="/a").out(id=4, error=NOT_FOUND)),
    ("baseline-not-there", lambda: Wire().prompted().got(id=2, error=NOT_FOUND)),
    ("auth-method", lambda: Wire().initialized().out(id=1, method="authenticate", params={"methodId": "zzz"})),
    ("unadvertised", lambda: Wire().initialized().out(id=1, method="session/new", params={"cwd": "/w", "additionalDirectories": ["/x"], "mcpServers": []})),
    ("unadvertised", lambda: Wire().initialized().out(id=1, method="session/new", params={"cwd": "/w", "mcpServers": [{"type": "http", "name": "x", "url": "http://x", "headers": []}]})),
    ("unadvertised", lambda: Wire().prompted().update("tool_call", toolCallId="t", title="T", content=[{"type": "session", "sessionId": "c"}])),
    ("subagent-announced-late", lambda: parent().chunk(session="c").update("subagent_update", sessionId="c")),
    ("subagent-announced-late", lambda: parent().update("session_message", messageId="m", recipientSessionId="c").update("subagent_update", sessionId="c")),
    ("subagent-announced-late", lambda: parent().update("subagent_update", sessionId="c").chunk(session="d").update("subagent_update", session="c", sessionId="d")),
    ("subagent-not-a-child", lambda: parent().update("subagent_update", sessionId="s", state={"state": "idle"}).ended().prompt(9).ended(9)),
    ("subagent-moved", lambda: parent().update("subagent_update", sessionId="c").update("subagent_update", sessionId="d").update("subagent_update", session="c", sessionId="d")),
    ("subagent-restricted", lambda: parent().update("subagent_update", sessionId="c").out(method="session/cancel", params={"sessionId": "c"})),
    ("subagent-restricted", lambda: parent().update("subagent_update", sessionId="c", capabilities={"cancel": {}}).out(id=9, method="session/prompt", params={"sessionId": "c", "prompt": []})),
    ("system-prompt-not-offered", lambda: Wire().initialized().system_prompt("append")),
    ("system-prompt-override", lambda: Wire().initialized(agent=TAKES_PROMPTS).system_prompt("override")),
    ("system-prompt-content", lambda: Wire().initialized(agent=TAKES_PROMPTS).system_prompt("append", content=[])),
    ("system-prompt-content", lambda: Wire().initialized(agent=TAKES_PROMPTS).system_prompt("append", content=[{"type": "resource_link", "name": "a", "uri": "file:///a"}])),
    ("system-prompt-mode-ignored", lambda: Wire().initialized(agent=TAKES_PROMPTS).system_prompt("_mine")),
    ("unadvertised", sign_in_at_terminal),
    ("auth-method", lambda: sign_in_at_terminal().out(id=1, method="authenticate", params={"methodId": "tty"})),
    # turns
    ("update-after-turn", lambda: Wire().prompted().chunk().ended().chunk()),
    ("update-after-cancelled", lambda: Wire().prompted().out(**CANCEL).later(1).ended(reason="cancelled").chunk()),
    ("not-cancelled", lambda: Wire().prompted().out(**CANCEL).later(1).ended()),
    ("not-cancelled", lambda: Wire().prompted().out(**CANCEL).later(1).got(id=2, error={"code": -32603, "message": "aborted"})),
    ("permission-not-cancelled", lambda: permission(Wire().prompted(), OPTIONS).out(**CANCEL).out(id=9, result=selected("yes"))),
    ("not-cancelled", lambda: Wire().prompted().cancel().got(id=2, error={"code": -32603, "message": "Internal error"})),
    ("cancel-crossed", lambda: Wire().prompted().cancel().ended()),
    ("plan-shrinks", lambda: Wire().prompted().update("plan", entries=plan("a", "b", "c")).update("plan", entries=plan("a")).update("plan", entries=plan("b"))),
    ("message-id-reuse", lambda: Wire().prompted().chunk(messageId="m").ended().prompt(3).chunk(messageId="m")),
    ("message-id-shared", lambda: Wire().prompted().chunk(kind="agent_thought_chunk", messageId="m").chunk(messageId="m")),
    ("chunk-repeats", growing),
    ("chunk-repeats", lambda: growing(messageId="m")),
    # tool calls and permissions
    ("update-before-create", lambda: Wire().prompted().update("tool_call_update", toolCallId="t")),
    ("tool-call-id-reuse", lambda: Wire().prompted().update("tool_call", **CALL).update("tool_call", **CALL)),
    ("tool-call-unfinished", lambda: Wire().prompted().update("tool_call", **CALL).ended()),
    ("tool-call-reopened", lambda: Wire().prompted().update("tool_call", **CALL, status="completed").update("tool_call_update", toolCallId="t", status="failed")),
    ("tool-call-reopened", lambda: Wire().prompted().update("tool_call", **CALL, status="completed").update("tool_call_update", toolCallId="t", status="in_progress")),
    ("permission-unannounced", lambda: permission(Wire().prompted(), OPTIONS, "u")),
    ("permission-without-options", lambda: permission(Wire().prompted(), [])),
    ("permission-without-options", lambda: permission(Wire().prompted(), OPTIONS + OPTIONS)),
    ("permission-answer", lambda: permission(Wire().prompted(), OPTIONS).out(id=9, result=selected("zzz"))),
    ("rejected-but-completed", lambda: permission(Wire().prompted(), OPTIONS).out(id=9, result=selected("no")).update("tool_call_update", toolCallId="t", status="completed")),
    ("denied-but-completed", lambda: permission(Wire().prompted(), OPTIONS).out(id=9, result=selected("no")).update("tool_call_update", toolCallId="t", status="completed", rawOutput="as you like")),
    ("rejected-but-running", lambda: permission(Wire().prompted(), OPTIONS).out(id=9, result=selected("no")).later(0.1).update("tool_call_update", toolCallId="t", status="in_progress")),
    ("not-approved-but-completed", lambda: permission(Wire().prompted(), OPTIONS).cancel().out(id=9, result=CANCELLED).update("tool_call_update", toolCallId="t", status="completed")),
    ("not-approved-but-running", lambda: permission(Wire().prompted(), OPTIONS).cancel().out(id=9, result=CANCELLED).later(0.1).update("tool_call_update", toolCallId="t", status="in_progress")),
    ("rejected-but-done", lambda: writes(permission(Wire().prompted(), OPTIONS, locations=[{"path": "/w/a"}]).out(id=9, result=selected("no")))),
    ("not-approved-but-done", lambda: writes(permission(Wire().prompted(), OPTIONS, locations=[{"path": "/w/a"}]).out(id=9, result=CANCELLED))),
    ("done-while-asked", lambda: writes(permission(Wire().prompted(), OPTIONS, locations=[{"path": "/w/a"}]))),
    ("done-before-withdrawn", lambda: writes(permission(Wire().prompted(), OPTIONS, locations=[{"path": "/w/a"}])).got(method="$/cancel_request", params={"requestId": 9})),
    ("done-after-cancel", lambda: writes(Wire().prompted().cancel().later(1))),
    ("begun-after-cancel", lambda: Wire().prompted().cancel().later(1).update("tool_call", **CALL, status="in_progress")),
    ("completed-after-cancel", lambda: Wire().prompted().update("tool_call", **CALL, status="in_progress").cancel().later(4).update("tool_call_update", toolCallId="t", status="completed")),
    ("done-before-asked", lambda: permission(writes(Wire().prompted()), OPTIONS, content=[{"type": "diff", "path": "/w/a", "newText": "x"}])),
    ("talks-after-cancel", lambda: Wire().prompted().cancel().later(6).chunk().later(2).chunk()),
    ("done-otherwise", lambda: writes(permission(Wire().prompted(), OPTIONS).out(id=9, result=selected("no")))),
    ("ran-before-permission", lambda: permission(Wire().prompted(), OPTIONS).update("tool_call_update", toolCallId="t", status="in_progress")),
    ("ran-before-permission", lambda: permission(Wire().prompted(), OPTIONS).update("tool_call_update", toolCallId="t", status="completed")),
    ("ran-before-permission", lambda: permission(Wire().prompted().update("tool_call", **{**CALL, "toolCallId": "u"}, status="completed"), OPTIONS, "u")),
    # edits
    ("edit-not-as-shown", lambda: compared(EditVerdict.DIFFERS)),
    ("edit-not-as-shown", lambda: compared(EditVerdict.UNWRITTEN)),
    ("edit-formatted", lambda: compared(EditVerdict.FORMATTED)),
    ("edit-rejected-but-written", lambda: compared(EditVerdict.REJECTED)),
    ("changed-without-consent", lambda: Wire().prompted().happened(UnapprovedChange(9.0, "s", "/w/a", "made", "nothing was allowed"))),
    # sessions that end
    ("close-not-cancelled", lambda: closing().later(1).ended()),
    ("close-not-cancelled", lambda: closing().got(id=2, error={"code": -32603, "message": "gone"})),
    ("close-not-cancelled", lambda: closed().chunk()),
    ("close-not-cancelled", lambda: closed().update("tool_call", **CALL)),
    ("close-not-cancelled", lambda: writes(closed())),
    ("close-not-cancelled", lambda: closed().ask(9, "session/request_permission", toolCall=CALL, options=OPTIONS)),
    ("deleted-but-listed", lambda: deleted().got(id=4, result={"sessions": [{"sessionId": "s", "cwd": "/w"}]})),
    # terminals, places, options
    ("relative-path", lambda: permission(Wire().prompted(), OPTIONS, locations=[{"path": "a.py"}])),
    ("terminal-unreleased", lambda: terminal(Wire().prompted()).happened(TerminalExited(101.0, "t1", 0, None)).ended()),
    ("terminal-unreleased", lambda: terminal(Wire().opened()).ask(5, "terminal/wait_for_exit", terminalId="t1").out(id=5, result={"exitCode": 0})),
    ("terminal-unreleased", lambda: terminal(Wire().opened()).ask(5, "terminal/output", terminalId="t1").out(id=5, result={"output": "", "truncated": False, "exitStatus": {"exitCode": 0}})),
    ("terminal-not-made", lambda: Wire().prompted().update("tool_call", **shows("t7"))),
    ("usage-over-size", lambda: Wire().prompted().update(**usage(11, 10))),
    ("usage-backwards", lambda: Wire().prompted().update(**usage(500)).update(**usage(100))),
    ("cost-backwards", lambda: Wire().prompted().update(**cost(0.5)).update(**cost(0.1))),
    ("duplicate-id", lambda: signing_in({"id": "k", "name": "K"}, {"id": "k", "name": "L"})),
    ("duplicate-id", lambda: Wire().opened(modes={**MODES, "availableModes": MODES["availableModes"] * 2})),
    ("duplicate-id", lambda: Wire().opened().update("config_option_update", configOptions=config({}, {}))),
    ("duplicate-id", lambda: Wire().opened(configOptions=config({"options": [{"value": "a", "name": "A"}] * 2}))),
    ("duplicate-id", lambda: deleted().got(id=4, result={"sessions": [{"sessionId": "z", "cwd": "/w"}] * 2})),
    ("command-name", lambda: Wire().opened().update("available_commands_update", availableCommands=[command("/a")])),
    ("not-a-time", lambda: deleted().got(id=4, result={"sessions": [{"sessionId": "z", "cwd": "/w", "updatedAt": "now"}]})),
    ("not-a-time", lambda: Wire().opened().update("session_info_update", updatedAt="1764298800")),
    ("content-not-base64", lambda: Wire().prompted().update("agent_message_chunk", content=image("aGkk="))),
    ("content-not-base64", lambda: Wire().prompted().update("agent_message_chunk", content=image("a b"))),
    ("content-not-base64", lambda: Wire().prompted().update("tool_call", **CALL, content=[{"type": "content", "content": image("a!b=")}])),
    ("content-not-base64", lambda: Wire().prompted().update("agent_message_chunk", content={"type": "resource", "resource": {"uri": "file:///a", "blob": "abc"}})),
    ("duplicate-command", lambda: Wire().opened().update("available_commands_update", availableCommands=[command("a"), command("a")])),
    ("terminal-unknown", lambda: Wire().opened().ask(4, "terminal/output", terminalId="t1")),
    ("relative-path", lambda: Wire().prompted().ask(4, "fs/read_text_file", path="a.py")),
    ("relative-path", lambda: Wire().prompted().update("tool_call", **CALL, locations=[{"path": "a.py"}])),
    ("relative-path", lambda: Wire().prompted().update("tool_call", **CALL, content=[{"type": "diff", "path": "a", "newText": ""}])),
    ("relative-path", lambda: Wire().opened().out(id=3, method="session/list", params={}).got(id=3, result={"sessions": [{"sessionId": "s", "cwd": "w"}]})),
    ("unknown-mode", lambda: Wire().opened(modes=MODES).out(id=3, method="session/set_mode", params={"sessionId": "s", "modeId": "y"})),
    ("config-value", lambda: Wire().opened(configOptions=config({})).update("config_option_update", configOptions=config({"currentValue": "b"}))),
    ("line-zero", lambda: Wire().prompted().ask(4, "fs/read_text_file", path="/a", line=0)),
    ("unknown-mode", lambda: Wire().opened(modes=MODES).update("current_mode_update", currentModeId="y")),
    ("mode-not-offered", lambda: Wire().opened().update("current_mode_update", currentModeId="y")),
    ("mode-not-offered", lambda: Wire().opened().out(id=3, method="session/set_mode", params={"sessionId": "s", "modeId": "y"})),
    ("unknown-mode", lambda: Wire().opened(modes={"currentModeId": "x", "availableModes": []})),
    ("option-not-offered", lambda: Wire().opened().out(id=3, method="session/set_config_option", params={"sessionId": "s", "configId": "p", "value": "a"})),
    ("config-value", lambda: Wire().opened(configOptions=config({})).out(id=3, method="session/set_config_option", params={"sessionId": "s", "configId": "o", "value": "z"})),
    ("not-a-message", lambda: Wire().prompted().got(id=2)),
    ("result-and-error", lambda: Wire().prompted().got(id=2, result={"stopReason": "end_turn"}, error=PARSE_ERROR)),
    ("embedded-newlines", lambda: Wire().raw(IN, b"{").raw(IN, b'"method": "_x"').raw(IN, b"}")),
    ("byte-order-mark", lambda: Wire().raw(IN, b'\xef\xbb\xbf{"jsonrpc":"2.0","method":"_x"}')),
    ("no-json-number", lambda: Wire().prompted().update("usage_update", used=float("nan"), size=1)),
    ("config-value", lambda: Wire().opened(configOptions=config({"currentValue": "zzz"}))),
    ("config-incomplete", lambda: Wire().opened(configOptions=config({}, {"id": "p"})).out(id=3, method="session/set_config_option", params={"sessionId": "s", "configId": "o", "value": "a"}).got(id=3, result={"configOptions": config({})})),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "wire"), BREAKS, ids=[rule for rule, _ in BREAKS])
def test_a_broken_rule_is_found(rule: str, wire: Callable[[], Wire]) -> None:
    assert rule in wire().found()


@pytest.mark.parametrize(
    ("gone", "is_found"),
    [
        (ProcessExited(102.0, 3), True),
        (ProcessExited(102.0, 0, asked=True), True),
        (ProcessExited(102.0, None, "SIGSEGV"), True),
        (ProcessExited(102.0, None, "SIGKILL"), False),
        (ProcessExited(102.0, None, "SIGTERM", asked=True), False),
        (ProcessExited(102.0, 143), False),
        (Disconnected(102.0, "the event stream was cut"), False),
    ],
)
def test_a_last_line_that_something_else_cut_off_is_no_fault(
    gone: ProcessExited | Disconnected, is_found: bool
) -> None:
    wire = flawed(Flaw.UNFINISHED, '{"a":"é'.encode()[:-1]).happened(gone)
    found = wire.found()
    assert ("unfinished-line" in found) == is_found
    assert "not-utf8" not in found


def test_who_is_killed_from_outside_owes_no_answer() -> None:
    killed = Wire().started().prompted().happened(ProcessExited(101.0, None, "SIGKILL"))
    assert killed.found() == ["agent-killed"]
    in_a_shell = Wire().started().prompted().happened(ProcessExited(101.0, 143))
    assert in_a_shell.found() == ["agent-killed"]
    for code in (1, 134, 139):
        failed = Wire().started().prompted().happened(ProcessExited(101.0, code))
        assert sorted(failed.found()) == ["agent-exited", "unanswered"]
    crashed = Wire().started().prompted().happened(ProcessExited(101.0, None, "SIGSEGV"))
    assert sorted(crashed.found()) == ["agent-exited", "unanswered"]


def test_who_resumes_a_session_knows_not_all_of_its_tool_calls() -> None:
    agent = {"sessionCapabilities": {"resume": {}}}
    wire = Wire().initialized(agent=agent)
    wire.out(id=1, method="session/resume", params={"sessionId": "s", "cwd": "/w"}).got(
        id=1, result={}
    )
    wire.prompt(2).update("tool_call_update", toolCallId="old", status="completed")
    asked = {"toolCallId": "older"}
    wire.ask(9, "session/request_permission", toolCall=asked, options=OPTIONS)
    assert wire.out(id=9, result=selected("yes")).ended().found() == []


def test_a_fork_has_the_tool_calls_of_its_parent() -> None:
    wire = Wire().prompted().update("tool_call", toolCallId="old", title="t", status="completed")
    wire.ended().out(id=3, method="session/fork", params={"sessionId": "s", "cwd": "/w"})
    wire.got(id=3, result={"sessionId": "fork"})
    wire.update("tool_call_update", session="fork", toolCallId="old", status="completed")
    assert "update-before-create" not in wire.found()


def test_a_log_that_begins_within_a_session_lacks_its_first_tool_calls() -> None:
    wire = Wire().prompt(2).update("tool_call_update", toolCallId="old", status="completed")
    asked = {"toolCallId": "older"}
    wire.ask(9, "session/request_permission", toolCall=asked, options=OPTIONS)
    assert wire.out(id=9, result=selected("yes")).ended().found() == []


def test_a_terminal_that_a_turn_leaves_behind_is_reported_at_its_end() -> None:
    wire = terminal(Wire().started().prompted()).ask(5, "terminal/wait_for_exit", terminalId="t1")
    wire.out(id=5, result={"exitCode": 0}).later(1)
    assert wire.found() == []
    assert wire.ended().found() == ["terminal-unreleased"]
    assert wire.quitted().found() == ["terminal-unreleased"]


def test_a_terminal_of_a_canceled_turn_may_be_released_after_its_end() -> None:
    wire = terminal(Wire().started().prompted()).ask(5, "terminal/wait_for_exit", terminalId="t1")
    wire.out(id=5, result={"exitCode": 0}).cancel().later(1).ended(reason="cancelled")
    assert wire.found() == []
    assert wire.quitted().found() == ["terminal-unreleased"]


def test_an_edit_that_others_may_have_changed_breaks_no_rule() -> None:
    wire = Wire().prompted().update("tool_call", **CALL, status="completed").ended()
    event = EditCompared(9.0, "s", "t", "/w/a", EditVerdict.UNCLEAR, "it has more")
    assert wire.happened(event).found() == []


def test_every_rule_has_a_conversation_that_breaks_it() -> None:
    of_both = {rule for rule, _ in BREAKS} | {rule for rule, _ in BREAKS_2}
    assert {rule.id for rule in protocol_rules()} == of_both


def test_every_rule_of_version_2_has_a_conversation_that_breaks_it() -> None:
    rules = protocol_rules()
    own = {rule.id for rule in rules if rule.versions == (2,) or rule.second is not None}
    told_of_all = {"cancel-crossed", "edit-not-as-shown", "edit-formatted"}
    assert own - told_of_all <= {rule for rule, _ in BREAKS_2}


def test_a_good_conversation_breaks_no_rule() -> None:
    wire = Wire().prompted(modes=MODES, configOptions=config({}))
    wire.chunk("thinking", kind="agent_thought_chunk").update("plan", entries=plan("a", "b"))
    wire.ask(3, "fs/read_text_file", path="/w/a", line=1).out(id=3, result={"content": ""})
    wire.ask(4, "terminal/create", command="ls").out(id=4, result={"terminalId": "t1"})
    wire.ask(5, "terminal/release", terminalId="t1").out(id=5, result={})
    permission(wire, OPTIONS).out(id=9, result=selected("yes"))
    wire.update("tool_call_update", toolCallId="t", status="completed")
    wire.update("plan", entries=[{**one, "status": "completed"} for one in plan("a", "b")])
    written = {
        "sessionUpdate": "agent_message_chunk",
        "content": {"type": "text", "text": "terminé"},
    }
    done = {"method": "session/update", "params": {"sessionId": "s", "update": written}}
    wire.raw(IN, json.dumps({"jsonrpc": "2.0", **done}, ensure_ascii=False).encode()).ended()
    wire.prompt(6).out(**CANCEL).later(1).chunk("late").ended(6, "cancelled")
    assert wire.found() == []


def test_a_turn_that_ends_with_its_session_and_a_deleted_one_that_stays_away() -> None:
    assert closing().ended(reason="cancelled").got(id=3, result={}).found() == []
    assert deleted().got(id=4, result={"sessions": []}).found() == []


def test_cancelled_permissions_and_grouped_options_break_no_rule() -> None:
    groups = [{"group": "g", "name": "G", "options": [{"value": "a", "name": "A"}]}]
    wire = Wire().prompted(configOptions=config({"options": groups}))
    permission(wire, OPTIONS).out(**CANCEL).out(id=9, result={"outcome": {"outcome": "cancelled"}})
    wire.update("tool_call_update", toolCallId="t", status="failed").later(1)
    assert wire.ended(reason="cancelled").found() == []


def test_a_whole_session_loaded_breaks_no_rule() -> None:
    wire = Wire().initialized(agent={"loadSession": True})
    wire.out(id=1, method="session/load", params=LOAD)
    for kind in ("user_message_chunk", "agent_message_chunk"):
        wire.chunk("before", kind=kind, session="old")
    wire.update("tool_call", **CALL, session="old", status="completed").got(id=1, result={})
    assert wire.found() == []


def test_a_load_is_answered_after_its_session_was_prompted() -> None:
    wire = Wire().initialized(agent={"loadSession": True})
    wire.out(id=1, method="session/load", params=LOAD)
    wire.out(id=2, method="session/prompt", params={"sessionId": "old", "prompt": []})
    assert wire.got(id=1, result={}).ended(2).found() == []


RESUMES = {"sessionCapabilities": {"resume": {}}}
SAID = {"messageId": "u0", "content": [{"type": "text", "text": "hi"}]}
FROM_START = {"replayFrom": {"type": "start"}}


def loaded(wire: Wire, *, early: Sequence[str] = (), late: Sequence[str] = ()) -> Wire:
    """Load a session; `early` and `late` are what comes before the answer, and after it."""
    wire.initialized(agent={"loadSession": True}).out(id=1, method="session/load", params=LOAD)
    for kind in early:
        wire.chunk(kind=kind, session="old")
    wire.got(id=1, result={})
    for kind in late:
        wire.chunk(kind=kind, session="old")
    return wire.out(id=2, method="session/close", params={"sessionId": "old"})


def closed_2(wire: Wire) -> Wire:
    """A session of version 2 whose close was answered a second ago."""
    wire.opened_2().out(id=3, method="session/close", params={"sessionId": "s"})
    return wire.got(id=3, result={}).later(1)


# fmt: off
OF_AN_ORDER: list[tuple[str, Callable[[Wire], Wire]]] = [
    ("replay-after-load", lambda wire: loaded(wire, late=("user_message_chunk",))),
    ("load-perhaps-nothing", lambda wire: loaded(wire, late=("agent_message_chunk",))),
    ("load-without-user", lambda wire: loaded(wire, early=("agent_message_chunk",), late=("agent_message_chunk",))),
    ("resume-replayed", lambda wire: wire.initialized(agent=RESUMES).out(id=1, method="session/resume", params=LOAD).chunk(session="old")),
    ("resume-without-state", lambda wire: wire.opened_2().resume().got(id=7, result={})),
    ("replay-after-resume", lambda wire: wire.opened_2().resume(**FROM_START).state("idle").got(id=7, result={}).update("user_message", **SAID)),
    ("replay-after-state", lambda wire: wire.opened_2().resume(**FROM_START).state("idle").update("user_message", **SAID)),
    ("replay-not-asked", lambda wire: wire.opened_2().resume().update("user_message", **SAID)),
    ("close-not-cancelled", lambda wire: wire.opened().out(id=3, method="session/close", params={"sessionId": "s"}).got(id=3, result={}).later(1).chunk()),
    ("close-not-cancelled", lambda wire: wire.running_2().out(id=3, method="session/close", params={"sessionId": "s"}).got(id=3, result={})),
    ("speaks-after-close", lambda wire: closed_2(wire).chunk()),
]
# fmt: on


@pytest.mark.parametrize(("found", "happens"), OF_AN_ORDER)
def test_over_http_nothing_is_said_of_what_came_before_an_answer_or_after_it(
    found: str, happens: Callable[[Wire], Wire]
) -> None:
    for url, is_found in (("ws://h/acp", True), ("http://h/acp", False)):
        wire = happens(Wire().happened(Connecting(100.0, url, "/w")))
        assert (found in wire.found()) is is_found, url


def test_in_version_2_what_comes_after_a_close_breaks_one_rule() -> None:
    found = closed_2(Wire()).chunk().found()
    assert "speaks-after-close" in found
    assert "close-not-cancelled" not in found


def test_over_http_too_a_replay_that_never_comes_is_found() -> None:
    wire = loaded(Wire().happened(Connecting(100.0, "http://h/acp", "/w")))
    assert "load-perhaps-nothing" in wire.found()


def test_an_answer_that_was_under_way_is_no_disobedience() -> None:
    assert "not-cancelled" not in Wire().prompted().out(**CANCEL).ended().found()


def test_a_status_that_nobody_knows_is_told_as_that_and_not_as_unfinished() -> None:
    wire = Wire().prompted().update("tool_call", **{**CALL, "status": "done"}).ended()
    assert "schema-salvaged" in wire.found()
    assert "tool-call-unfinished" not in wire.found()


def test_the_last_updates_of_a_subagent_may_come_until_its_parent_is_idle() -> None:
    wire = Wire().running_2().update("subagent_update", sessionId="c")
    wire.update("state_update", "c", state="running", background=[])
    wire.update("tool_call_update", "c", toolCallId="t", title="Taste", status="pending")
    wire.update("state_update", "c", state="idle", stopReason="end_turn", background=[])
    assert "tool-call-unfinished" not in wire.found()
    ended = {"toolCallId": "t", "status": "completed"}
    late = Wire()
    late.records, late.at, late.frames = [*wire.records], wire.at, wire.frames
    assert "tool-call-unfinished" in wire.idle(background=[]).found()
    late.out(id=8, method="session/new", params={"cwd": "/v"}).got(id=8, result={"sessionId": "v"})
    late.update("state_update", "v", state="idle", background=[])  # not its parent
    late.update("tool_call_update", "c", **ended).idle(background=[])
    assert "tool-call-unfinished" not in late.found()


def test_no_session_is_said_to_be_opened_that_the_log_only_shows_prompted() -> None:
    wire = Wire().prompt(2).update("subagent_update", "parent", sessionId="s")
    (found,) = (one for one in wire.log().findings if one.rule.id == "subagent-not-a-child")
    assert found.message == "'s' is a session that the client opened or prompted"


def test_a_late_message_is_told_once_not_for_each_chunk() -> None:
    wire = Wire().prompted().ended()
    for _ in range(20):
        wire.chunk()
    assert wire.found().count("update-after-turn") == 1


def test_a_new_process_begins_afresh() -> None:
    first = Wire().started().prompted().died()
    first.records += Wire().started().opened().records
    assert first.found() == ["unanswered", "agent-exited"]


def test_a_finding_names_its_frame_and_place() -> None:
    wire = Wire().prompted().ask(4, "fs/read_text_file", path="a.py", line=0)
    places = {(one.index, one.where) for one in wire.log().findings if one.path}
    frame = len(wire.records) - 1
    assert {(frame, "params.path"), (frame, "params.line")} <= places


def test_what_an_agent_says_never_breaks_the_linter() -> None:
    strange: list[Any] = [None, 1, "x", [], {}, [[]], {"sessionId": 1}, {"update": []}]
    for method in ("session/update", PERMISSION, "terminal/create", "fs/read_text_file", "x"):
        for params in strange:
            wire = Wire().opened(client=FULL_CLIENT).got(id=9, method=method, params=params)
            wire.out(id=9, result=params).got(id=10, result=params)
            wire.got(method=method, params={"sessionId": "s", "update": params})
            wire.got(id=11, error=params)
            assert wire.found()


def test_a_server_started_by_command_needs_no_capability() -> None:
    def with_server(**server: Any) -> list[str]:
        params = {"cwd": "/w", "mcpServers": [{"name": "m", **server}]}
        wire = Wire().initialized().out(id=1, method="session/new", params=params)
        return wire.got(id=1, result={"sessionId": "s"}).found()

    assert with_server(command="/bin/m", args=[], env=[]) == []
    assert with_server(type="http", url="http://m", headers=[]) == ["unadvertised"]


def test_nobody_can_sign_in_before_it_is_known_how() -> None:
    wire = Wire().out(id=1, method="authenticate", params={"methodId": "key"})
    assert "auth-method" not in wire.found()


def test_before_the_set_up_each_method_is_told_once_and_extensions_are_free() -> None:
    wire = Wire().started().out(id=1, method="session/new", params=NEW)
    wire.out(id=2, method="session/new", params=NEW).out(id=3, method="_x/y")
    assert wire.found() == ["before-initialize", "extension"]


def test_signing_in_by_a_method_that_was_offered_breaks_no_rule() -> None:
    wire = Wire().initialized().out(id=1, method="authenticate", params={"methodId": "key"})
    assert wire.got(id=1, result={}).found() == []


def test_a_strange_sign_in_method_hides_none_of_the_others() -> None:
    methods = ["odd", {"id": "key", "name": "Key"}]
    wire = Wire().out(id=0, method="initialize", params={"protocolVersion": 1})
    wire.got(id=0, result={"protocolVersion": 1, "authMethods": methods})
    wire.out(id=1, method="authenticate", params={"methodId": "key"})
    assert "auth-method" not in wire.found()
    wire.out(id=2, method="authenticate", params={"methodId": "odd"})
    assert wire.found().count("auth-method") == 1


def test_closing_one_session_does_not_end_the_turn_of_another() -> None:
    close = {"sessionCapabilities": {"close": {}}}
    wire = Wire().initialized(agent=close)
    for id, session in enumerate(("s", "other"), 10):
        wire.out(id=id, method="session/new", params=NEW).got(id=id, result={"sessionId": session})
    wire.prompt(2).out(id=3, method="session/close", params={"sessionId": "other"})
    assert wire.got(id=3, result={}).ended().found() == []


def test_a_prompt_without_an_id_neither_begins_nor_ends_a_turn() -> None:
    prompt = {"method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}
    assert "update-after-turn" in Wire().prompted().ended().out(**prompt).chunk().found()
    assert "update-after-turn" not in Wire().prompted().out(**prompt).chunk().ended().found()


def test_after_a_refused_initialize_it_is_still_too_early() -> None:
    wire = Wire().out(id=0, method="initialize", params={"protocolVersion": 1})
    wire.got(id=0, error={"code": -32603, "message": "no"})
    wire.out(id=1, method="session/new", params=NEW)
    assert "before-initialize" in wire.found()


def test_a_subagent_that_was_announced_may_speak() -> None:
    wire = Wire().prompted(client={**FULL_CLIENT, "subagents": {}})
    wire.update("subagent_update", sessionId="child")
    assert "unknown-session" not in wire.chunk(session="child").found()


def test_a_session_asked_for_without_an_id_is_not_waited_for() -> None:
    wire = Wire().initialized().out(method="session/new", params=NEW).chunk(session="x")
    found = wire.found()
    assert "unknown-session" in found
    assert "update-before-session" not in found


def test_an_id_used_twice_is_taken_until_both_requests_are_answered() -> None:
    wire = Wire().opened()
    for _ in range(2):
        wire.got(id=3, method="_x")
    wire.out(id=3, result={}).got(id=3, method="_x")
    assert wire.found().count("id-reuse") == 2
    for _ in range(2):
        wire.out(id=3, result={})
    assert wire.got(id=3, method="_x").found().count("id-reuse") == 2


def test_a_session_that_is_given_needs_an_id() -> None:
    wire = Wire().initialized().out(id=1, method="session/new", params=NEW)
    findings = wire.got(id=1, result={"sessionId": ""}).log().findings
    told = {(one.rule.id, one.message, one.where) for one in findings}
    assert ("session-id-reuse", "the id is empty", "result.sessionId") in told


def test_each_path_is_looked_at_wherever_others_are_missing() -> None:
    def places(wire: Wire) -> list[tuple[str, str]]:
        rules = ("relative-path", "line-zero")
        findings = wire.log().findings
        return [(one.rule.id, one.where) for one in findings if one.rule.id in rules]

    sessions = [{"sessionId": "a"}, {"sessionId": "b", "cwd": "w"}]
    listed = Wire().opened().out(id=4, method="session/list", params={})
    listed.got(id=4, result={"sessions": sessions})
    assert places(listed) == [("relative-path", "result.sessions[1].cwd")]

    content = [
        {"type": "content", "content": {"type": "text", "text": "a"}, "path": "a"},
        {"type": "diff", "path": "a", "newText": ""},
    ]
    call = Wire().prompted().update("tool_call", **CALL, locations=[{"line": 0}], content=content)
    assert places(call) == [
        ("line-zero", "params.update.locations[0].line"),
        ("relative-path", "params.update.content[1].path"),
    ]


def test_a_terminal_may_be_open_while_its_turn_still_runs() -> None:
    wire = terminal(Wire().prompted()).happened(TerminalExited(101.0, "t1", 0, None))
    assert "terminal-unreleased" not in wire.found()
    assert "terminal-unreleased" in wire.ended().found()


def test_what_a_broken_line_leaves_unanswered_is_no_fault_of_the_agent() -> None:
    started = Connecting(100.0, "ws://host/acp", "/w")
    lost = Wire().happened(started).prompted().happened(Disconnected(101.0, "cut"))
    assert lost.found() == ["connection-lost"]
    refused = Wire().happened(started).prompted().happened(NotSent(101.0, 2, "HTTP 500"))
    left = Disconnected(120.0, "we left", asked=True)
    assert refused.cancel().happened(left).found() == []


def test_a_connection_lost_during_a_turn_is_told_in_the_words_of_the_transport() -> None:
    why = "the server closed the WebSocket with code 1011"
    wire = Wire().happened(Connecting(100.0, "ws://host/acp", "/w")).prompted()
    (found,) = wire.happened(Disconnected(101.0, why)).log().findings
    assert found.message == f"the connection ended during a turn: {why}"
    assert (found.severity, found.rule.guess) == (Severity.INFO, True)


@pytest.mark.parametrize("asked", [True, False], ids=["by us", "after the turn"])
def test_a_connection_that_ends_after_its_turn_or_by_us_is_no_finding(asked: bool) -> None:
    wire = Wire().happened(Connecting(100.0, "ws://host/acp", "/w")).prompted()
    wire = wire if asked else wire.ended()
    assert "connection-lost" not in wire.happened(Disconnected(101.0, "cut", asked=asked)).found()


@pytest.mark.parametrize(
    ("raw", "rule"),
    [
        (b"hello", "not-a-message"),
        (b"[]", "batch"),
        (b"{}", "not-a-message"),
        (b'{"jsonrpc": "2.0", "method": "session/update", "params": {"a": NaN}}', "schema"),
    ],
)
def test_of_an_agent_on_the_network_no_finding_speaks_of_streams(raw: bytes, rule: str) -> None:
    wire = Wire().happened(Connecting(100.0, "ws://host/acp", "/w")).initialized()
    log = wire.raw(Direction.IN, raw).log()
    assert rule in [one.rule.id for one in log.findings]
    for one in log.findings:
        assert not re.search(
            r"std(in|out)|newline", f"{one.rule.id} {one.rule.basis} {one.message}"
        )


def test_of_an_agent_that_is_a_process_again_findings_speak_of_its_streams() -> None:
    wire = Wire().happened(Connecting(100.0, "ws://host/acp", "/w")).initialized()
    log = wire.started().initialized().raw(Direction.IN, b"hello").log()
    assert [one.rule.id for one in log.findings] == ["stdout-noise"]
