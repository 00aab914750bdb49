"""Finds agents by name for the command line; starts and installs one only after the user agreed to
its command.
"""

import shlex
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NoReturn

from acp_tui.cli.output import USAGE, print_error
from acp_tui.text import judged_line

if TYPE_CHECKING:
    from acp_tui.config.settings import AgentSettings
    from acp_tui.store.named_agents import NamedAgent
    from acp_tui.store.registry import Registry


class NotStartedError(Exception):
    """An agent can't be started, or the user refused it; the message says why."""

    def __init__(self, words: str, code: int = USAGE) -> None:
        super().__init__(words)
        self.code = code
        """The exit code, if this error ends the program."""


def named_agent(
    name: str,
    known: "Mapping[str, AgentSettings]",
    commands: Iterable[str] = (),
) -> "AgentSettings":
    """Return the settings of the agent with this name, once the user has agreed to start it;
    otherwise end the program.

    `commands` are acp-tui's own; the name may be a misspelled one.
    """
    try:
        return agreed_agent(name, known, commands)
    except NotStartedError as error:
        print_error(str(error))
        raise SystemExit(error.code) from None


def agreed_agent(
    name: str,
    known: "Mapping[str, AgentSettings]",
    commands: Iterable[str] = (),
) -> "AgentSettings":
    """Return the settings of the agent with this name, once the user has agreed to start it.

    Raises NotStartedError.
    """
    if name in known:
        return known[name]
    return _agree_and_install(_find_agent(name, known, commands))


def check_name(
    name: str, known: "Mapping[str, AgentSettings]", commands: Iterable[str] = ()
) -> None:
    """Check that a name refers to an agent, without asking anything.

    `commands` are acp-tui's own; the name may be a misspelled one. Raises NotStartedError.
    """
    if name not in known:
        _find_agent(name, known, commands)


def _find_agent(
    name: str, known: "Mapping[str, AgentSettings]", commands: Iterable[str]
) -> "NamedAgent":
    """Return the agent that a name refers to. Raises NotStartedError if there is none, or more than
    one.
    """
    from acp_tui.config.paths import fetched_agents_folder
    from acp_tui.store.named_agents import agents_of, find_agents

    agents = agents_of(known, stored_registry(), fetched_agents_folder())
    meant = find_agents(name, agents)
    if not meant:
        _refuse_unknown(name, list(known), agents, list(commands))
    if len(meant) > 1:
        names = ", ".join(one.name for one in meant)
        raise NotStartedError(f"{name!r} may be any of: {names}")
    return meant[0]


def stored_registry() -> "Registry":
    """Return the registry that was fetched last; an empty one if there is none, or it can't be
    read.
    """
    from acp_tui.config.paths import registry_file
    from acp_tui.config.toml_files import ConfigError
    from acp_tui.store.registry import Registry, read_registry

    path = registry_file()
    if not path.exists():
        return Registry()
    try:
        return read_registry(path)
    except ConfigError as error:
        print_error(f"{error}\nfetch it again: acp-tui agents update")
        return Registry()


def _refuse_unknown(
    name: str, ours: list[str], agents: "list[NamedAgent]", commands: list[str]
) -> NoReturn:
    from acp_tui.config.paths import registry_file
    from acp_tui.store.named_agents import nearest_agents

    kinds = "agent or command" if commands else "agent"
    lines = [f"no {kinds} is called {name!r}, and no program on PATH is"]
    if " " in name and commands:
        lines.append(f"to send a prompt: acp-tui run {shlex.quote(name)} --agent NAME")
    alike = nearest_agents(name, agents, [*commands, "help"] if commands else [])
    if alike:
        lines.append(f"did you mean: {', '.join(alike)}")
    if ours:
        lines.append(f"settings.toml names: {', '.join(ours)}")
    if commands and not alike:
        lines.append("to see what there is: acp-tui --help")
    if not alike and not registry_file().exists():
        lines.append("to know the registry's agents: acp-tui agents update")
    lines.append("to start a program from elsewhere: acp-tui -- /PATH/TO/IT")
    raise NotStartedError("\n".join(lines))


# The user's consent

MOST_SHOWN = 1000
"""Longest line, in characters, that a user can judge before agreeing."""


