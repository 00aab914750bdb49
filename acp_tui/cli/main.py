"""Find the command that the arguments name, and run it."""

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from acp_tui.cli.turn_options import with_values

if TYPE_CHECKING:
    from acp_tui.daemon.foreground import Foreground

INTERRUPTED = 130
DEFAULT = "ui"
"""The command that runs if none is named."""
HOSTING = (DEFAULT, "run", "demo", "serve", "tap", "play")
"""Commands that start an agent."""
TAKING = (*HOSTING, "send", "check", "matrix")
"""Commands that know what follows `--`. Others ignore the `--` before an argument."""
COMMANDS = {
    DEFAULT: "work with an agent",
    "run": "one turn, no UI",
    "demo": "the built-in demo agent",
    "serve": "the UI in a browser",
    "ps": "list the runs that are kept in the background",
    "attach": "show a kept run in this terminal",
    "send": "send a prompt to a kept run, or one message to an agent",
    "stop": "end a kept run",
    "tap": "stand between an editor and an agent",
    "log": "read a recording; without FILE, list them",
    "replay": "play a recording in the app, as if it were live",
    "find": "search everything that agents ever did here",
    "mcp": "offer that search to agents, as an MCP server",
    "diff": "compare two recordings, or two turns",
    "play": "be the recorded agent for any client, or the recorded client for an agent",
    "stats": "numbers of recordings: how long, how often, what is wrong",
    "shrink": "cut a recording to the smallest that still shows a finding",
    "export": "write recordings as pages, pictures, tables or spans",
    "check": "try an agent by the rules of the protocol",
    "matrix": "what agents can do, beside each other",
    "policy": "rules about permissions",
    "completion": "print a script that completes arguments in a shell",
}


class Command(Protocol):
    """A module of this package that implements one command."""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the description and the arguments."""

    def execute(self, options: argparse.Namespace) -> int:
        """Do what the arguments say; return the exit code.

        `options.parser` reports usage errors, `options.given` has the arguments as they were given,
        `options.agent_command` what followed `--`, and `options.foreground` the process in front,
        if there is one.
        """


def run(argv: Sequence[str], foreground: "Foreground | None" = None) -> int:
    """Do what the arguments say; return the exit code."""
    try:
        return _run(list(argv), foreground)
    except KeyboardInterrupt:
        return INTERRUPTED


def command(name: str) -> Command:
    """Load the module of a command. Only one is loaded at the start: together they take too long."""
    return cast("Command", import_module(f"acp_tui.cli.{name}"))


def _run(argv: list[str], foreground: "Foreground | None") -> int:
    given, agent_command = _split(argv)
    name = given.pop(0) if given and given[0] in COMMANDS else DEFAULT
    if name not in TAKING:
        given, agent_command = [*given, *agent_command], []
    parser = argparse.ArgumentParser("acp-tui", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command")
    chosen = command(name)
    add_command(commands, name, chosen)
    options, unknown = parser.parse_known_args(
        [name, *(with_values(given) if name == "run" else given)]
    )
    if unknown:
        options.parser.error(f"unknown argument: {unknown[0]}{_hint(name, unknown)}")
    options.given = given
    options.agent_command = agent_command
    options.foreground = foreground
    return chosen.execute(options)


def add_command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, command: Command
) -> None:
    """Add the parser of one command."""
    parser = commands.add_parser(
        name,
        help=COMMANDS[name],
        prog="acp-tui" if name in HOSTING else f"acp-tui {name}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(parser=parser)
    command.configure(parser)


def _split(argv: list[str]) -> tuple[list[str], list[str]]:
    """Separate our arguments from the agent's command, which follows the first `--`."""
    if "--" not in argv:
        return argv, []
    at = argv.index("--")
    return argv[:at], argv[at + 1 :]


def _hint(name: str, unknown: list[str]) -> str:
    """Return what an unknown argument may have been meant for."""
    if name in HOSTING and unknown[0] in COMMANDS:
        return f"; it must come first: acp-tui {unknown[0]} [OPTIONS]"
    if name in (DEFAULT, "run", "serve") and not unknown[0].startswith("-"):
        return f"; is it the agent? Then: acp-tui -- {' '.join(unknown)}"
    return ""
