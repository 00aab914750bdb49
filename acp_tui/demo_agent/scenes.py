"""The scenes, each of which shows one thing that a client can do; chooses one by the prompt's
words.
"""

import os
import re
import time
from typing import Any

from acp_tui.demo_agent import texts, tour, work
from acp_tui.demo_agent.subagents import subagents
from acp_tui.demo_agent.tour import play_tour
from acp_tui.demo_agent.turn import DemoTurn, Scene, text_content
from acp_tui.demo_agent.wire import RpcError, encode

POURING = (
    ("once", "Yes, pour it", "allow_once"),
    ("always", "Yes, and keep my cup full in this session", "allow_always"),
    ("no", "No, not now", "reject_once"),
    ("never", "No, and never offer tea in this session", "reject_always"),
)
SUGGESTION = "show me a plan"
FLOOD_CHUNKS = 2000
FLOOD_LIMIT = 10_000_000
CHUNK_LENGTH = 40


def help_(turn: DemoTurn, _words: str) -> None:
    turn.say(texts.HELP)


def greet(turn: DemoTurn, _words: str) -> None:
    turn.say(texts.GREETING)


def system_prompt(turn: DemoTurn, _words: str) -> None:
    if turn.session.system_prompt is None:
        turn.say("You gave me no system prompt: start me with `--system-prompt TEXT`.")
        return
    mode, text = turn.session.system_prompt
    turn.say(f"Your system prompt, in the mode `{mode}`:\n\n{text}\n")


def quota(turn: DemoTurn, words: str) -> None:
    """Report the limits of a plan, as claude's adapter does, and the tokens of each model."""
    percent = next((int(word) for word in words.split() if word.isdecimal()), 85)
    five_hours, week = time.time() + 2.5 * 3600, time.time() + 3 * 86400
    turn.say(f"I pretend that **{percent}%** of a 5-hour limit is used, and 40% of a weekly one.\n")
    turn.update(
        "usage_update",
        used=12_000 + turn.session.tokens,
        size=200_000,
        _meta={
            "_claude/rateLimit": {
                "status": "allowed_warning" if percent < 100 else "rejected",
                "rateLimitType": "five_hour",
                "utilization": percent / 100,
                "resetsAt": int(five_hours),
                "unifiedWindows": {"seven_day": {"utilization": 0.4, "resetsAt": int(week)}},
            }
        },
    )
    rows = (("demo-large", 4_200), ("demo-small", 800))
    turn.end_meta = {
        "quota": {
            "token_count": {"totalTokens": 5_000},
            "model_usage": [
                {"model": model, "token_count": {"totalTokens": tokens}} for model, tokens in rows
            ],
        }
    }


def suggest(turn: DemoTurn, _words: str) -> None:
    """Suggest the next prompt, by the update if the client supports it, else as claude-agent-acp
    does.
    """
    turn.say(
        "Look into the empty prompt: **Tab** writes there what I suggest, and sends nothing.\n"
    )
    session = turn.capabilities.get("session")
    if isinstance(session, dict) and isinstance(session.get("promptSuggestions"), dict):
        turn.update(
            "prompt_suggestions_update",
            suggestions=[{"prompt": [{"type": "text", "text": SUGGESTION}]}],
        )
    else:
        meta = {"promptSuggestions": {"suggestions": [{"text": SUGGESTION}]}}
        turn.update("session_info_update", _meta=meta)


def air(turn: DemoTurn, _words: str) -> None:
    """Report a goal, a background task and a failure, as agents do for JetBrains AIR."""
    meta = turn.capabilities.get("_meta")
    if not (isinstance(meta, dict) and "jetbrains" in meta):
        turn.say("I tell this to JetBrains AIR only: start acp-tui with `--as air`.\n")
        return
    goal = {"objective": "a cup that is warm", "status": "active"}
    _send_air(turn, goal=goal)
    task = {"asyncTaskId": f"kettle-{turn.session.id}", "taskType": "shell"}
    named = {"name": "boil the water", "description": "Until it sings"}
    turn.update("async_task_spawned", **task, **named, showInTranscript=True, canStop=False)
    turn.say("The water boils in the background, until the cup is warm.\n\n")
    turn.pause(1.5)
    _send_air(turn, goal={**goal, "iterations": 1, "lastReason": "the water is still cold"})
    turn.pause(1.5)
    ended = {"asyncTaskId": task["asyncTaskId"], "state": "failed"}
    turn.update("async_task_state_update", **ended, summary="The gas is off")
    failure = {"id": task["asyncTaskId"], "revision": 1, "category": "limit", "severity": "error"}
    _send_air(turn, goal=None)
    turn.end_meta = _air_meta(
        sessionFailure={**failure, "title": "Out of gas", "actions": ["retry"]}
    )


def _send_air(turn: DemoTurn, **fields: Any) -> None:
    turn.update("session_info_update", _meta=_air_meta(**fields))


def _air_meta(**fields: Any) -> dict[str, Any]:
    return {"jetbrains": {"air": {"version": 1, **fields}}}


