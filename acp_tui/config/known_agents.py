"""Well-known agents with the commands that start them as ACP agents; known quirks and their
remedies.
"""

import shlex
import shutil
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

_NPX = ("npx", "--yes")
_FETCHING = frozenset({"npx", "bunx", "uvx"})
"""Programs that fetch the package named after them, and run it."""


@dataclass(frozen=True, slots=True)
class KnownAgent:
    """An agent by the name that people know.

    `program` is its program on PATH. `command` speaks ACP: that program with some arguments, or an
    adapter's. `fetched` is the command that fetches it with npx and starts it, if it is on npm.
    `sign_in` is how the user signs in.
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
        """The command as the user would type it."""
        return shlex.join(self.fetched if self.has_adapter and self.fetched else self.command)


def _known_agents() -> Iterator[tuple[str, KnownAgent]]:
    listed = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    for id, one in listed.items():
        command = tuple(one["command"].split())
        fetched = (*_NPX, one["npm"], *command[1:]) if "npm" in one else ()
        program, sign_in = one.get("program", command[0]), one.get("sign_in", "")
        yield id, KnownAgent(one["title"], program, command, fetched, sign_in)


KNOWN_AGENTS: Mapping[str, KnownAgent] = dict(_known_agents())
"""Well-known agents by their ids in the registry."""


def known_command(id: str) -> list[str] | None:
    """Return the command of a well-known agent, if its program or adapter is on PATH; else None."""
    agent = KNOWN_AGENTS.get(id)
    path = shutil.which(agent.command[0]) if agent is not None else None
    return None if agent is None or path is None else [path, *agent.command[1:]]


def name_of_command(argv: Sequence[str]) -> str:
    """Return a name for a command's agent until it has reported its own: the title of a well-known
    agent, else the package that is fetched, else the program.
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
    """Return the well-known agent that this command starts, if it won't speak ACP; else None.

    The arguments are compared loosely, as others may make it speak ACP, too.
    """
    program = Path(argv[0]).name if argv else ""
    agent = next((one for one in KNOWN_AGENTS.values() if one.program == program), None)
    if agent is None or any("acp" in word.lower() for word in argv[1:]):
        return None
    if agent.command[1:] and list(argv[1 : len(agent.command)]) == list(agent.command[1:]):
        return None
    return agent


def how_to_speak_acp(argv: Sequence[str]) -> str:
    """Return how to start a well-known agent if this command won't make it speak ACP; else ""."""
    agent = wrongly_started(argv)
    if agent is None:
        return ""
    through = "through" if agent.has_adapter else "as"
    return f"{agent.title} speaks ACP {through} {agent.words}: acp-tui {agent.program} starts it."


class Remedy(StrEnum):
    """What the client does differently for an agent with a quirk."""

    MISSING_FILE_IS_EMPTY = "missing-file-is-empty"


class Quirk(NamedTuple):
    """A known fault of an agent, and its remedy. `agent` is the name in `agentInfo`, `until` the
    last version that has the fault.
    """

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
    """Return an agent's quirks by the name and version in its `agentInfo`; `more` are the user's."""
    return tuple(
        quirk
        for quirk in (*QUIRKS, *more)
        if quirk.agent == agent and (quirk.until is None or _parts(version) <= _parts(quirk.until))
    )


def _parts(version: str) -> tuple[int, ...]:
    """Return the numbers in a version, for comparison; a part that isn't a number counts as 0."""
    return tuple(int(part) if part.isdecimal() else 0 for part in version.split("."))
