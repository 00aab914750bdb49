"""What agents may do, and what a finding once said of it: it finds nothing, or only what is true."""

from collections.abc import Callable
from typing import Any

import pytest

from acp_tui.debug.lint.consent import FIRST
from acp_tui.debug.lint.messages import LONG_LINE_BYTES
from acp_tui.protocol.findings import Severity, protocol_rules
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_decoder import LONGEST_LINE
from acp_tui.protocol.jsonrpc import ErrorCode
from acp_tui.protocol.process_events import StdoutClosed, TerminalExited
from tests.unit.debug.scenes import AGENT_INFO, CLIENT_INFO, FULL_CLIENT, Wire

OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]
CALL = {"toolCallId": "t", "title": "Edit"}
LOADS = {"loadSession": True}
RESUMES = {"sessionCapabilities": {"resume": {}}}
AT_WORK = {"status": "in_progress"}
DONE = {"status": "completed"}
NO_SUCH_METHOD = {"code": -32601, "message": "Method not found"}
USER = "user_message_chunk"


MODES = {"currentModeId": "x", "availableModes": [{"id": "x", "name": "X"}]}


def plan(**entries: str) -> list[dict[str, str]]:
    return [
        {"content": content, "priority": "low", "status": status}
        for content, status in entries.items()
    ]


def planned(wire: Wire, **entries: str) -> Wire:
    return wire.update("plan", entries=plan(**entries))


def asked(wire: Wire, id: int = 9, tool: str = "t") -> Wire:
    call = {"toolCallId": tool, "title": "Edit"}
    return wire.ask(id, "session/request_permission", toolCall=call, options=OPTIONS)


def chose(wire: Wire, option: str, id: int = 9) -> Wire:
    return wire.out(id=id, result={"outcome": {"outcome": "selected", "optionId": option}})


def dismissed(wire: Wire) -> Wire:
    return wire.out(id=9, result={"outcome": {"outcome": "cancelled"}})


def changed(wire: Wire, **fields: Any) -> Wire:
    return wire.update("tool_call_update", toolCallId="t", **fields)


def loaded(wire: Wire, id: int = 3, session: str = "s") -> Wire:
    """The turn of a session, replayed: a prompt, a tool call and an answer."""
    wire.load(id, session).chunk(kind=USER, session=session)
    wire.update("tool_call", **CALL, session=session).chunk(session=session)
    return wire.got(id=id, result={})


def worked(**agent: Any) -> Wire:
    """A turn with a tool call, by an agent that loads sessions."""
    wire = Wire().initialized(agent={**LOADS, **agent})
    wire.out(id=1, method="session/new", params={"cwd": "/w", "mcpServers": []})
    wire.got(id=1, result={"sessionId": "s"}).prompt(2).update("tool_call", **CALL)
    return changed(wire, **DONE).chunk().ended()


def signed_in(*methods: dict[str, Any]) -> Wire:
    result = {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": AGENT_INFO}
    wire = Wire().initialized()
    wire.records.pop()
    return wire.got(id=0, result={**result, "authMethods": list(methods)})


def terminal(wire: Wire) -> Wire:
    return wire.ask(4, "terminal/create", command="ls").out(id=4, result={"terminalId": "t1"})


def shows(terminal: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "terminal", "terminalId": terminal}]
    return {"kind": "tool_call", **CALL, **DONE, "content": content, **more}


def usage(used: int, **more: Any) -> dict[str, Any]:
    return {"kind": "usage_update", "used": used, "size": 1000, **more}


def offered(*options: str) -> list[dict[str, Any]]:
    values = [{"value": "a", "name": "A"}]
    option = {"name": "O", "type": "select", "currentValue": "a", "options": values}
    return [{"id": id, **option} for id in options]


def configured(*options: str) -> Wire:
    """Option "a" is set, with these left."""
    wire = Wire().opened(configOptions=offered("a", "b", "c"))
    params = {"sessionId": "s", "configId": "a", "value": "a"}
    wire.out(id=3, method="session/set_config_option", params=params)
    return wire.got(id=3, result={"configOptions": offered(*options)})


def subagent() -> Wire:
    wire = Wire().prompted(client={**FULL_CLIENT, "subagents": {}})
    return wire.update("subagent_update", sessionId="child").ended()


def closed(seconds: float, **answer: Any) -> Wire:
    close = {"sessionCapabilities": {"close": {}}}
    wire = Wire().initialized(agent=close)
    wire.out(id=1, method="session/new", params={"cwd": "/w", "mcpServers": []})
    wire.got(id=1, result={"sessionId": "s"}).prompt(2)
    wire.out(id=3, method="session/close", params={"sessionId": "s"}).later(seconds)
    return wire.got(id=2, **answer).got(id=3, result={})


def resumed_parent() -> Wire:
    wire = Wire().initialized(
        {**FULL_CLIENT, "subagents": {}}, agent={"sessionCapabilities": {"resume": {}}}
    )
    params = {"sessionId": "s", "cwd": "/w", "mcpServers": []}
    return wire.out(id=1, method="session/resume", params=params).got(id=1, result={})


SHOWN = [{"type": "terminal", "terminalId": "t1"}]


def closing() -> Wire:
    """A session that is asked to close."""
    wire = Wire().initialized(agent={**LOADS, "sessionCapabilities": {"close": {}}})
    wire.out(id=1, method="session/new", params={"cwd": "/w", "mcpServers": []})
    wire.got(id=1, result={"sessionId": "s"})
    return wire.out(id=3, method="session/close", params={"sessionId": "s"})


def read_files(wire: Wire, *ids: Any) -> Wire:
    for id in ids:
        wire.ask(id, "fs/read_text_file", path="/w/a").out(id=id, result={"content": ""})
    return wire


