"""Well-known agents: the program that people have, what speaks ACP for it, and known quirks with their remedies."""

import shlex
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

_NPX = ("npx", "--yes")
_FETCHING = frozenset({"npx", "bunx", "uvx"})
"""Programs that fetch the package named behind them and run it."""


@dataclass(frozen=True, slots=True)
class KnownAgent:
    """An agent by the name that people know.

    `program` is what they have on PATH. `command` speaks ACP: that program with some arguments, or the
    program of an adapter. `fetched` is the command that fetches it with npx and starts it, where it is on
    npm. `sign_in` is how one signs in.
    """

    title: str
    program: str
    command: tuple[str, ...]
    fetched: tuple[str, ...] = ()
    sign_in: str = ""

    @property
    def has_adapter(self) -> bool:
        """Whether another program speaks ACP for it."""
        return self.command[0] != self.program

    @property
    def words(self) -> str:
        """The command that a person would type."""
        return shlex.join(self.fetched if self.has_adapter and self.fetched else self.command)


def _speaks(title: str, *command: str, npm: str = "", sign_in: str = "") -> KnownAgent:
    """Describe an agent whose own program speaks ACP."""
    fetched = (*_NPX, npm, *command[1:]) if npm else ()
    return KnownAgent(title, command[0], command, fetched, sign_in)


def _adapted(title: str, program: str, adapter: str, *, npm: str, sign_in: str = "") -> KnownAgent:
    """Describe an agent whose own program speaks no ACP."""
    return KnownAgent(title, program, (adapter,), (*_NPX, npm), sign_in)


KNOWN_AGENTS: Mapping[str, KnownAgent] = {
    "amp-acp": KnownAgent("Amp", "amp", ("amp-acp",), sign_in="amp login, or AMP_API_KEY"),
    "auggie": _speaks(
        "Auggie", "auggie", "--acp", npm="@augmentcode/auggie", sign_in="auggie login"
    ),
    "claude-acp": _adapted(
        "Claude Code",
        "claude",
        "claude-agent-acp",
        npm="@agentclientprotocol/claude-agent-acp",
        sign_in="claude, then /login; or ANTHROPIC_API_KEY",
    ),
    "cline": _speaks("Cline", "cline", "--acp", npm="cline", sign_in="cline auth"),
    "codebuddy-code": _speaks(
        "CodeBuddy Code", "codebuddy", "--acp", npm="@tencent-ai/codebuddy-code"
    ),
    "codex-acp": _adapted(
        "Codex",
        "codex",
        "codex-acp",
        npm="@agentclientprotocol/codex-acp",
        sign_in="codex login, or OPENAI_API_KEY",
    ),
    "cortex-code": _speaks("Cortex Code", "cortex", "acp", "serve"),
    "crow-cli": _speaks("crow-cli", "crow-cli", "acp"),
    "cursor": _speaks(
        "Cursor", "cursor-agent", "acp", sign_in="cursor-agent login, or CURSOR_API_KEY"
    ),
    "devin": _speaks("Devin", "devin", "acp"),
    "dimcode": _speaks("DimCode", "dimcode", "acp", npm="dimcode"),
    "factory-droid": _speaks(
        "Factory Droid",
        *("droid", "exec", "--output-format", "acp-daemon"),
        npm="droid",
        sign_in="FACTORY_API_KEY",
    ),
    "fast-agent": _speaks("fast-agent", "fast-agent-acp", "-x"),
    "gemini": _speaks(  # older ones don't know --acp, newer ones take both
        "Gemini CLI",
        "gemini",
        "--experimental-acp",
        npm="@google/gemini-cli",
        sign_in="gemini, once; or GEMINI_API_KEY",
    ),
    "github-copilot-cli": _speaks(
        "GitHub Copilot CLI",
        "copilot",
        "--acp",
        npm="@github/copilot",
        sign_in="copilot, then /login; or GH_TOKEN",
    ),
    "goose": _speaks("goose", "goose", "acp", sign_in="goose configure"),
    "grok-build": _speaks("Grok Build", "grok", "agent", "stdio", npm="@xai-official/grok"),
    "harn": _speaks("Harn", "harn", "serve", "acp"),
    "junie": _speaks("Junie", "junie", "--acp=true"),
    "kilo": _speaks("Kilo", "kilo", "acp", npm="@kilocode/cli"),
    "kimi": _speaks("Kimi CLI", "kimi", "acp"),
    "minion-code": _speaks("Minion Code", "minion-code", "acp"),
    "mistral-vibe": KnownAgent(
        "Mistral Vibe", "vibe", ("vibe-acp",), sign_in="vibe --setup, or MISTRAL_API_KEY"
    ),
    "opencode": _speaks(
        "opencode", "opencode", "acp", npm="opencode-ai", sign_in="opencode auth login"
    ),
    "pi-acp": _adapted("pi", "pi", "pi-acp", npm="pi-acp"),
    "poolside": _speaks("Poolside", "pool", "acp"),
    "qoder": _speaks("Qoder CLI", "qodercli", "--acp", npm="@qoder-ai/qodercli"),
    "qwen-code": _speaks(
        "Qwen Code", "qwen", "--acp", npm="@qwen-code/qwen-code", sign_in="qwen, then /auth"
    ),
    "stakpak": _speaks("Stakpak", "stakpak", "acp"),
}
"""By the id that the registry has for each: where that list was fetched, its arguments are taken."""


