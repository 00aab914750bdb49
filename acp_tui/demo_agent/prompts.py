"""Which scene a prompt asks for: the slash commands, and the same as plain words."""

import re
from typing import Any

from acp_tui.demo_agent import scenes
from acp_tui.demo_agent.subagents import subagents
from acp_tui.demo_agent.tour import play_tour
from acp_tui.demo_agent.turn import DemoTurn, Scene

COMMANDS: dict[str, tuple[Scene, str, str | None]] = {
    "help": (scenes.help_, "List what you can type", None),
    "tour": (play_tour, "Show everything, in ten seconds", "fast, to hurry"),
    "markdown": (scenes.markdown, "Headings, lists, a table, code", None),
    "thoughts": (scenes.thoughts, "Think before speaking", None),
    "plan": (scenes.plan, "A plan that makes progress", None),
    "tools": (scenes.tools, "Tool calls of every kind", None),
    "diff": (scenes.diff, "Edits shown as diffs", None),
    "terminal": (scenes.terminal, "A program in a terminal, live", None),
    "permission": (scenes.permission, "A question only you can answer", None),
    "subagents": (subagents, "Three subagents at once", None),
    "system": (scenes.system_prompt, "Your system prompt, as it arrived", None),
    "suggest": (scenes.suggest, "A suggestion for your next prompt", None),
    "slow": (scenes.slow, "A long answer, to try Esc", None),
    "flood": (scenes.flood, "Chunks as fast as the pipe takes them", "how many chunks"),
    "escape": (scenes.escape, "Control characters, made harmless", None),
    "noise": (scenes.noise, "Garbage on stdout", None),
    "hang": (scenes.hang, "Say nothing until canceled", None),
    "fail": (scenes.fail, "Answer with an error", None),
    "crash": (scenes.crash, "Die in the middle of the turn", None),
    "quota": (scenes.quota, "A plan that is nearly used up", "percent, such as 85"),
}

_SYNONYMS = {"everything": "tour", "all": "tour", "commands": "help"}
_POLITE = {"please", "show", "me", "the", "a", "an", "some", "your", "run", "fast"}


def scene_for(blocks: list[dict[str, Any]], words: str) -> Scene:
    """The scene that a prompt names first; a greeting for any other prompt."""
    named = [word for word in re.findall(r"\w+", words.lower()) if word not in _POLITE]
    name = named[0] if named else ""
    name = _SYNONYMS.get(name, name)
    scene = COMMANDS[name][0] if name in COMMANDS else scenes.greet
    attached = [_attachment(block) for block in blocks if block.get("type") != "text"]
    if not attached:
        return scene

    def with_attachments(turn: DemoTurn, words: str) -> None:
        turn.say("You attached:\n\n" + "".join(f"- {one}\n" for one in attached) + "\n")
        scene(turn, words)

    return with_attachments


def _attachment(block: dict[str, Any]) -> str:
    """What a block of another kind than text holds, in a few words."""
    resource = block.get("resource")
    inside = {**block, **resource} if isinstance(resource, dict) else block
    data = inside.get("data") or inside.get("blob") or inside.get("text") or ""
    parts = [block.get("type"), inside.get("uri"), inside.get("mimeType")]
    size = f"{len(str(data)):,} characters" if data else None
    return ", ".join(f"`{part}`" for part in [*parts, size] if part)


def hurried(words: str) -> bool:
    """Return whether the prompt asks for shorter pauses."""
    return "fast" in words.lower().split()


def available_commands() -> list[dict[str, Any]]:
    """The slash commands as `available_commands_update` lists them."""
    return [
        {"name": name, "description": description, **({"input": {"hint": hint}} if hint else {})}
        for name, (_, description, hint) in COMMANDS.items()
    ]
