"""`acp-tui agents`: the agents that have a name here, and where more come from."""

import argparse
from pathlib import Path

from acp_tui.cli.agents_list import list_agents
from acp_tui.cli.commands import COMMANDS
from acp_tui.cli.named_agents import kept_registry
from acp_tui.cli.output import USAGE, complain, finish, out, out_data

URL = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json"
"""Where the registry's list is."""
_MOST = 32 << 20
"""The largest list in bytes."""
_EPILOG = """\
acp-tui agents                   list them: those of settings.toml, the registry's, and others on PATH
acp-tui agents NAME              show how one is started
acp-tui agents update            fetch the registry's list, or take it from a --file
acp-tui agents import zed        import the agents of Zed, JetBrains or acpx
acp-tui agents forget NAME       ask again before it is started

VERSION is that of the installed package, else what the agent said when it ran last, else what would be
fetched; SIGNED IN is when a turn of its ended last. No agent is started to find out.

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
    parser.add_argument(
        "--file",
        type=Path,
        help="with update: the list, where it is here; with import: the settings of the other program",
    )
    parser.add_argument("--yes", action="store_true", help="with import: write it to settings.toml")
    parser.add_argument("--json", action="store_true", help="print JSON")


def execute(options: argparse.Namespace) -> int:
    """Do what was asked."""
    acts = {"update": _update, "import": _import, "forget": _forget}
    act = acts.get(options.what, list_agents)
    return finish("agents", "the agents", lambda: act(options))


def _update(options: argparse.Namespace) -> int:
    told, remarks = update_registry(options.url, options.file)
    for remark in remarks:
        complain(remark, "agents")
    for line in told:
        out(line)
    return 0


def update_registry(url: str, file: Path | None = None) -> tuple[list[str], list[str]]:
    """Fetch the registry's list, or read it from a file, and keep it; tell what it has and what is new,
    and what of it is left out or breaks the registry's schema.

    Raises:
        ConfigError: it can't be fetched or used.
        OSError: it can't be read or written.
    """
    from acp_tui.cli.downloads import fetch
    from acp_tui.config.errors import ConfigError
    from acp_tui.config.paths import registry_file
    from acp_tui.config.private_files import write_whole
    from acp_tui.store.registry import parse_registry

    before = {one.id: one.version for one in kept_registry().agents}
    data, source = (fetch(url, _MOST), url) if file is None else (file.read_bytes(), str(file))
    registry = parse_registry(data, source)
    if not registry.agents:
        raise ConfigError(f"{source}: it lists no agents: the list here stays as it was")
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
    from acp_tui.config.paths import accepted_agents_file
    from acp_tui.store.accepted_agents import AcceptedAgents

    if options.who is None:
        options.parser.error("forget wants the name of an agent")
    if AcceptedAgents(accepted_agents_file()).forget(options.who):
        out(f"{options.who}: you will be asked about its command again")
        return 0
    complain(f"no command of {options.who!r} was agreed to", "agents")
    return USAGE
