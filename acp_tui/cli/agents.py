"""`acp-tui agents`: the agents that have a name here, and where more come from."""

import argparse
import json
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_tui.cli.commands import COMMANDS
from acp_tui.cli.named_agents import kept_registry
from acp_tui.cli.output import USAGE, complain, finish, out, out_data
from acp_tui.formatting import age

if TYPE_CHECKING:
    from acp_tui.archive.seen_agents import Seen
    from acp_tui.config.named_agents import NamedAgent
    from acp_tui.config.settings import AgentSettings

URL = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json"
"""Where the registry's list is."""
_MOST = 32 << 20
"""The largest list in bytes."""
_EPILOG = """\
acp-tui agents                   list them: those of settings.toml, the registry's, and others on PATH
acp-tui agents NAME              show how one is started
acp-tui agents update            fetch the registry's list
acp-tui agents import zed        import the agents of Zed, JetBrains or acpx
acp-tui agents forget NAME       ask again before it is started

VERSION is what an agent said when it ran last, else what would be fetched; SIGNED IN is when a turn of its
was recorded last. No agent is started to find out: the index of recordings tells, which `acp-tui find` makes.

An agent of settings.toml starts at once. Any other starts after you say yes to its command.
exit codes: 0 done; 1 there is none; 2 usage, or something can't be read, fetched or written"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments."""
    parser.description = "List the agents that can be started by name."
    parser.epilog = _EPILOG
    parser.add_argument(
        "what", nargs="?", metavar="NAME|update|import|forget", help="one agent, or what to do"
    )
    parser.add_argument("who", nargs="?", help="whose agents to import, or which agent to forget")
    parser.add_argument("--url", default=URL, help="with update: where the list is")
    parser.add_argument("--file", type=Path, help="with import: the settings of the other program")
    parser.add_argument("--yes", action="store_true", help="with import: write it to settings.toml")
    parser.add_argument("--json", action="store_true", help="print JSON")


def execute(options: argparse.Namespace) -> int:
    """Do what was asked."""
    acts = {"update": _update, "import": _import, "forget": _forget}
    act = acts.get(options.what, _list)
    return finish("agents", "the agents", lambda: act(options))


# The list


def _list(options: argparse.Namespace) -> int:
    from acp_tui.cli.launch import settings_of_person
    from acp_tui.config.named_agents import agents_of, find, nearest
    from acp_tui.config.paths import (
        archive_file,
        fetched_agents_folder,
        recordings_folder,
        registry_file,
    )

    if options.who is not None:
        options.parser.error(f"unknown argument: {options.who}")
    agents = agents_of(settings_of_person().agents, kept_registry(), fetched_agents_folder())
    shown = agents if options.what is None else find(options.what, agents)
    seen = _seen(shown)
    if options.json:
        told = [_facts(one, seen[one.name]) for one in shown]
        out_data(json.dumps(told, ensure_ascii=False, indent=1) + "\n")
    elif options.what is not None:
        for one in shown:
            _describe(one, seen[one.name])
    else:
        _table(shown, seen)
    if not archive_file().exists() and any(recordings_folder().glob("*.jsonl")):
        complain(
            "versions, and who worked, are known once the recordings are read: acp-tui find",
            "agents",
        )
    if not registry_file().exists():
        complain("the registry's agents are missing here: acp-tui agents update", "agents")
    if options.what is not None and not shown:
        alike = nearest(options.what, [one.name for one in agents])
        meant = f"; did you mean: {', '.join(alike)}" if alike else ""
        complain(f"no agent is called {options.what!r}{meant}", "agents")
    return 0 if shown or options.what is None else 1


def _seen(agents: "list[NamedAgent]") -> "dict[str, Seen]":
    """Return what recordings tell of each, by name."""
    from acp_tui.archive.seen_agents import Seen, seen_agents
    from acp_tui.config.paths import archive_file

    known, nothing = seen_agents(archive_file()), Seen("", None)
    return {
        one.name: known.get(tuple(one.settings.command), nothing) if one.settings else nothing
        for one in agents
    }


def _table(agents: "list[NamedAgent]", seen: "dict[str, Seen]") -> None:
    rows = [("NAME", "VERSION", "FROM", "STATE", "SIGNED IN")]
    for one in agents:
        told = seen[one.name]
        state = (one.origin.value, one.state.value)
        rows.append((one.name, _version(one, told), *state, _signed_in(told)))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        out("  ".join([*cells, row[4]]).rstrip())


def _signed_in(seen: "Seen") -> str:
    """Say when an agent worked last, which it does only for who is signed in, where that is needed."""
    if seen.worked is None:
        return "not known"
    at = datetime.fromtimestamp(seen.worked, UTC)
    return f"worked {age(at.isoformat(), datetime.now(UTC))}"