LEGAL: dict[str, tuple[Callable[[], Wire], list[str]]] = {
    # subagents
    "a subagent that may be canceled is canceled": (
        lambda: subagent().update("subagent_update", sessionId="child", capabilities={"cancel": {}})
        .update("subagent_update", sessionId="child", capabilities=None)
        .out(method="session/cancel", params={"sessionId": "child"}),
        [],
    ),
    "a subagent of one that was announced before the log": (
        lambda: resumed_parent().chunk(session="child").update("subagent_update", sessionId="child")
        .chunk(session="grandchild").update("subagent_update", session="child", sessionId="grandchild"),
        ["unknown-session"] * 2,
    ),
    "a link to a subagent": (
        lambda: subagent().prompt(3).update("tool_call", **CALL, **DONE, content=[5, {"type": "session", "sessionId": "child"}]).chunk().ended(3),
        ["schema-salvaged"],
    ),
    # tool calls
    "a permission before its tool_call": (
        lambda: changed(chose(asked(Wire().prompted()), "yes").update("tool_call", **CALL), **DONE),
        ["permission-unannounced"],
    ),
    "an update before its tool_call": (
        lambda: changed(Wire().prompted(), **AT_WORK).update("tool_call", **CALL, **DONE),
        ["update-before-create"],
    ),
    "a session that is known is loaded": (lambda: loaded(worked()), []),
    "a session that is known is loaded twice": (lambda: loaded(loaded(worked()), 4), []),
    "a call left open in a history": (lambda: loaded(worked()).prompt(5).ended(5), []),
    "a call left open in a turn that was cancelled": (
        lambda: Wire().prompted().update("tool_call", **CALL).cancel().later(1).ended(reason="cancelled"),
        [],
    ),
    "a call left open in a turn that ended as it was cancelled": (
        lambda: Wire().prompted().update("tool_call", **CALL).cancel().ended(),
        ["cancel-crossed"],
    ),
    "a call left open where the turn was cut short": (
        lambda: Wire().prompted().update("tool_call", **CALL).ended(reason="max_tokens"),
        [],
    ),
    "a call left open in a turn before": (
        lambda: Wire().prompted().update("tool_call", **CALL).ended(reason="refusal").prompt(3).ended(3),
        [],
    ),
    # permissions
    "a call that runs once it may": (
        lambda: changed(
            changed(chose(asked(Wire().prompted().update("tool_call", **CALL)), "yes"), **AT_WORK),
            **DONE,
        ),
        [],
    ),
    "a question in the middle of a call": (
        lambda: changed(
            chose(changed(asked(Wire().prompted().update("tool_call", **CALL, **AT_WORK)), **AT_WORK), "yes"),
            **DONE,
        ),
        [],
    ),
    "a call that fails for want of an answer": (
        lambda: dismissed(changed(asked(Wire().prompted().update("tool_call", **CALL)), status="failed")),
        [],
    ),
    "another call meanwhile": (
        lambda: chose(
            asked(Wire().prompted().update("tool_call", **CALL)).update("tool_call", toolCallId="u", title="U", **DONE),
            "no",
        ),
        [],
    ),
    "a question that is taken back": (
        lambda: changed(
            asked(Wire().prompted().update("tool_call", **CALL)).got(method="$/cancel_request", params={"requestId": 9}),
            **DONE,
        ).out(id=9, result={"outcome": {"outcome": "cancelled"}}),
        [],
    ),
    "a call that failed is asked for once more": (
        lambda: changed(
            chose(asked(Wire().prompted().update("tool_call", **CALL, status="failed")), "yes"), **DONE
        ),
        [],
    ),
    "rejected, then allowed": (
        lambda: changed(
            chose(asked(chose(asked(Wire().prompted().update("tool_call", **CALL)), "no"), 10), "yes", 10),
            **DONE,
        ),
        [],
    ),
    "a question on the screen": (lambda: asked(Wire().started().prompted().update("tool_call", **CALL)), []),
    "a question on the screen as the person leaves": (
        lambda: asked(Wire().started().prompted().update("tool_call", **CALL)).quitted(),
        [],
    ),
    # plans
    "a plan with one entry less": (
        lambda: planned(planned(Wire().prompted(), a="pending", b="pending"), a="pending"),
        [],
    ),
    "a plan that is another": (
        lambda: planned(planned(Wire().prompted(), a="pending", b="pending"), c="pending"),
        [],
    ),
    "a plan that is cleared and made again": (
        lambda: planned(planned(planned(Wire().prompted(), a="pending", b="pending")), b="pending"),
        [],
    ),
    "a plan whose steps go when they are done": (
        lambda: planned(
            planned(planned(Wire().prompted(), a="pending", b="pending"), a="completed", b="pending"),
            b="completed",
        ),
        [],
    ),
    "plans of several turns, replayed": (
        lambda: planned(
            planned(
                planned(
                    Wire().initialized(agent=LOADS).load(1, "s").chunk(kind=USER),
                    a="pending",
                    b="pending",
                ),
                a="pending",
            ),
            b="pending",
        ).got(id=1, result={}),
        [],
    ),
    # updates outside of turns
    "a greeting": (lambda: Wire().opened().chunk("Hello!"), []),
    "a greeting after a load": (lambda: loaded(worked()).chunk("Hello again!"), []),
    "a subagent": (lambda: subagent().update("tool_call", **CALL, **DONE, session="child").chunk(session="child"), []),
    "a session's facts after a turn": (
        lambda: Wire().prompted().ended().update("session_info_update", title="T").update(**usage(1)),
        [],
    ),
    "something new, later": (lambda: Wire().prompted().ended().later(60).chunk("A build has ended."), []),
    "the end of a call that went on": (
        lambda: changed(Wire().prompted().update("tool_call", **CALL).ended(reason="max_tokens"), **DONE),
        [],
    ),
    "a turn goes on beside another session": (
        lambda: Wire().prompted().chunk().out(id=7, method="session/new", params={"cwd": "/w", "mcpServers": []})
        .got(id=7, result={"sessionId": "u"}).update("available_commands_update", session="u", availableCommands=[])
        .ended(),
        [],
    ),
    # sessions that are opened again
    "a history that is empty": (
        lambda: Wire().initialized(agent=LOADS).load(1).got(id=1, result={}),
        ["load-perhaps-nothing"],
    ),
    "a load that fails": (
        lambda: Wire().initialized(agent=LOADS).load(1).got(id=1, error={"code": -32002, "message": "no"}),
        [],
    ),
    "a load that is not offered is not there": (
        lambda: Wire().initialized().load(1).got(id=1, error=NO_SUCH_METHOD),
        ["unadvertised"],
    ),
    "a session is resumed": (
        lambda: Wire().initialized(agent=RESUMES)
        .out(id=1, method="session/resume", params={"cwd": "/w", "sessionId": "old"})
        .update("available_commands_update", session="old", availableCommands=[])
        .got(id=1, result={}).chunk("Hello again!", session="old"),
        [],
    ),
    # cancels
    "a cancel that is heeded": (lambda: Wire().prompted().cancel().chunk().later(1).ended(reason="cancelled"), []),
    "a prompt that fails without a cancel": (
        lambda: Wire().prompted().got(id=2, error={"code": -32603, "message": "no"}),
        [],
    ),
    "a cancel where nothing runs": (lambda: Wire().opened().cancel().prompt(2).ended(), []),
    "a request that is taken back": (
        lambda: Wire().prompted().cancel().out(method="$/cancel_request", params={"requestId": 2})
        .got(id=2, error={"code": int(ErrorCode.REQUEST_CANCELLED), "message": "cancelled"}),
        [],
    ),
    "a request of another kind is taken back": (
        lambda: Wire().opened().out(method="$/cancel_request", params={"requestId": 77}),
        [],
    ),
    "a turn that ends as its session is closed": (lambda: closed(0, result={"stopReason": "end_turn"}), []),
    "a turn that ends with its session": (lambda: closed(1, result={"stopReason": "cancelled"}), []),
    # requests and answers
    "a recording that is being written": (lambda: Wire().started().prompted(), []),
    "a log that ends in a turn": (lambda: Wire().prompted(), []),
    "a turn that runs while something else is answered": (
        lambda: Wire().started().prompted().out(id=3, method="session/cancel", params={"sessionId": "s"})
        .got(id=3, result={}).quitted(),
        ["notification-with-id"],
    ),
    "a person leaves in the middle of a turn": (lambda: Wire().started().prompted().quitted(), []),
    "a question to a client, as the agent closes its output": (
        lambda: asked(Wire().started().opened().update("tool_call", **CALL)).happened(StdoutClosed(101.0)).quitted(),
        [],
    ),
    "a person leaves just after a cancel": (lambda: Wire().started().prompted().cancel().later(1).quitted(), []),
    "a request that is repeated is answered late": (
        lambda: Wire().started().prompted().ended().prompt(4).prompt(5).ended(5).ended(4).quitted(),
        [],
    ),
    "a line that really is broken": (
        lambda: Wire().opened().raw(Direction.OUT, b"{").got(id=None, error={"code": -32700, "message": "no"}),
        ["not-a-message"],
    ),
    "a batch that is refused": (
        lambda: Wire().opened().raw(Direction.IN, b"[]").out(id=None, error={"code": -32600, "message": "no"}),
        ["batch"],
    ),
    "a request whose id is null": (
        lambda: Wire().opened().out(id=None, method="session/prompt", params={"sessionId": "s", "prompt": []})
        .got(id=None, result={"stopReason": "end_turn"}),
        ["null-id"],
    ),
    "an error that is null within a result": (
        lambda: Wire().prompted().got(id=2, result={"stopReason": "end_turn", "_meta": {"error": None}}),
        [],
    ),
    "one id in two lists": (
        lambda: signed_in({"id": "a", "name": "A"}, {"id": "b", "name": "B"})
        .out(id=1, method="session/new", params={"cwd": "/w", "mcpServers": []})
        .got(id=1, result={"sessionId": "a", "modes": MODES, "configOptions": offered("x", "a")})
        .update("available_commands_update", session="a", availableCommands=[{"name": "x", "description": ""}]),
        [],
    ),
    "text that looks like names": (lambda: Wire().prompted().chunk('{"a": 1, "a": 2}'), []),
    "one name in two objects": (lambda: Wire().prompted().update("tool_call", **CALL, rawInput=[{"a": 1}, {"a": 1}]), []),
    # messages
    "a message that goes on after a call": (
        lambda: Wire().prompted().chunk(messageId="m").update("tool_call", **CALL, **DONE).chunk(messageId="m").ended(),
        [],
    ),
    "messages of two turns": (
        lambda: Wire().prompted().chunk(messageId="m").ended().prompt(3).chunk(messageId="n").ended(3),
        [],
    ),
    "a message that is replayed": (
        lambda: loaded(worked().prompt(3).chunk(messageId="m").ended(3).load(4, "s").chunk(kind=USER, messageId="u")
        .chunk(messageId="m").got(id=4, result={}), 5),
        [],
    ),
    "one id in two sessions": (
        lambda: subagent().prompt(3).chunk(messageId="m").chunk(messageId="m", kind="agent_thought_chunk", session="child").ended(3),
        [],
    ),
    "chunks that begin alike": (
        lambda: Wire().prompted().chunk("the").chunk("then").chunk("the").chunk("them").chunk("the theme of the day"),
        [],
    ),
    "a line that grows": (
        lambda: Wire().prompted().chunk("=").chunk("==").chunk("====").chunk("========").chunk("=" * 16).chunk("=" * 32),
        [],
    ),
    # numbers
    "fewer tokens after a compaction": (
        lambda: Wire().prompted(client={**FULL_CLIENT, "session": {"compaction": {}}}).update(**usage(900))
        .update("compaction_update", compactionId="c", status="completed").update(**usage(90)),
        [],
    ),
    "a first number that is below 0": (
        lambda: Wire().prompted().update(**usage(-1, cost={"amount": -1, "currency": "USD"})),
        ["schema"],
    ),
    "a full context": (lambda: Wire().prompted().update(**usage(1000)), []),
    "costs in two currencies": (
        lambda: Wire().prompted().update(**usage(1, cost={"amount": 5, "currency": "USD"}))
        .update(**usage(1, cost={"amount": 1, "currency": "credits"})),
        [],
    ),
    "what a session used when it is loaded": (
        lambda: loaded(worked().prompt(3).update(**usage(900, cost={"amount": 5, "currency": "USD"})).ended(3), 4)
        .update(**usage(10, cost={"amount": 1, "currency": "USD"})),
        [],
    ),
    # terminals
    "a terminal in a call": (lambda: terminal(Wire().prompted()).update(**shows("t1")), []),
    "a terminal in a call, once more after its release": (
        lambda: terminal(Wire().prompted()).update(**shows("t1")).ask(5, "terminal/release", terminalId="t1")
        .out(id=5, result={}).update(**{**shows("t1"), "kind": "tool_call_update"}),
        [],
    ),
    "a terminal of the agent's own": (
        lambda: Wire().prompted().update(**shows("own", _meta={"terminal_info": {"terminal_id": "own"}}))
        .update("tool_call_update", toolCallId="t", _meta={"terminal_exit": {"exit_code": 0}}),
        [],
    ),
    "a terminal for a client that takes such": (
        lambda: Wire().prompted(client={**FULL_CLIENT, "_meta": {"terminal_output": True}}).update(**shows("own")),
        [],
    ),
    "a terminal in a history": (
        lambda: Wire().initialized(agent=LOADS).load(1, "s").chunk(kind=USER).update(**shows("old")).got(id=1, result={}),
        [],
    ),
    "a terminal whose command goes on": (lambda: terminal(Wire().started().prompted()).ended().quitted(), []),
    "a terminal whose command the client ends as it leaves": (
        lambda: terminal(Wire().started().prompted()).ended().happened(TerminalExited(101.0, "t1", None, "SIGKILL")).quitted(),
        [],
    ),
    "a terminal whose command is killed in a turn that is cut off": (
        lambda: terminal(Wire().started().prompted()).happened(TerminalExited(101.0, "t1", None, "SIGKILL")).ended().quitted(),
        [],
    ),
    "a terminal that was released before its command ended": (
        lambda: terminal(Wire().prompted()).ask(5, "terminal/release", terminalId="t1").out(id=5, result={})
        .happened(TerminalExited(101.0, "t1", None, "SIGTERM")).ended(),
        [],
    ),
    # the set-up
    "a type of sign-in by its name": (lambda: signed_in({"id": "a", "name": "A", "type": "agent"}), []),
    "a type of sign-in that is gone": (
        lambda: signed_in({"id": "a", "name": "A", "type": "env_var", "vars": [{"name": "KEY"}]}),
        ["auth-type"],
    ),
    "sign-in methods told with the refusal": (
        lambda: signed_in().out(id=1, method="session/new", params={"cwd": "/w", "mcpServers": []})
        .got(id=1, error={"code": -32000, "message": "sign in", "data": {"authMethods": [{"id": "k", "name": "K"}]}}),
        [],
    ),
    "a refusal that says nothing": (
        lambda: signed_in().out(id=1, method="session/new", params={"cwd": "/w", "mcpServers": []})
        .got(id=1, error={"code": -32000, "message": "sign in"}),
        ["no-auth-methods"],
    ),
    "an initialize that is answered by nothing": (
        lambda: Wire().out(id=0, method="initialize", params={"protocolVersion": 1, "clientInfo": AGENT_INFO})
        .got(id=0, result=None),
        ["schema"],
    ),
    "a session that is answered without an id": (
        lambda: Wire().initialized().out(id=1, method="session/new", params={"cwd": "/w", "mcpServers": []})
        .got(id=1, result={}),
        ["schema"],
    ),
    "an answer with a result and an error": (
        lambda: Wire().prompted().got(id=2, result={"stopReason": "end_turn"}, error={"code": 1, "message": "no"}).prompt(3).ended(3),
        ["result-and-error"],
    ),
    "an answer with neither": (
        lambda: Wire().prompted().got(id=2).prompt(3).ended(3),
        ["not-a-message"],
    ),
    "modes that were never offered, again and again": (
        lambda: Wire().opened().update("current_mode_update", currentModeId="x").update("current_mode_update", currentModeId="y"),
        ["mode-not-offered"],
    ),
    "a mode of a session that comes back without its modes": (
        lambda: Wire().initialized(agent=RESUMES).out(id=1, method="session/new", params={"cwd": "/w", "mcpServers": []})
        .got(id=1, result={"sessionId": "s", "modes": MODES})
        .out(id=2, method="session/resume", params={"sessionId": "s", "cwd": "/w"}).got(id=2, result={})
        .update("current_mode_update", currentModeId="x"),
        [],
    ),
    "an option of a session that nobody knows": (
        lambda: Wire().initialized()
        .out(id=1, method="session/set_config_option", params={"sessionId": "old", "configId": "o", "value": "x"}),
        [],
    ),
    "a mode that is no text": (
        lambda: Wire().opened(modes=MODES).update("current_mode_update", currentModeId=["x"]),
        ["schema"],
    ),
    "an option whose value is no text": (
        lambda: Wire().opened(configOptions=[{"id": "o", "name": "O", "type": "select", "currentValue": {}, "options": []}]),
        ["schema-salvaged", "config-value"],
    ),
    "options that come later, and one that is on or off": (
        lambda: Wire().opened({"session": {"configOptions": {"boolean": {}}}}).update("config_option_update", configOptions=[
            {"id": "b", "name": "B", "type": "boolean", "currentValue": True}
        ]).out(id=3, method="session/set_config_option", params={"sessionId": "s", "configId": "b", "type": "boolean", "value": False}),
        [],
    ),
    "a version that is no number": (
        lambda: Wire().out(id=0, method="initialize", params={"protocolVersion": 1, "clientInfo": AGENT_INFO})
        .got(id=0, result={"protocolVersion": "1", "agentCapabilities": {}, "agentInfo": AGENT_INFO}),
        ["schema"],
    ),
    "a mode as the documentation has it": (
        lambda: Wire().opened(modes=MODES).update("current_mode_update", modeId="x"),
        ["documented-form"],
    ),
    "a version that is echoed, in the form of version 1": (
        lambda: Wire().out(id=0, method="initialize", params={"protocolVersion": 2, "clientInfo": CLIENT_INFO})
        .got(id=0, result={"protocolVersion": 2, "agentCapabilities": {}, "agentInfo": AGENT_INFO})
        .out(id=1, method="session/new", params={"cwd": "/w", "mcpServers": []}).got(id=1, result={"sessionId": "s"})
        .chunk(mood="good"),
        ["custom-field"],
    ),
    "a log that begins in the middle": (
        lambda: Wire().prompt(1).chunk().ask(2, "fs/read_text_file", path="/a").out(id=2, result={"content": ""})
        .chunk(session="child").ended(1),
        [],
    ),
    "a fork that speaks before it is known": (
        lambda: Wire().initialized(agent={"sessionCapabilities": {"fork": {}}})
        .out(id=1, method="session/fork", params={"sessionId": "s", "cwd": "/w"})
        .update("available_commands_update", session="new", availableCommands=[]).got(id=1, result={"sessionId": "new"}),
        ["unstable", "unstable", "update-before-session"],
    ),
    "a list that was asked for before a session was deleted": (
        lambda: Wire().initialized(agent={"sessionCapabilities": {"list": {}, "delete": {}}})
        .out(id=1, method="session/list", params={}).out(id=2, method="session/delete", params={"sessionId": "s"})
        .got(id=2, result={}).got(id=1, result={"sessions": [{"sessionId": "s", "cwd": "/w"}]}),
        [],
    ),
    "a closed session that is cleared away, and loaded again": (
        lambda: terminal(closing()).got(id=3, result={}).later(1)
        .ask(5, "terminal/kill", terminalId="t1").out(id=5, result={})
        .ask(6, "terminal/release", terminalId="t1").out(id=6, result={})
        .update("session_info_update", title="Done").load(7, "s").chunk(kind=USER).chunk().got(id=7, result={}),
        [],
    ),
    "what crosses the answer to a close": (lambda: closing().got(id=3, result={}).chunk(), []),
    "an agent that loads nothing numbers its sessions from 1 in each process": (
        lambda: Wire().started().prompted().ended().quitted().started().prompted().ended().quitted(),
        [],
    ),
    "ids of requests that start over in the next process": (
        lambda: Wire().started().prompted().ask(1, "fs/read_text_file", path="/w/a")
        .out(id=1, result={"content": ""}).ended().quitted().started().prompted()
        .ask(1, "fs/read_text_file", path="/w/a").out(id=1, result={"content": ""}).ended().quitted(),
        [],
    ),
    "one id for the tool calls of two sessions": (
        lambda: Wire().prompted().out(id=3, method="session/new", params={"cwd": "/w", "mcpServers": []})
        .got(id=3, result={"sessionId": "s2"})
        .out(id=4, method="session/prompt", params={"sessionId": "s2", "prompt": []})
        .update("tool_call", **CALL, **DONE).update("tool_call", session="s2", **CALL, **DONE).ended().ended(4),
        [],
    ),
    "ids of the agent that are texts, 0, or the client's too": (
        lambda: read_files(Wire().prompted(), "a-1", 0, -1, 2).ended(),
        [],
    ),
    "a terminal shown after its release, and its id given again": (
        lambda: terminal(terminal(Wire().prompted()).update("tool_call", toolCallId="t", title="Run", content=SHOWN)
        .ask(6, "terminal/release", terminalId="t1").out(id=6, result={}))
        .update("tool_call_update", toolCallId="t", status="completed", content=SHOWN)
        .ask(7, "terminal/release", terminalId="t1").out(id=7, result={}).ended(),
        [],
    ),
    "two questions at once, answered in the other order": (
        lambda: chose(chose(asked(asked(Wire().prompted().update("tool_call", **CALL)
        .update("tool_call", toolCallId="u", title="Edit")), 10, "u"), "yes", 10), "yes")
        .update("tool_call_update", toolCallId="t", status="completed")
        .update("tool_call_update", toolCallId="u", status="completed").ended(),
        [],
    ),
    "an option that goes with another": (lambda: configured("a", "b"), []),
}  # fmt: skip


