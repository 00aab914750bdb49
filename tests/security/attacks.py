"""What an agent could put into its strings, and a session in which every string holds some."""

import re
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from acp_tui.policy.rules import Rule, RuleAnswer
from acp_tui.protocol.events import ClientNotice, LocalEvent, QuirkHelped, Ruled, RulesChanged
from acp_tui.protocol.file_events import (
    AccessAsked,
    EditCompared,
    EditLooked,
    EditVerdict,
    FileOperation,
    FilesChanged,
    FileWritten,
)
from acp_tui.protocol.process_events import (
    RestartStopped,
    StderrLine,
    TerminalExited,
    TerminalOutput,
)
from tests.unit.state.conversation import STARTED, Conversation

SEQUENCES = [
    "\x1b[2J\x1b[H",  # wipes the screen
    "\x1b[31;5mred\x1b[0m",
    "\x1b[?1049l\x1b[?25l\x1bc",  # leaves the alternate screen, hides the cursor, resets all
    "\x1b[6n\x1b[c\x1b[>q\x1b[21t",  # makes the terminal type answers into the prompt
    "\x1b]0;owned\x07",
    "\x1b]2;owned\x1b\\",
    "\x1b]8;;https://evil.example\x1b\\here\x1b]8;;\x1b\\",
    "\x1b]52;c;cm0gLXJmIH4K\x07",  # writes the clipboard
    "\x1b]1337;File=inline=1:AAAA\x07\x1b]9;note\x07\x1b]777;notify;a;b\x07",
    "\x1b_Ga=T,f=24,s=1,v=1;AAAA\x1b\\",  # kitty's pictures
    "\x1bP+q544e\x1b\\\x1bP1$r0m\x1b\\\x1bPtmux;\x1b\x1b]0;x\x07\x1b\\",
    "\x1b^private\x1b\\\x1bXstart\x1b\\",
    "\x1b]4;1;?\x07\x1b]11;?\x07\x1b]P1ff0000",
    "\x9b2J\x9d0;owned\x9c\x90q\x9c",
    "\x1b",
    "\x1b[",
    "\x1b]0;never ends",
    "\x1b(0\x1b#8\x1b%G\x0e\x0f",
    "\x00\x07\x08\x0b\x0c\x7f\x85\x18\x1a\x05",
    "a\rb\nc\td",
    "\u202e\u2066\u2069\u200f\u061c",
    "\u200b\u2060\ufeff\u180e\u2028\u2029",
    "".join(chr(0xE0000 + ord(letter)) for letter in "hidden"),
    "x" + "".join(chr(0xE0100 + ord(letter)) for letter in "hidden"),
    "\u3164\u115f\u1160\uffa0\u034f\U0001d173\U000e0fff \u200c\u200d\u200c\u200d",
    "\ud800",
    "e" + "\u0301" * 50,
    "\U0001f469\u200d\U0001f680 \u5bbd \u0e33",
]
MARKUP = [
    "[bold]M4RK[/bold]",
    "[/]M4RK[/][/bold]",
    "[@click=app.quit]M4RK[/]",
    "[link=https://evil.example]M4RK[/link]",
    "[link='file:///etc/passwd']M4RK",
    "[$primary on red]M4RK",
    "[[M4RK]]\\[M4RK",
    "[M4RK](javascript:alert(1)) [M4RK](x-evil:y) <vnc://M4RK>",
    "[M4RK](http://a\x1b]0;owned\x07b/)",
    "[",
    "╭─ M4RK asks for permission ─╮",
]
EACH = "\x1b]0;o\x07\x1b[2J\x9b1m\x00\x08\x7f\x85[red][@click=app.quit]\u202e\u200b\u3164\u2028\U000e0041\u200d\u200d\u200d"
"""Some of everything that is short, for places that show only a few characters."""
attacks = st.lists(
    st.sampled_from(SEQUENCES)
    | st.sampled_from(MARKUP)
    | st.text(max_size=8)
    | st.text(
        st.sampled_from("\x1b\x9b\x9d\x90]P_^X[?;0123456789mhlJKc\\\x07\x9c:<=> "), max_size=12
    ),
    max_size=6,
).map("".join)

FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\u034f\u115f\u1160\u3164\uffa0\ufff0-\ufffb\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
    "\U0001d173-\U0001d17a\ud800-\udfff]|[\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]{3}"
)
"""What no cell of a screen may hold."""


def everything(attack: Callable[[], str]) -> Conversation:
    """A session in which each string that an agent may choose is an attack."""
    talk = Conversation()
    talk.happened(STARTED)
    info = {"name": attack(), "version": attack(), "title": attack()}
    method = {"id": attack(), "name": attack(), "description": attack()}
    hello = {"protocolVersion": 1, "agentInfo": info, "authMethods": [method]}
    talk.call("initialize", {"protocolVersion": 1}, result=hello)
    talk.call("session/new", {"cwd": "/work"}, result=opened(attack))
    updates(talk, attack)
    return talk


def opened(attack: Callable[[], str]) -> dict[str, Any]:
    mode, value = attack(), attack()
    return {
        "sessionId": "s",
        "modes": {
            "currentModeId": mode,
            "availableModes": [{"id": mode, "name": attack(), "description": attack()}],
        },
        "models": {
            "currentModelId": value,
            "availableModels": [{"modelId": value, "name": attack()}],
        },
        "configOptions": [
            {
                "type": "select",
                "id": attack(),
                "name": attack(),
                "description": attack(),
                "category": attack(),
                "currentValue": value,
                "options": [{"value": value, "name": attack(), "description": attack()}],
            }
        ],
    }


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def updates(talk: Conversation, attack: Callable[[], str]) -> None:
    talk.happened(StderrLine(1.0, attack()))
    talk.frame_bytes(attack().encode("utf-8", "surrogatepass"))
    talk.update("session_info_update", title=attack())
    commands = [{"name": attack(), "description": attack(), "input": {"hint": attack()}}]
    talk.update("available_commands_update", availableCommands=commands)
    talk.update("plan", entries=[{"content": attack(), "status": attack(), "priority": attack()}])
    talk.prompt()
    talk.say(attack(), "user_message_chunk")
    talk.say(attack(), "agent_thought_chunk")
    talk.say(attack() + "\n\n" + attack())
    link = {"type": "resource_link", "uri": attack(), "name": attack(), "title": attack()}
    talk.update("agent_message_chunk", content=link)
    resource = {"uri": attack(), "text": attack(), "mimeType": attack()}
    talk.update("agent_message_chunk", content={"type": "resource", "resource": resource})
    image = {"type": "image", "data": attack(), "mimeType": attack(), "uri": attack()}
    talk.update("agent_message_chunk", content=image)
    talk.update("agent_message_chunk", content={"type": attack(), "x": attack()})
    talk.update("notice", severity=attack(), title=attack(), description=attack())
    talk.update(attack(), x=attack())
    tool_calls(talk, attack)
    talk.answer(talk.id, error={"code": -32000, "message": attack(), "data": {"x": attack()}})


def tool_calls(talk: Conversation, attack: Callable[[], str]) -> None:
    diff = {"type": "diff", "path": "/" + attack(), "oldText": attack(), "newText": attack()}
    talk.update(
        "tool_call",
        toolCallId=attack(),
        title=attack(),
        kind=attack(),
        status=attack(),
        content=[{"type": "content", "content": text(attack())}, diff],
        locations=[{"path": attack(), "line": 3}],
        rawInput={attack(): attack()},
        rawOutput=attack(),
    )
    params = {"command": attack(), "args": [attack()], "cwd": "/" + attack()}
    talk.asks("terminal/create", {"result": {"terminalId": "m"}}, **params)
    output = attack().encode("utf-8", "surrogatepass")
    talk.happened(TerminalOutput(2.0, "m", output))
    talk.update("tool_call", toolCallId="t", content=[{"type": "terminal", "terminalId": "m"}])


