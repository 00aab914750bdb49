"""Programs of well-known agents, and the arguments that make them speak ACP."""

import shutil
from collections.abc import Mapping

KNOWN_PROGRAMS: Mapping[str, tuple[str, ...]] = {
    "auggie": ("auggie", "--acp"),
    "claude-acp": ("claude-agent-acp",),
    "cline": ("cline", "--acp"),
    "codebuddy-code": ("codebuddy", "--acp"),
    "codex-acp": ("codex-acp",),
    "cursor": ("cursor-agent", "acp"),
    "factory-droid": ("droid", "exec", "--output-format", "acp-daemon"),
    "gemini": ("gemini", "--experimental-acp"),  # older ones don't know --acp, newer ones take both
    "github-copilot-cli": ("copilot", "--acp"),
    "goose": ("goose", "acp"),
    "grok-build": ("grok", "agent", "stdio"),
    "kilo": ("kilo", "acp"),
    "kimi": ("kimi", "acp"),
    "mistral-vibe": ("vibe-acp",),
    "opencode": ("opencode", "acp"),
    "qoder": ("qodercli", "--acp"),
    "qwen-code": ("qwen", "--acp"),
}
"""By the id that the registry has for each: where that list was fetched, its arguments are taken."""


def known_command(id: str) -> list[str] | None:
    """Return the command of a well-known agent whose program is on PATH."""
    program, *arguments = KNOWN_PROGRAMS.get(id, ("",))
    path = shutil.which(program) if program else None
    return None if path is None else [path, *arguments]