@pytest.mark.parametrize("name", LEGAL)
def test_only_what_is_true_is_found(name: str) -> None:
    wire, expected = LEGAL[name]
    assert wire().found() == expected


@pytest.mark.parametrize("left", [("a",), ("b", "c"), ()])
def test_a_list_without_what_was_set_or_all_others_is_not_complete(left: tuple[str, ...]) -> None:
    assert "config-incomplete" in configured(*left).found()


@pytest.mark.parametrize(
    "result",
    [
        {},
        None,
        {"configOptions": None},
        {"configOptions": "a"},
        {"configOptions": [7]},
        {"configOptions": [{"name": "A", "type": "select", "currentValue": "a", "options": []}]},
    ],
)
def test_an_answer_without_a_list_is_blamed_once(result: dict[str, Any] | None) -> None:
    """What the schema says of it is not said again as a list that is not complete."""
    wire = Wire().opened(configOptions=offered("a"))
    params = {"sessionId": "s", "configId": "a", "value": "a"}
    wire.out(id=3, method="session/set_config_option", params=params).got(id=3, result=result)
    (found,) = wire.found()
    assert found in ("schema", "schema-salvaged")


def told(wire: Wire, rule: str) -> list[str]:
    return [one.message for one in wire.log().findings if one.rule.id == rule]