def _describe(agent: "NamedAgent", seen: "Seen") -> None:
    listed, settings = agent.listed, agent.settings
    out(f"{agent.name}  {_version(agent, seen)}".rstrip())
    if listed is not None and listed.description:
        out(f"  {listed.description}")
    out(f"  from      {agent.origin.value}")
    out(f"  state     {agent.state.value}")
    out(f"  signed in {_signed_in(seen)}")
    if settings is not None:
        out(f"  command   {_command(settings)}")
    if agent.archive is not None:
        out(f"  archive   {agent.archive.url}")
        out(f"  sha256    {agent.archive.sha256 or 'none is known'}")


def _version(agent: "NamedAgent", seen: "Seen") -> str:
    """Return the version that the agent gave when it ran last, else the one that would be fetched."""
    from acp_tui.config.named_agents import State

    found_on_path = agent.state is State.READY and agent.archive is None
    listed = "" if agent.listed is None or found_on_path else agent.listed.version
    return seen.version or listed


def _command(settings: "AgentSettings") -> str:
    if settings.url is not None:
        return settings.words
    variables = [f"{name}={shlex.quote(value)}" for name, value in settings.env.items()]
    return " ".join([*variables, shlex.join(settings.command)])


def _facts(agent: "NamedAgent", seen: "Seen") -> dict[str, Any]:
    settings, archive = agent.settings, agent.archive
    return {
        "name": agent.name,
        "version": _version(agent, seen) or None,
        "worked": seen.worked,
        "from": agent.origin.value,
        "state": agent.state.value,
        "command": settings.command if settings is not None else None,
        "url": settings.remote.shown if settings is not None and settings.remote else None,
        "archive": archive.url if archive is not None else None,
        "sha256": (archive.sha256 or None) if archive is not None else None,
    }


# Where more come from


def _update(options: argparse.Namespace) -> int:
    told, remarks = update_registry(options.url)
    for remark in remarks:
        complain(remark, "agents")
    for line in told:
        out(line)
    return 0


def update_registry(url: str) -> tuple[list[str], list[str]]:
    """Fetch the registry's list, and keep it; tell what it has and what is new, and what of it is left
    out or breaks the registry's schema.

    Raises:
        ConfigError: it can't be fetched or used.
        OSError: it can't be written.
    """
    from acp_tui.cli.downloads import fetch
    from acp_tui.config.errors import ConfigError
    from acp_tui.config.paths import registry_file
    from acp_tui.config.private_files import write_whole
    from acp_tui.config.registry import parse_registry

    before = {one.id: one.version for one in kept_registry().agents}
    data = fetch(url, _MOST)
    registry = parse_registry(data, url)
    if not registry.agents:
        raise ConfigError(f"{url}: it lists no agents: the list here stays as it was")
    write_whole(registry_file(), data.decode("utf-8"))
    after = {one.id: one.version for one in registry.agents}
    told = [f"{len(after)} agents, in {registry_file()}"]
    remarks = [*registry.problems, *(f"{one}: used all the same" for one in registry.doubts)]
    if not before:
        return told, remarks
    changed = {one for one in before if after.get(one, before[one]) != before[one]}
    for words, names in (
        ("new", after.keys() - before.keys()),
        ("gone", before.keys() - after.keys()),
        ("other versions", changed),
    ):
        if names:
            told.append(f"{words}: {', '.join(sorted(names))}")
    return told, remarks


def _import(options: argparse.Namespace) -> int:
    from acp_tui.cli.launch import settings_of_person
    from acp_tui.config.foreign_agents import PROGRAMS, read_foreign, settings_of
    from acp_tui.config.paths import settings_file
    from acp_tui.config.settings_text import agent_table, append_to_settings

    if options.who not in PROGRAMS:
        options.parser.error(f"import wants one of: {', '.join(PROGRAMS)}")
    found = read_foreign(options.who, options.file or settings_of(options.who))
    known = settings_of_person().agents
    for problem in found.problems:
        complain(problem, "agents")
    new = {name: one for name, one in found.agents.items() if name not in {*known, *COMMANDS}}
    for name in found.agents.keys() & COMMANDS.keys():
        complain(f"{name}: acp-tui has a command with this name", "agents")
    for name in found.agents.keys() & known.keys():
        complain(f"{name}: settings.toml already has an agent with this name", "agents")
    if not new:
        complain("there is nothing new to import", "agents")
        return 1
    text = "\n".join(agent_table(name, one) for name, one in new.items())
    out_data(text)
    if not options.yes:
        complain(f"nothing was written; --yes adds these lines to {settings_file()}", "agents")
        return 0
    append_to_settings(settings_file(), text)
    complain(f"added to {settings_file()}: {', '.join(new)}", "agents")
    return 0


def _forget(options: argparse.Namespace) -> int:
    from acp_tui.config.accepted_agents import AcceptedAgents
    from acp_tui.config.paths import accepted_agents_file

    if options.who is None:
        options.parser.error("forget wants the name of an agent")
    if AcceptedAgents(accepted_agents_file()).forget(options.who):
        out(f"{options.who}: you will be asked about its command again")
        return 0
    complain(f"no command of {options.who!r} was agreed to", "agents")
    return USAGE