def ask(talk: Conversation, attack: Callable[[], str]) -> None:
    """A permission."""
    options = [
        {"optionId": f"{kind}{attack()}", "name": attack(), "kind": kind}
        for kind in ("allow_once", "reject_once")
    ]
    diff = {"type": "diff", "path": "/" + attack(), "oldText": attack(), "newText": attack()}
    call = {
        "toolCallId": "p",
        "title": attack(),
        "rawInput": {"command": attack()},
        "locations": [{"path": attack()}],
        "content": [diff, {"type": "content", "content": text(attack())}],
    }
    talk.prompt()
    talk.asks("session/request_permission", toolCall=call, options=options)


def ask_form(talk: Conversation, attack: Callable[[], str]) -> None:
    """A form."""
    properties = {
        "name": {"type": "string", "title": attack(), "description": attack(), "default": attack()},
        "color": {
            "type": "string",
            "oneOf": [{"const": "a", "title": attack()}, {"const": "b", "title": attack()}],
        },
        "teas": {"type": "array", "title": attack(), "items": {"enum": ["a", attack()]}},
        attack() or "x": {"type": attack(), "title": attack()},
    }
    schema = {"type": "object", "title": attack(), "properties": properties}
    talk.asks("elicitation/create", message=attack(), mode="form", requestedSchema=schema)


def ask_link(talk: Conversation, attack: Callable[[], str]) -> None:
    """A link to visit."""
    url = "https://ex\u0430mple.org/" + attack()
    fields = {"mode": "url", "url": url, "elicitationId": attack()}
    talk.asks("elicitation/create", message=attack(), **fields)


def catalogue(talk: Conversation, attack: Callable[[], str]) -> None:
    """A list of sessions, and another one that is open."""
    sessions = [
        {"sessionId": attack(), "cwd": "/" + attack(), "title": attack(), "updatedAt": attack()}
        for _ in range(5)
    ]
    talk.call("session/list", {}, result={"sessions": sessions})
    talk.call("session/new", {"cwd": "/other"}, result={"sessionId": "s2"})
    talk.update("session_info_update", session_id="s2", title=attack())
    talk.say(attack(), session_id="s2")


def facts(talk: Conversation, attack: Callable[[], str]) -> None:
    """What only a recording that somebody made can say: facts of the client's own."""
    rules = tuple(
        Rule(answer, titles=(attack(),), paths=(attack(),), where=attack()) for answer in RuleAnswer
    )
    path = "/" + attack()
    events: list[LocalEvent] = [
        RulesChanged(1.0, rules),
        Ruled(2.0, 1, "s", "reject", attack(), attack()),
        QuirkHelped(3.0, attack(), attack()),
        ClientNotice(4.0, "s", attack(), attack(), attack()),
        ClientNotice(5.0, None, attack(), attack(), attack()),
        FileWritten(6.0, 2, "s", path, False, attack(), attack(), remark=attack()),
        TerminalExited(7.0, "m", None, attack()),
        RestartStopped(8.0, attack()),
        AccessAsked(
            9.0, 900, "s", FileOperation.WRITE, path, attack(), attack(), attack(), rule=attack()
        ),
        FilesChanged(10.0, 900, [attack()]),
        *(
            EditLooked(11.0, "s", call, path, line=4, remark=attack(), warns=True)
            for call in ("t", "p")
        ),
        EditLooked(12.0, "s", "p", path, derived=True, old_text=attack(), text=attack()),
        EditCompared(
            13.0, "s", "t", path, EditVerdict.DIFFERS, attack(), False, False, True, "a", attack()
        ),
    ]
    for event in events:
        talk.happened(event)