@pytest.mark.parametrize(
    ("id", "wrong", "meant"),
    [
        ("sess_0af3b2c1-77", "SESS-0AF3B2C1-77", "sess_0af3b2c1-77"),
        ("sess_0af3b2c1-77", "0af3b2c1-77", "sess_0af3b2c1-77"),
        ("session-of-mine", "sesion-of-mine", "session-of-mine"),
    ],
)
def test_a_wrong_session_id_is_told_once_with_the_one_that_is_meant(
    id: str, wrong: str, meant: str
) -> None:
    wire = Wire().started().initialized()
    wire.out(id=1, method="session/new", params={"cwd": "/w", "mcpServers": []})
    wire.got(id=1, result={"sessionId": id})
    params = {"sessionId": id, "prompt": [{"type": "text", "text": "hi"}]}
    wire.out(id=2, method="session/prompt", params=params)
    wire.update("tool_call", session=wrong, **CALL).chunk(session=wrong)
    wire.update("tool_call_update", session=wrong, toolCallId="t", **DONE)
    wire.ended().update("plan", session=wrong, entries=[])
    assert set(wire.found()) == {"unknown-session", "update-after-turn"}
    (message,) = told(wire, "unknown-session")
    assert message.endswith(f"did you mean {meant!r}?")


def test_sessions_that_count_are_not_taken_for_each_other() -> None:
    wire = Wire().opened()
    for id, session in enumerate(("session-1", "session-12"), 5):
        wire.out(id=id, method="session/new", params={"cwd": "/w", "mcpServers": []})
        wire.got(id=id, result={"sessionId": session})
    for wrong in ("session-2", "session-123", "x" * 300):
        wire.chunk(session=wrong)
    assert not any("did you mean" in one for one in told(wire, "unknown-session"))
    assert wire.found() == ["unknown-session"] * 3