def markdown(turn: DemoTurn, _words: str) -> None:
    turn.say(texts.MARKDOWN)


def thoughts(turn: DemoTurn, _words: str) -> None:
    turn.think(
        "How does one show a thought? By having one. Thoughts come before the answer, are "
        "folded to a line when they are over, and open again with Enter."
    )
    turn.pause(0.5)
    turn.think("A second thought: people mostly want the answer.")
    turn.say("Above are two thoughts of mine. Select one and press **Enter** to read it.\n")


def plan(turn: DemoTurn, _words: str) -> None:
    turn.say("I plan to make tea. Watch the plan, not the pot.\n\n")
    for done in range(len(tour.STEPS) + 1):
        tour.progress(turn, done)
        turn.pause(0.6)
    turn.say("All done.\n")


def tools(turn: DemoTurn, _words: str) -> None:
    """Show a tool call of each kind; one fails."""
    turn.say("Tool calls of every kind. **Enter** opens one.\n\n")
    work.read_project_file(turn)
    tour.search(turn)
    tour.missing(turn)
    for kind, title in (
        ("delete", "Throw the old leaves away"),
        ("move", "Move the pot to the table"),
        ("think", "Wonder about milk"),
        ("switch_mode", "Leave the kitchen"),
        ("other", "Something no kind fits"),
    ):
        tool = turn.tool(title, kind, rawInput={"pretended": True})
        tool.start()
        turn.pause(0.3)
        tool.complete(
            content=[text_content("Only pretended: nothing was touched.")], rawOutput="ok"
        )
    turn.say("The failed one opened itself, so that you notice.\n")


def diff(turn: DemoTurn, _words: str) -> None:
    """Show diffs of a changed, a new and an emptied file; nothing is written."""
    path = turn.session.path
    tool = turn.tool("Sketch some edits", "edit", rawInput={"pretended": True})
    tool.start()
    turn.pause(0.4)
    old = f"MINUTES = {{}}\n\n\ndef brew_time(tea):\n{tour.FRAGILE}    return minutes\n"
    tool.complete(
        content=[
            {
                "type": "diff",
                "path": path("tea.py"),
                "oldText": old,
                "newText": old.replace(tour.FRAGILE, tour.FORGIVING),
            },
            {"type": "diff", "path": path("milk.py"), "newText": "SPLASHES = 1\n"},
            {"type": "diff", "path": path("sugar.py"), "oldText": "LUMPS = 2\n", "newText": ""},
        ],
        locations=[{"path": path("tea.py"), "line": 5}],
        rawOutput={"written": False},
    )
    turn.say("Three diffs: a change, a new file, one emptied. Nothing was written.\n")


def terminal(turn: DemoTurn, _words: str) -> None:
    turn.say("A program in a terminal of the client's, with colors and a progress bar:\n\n")
    code = work.run_checks(turn)
    if code is not None:
        turn.say(f"It ended with exit code {code}.\n")


def permission(turn: DemoTurn, _words: str) -> None:
    """Ask for permission, and say what was chosen; nothing is done."""
    turn.say("May I? Press the number of your answer, or **Esc** to stop me.\n\n")
    tool = turn.tool("Pour the tea", "other", rawInput={"cups": 2, "pretended": True})
    content = [text_content("Two cups, no milk. Nothing is written.")]
    choice = work.ask_permission(turn, tool, content, POURING)
    if choice in ("once", "always"):
        tool.complete(rawOutput={"poured": True})
    else:
        tool.fail("Not allowed.", rawOutput={"poured": False})
    names = {id: name for id, name, _ in POURING}
    turn.say(f"You chose **{names.get(choice, choice)}**.\n")


def slow(turn: DemoTurn, _words: str) -> None:
    """Send a line each second, for twenty seconds."""
    turn.say("I count to twenty, slowly. **Esc** stops me.\n\n")
    for number in range(1, 21):
        turn.say(f"{number}. {'tick' if number % 2 else 'tock'}\n")
        turn.pause(0.96)
    turn.say("\nYou let me finish. How patient!\n")


def flood(turn: DemoTurn, words: str) -> None:
    """Send chunks of 40 characters as fast as the client reads them; the text is repeated."""
    number = next((int(word) for word in words.split() if word.isdecimal()), FLOOD_CHUNKS)
    left = min(number, FLOOD_LIMIT)
    text = texts.MARKDOWN + "\n" * (CHUNK_LENGTH - len(texts.MARKDOWN) % CHUNK_LENGTH)
    pieces = [text[at : at + CHUNK_LENGTH] for at in range(0, len(text), CHUNK_LENGTH)]
    message_id = turn.message_id()
    lines = [_chunk(turn, piece, message_id) for piece in pieces]
    while left > 0:
        turn.pause(0)
        turn.client.write(b"".join(lines[:left]))
        left -= len(lines)


def _chunk(turn: DemoTurn, piece: str, message_id: str) -> bytes:
    params = turn.notification(
        "agent_message_chunk", content={"type": "text", "text": piece}, messageId=message_id
    )
    return encode({"method": "session/update", "params": params})


