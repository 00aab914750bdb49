"""`acp-tui agents`: list the agents that can be started by name; update, import and forget agents."""

import argparse
import json
import shlex
import shutil
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_tui.cli.commands import COMMANDS
from acp_tui.cli.options.named_agents import stored_registry
from acp_tui.cli.output import USAGE, Painted, Style, finish_command, out, out_data, print_error
from acp_tui.formatting import age, counted
from acp_tui.text import judged_line

if TYPE_CHECKING:
    from acp_tui.config.settings import AgentSettings
    from acp_tui.store.named_agents import NamedAgent
    from acp_tui.store.seen_agents import SeenAgent


URL = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json"
"""The address of the ACP registry's list."""
_LARGEST_REGISTRY = 32 << 20
"""Largest registry list that is fetched, in bytes."""
_LARGEST_DESCRIPTION = 1 << 20
"""Largest `package.json` that is read, in bytes."""
_WIDEST_VERSION = 24
"""Longest version shown in the table, in characters: a registry may put any text there."""
_EPILOG = """\
acp-tui agents                   list them: those of settings.toml, the registry's, and others on PATH
acp-tui agents NAME              show how one is started
acp-tui agents update            fetch the registry's list, or read it from --file
acp-tui agents import zed        import the agents of Zed, JetBrains or acpx
acp-tui agents forget NAME       ask again before it is started

VERSION is the installed package's, else what the agent last reported, else what would be fetched.
SIGNED IN is when its last turn ended. No agent is started to find out.

An agent of settings.toml starts at once. Any other starts after you say yes to its command.
exit codes: 0 done; 1 there is none; 2 usage, or something can't be read, fetched or written"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.description = "List the agents that can be started by name."
    parser.epilog = _EPILOG
    parser.add_argument(
        "what", nargs="?", metavar="NAME|update|import|forget", help="one agent, or what to do"
    )
    parser.add_argument(
        "who", metavar="WHO", nargs="?", help="whose agents to import, or which agent to forget"
    )
    parser.add_argument("--url", default=URL, help="with update: the address of the list")
    parser.add_argument(
        "--file",
        type=Path,
        help="with update: a file with the list; with import: the settings of the other program",
    )
    parser.add_argument("--yes", action="store_true", help="with import: write it to settings.toml")
    parser.add_argument("--json", action="store_true", help="print JSON")


def execute(options: argparse.Namespace) -> int:
    """List, update, import or forget agents."""
    acts = {"update": _update_list, "import": _import_agents, "forget": _forget_agent}
    act = acts.get(options.what, list_agents)
    return finish_command("agents", "the agents", lambda: act(options))


def list_agents(options: argparse.Namespace) -> int:
    """Print all agents, or those that match a name; return the exit code."""
    from acp_tui.cli.options.launch_options import user_settings
    from acp_tui.config.paths import fetched_agents_folder, registry_file
    from acp_tui.store.named_agents import agents_of, find_agents, nearest_agents

    if options.who is not None:
        options.parser.error(f"unknown argument: {options.who}")
    agents = agents_of(user_settings().agents, stored_registry(), fetched_agents_folder())
    shown = agents if options.what is None else find_agents(options.what, agents)
    seen = find_versions(shown)
    if options.json:
        objects = [_make_object(one, seen[one.name]) for one in shown]
        out_data(json.dumps(objects, ensure_ascii=False, indent=1) + "\n")
    elif options.what is not None:
        for one in shown:
            _describe_agent(one, seen[one.name])
    elif shown:
        _print_table(shown, seen)
    else:
        _print_first_steps()
    if (shown or options.json or options.what is not None) and not registry_file().exists():
        print_error("the registry's list isn't fetched yet: acp-tui agents update", "agents")
    if options.what is not None and not shown:
        alike = nearest_agents(options.what, agents)
        meant = f"; did you mean: {', '.join(alike)}" if alike else ""
        print_error(f"no agent is called {options.what!r}{meant}", "agents")
    return 0 if shown or options.what is None else 1


def find_versions(agents: "Iterable[NamedAgent]") -> "dict[str, SeenAgent]":
    """Return each agent's version and last successful run by its name. They come from its package,
    from the agent itself, or from recordings.
    """
    from acp_tui.client.launch import command_of
    from acp_tui.config.paths import archive_file, last_seen_file
    from acp_tui.index.index import seen_agents
    from acp_tui.store.seen_agents import SeenAgent, read_seen, seen_key

    kept, recorded, nothing = (
        read_seen(last_seen_file()),
        seen_agents(archive_file()),
        SeenAgent("", None),
    )
    known = {}
    for one in agents:
        last = past = nothing
        if one.settings is not None:
            address = (one.settings.url or "",)
            command = command_of(one.settings) or address
            last = kept.get(seen_key(command, one.settings.place), nothing)
            past = recorded.get(command, nothing)
        program = _own_program(one)
        version = package_version(program) if program else ""
        worked = max((at for at in (last.worked, past.worked) if at is not None), default=None)
        known[one.name] = SeenAgent(version or last.version or past.version, worked)
    return known


def _own_program(agent: "NamedAgent") -> str | None:
    """Return the path of the agent's own program; None for a launcher that runs or fetches the
    agent.
    """
    from acp_tui.config.known_agents import KNOWN_AGENTS
    from acp_tui.store.named_agents import AgentOrigin, StartState

    settings = agent.settings
    if settings is None or not settings.command or settings.place or agent.archive is not None:
        return None
    name = Path(settings.command[0]).name
    is_known = any(name == one.command[0] for one in KNOWN_AGENTS.values())
    if agent.state is not StartState.READY or (
        agent.origin is AgentOrigin.SETTINGS and not is_known
    ):
        return None
    return shutil.which(Path(settings.command[0]).expanduser())


def package_version(program: str) -> str:
    """Return the version of the npm or Python package that installed a program; "" if none did."""
    try:
        path = Path(program).resolve(strict=True)
        return _npm_version(path) if "node_modules" in path.parts else _python_version(path)
    except (OSError, ValueError, RecursionError):
        return ""


def _npm_version(path: Path) -> str:
    """Return the version in the `package.json` nearest above `path`: npm links its programs to
    files in packages.
    """
    for folder in path.parents:
        if folder.name == "node_modules":
            break
        file = folder / "package.json"
        if file.is_file() and file.stat().st_size < _LARGEST_DESCRIPTION:
            described = json.loads(file.read_text("utf-8"))
            version = described.get("version") if isinstance(described, dict) else None
            if isinstance(version, str):
                return version
    return ""


def _python_version(path: Path) -> str:
    """Return the version of the package in a virtual environment that declares the program: uv and
    pipx link to it.
    """
    from importlib.metadata import distributions  # slow to import, and rarely needed

    environment = path.parent.parent
    if not (environment / "pyvenv.cfg").is_file():
        return ""
    packages = map(str, environment.glob("lib/python*/site-packages"))
    for one in distributions(path=list(packages)):
        scripts = one.entry_points.select(group="console_scripts", name=path.name)
        if scripts:
            return one.version
    return ""


def _print_first_steps() -> None:
    from acp_tui.config.paths import settings_file

    out(Painted("There are no agents here yet.", Style.BOLD))
    for command, use in (
        ("acp-tui demo", "try the demo agent: it is built in, and works offline"),
        ("acp-tui agents update", "fetch the list of the ACP registry"),
        ("acp-tui -- COMMAND", "start any ACP agent by its command"),
    ):
        out("  ", Painted(command.ljust(23), Style.NAME), use)
    out(f"To name one, write [agents.NAME] into {settings_file()}, as docs/settings.md says.")


def _print_table(agents: "list[NamedAgent]", seen: "dict[str, SeenAgent]") -> None:
    from acp_tui.store.named_agents import StartState

    # installed agents first
    agents = sorted(agents, key=lambda one: one.state is not StartState.READY)
    rows = []
    for one in agents:
        facts = seen[one.name]
        version = judged_line(_find_version(one, facts))[:_WIDEST_VERSION]
        state = (one.origin.value, one.state.value)
        rows.append((judged_line(one.name), version, *state, _signed_in(facts)))
    heads = ("NAME", "VERSION", "FROM", "STATE", "SIGNED IN")
    widths = [max(len(row[column]) for row in (heads, *rows)) + 2 for column in range(5)]
    out(
        *(Painted(cell.ljust(width), Style.BOLD) for cell, width in zip(heads, widths, strict=True))
    )
    for row, agent in zip(rows, agents, strict=True):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        here = Style.GOOD if agent.state is StartState.READY else Style.FAINT
        out(Painted(cells[0], Style.NAME), *cells[1:3], Painted(cells[3], here), cells[4])


def _signed_in(seen: "SeenAgent") -> str:
    """Format when an agent last completed a turn: if it requires a sign-in, the user was signed in
    then.
    """
    if seen.worked is None:
        return "not known"
    at = datetime.fromtimestamp(seen.worked, UTC)
    return f"worked {age(at.isoformat(), datetime.now(UTC))}"


def _describe_agent(agent: "NamedAgent", seen: "SeenAgent") -> None:
    from acp_tui.config.known_agents import KNOWN_AGENTS

    listed, settings = agent.listed, agent.settings
    known = KNOWN_AGENTS.get(agent.name)
    title = f"{known.title}  " if known is not None and listed is None else ""
    version = judged_line(_find_version(agent, seen))
    out(Painted(judged_line(agent.name), Style.BOLD), "  ", title, version)
    if listed is not None and listed.description:
        out(f"  {judged_line(listed.description)}")
    out(f"  from      {agent.origin.value}")
    out(f"  state     {agent.state.value}")
    out(f"  signed in {_signed_in(seen)}")
    if known is not None and known.sign_in:
        out(f"  sign in   {known.sign_in}")
    if listed is not None and listed.license_url:
        out(f"  license   {judged_line(listed.license_url)}")
    if settings is not None:
        out(f"  command   {judged_line(_format_command(settings))}")
    if agent.archive is not None:
        out(f"  archive   {judged_line(agent.archive.url)}")
        out(f"  sha256    {agent.archive.sha256 or 'none is known'}")


def _find_version(agent: "NamedAgent", seen: "SeenAgent") -> str:
    """Return the known version, else the one that would be fetched."""
    from acp_tui.store.named_agents import StartState

    found_on_path = agent.state is StartState.READY and agent.archive is None
    listed = "" if agent.listed is None or found_on_path else agent.listed.version
    return seen.version or listed


def _format_command(settings: "AgentSettings") -> str:
    if settings.url is not None:
        return settings.words
    variables = [f"{name}={shlex.quote(value)}" for name, value in settings.env.items()]
    return " ".join([*variables, shlex.join(settings.command)])


def _make_object(agent: "NamedAgent", seen: "SeenAgent") -> dict[str, Any]:
    settings, archive = agent.settings, agent.archive
    return {
        "name": agent.name,
        "version": _find_version(agent, seen) or None,
        "worked": seen.worked,
        "from": agent.origin.value,
        "state": agent.state.value,
        "command": settings.command if settings is not None else None,
        "url": settings.remote.shown if settings is not None and settings.remote else None,
        "license": agent.listed.license_url or None if agent.listed is not None else None,
        "archive": archive.url if archive is not None else None,
        "sha256": (archive.sha256 or None) if archive is not None else None,
    }


def _update_list(options: argparse.Namespace) -> int:
    lines, remarks = update_registry(options.url, options.file)
    for remark in remarks:
        print_error(judged_line(remark), "agents")
    for line in lines:
        out(line)
    return 0


def update_registry(url: str, file: Path | None = None) -> tuple[list[str], list[str]]:
    """Fetch the registry's list, or read it from a file, and store it. Return two lists of lines:
    the agents, new, gone and changed ones; and notes on entries that are left out or break the
    registry's schema.

    Raises:
        ConfigError: it can't be fetched or used.
        OSError: it can't be read or written.
    """
    from acp_tui.cli.downloads import fetch_file
    from acp_tui.config.paths import registry_file
    from acp_tui.config.private_files import write_whole
    from acp_tui.config.toml_files import ConfigError
    from acp_tui.store.registry import parse_registry

    before = {one.id: one.version for one in stored_registry().agents}
    data, source = (
        (fetch_file(url, _LARGEST_REGISTRY), url)
        if file is None
        else (file.read_bytes(), str(file))
    )
    registry = parse_registry(data, source)
    if not registry.agents:
        raise ConfigError(f"{source}: it lists no agents: the list here stays as it was")
    write_whole(registry_file(), data.decode("utf-8"))
    after = {one.id: one.version for one in registry.agents}
    previews = sum(one.is_preview for one in registry.agents)
    also = f" and {counted(previews, 'preview')}" if previews else ""
    lines = [f"{len(after) - previews} agents{also}, in {registry_file()}"]
    remarks = [*registry.problems, *(f"{one}: used all the same" for one in registry.doubts)]
    if not before:
        return lines, remarks
    changed = {one for one in before if after.get(one, before[one]) != before[one]}
    for words, names in (
        ("new", after.keys() - before.keys()),
        ("gone", before.keys() - after.keys()),
        ("other versions", changed),
    ):
        if names:
            lines.append(f"{words}: {', '.join(sorted(names))}")
    return lines, remarks


def _import_agents(options: argparse.Namespace) -> int:
    from acp_tui.cli.options.launch_options import user_settings
    from acp_tui.config.foreign_agents import PROGRAMS, read_foreign, settings_of
    from acp_tui.config.paths import settings_file
    from acp_tui.config.settings_text import agent_table, append_to_settings

    if options.who not in PROGRAMS:
        options.parser.error(f"import wants one of: {', '.join(PROGRAMS)}")
    found = read_foreign(options.who, options.file or settings_of(options.who))
    known = user_settings().agents
    for problem in found.problems:
        print_error(problem, "agents")
    new = {name: one for name, one in found.agents.items() if name not in {*known, *COMMANDS}}
    for name in found.agents.keys() & COMMANDS.keys():
        print_error(f"{name}: acp-tui has a command with this name", "agents")
    for name in found.agents.keys() & known.keys():
        print_error(f"{name}: settings.toml already has an agent with this name", "agents")
    if not new:
        print_error("there is nothing new to import", "agents")
        return 1
    text = "\n".join(agent_table(name, one) for name, one in new.items())
    out_data(text)
    if not options.yes:
        print_error(f"nothing was written; --yes adds these lines to {settings_file()}", "agents")
        return 0
    append_to_settings(settings_file(), text)
    print_error(f"added to {settings_file()}: {', '.join(new)}", "agents")
    return 0


def _forget_agent(options: argparse.Namespace) -> int:
    from acp_tui.config.paths import accepted_agents_file
    from acp_tui.store.accepted_commands import AcceptedAgents

    if options.who is None:
        options.parser.error("forget wants the name of an agent")
    if AcceptedAgents(accepted_agents_file()).forget(options.who):
        out(f"{options.who}: you will be asked about its command again")
        return 0
    print_error(f"no command of {options.who!r} was agreed to", "agents")
    return USAGE