def test_chunks_that_repeat_all_are_found_whatever_else_differs() -> None:
    wire = Wire().prompted()
    for end in range(3, 40, 3):
        wire.chunk("This is what the agent says, all of it."[:end], _meta={"number": end})
    assert wire.found() == ["chunk-repeats"]


def test_an_id_is_used_again_for_another_call_or_told_as_new_again() -> None:
    again = Wire().prompted().update("tool_call", **CALL).update("tool_call", **CALL, **DONE)
    assert told(again, "tool-call-id-reuse")[0].endswith("changes belong in a tool_call_update")
    another = again.update("tool_call", **CALL)
    assert told(another, "tool-call-id-reuse")[1].endswith("is completed, and this is another")


def test_what_can_not_be_read_is_no_number_no_folder_and_no_question() -> None:
    wire = Wire().prompted().update("usage_update", used="x", size=True)
    assert set(wire.found()) == {"schema"}
    lists = {"sessionCapabilities": {"list": {}}}
    listed = Wire().initialized(agent=lists).out(id=1, method="session/list", params={})
    sessions = [{"sessionId": "s", "cwd": "/w", "additionalDirectories": [1, "w", "/x"]}]
    listed.got(id=1, result={"sessions": sessions})
    (place,) = (one.where for one in listed.log().findings if one.rule.id == "relative-path")
    assert place == "result.sessions[0].additionalDirectories[1]"
    question = asked(Wire().prompted().update("tool_call", **CALL))
    question.got(method="$/cancel_request", params={"requestId": 77})
    assert changed(question, **AT_WORK).found() == ["ran-before-permission"]