def _agree_and_install(agent: "NamedAgent") -> "AgentSettings":
    """Return an agent's settings if the user agrees to start it, now or earlier; install its
    archive if needed.

    Raises NotStartedError.
    """
    from acp_tui.config.paths import accepted_agents_file
    from acp_tui.store.accepted_commands import AcceptedAgents
    from acp_tui.store.named_agents import StartState

    settings = agent.settings
    if settings is None:
        raise NotStartedError(
            f"{agent.name} isn't available for this machine: see acp-tui agents {agent.name}"
        )
    if agent.state is StartState.MISSING:
        raise NotStartedError(_describe_missing(agent, settings))
    accepted = AcceptedAgents(accepted_agents_file())
    known = accepted.accepts(agent.name, settings.command, settings.env)
    fetches = agent.archive is not None and agent.state is not StartState.READY
    if fetches or not known:
        license_url = "" if agent.listed is None else agent.listed.license_url
        lines = [
            *_format_question(agent, settings),
            *([f"Its license: {license_url}"] if license_url else []),
        ]
        question = "\n".join(map(_check_line, lines))
        if not sys.stdin.isatty() or not sys.stderr.isatty():
            raise NotStartedError(
                f"{question}\nNobody can be asked here: start it once in a terminal."
            )
        from acp_tui.headless.keyboard import ask_for_yes

        print_error(question)
        if not ask_for_yes("Do that, now and later? Type yes: "):
            raise NotStartedError("nothing was started", 1)
    if fetches:
        _install_agent(agent)
    if not known:
        accepted.accept(agent.name, settings.command, settings.env)
    return settings


def _describe_missing(agent: "NamedAgent", settings: "AgentSettings") -> str:
    """Name the programs that must be installed before an agent can be started."""
    from acp_tui.config.known_agents import KNOWN_AGENTS

    known, program = KNOWN_AGENTS.get(agent.name), settings.command[0]
    if known is None or program == known.command[0]:
        more = (
            "" if agent.listed else "; the registry may know how to fetch it: acp-tui agents update"
        )
        return f"{agent.name} isn't installed: {program} isn't on PATH{more}"
    node = "; install Node.js" if program == "npx" else ""
    return f"{known.title} speaks ACP through {known.words}, and {program} isn't on PATH{node}"


def _format_question(agent: "NamedAgent", settings: "AgentSettings") -> list[str]:
    from acp_tui.config.known_agents import KNOWN_AGENTS
    from acp_tui.store.named_agents import StartState

    variables = [f"{name}={shlex.quote(value)}" for name, value in settings.env.items()]
    command = f"    {' '.join([*variables, shlex.join(settings.command)])}"
    listed, known = agent.listed, KNOWN_AGENTS.get(agent.name)
    signs_in = [f"It signs in by: {known.sign_in}"] if known is not None and known.sign_in else []
    if listed is None and known is None:
        return [
            f"{agent.name} is a program on PATH, in no settings and not in the registry.",
            "Whether it is an ACP agent isn't known. It is started with:",
            command,
        ]
    if listed is None and known is not None and agent.state is StartState.FETCHED:
        adapter = " speaks ACP through an adapter, which" if known.has_adapter else ""
        return [
            f"{known.title}{adapter} isn't installed.",
            "This fetches and starts it:",
            command,
            *signs_in,
        ]
    if listed is None or (agent.state is StartState.READY and agent.archive is None):
        # found by its program's name alone: neither version nor author is known
        return [
            f"{agent.name} seems to be installed: its program is on PATH. It is started with:",
            command,
            *signs_in,
        ]
    who = f"{agent.name} ({listed.name} {listed.version}, as the registry says)".replace("  ", " ")
    if agent.state is StartState.READY:
        return [f"{who} is installed. It is started with:", command]
    if agent.archive is None:
        return [f"{who} is not installed. This fetches and starts it:", command, *signs_in]
    checked = (
        f"sha256 {agent.archive.sha256}"
        if agent.archive.sha256
        else "The registry has no checksum for it, so nothing shows whether it is what its author made."
    )
    return [
        f"{who} is not installed. This will be fetched:",
        f"    {agent.archive.url}",
        f"    {checked}",
        f"It will be unpacked into {agent.folder}, and started with:",
        command,
    ]


def _check_line(line: str) -> str:
    """Return a line of the question with everything in it made visible; refuse one that is too long
    to judge.
    """
    shown = judged_line(line)
    if len(shown) > MOST_SHOWN:
        raise NotStartedError(
            f"what the registry says about it is too long to judge: {shown[:MOST_SHOWN]}…"
        )
    return shown


def _install_agent(agent: "NamedAgent") -> None:
    from acp_tui.cli.downloads import install_archive
    from acp_tui.config.toml_files import ConfigError

    assert agent.archive is not None
    assert agent.folder is not None
    try:
        install_archive(agent.archive, agent.folder)
    except (ConfigError, OSError) as error:
        raise NotStartedError(str(error), 1) from None