def escape(turn: DemoTurn, _words: str) -> None:
    tool = turn.tool("A title with \x1b[2J\x1b]0;pwned\x07 in it", "other")
    tool.complete(content=[text_content("\x1b[31mred?\x1b[0m \u202eright to left")])
    turn.say(texts.ESCAPES)


def noise(turn: DemoTurn, _words: str) -> None:
    """Print what misbehaving agents print between messages."""
    turn.say("Now I print garbage where only messages belong:\n\n")
    turn.client.write(b"npm warn deprecated left-pad@1.0.0: use String.prototype.padStart()\n")
    turn.client.write(b'42\nnull\n"text"\n{}\n{"jsonrpc": "2.0"\n\n\r\n\xff\xfe\x00 not UTF-8\n')
    turn.pause(0.3)
    turn.say("Still here? Then the client survived it.\n")


def hang(turn: DemoTurn, _words: str) -> None:
    """Wait for a cancellation that may never come."""
    turn.client.wait(lambda: turn.cancelled)
    turn.pause(0)


def fail(turn: DemoTurn, _words: str) -> None:
    turn.say("I try my best…\n")
    raise RpcError(
        -32603, "The kettle is empty", {"kettle": {"water": 0, "hint": "Fill it and try again"}}
    )


def crash(turn: DemoTurn, _words: str) -> None:
    turn.say("Goodbye, cruel wor")
    os.write(2, b"Traceback: the demo agent was asked to crash\n")
    os._exit(3)


COMMANDS: dict[str, tuple[Scene, str, str | None]] = {
    "tour": (play_tour, "Show everything, in ten seconds", "fast, to hurry"),
    "wire": (tour.wire, "See every message on the wire (F12)", None),
    "findings": (tour.findings, "See which rule was broken", None),
    "hold": (tour.hold, "Hold a message, and edit it", None),
    "rewind": (tour.rewind, "Take a turn back", None),
    "help": (help_, "List what you can type", None),
    "markdown": (markdown, "Headings, lists, a table, code", None),
    "thoughts": (thoughts, "Think before speaking", None),
    "plan": (plan, "A plan that makes progress", None),
    "tools": (tools, "Tool calls of every kind", None),
    "diff": (diff, "Edits shown as diffs", None),
    "terminal": (terminal, "A program in a terminal, live", None),
    "permission": (permission, "A question only you can answer", None),
    "subagents": (subagents, "Three subagents at once", None),
    "system": (system_prompt, "Your system prompt, as it arrived", None),
    "suggest": (suggest, "A suggestion for your next prompt", None),
    "slow": (slow, "A long answer, to try Esc", None),
    "flood": (flood, "Chunks as fast as the pipe takes them", "how many chunks"),
    "escape": (escape, "Control characters, made harmless", None),
    "noise": (noise, "Garbage on stdout", None),
    "hang": (hang, "Say nothing until canceled", None),
    "fail": (fail, "Answer with an error", None),
    "crash": (crash, "Die in the middle of the turn", None),
    "quota": (quota, "A plan that is nearly used up", "percent, such as 85"),
    "air": (air, "A goal, a task and a failure (--as air)", None),
}

_SYNONYMS = {"everything": "tour", "all": "tour", "commands": "help"}
_POLITE = {"please", "show", "me", "the", "a", "an", "some", "your", "run", "fast"}


def scene_for(blocks: list[dict[str, Any]], words: str) -> Scene:
    """Return the scene that a prompt names first; by default, a greeting."""
    named = [word for word in re.findall(r"\w+", words.lower()) if word not in _POLITE]
    name = named[0] if named else ""
    name = _SYNONYMS.get(name, name)
    scene = COMMANDS[name][0] if name in COMMANDS else greet
    attached = [_attachment(block) for block in blocks if block.get("type") != "text"]
    if not attached:
        return scene

    def with_attachments(turn: DemoTurn, words: str) -> None:
        turn.say("You attached:\n\n" + "".join(f"- {one}\n" for one in attached) + "\n")
        scene(turn, words)

    return with_attachments


def _attachment(block: dict[str, Any]) -> str:
    """Describe a content block that isn't text, in a few words."""
    resource = block.get("resource")
    inside = {**block, **resource} if isinstance(resource, dict) else block
    data = inside.get("data") or inside.get("blob") or inside.get("text") or ""
    parts = [block.get("type"), inside.get("uri"), inside.get("mimeType")]
    size = f"{len(str(data)):,} characters" if data else None
    return ", ".join(f"`{part}`" for part in [*parts, size] if part)


def hurried(words: str) -> bool:
    """Return whether the prompt contains "fast"."""
    return "fast" in words.lower().split()


def available_commands() -> list[dict[str, Any]]:
    """Return the slash commands in the form of `available_commands_update`."""
    return [
        {"name": name, "description": description, **({"input": {"hint": hint}} if hint else {})}
        for name, (_, description, hint) in COMMANDS.items()
    ]