def test_what_a_client_sends_in_the_place_of_an_agent_is_told_as_that_alone() -> None:
    wire = Wire().prompted().out(id=8, method="session/request_permission", params={})
    kinds = ("tool_call", "agent_message_chunk", "usage_update", "plan", "user_message_chunk")
    for kind in kinds:
        update = {"sessionUpdate": kind, "entries": [], "used": 5, "size": 1}
        params = {"sessionId": "s", "update": update}
        wire.out(method="session/update", params=params)
    assert set(wire.found()) == {"wrong-side"}


def test_a_line_over_a_limit_is_not_called_noise() -> None:
    for params in (b"[" * 300 + b"]" * 300, b'"%b"' % (b"x" * LONGEST_LINE)):
        line = b'{"jsonrpc":"2.0","method":"_x","params":%b}' % params
        (found,) = Wire().opened().raw(Direction.IN, line).found()
        assert found == ("nested-too-deep" if params.startswith(b"[") else "oversized-line")
        begun = Wire().opened().raw(Direction.IN, b"{").raw(Direction.IN, line)
        assert begun.found() == ["stdout-noise", found]


def test_a_very_long_line_is_not_looked_through_for_what_stands_twice() -> None:
    long = b'{"jsonrpc":"2.0","method":"_x","params":{"a":1,"a":"' + b"x" * LONG_LINE_BYTES + b'"}}'
    assert Wire().opened().raw(Direction.IN, long).found() == ["extension"]