def known_command(id: str) -> list[str] | None:
    """Return the command of a well-known agent, if what speaks ACP for it is on PATH."""
    agent = KNOWN_AGENTS.get(id)
    path = shutil.which(agent.command[0]) if agent is not None else None
    return None if agent is None or path is None else [path, *agent.command[1:]]


def name_of_command(argv: Sequence[str]) -> str:
    """Return a name for the agent of a command before it has reported its own: the title of a
    well-known one, else the package that is fetched, else the program.
    """
    program = Path(argv[0]).name if argv else ""
    if program in _FETCHING:
        named = next((one for one in argv[1:] if not one.startswith("-")), program)
        program = named[0] + named[1:].partition("@")[0]
    for agent in KNOWN_AGENTS.values():
        if program in (agent.program, agent.command[0], *agent.fetched[len(_NPX) : len(_NPX) + 1]):
            return agent.title
    return program.rpartition("/")[2]


def wrongly_started(argv: Sequence[str]) -> KnownAgent | None:
    """Return the well-known agent whose program this command starts, if it speaks no ACP that way.

    The arguments are compared loosely: others may make it speak ACP, too.
    """
    program = Path(argv[0]).name if argv else ""
    agent = next((one for one in KNOWN_AGENTS.values() if one.program == program), None)
    if agent is None or any("acp" in word.lower() for word in argv[1:]):
        return None
    if agent.command[1:] and list(argv[1 : len(agent.command)]) == list(agent.command[1:]):
        return None
    return agent


def how_to_speak_acp(argv: Sequence[str]) -> str:
    """Return how to start a well-known agent that speaks no ACP with this command, or ""."""
    agent = wrongly_started(argv)
    if agent is None:
        return ""
    through = "through" if agent.has_adapter else "as"
    return f"{agent.title} speaks ACP {through} {agent.words}: acp-tui {agent.program} starts it."


class Remedy(StrEnum):
    """What the client does differently for a quirk."""

    MISSING_FILE_IS_EMPTY = "missing-file-is-empty"


class Quirk(NamedTuple):
    """A known fault of an agent, by the name in its `agentInfo`, up to version `until`, and its remedy."""

    agent: str
    until: str | None
    remedy: Remedy
    why: str


QUIRKS = (
    Quirk(
        "gemini-cli",
        None,
        Remedy.MISSING_FILE_IS_EMPTY,
        "A file that doesn't exist is read as an empty one: this agent gives up at the error that "
        "the protocol has for that, and could create no file.",
    ),
)


def quirks_of(agent: str, version: str, more: Iterable[Quirk] = ()) -> tuple[Quirk, ...]:
    """Return the quirks of an agent by the name and version in its `agentInfo`; `more` are the person's."""
    return tuple(
        quirk
        for quirk in (*QUIRKS, *more)
        if quirk.agent == agent and (quirk.until is None or _parts(version) <= _parts(quirk.until))
    )


def _parts(version: str) -> tuple[int, ...]:
    """Return the numbers of a version for comparison; a part that isn't a number counts as 0."""
    return tuple(int(part) if part.isdecimal() else 0 for part in version.split("."))
