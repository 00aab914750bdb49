"""Finds agents by name: in the settings, then in the registry, then as programs on PATH."""

import difflib
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from acp_tui.config.known_agents import KNOWN_AGENTS, known_command
from acp_tui.config.settings import AgentSettings
from acp_tui.store.registry import PREVIEW, Registry, RegistryAgent
from acp_tui.store.registry_starts import Archive, installed_agents, ways_to_start

_LONGEST_PATH = 1024
"""Longest path from the registry, in characters: no system has longer ones."""
PROPOSED_NAMES = 5
"""Most names that are suggested for an unknown one."""
ALIKE = 0.65
"""Least similarity, from 0 to 1, of a suggested name: suggesting `vibe` for `review` would help
nobody.
"""


class AgentOrigin(StrEnum):
    """Where an agent's definition comes from."""

    SETTINGS = "settings"
    REGISTRY = "registry"
    PATH = "PATH"


class StartState(StrEnum):
    """What an agent needs before it can be started."""

    READY = "installed"
    FETCHED = "fetched when started"
    MISSING = "not installed"
    UNUSABLE = "not for this machine"


@dataclass(frozen=True, slots=True)
class NamedAgent:
    """An agent with a name.

    `settings` is how it is started, None if it can't be. If it comes as an archive, `archive` is
    what to fetch, and `folder` is where it is unpacked.
    """

    name: str
    origin: AgentOrigin
    state: StartState
    settings: AgentSettings | None
    listed: RegistryAgent | None = None
    archive: Archive | None = None
    folder: Path | None = None


def agents_of(
    known: Mapping[str, AgentSettings], registry: Registry, fetched: Path
) -> list[NamedAgent]:
    """Return all agents with a name: those of the settings, those of the registry, and well-known
    ones on PATH. An agent of the settings hides others of its name. `fetched` is the folder of
    installed archives.
    """
    ours = [NamedAgent(name, AgentOrigin.SETTINGS, _state(one), one) for name, one in known.items()]
    there = {
        one.agent.id: AgentSettings(command=one.command, env=one.env)
        for one in installed_agents(registry)
    }
    listed = [
        _listed(agent, there.get(agent.id), fetched)
        for agent in registry.agents
        if agent.id not in known
    ]
    names = {*known, *(one.id for one in registry.agents)}
    others = [
        _well_known_agent(name)
        for name, one in KNOWN_AGENTS.items()
        if name not in names and (known_command(name) or shutil.which(one.program))
    ]
    return [*ours, *listed, *others]


def find_agents(name: str, agents: Iterable[NamedAgent]) -> list[NamedAgent]:
    """Return the agents that a name refers to; several if it is ambiguous.

    `claude` refers to `claude-acp` if no agent has exactly that name; `copilot` to the agent with
    that program. A well-known name never refers to just the program on PATH, which may not speak
    ACP. `claude@preview` is the preview of the agent `claude`; no other name refers to a preview.
    """
    agents = list(agents)
    if name.endswith(PREVIEW):
        meant = {f"{one.name}{PREVIEW}" for one in find_agents(name.removesuffix(PREVIEW), agents)}
        return [one for one in agents if one.name in meant or one.name == name]
    agents = [one for one in agents if not one.name.endswith(PREVIEW)]
    exact = [one for one in agents if one.name == name]
    begun = [one for one in agents if one.name.startswith(f"{name}-")]
    by_program = [one for one in agents if _is_program_of(one.name, name)]
    known = [_well_known_agent(id) for id in KNOWN_AGENTS if id == name or _is_program_of(id, name)]
    return exact or begun or by_program or known or _on_path(name)


def nearest_names(name: str, names: Iterable[str]) -> list[str]:
    """Return the names most similar to an unknown one."""
    return difflib.get_close_matches(name, list(names), PROPOSED_NAMES, ALIKE)


def nearest_agents(
    name: str, agents: Iterable[NamedAgent], others: Iterable[str] = ()
) -> list[str]:
    """Return the names most similar to an unknown one, among names that start an agent, and
    `others`.

    A well-known agent is suggested by its program, such as `claude`, even if it isn't installed; an
    agent of the settings by its name there.
    """
    agents = list(agents)
    words = {one: one for one in (*others, *(agent.name for agent in agents))}
    for id, known in KNOWN_AGENTS.items():
        words |= {id: known.program, known.program: known.program}
    words |= {one.name: one.name for one in agents if one.origin is AgentOrigin.SETTINGS}
    return list(dict.fromkeys(words[one] for one in nearest_names(name, words)))


def _is_program_of(id: str, program: str) -> bool:
    known = KNOWN_AGENTS.get(id)
    return known is not None and program in (known.program, known.command[0])


def _well_known_agent(id: str) -> NamedAgent:
    """Return a well-known agent: on PATH, or fetched with npx."""
    here, known = known_command(id), KNOWN_AGENTS[id]
    if here is not None:
        state, command = StartState.READY, here
    elif known.fetched and shutil.which(known.fetched[0]):
        state, command = StartState.FETCHED, list(known.fetched)
    else:
        state, command = StartState.MISSING, list(known.fetched or known.command)
    return NamedAgent(id, AgentOrigin.PATH, state, AgentSettings(command=command))


def _on_path(name: str) -> list[NamedAgent]:
    found = shutil.which(name)
    if found is None:
        return []
    program = str(Path(found).absolute())  # agreeing to ./agent is for this folder's only
    return [NamedAgent(name, AgentOrigin.PATH, StartState.READY, AgentSettings(command=[program]))]


def _state(agent: AgentSettings) -> StartState:
    if agent.url is not None or agent.place:
        return StartState.READY
    name = agent.command[0]
    program = str(Path(name).expanduser()) if name.startswith("~") else name
    return StartState.READY if shutil.which(program) else StartState.MISSING


def _listed(agent: RegistryAgent, there: AgentSettings | None, fetched: Path) -> NamedAgent:
    """Return an agent of the registry with the first way in which it can be started here."""
    if there is not None:
        return NamedAgent(agent.id, AgentOrigin.REGISTRY, StartState.READY, there, agent)
    missing: AgentSettings | None = None
    for way in ways_to_start(agent):
        if way.archive is None:
            settings = AgentSettings(command=way.command, env=way.env)
            if shutil.which(way.command[0]) is None:
                missing = missing or settings
                continue
            return NamedAgent(agent.id, AgentOrigin.REGISTRY, StartState.FETCHED, settings, agent)
        folder = fetched / agent.id / (agent.version or "unknown")
        program = folder / way.archive.program
        if not _is_inside(program, folder) or not _is_inside(folder, fetched):
            continue
        settings = AgentSettings(command=[str(program), *way.command[1:]], env=way.env)
        state = StartState.READY if program.is_file() else StartState.FETCHED
        return NamedAgent(
            agent.id, AgentOrigin.REGISTRY, state, settings, agent, way.archive, folder
        )
    state = StartState.MISSING if missing is not None else StartState.UNUSABLE
    return NamedAgent(agent.id, AgentOrigin.REGISTRY, state, missing, agent)


def _is_inside(path: Path, folder: Path) -> bool:
    """Return whether a path from the registry stays inside its folder: it may contain `..`."""
    try:
        whole, base = path.resolve(), folder.resolve()
    except (OSError, ValueError):  # it has a NUL, or is too long for the file system
        return False
    return whole != base and whole.is_relative_to(base) and len(str(whole)) < _LONGEST_PATH