def of_version(version: int) -> Wire:
    params = {"protocolVersion": version, "info": AGENT_INFO, "capabilities": {}}
    wire = Wire().out(id=0, method="initialize", params=params)
    result = {**params, "capabilities": {"session": {}}}
    wire.got(id=0, result=result)
    new = {"cwd": "/", "mcpServers": []}
    wire.out(id=1, method="session/new", params=new)
    wire.got(id=1, result={"sessionId": "s", "configOptions": []})
    wire.prompt(2).got(id=2, result={"messageId": "m"})
    return wire.update("state_update", state="running", background=[])


def test_of_version_2_each_message_is_looked_at_by_its_own_form() -> None:
    wire = of_version(2)
    assert wire.found() == []
    wire.got(id=77, result={}).raw(Direction.IN, b"oops")
    wire.update("state_update", state=7, background=[])
    assert wire.found() == ["orphan-answer", "stdout-noise", "schema"]


def test_of_versions_that_nobody_knows_only_lines_and_answers_are_looked_at() -> None:
    wire = of_version(3).update("state_update", state=7)
    assert wire.found() == ["version-not-checked"]
    wire.got(id=77, result={}).raw(Direction.IN, b"oops")
    assert wire.found() == ["version-not-checked", "orphan-answer", "stdout-noise"]


def test_a_message_on_several_lines_is_not_judged_by_a_version_that_nobody_knows() -> None:
    wire = of_version(3).raw(Direction.IN, b"{").raw(Direction.IN, b'"jsonrpc":"2.0","method":"x"}')
    assert wire.found() == ["version-not-checked", "embedded-newlines"]


def test_a_message_on_several_lines_is_judged_by_the_version_that_is_spoken() -> None:
    lines = (b"{", b'"jsonrpc":"2.0","method":"session/update",', b'"params":{"sessionId":"s",')
    rest = (b'"update":{"sessionUpdate":"state_update","state":"running","background":[]}}', b"}")
    wire = of_version(2)
    for line in (*lines, *rest):
        wire.raw(Direction.IN, line)
    assert "schema" not in wire.found()


@pytest.mark.parametrize(
    ("version", "params", "found"), [(2, {}, True), (2, {"cursor": 7}, False), (3, {}, False)]
)
def test_what_was_sent_by_hand_has_to_be_answered_if_its_form_is_right(
    version: int, params: dict[str, Any], found: bool
) -> None:
    wire = of_version(version)
    wire.by_hand(id="by-hand-1", method="session/list", params=params)
    wire.out(id=9, method="session/list", params={}).got(id=9, result={"sessions": []}).later(60)
    assert ("unanswered" in wire.found()) is found


def test_an_unknown_id_is_not_compared_with_any_number_of_sessions() -> None:
    wire = Wire().prompted(client={**FULL_CLIENT, "subagents": {}})
    for number in range(60):
        wire.update("subagent_update", sessionId=f"child-{'x' * number}")
    (message,) = told(wire.chunk(session="CHILD-"), "unknown-session")
    assert "did you mean" not in message


def test_a_chunk_that_repeats_all_is_told_once_for_a_message() -> None:
    wire = Wire().prompted()
    for message in ("a", "b"):
        for end in range(3, 40, 3):
            wire.chunk("This is what the agent says, all of it."[:end], messageId=message)
    assert wire.found() == ["chunk-repeats"] * 2


def test_a_cancel_that_is_answered_with_an_error_is_not_heeded_however_fast() -> None:
    for seconds in (0.0, 1.0):
        wire = Wire().prompted().cancel().later(seconds)
        wire.got(id=2, error={"code": -32603, "message": "Internal error"})
        assert wire.found() == ["not-cancelled"]


def test_an_answer_to_nothing_may_have_no_id_at_all() -> None:
    assert Wire().opened().got(error=NO_SUCH_METHOD).found() == ["not-a-message", "orphan-answer"]
    assert Wire().opened().got(id=None, result={}).found() == ["orphan-answer"]


def test_errors_are_for_what_must_be() -> None:
    errors = [one for one in protocol_rules() if one.severity is Severity.ERROR]
    silent = [one.id for one in errors if "MUST" not in one.sentence and one.id not in FIRST]
    assert silent == []
    assert not any(one.guess for one in errors)


def test_a_rule_says_what_it_rests_on() -> None:
    quoted = next(rule for rule in protocol_rules() if not rule.guess)
    guess = next(rule for rule in protocol_rules() if rule.guess)
    assert quoted.basis == f"“{quoted.sentence}”"
    assert guess.basis.startswith("A guess: ")


@pytest.mark.parametrize(
    ("asked", "answered", "told"),
    [
        (5, "5", "no request has the id '5'; session/list has 5, of another type"),
        ("5", 5, "no request has the id 5; session/list has '5', of another type"),
        (1.5, "1.5", "no request has the id '1.5'; session/list has 1.5, of another type"),
        (5, "05", "no request has the id '05'"),
        (5, "five", "no request has the id 'five'"),
        (5, 6, "no request has the id 6"),
    ],
)
def test_an_answer_whose_id_has_another_type_names_its_request(
    asked: int | float | str, answered: int | float | str, told: str
) -> None:
    wire = Wire().opened().out(id=asked, method="session/list", params={})
    findings = wire.got(id=answered, result={"sessions": []}).log().findings
    assert [one.message for one in findings if one.rule.id == "orphan-answer"] == [told]


def test_a_request_of_an_agent_that_is_gone_has_no_part_in_what_the_next_one_does() -> None:
    wire = Wire().started().opened().out(id=5, method="session/list", params={}).died()
    wire.got(id="5", result={"sessions": []})
    found = [one.message for one in wire.log().findings if one.rule.id == "orphan-answer"]
    assert found == ["no request has the id '5'"]


