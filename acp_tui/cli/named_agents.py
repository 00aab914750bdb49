"""Agents by name on the command line: found, shown, and started only after a yes."""

import shlex
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NoReturn

from acp_tui.cli.output import USAGE, complain
from acp_tui.text import clean_line, judged

if TYPE_CHECKING:
    from acp_tui.config.named_agents import NamedAgent
    from acp_tui.config.registry import Registry
    from acp_tui.config.settings import AgentSettings


def named_agent(
    name: str,
    known: "Mapping[str, AgentSettings]",
    commands: Iterable[str] = (),
) -> "AgentSettings":
    """Return how the agent of a name is started, when a person has agreed to it; whatever is in the
    way ends the program. What is meant may also have been one of our `commands`.
    """
    if name in known:
        return known[name]
    from acp_tui.config.named_agents import agents_of, find
    from acp_tui.config.paths import fetched_agents_folder

    agents = agents_of(known, kept_registry(), fetched_agents_folder())
    meant = find(name, agents)
    if not meant:
        _unknown(name, list(known), [one.name for one in agents], list(commands))
    if len(meant) > 1:
        _refuse(f"{name!r} may be any of: {', '.join(one.name for one in meant)}")
    return _agreed(meant[0])


def kept_registry() -> "Registry":
    """Return the registry as it was fetched last; an empty one if it never was, or can't be read."""
    from acp_tui.config.errors import ConfigError
    from acp_tui.config.paths import registry_file
    from acp_tui.config.registry import Registry, read_registry

    path = registry_file()
    if not path.exists():
        return Registry()
    try:
        return read_registry(path)
    except ConfigError as error:
        complain(f"{error}\nfetch it again: acp-tui agents update")
        return Registry()


def _refuse(words: str) -> NoReturn:
    complain(words)
    raise SystemExit(USAGE)


def _unknown(name: str, ours: list[str], agents: list[str], commands: list[str]) -> NoReturn:
    from acp_tui.config.named_agents import nearest
    from acp_tui.config.paths import registry_file

    lines = [f"no agent{' or command' if commands else ''} is called {name!r}"]
    alike = nearest(name, [*commands, *agents])
    if alike:
        lines.append(f"did you mean: {', '.join(alike)}")
    if ours:
        lines.append(f"settings.toml names: {', '.join(ours)}")
    if not alike and not registry_file().exists():
        lines.append("to know the registry's agents: acp-tui agents update")
    lines.append(f"to start a program: acp-tui -- {name}")
    _refuse("\n".join(lines))


# The yes

MOST_SHOWN = 1000
"""Characters of a line that a person can judge by before saying yes."""


def _agreed(agent: "NamedAgent") -> "AgentSettings":
    """Return how an agent is started, if a person agrees now or has before; fetch what it needs."""
    from acp_tui.config.accepted_agents import AcceptedAgents
    from acp_tui.config.named_agents import State
    from acp_tui.config.paths import accepted_agents_file

    settings = agent.settings
    if settings is None:
        _refuse(f"{agent.name} isn't available for this machine: see acp-tui agents {agent.name}")
    accepted = AcceptedAgents(accepted_agents_file())
    known = accepted.accepts(agent.name, settings.command, settings.env)
    fetches = agent.archive is not None and agent.state is not State.READY
    if fetches or not known:
        question = "\n".join(map(_judged, _question(agent, settings)))
        if not sys.stdin.isatty() or not sys.stderr.isatty():
            _refuse(f"{question}\nNobody can be asked here: start it once in a terminal.")
        if not _yes(question):
            complain("nothing was started")
            raise SystemExit(1)
    if fetches:
        _install(agent)
    if not known:
        accepted.accept(agent.name, settings.command, settings.env)
    return settings


def _question(agent: "NamedAgent", settings: "AgentSettings") -> list[str]:
    from acp_tui.config.named_agents import Origin, State

    listed = agent.listed
    who = agent.name
    if listed is not None:
        who += f" ({listed.name} {listed.version}, as the registry says)".replace("  ", " ")
    variables = [f"{name}={shlex.quote(value)}" for name, value in settings.env.items()]
    command = " ".join([*variables, shlex.join(settings.command)])
    if agent.archive is not None and agent.state is not State.READY:
        checked = (
            f"sha256 {agent.archive.sha256}"
            if agent.archive.sha256
            else (
                "The registry has no checksum for it, so nothing shows whether it is what its author made."
            )
        )
        return [
            f"{who} is not installed. This will be fetched:",
            f"    {agent.archive.url}",
            f"    {checked}",
            f"It will be unpacked into {agent.folder}, and started with:",
            f"    {command}",
        ]
    if agent.state is State.FETCHED:
        return [f"{who} is not installed. This fetches and starts it:", f"    {command}"]
    if agent.origin is Origin.PATH:
        return [
            f"{who} is in no settings and not in the registry, but a program is called so. "
            "It is started by:",
            f"    {command}",
        ]
    return [f"{who} is installed. It is started with:", f"    {command}"]


def _judged(line: str) -> str:
    """Return a line that a person judges by: all of it in view, whatever the registry says."""
    shown = clean_line(judged(line.replace("\n", "⏎").replace("\r", "⏎")))
    if len(shown) > MOST_SHOWN:
        _refuse(f"what the registry says about it is too long to judge: {shown[:MOST_SHOWN]}…")
    return shown


def _yes(question: str) -> bool:
    """Ask at the terminal; only a yes that is typed now counts."""
    try:
        import termios  # POSIX only

        termios.tcflush(sys.stdin, termios.TCIFLUSH)
    except (ImportError, OSError):
        pass
    complain(f"{question}\nDo that, now and later? Type yes: ")
    try:
        answer = sys.stdin.readline()
    except KeyboardInterrupt:
        return False
    return answer.strip().lower() in ("y", "yes")


def _install(agent: "NamedAgent") -> None:
    from acp_tui.cli.downloads import install
    from acp_tui.config.errors import ConfigError

    assert agent.archive is not None
    assert agent.folder is not None
    try:
        install(agent.archive, agent.folder)
    except (ConfigError, OSError) as error:
        complain(str(error))
        raise SystemExit(1) from None