@pytest.mark.parametrize(
    "time",
    ["2026-11-28T12:00:00Z", "2026-11-28T12:00:00.123+01:00", "2026-11-28", "20261128", "2026-332"],
)
def test_a_time_in_any_form_of_iso_8601_breaks_no_rule(time: str) -> None:
    wire = Wire().opened().update("session_info_update", updatedAt=time, title="T")
    assert wire.found() == []
    assert Wire().opened().update("session_info_update", updatedAt=None).found() == []


def test_data_that_is_base64_breaks_no_rule_however_long_or_wrapped() -> None:
    for data in ("", "YWJj", "YWJj\nYWJj", "YWJj" * 20_000):
        image = {"type": "image", "mimeType": "image/png", "data": data}
        asked = {
            "toolCallId": "t",
            "title": "T",
            "content": [{"type": "content", "content": image}],
        }
        wire = Wire().prompted().update("user_message_chunk", content=image)
        wire.update("tool_call", **asked).update(
            "tool_call_update", toolCallId="t", status="failed"
        )
        assert wire.ended().found() == []


def test_a_slash_within_the_name_of_a_command_breaks_no_rule() -> None:
    commands = [{"name": "team/review", "description": ""}]
    update = Wire().opened().update("available_commands_update", availableCommands=commands)
    assert update.found() == []


def test_a_prompt_that_comes_in_a_turn_begins_no_other() -> None:
    """It is refused, queued, or joins the turn: the agent goes on with what it does."""
    wire = Wire().prompted().chunk("one ", messageId="m").prompt(3)
    wire.update("tool_call", toolCallId="t", title="Work", status="in_progress")
    wire.got(id=3, error={"code": -32600, "message": "a turn is running"})
    wire.chunk("two", messageId="m")
    wire.update("tool_call_update", toolCallId="t", status="completed")
    assert wire.ended().found() == []


def test_a_prompt_that_is_refused_in_a_turn_that_was_canceled_is_no_answer_to_the_cancel() -> None:
    wire = Wire().prompted().chunk().cancel().later(1).prompt(3)
    wire.got(id=3, error={"code": -32600, "message": "a turn is running"})
    wire.chunk("bye")
    assert wire.ended(reason="cancelled").found() == []


def test_a_turn_with_a_second_prompt_ends_with_the_last_answer() -> None:
    wire = Wire().prompted().chunk().prompt(3).ended(2).chunk("to the second").ended(3)
    assert wire.found() == []
    assert wire.chunk("late").found() == ["update-after-turn"]


def test_what_was_rejected_before_a_second_prompt_stays_so() -> None:
    options = [{"optionId": "no", "name": "No", "kind": "reject_once"}]
    call = {"toolCallId": "t", "locations": [{"path": "/w/b"}]}
    wire = Wire().prompted().update("tool_call", toolCallId="t", title="Edit")
    wire.ask(9, "session/request_permission", toolCall=call, options=options)
    wire.out(id=9, result={"outcome": {"outcome": "selected", "optionId": "no"}}).prompt(3)
    wire.ask(20, "fs/write_text_file", path="/w/b", content="x")
    assert "rejected-but-done" in wire.found()


def test_after_a_cancel_a_new_prompt_may_be_worked_on_at_once() -> None:
    """Some clients cancel and go on without waiting for the answer."""
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    wire = Wire().prompted().chunk().cancel().prompt(3).ended(2, "cancelled").later(2)
    wire.update("tool_call", toolCallId="t", title="Edit")
    wire.ask(9, "session/request_permission", toolCall={"toolCallId": "t"}, options=options)
    wire.out(id=9, result={"outcome": {"outcome": "selected", "optionId": "yes"}})
    wire.ask(20, "fs/write_text_file", path="/w/b", content="x").out(id=20, result={})
    wire.update("tool_call_update", toolCallId="t", status="completed")
    assert wire.ended(3).chunk("late").found() == ["update-after-turn"]


def test_a_prompt_that_was_canceled_ends_as_canceled_though_another_follows() -> None:
    wire = Wire().prompted().chunk().cancel().prompt(3).later(2).ended(2).ended(3)
    assert wire.found() == ["not-cancelled"]


def test_for_a_session_id_like_no_other_none_is_proposed() -> None:
    (message,) = told(Wire().opened().chunk(session="background"), "unknown-session")
    assert message == "no session has the id 'background': the only one is 's'"


def test_a_mode_that_is_not_offered_is_found_where_it_is_named() -> None:
    log = Wire().opened().update("current_mode_update", modeId="y").log()
    (found,) = [one for one in log.findings if one.rule.id == "mode-not-offered"]
    assert found.where == "params.update.modeId"


@pytest.mark.parametrize(
    "time",
    [
        "2026-11-28t10:00:00z",
        "2026-12-31T23:59:60Z",
        "2026-11-28T24:00:00Z",
        "20261128T240000Z",
        "2026-11-28T10:00:00.123456789+05:30",
        "2026-11-28T10:00:00,5Z",
        "2026-W48-6T10:00:00Z",
        "20261128T100000Z",
    ],
)
def test_each_form_of_a_time_is_one(time: str) -> None:
    assert Wire().prompted().update("session_info_update", updatedAt=time).ended().found() == []


@pytest.mark.parametrize(
    "time", ["2026-11-28T24:30:00Z", "2026-11-28T10:61:00Z", "2026-11-28T10:00:61Z", "60", ":60"]
)
def test_what_only_resembles_a_time_is_none(time: str) -> None:
    wire = Wire().prompted().update("session_info_update", updatedAt=time).ended()
    assert wire.found() == ["not-a-time"]


def test_rfc_3339_has_leap_seconds_and_no_second_midnight() -> None:
    leap = Wire().opened_2().update("session_info_update", updatedAt="2026-12-31T23:59:60z")
    assert leap.found() == []
    late = Wire().opened_2().update("session_info_update", updatedAt="2026-11-28T24:00:00Z")
    assert late.found() == ["not-a-time"]
