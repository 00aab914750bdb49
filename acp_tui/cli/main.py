"""Finds the command that the arguments name, and runs it."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from itertools import takewhile
from types import ModuleType
from typing import TYPE_CHECKING, Protocol, cast

from acp_tui.cli.commands import ACCEPTING_AGENTS, COMMANDS, DEFAULT, HOSTING
from acp_tui.cli.options.turn_options import expand_findings_option
from acp_tui.cli.output import USAGE, discard_unread_output, print_error
from acp_tui.cli.parser import Parser, print_help

if TYPE_CHECKING:
    from acp_tui.kept.foreground import Foreground

INTERRUPTED = 130
"""The exit code after Ctrl+C."""
_HELP = frozenset({"-h", "--help"})


class Command(Protocol):
    """A module of this package that implements a command."""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's description and arguments to its parser."""

    def execute(self, options: argparse.Namespace) -> int:
        """Run the command; return the exit code.

        `options.parser` reports usage errors. `options.arguments` is the list of the command's
        arguments, `options.names` the agents among them, and `options.agent_command` the words
        after `--`. `options.foreground` is the process that the shell waits for, if there is one.
        """


def run(argv: Sequence[str], foreground: "Foreground | None" = None) -> int:
    """Run a command line; return the exit code."""
    from acp_tui.config.icons import write_plainly
    from acp_tui.config.layers import OPTION_VALUES
    from acp_tui.config.toml_files import ConfigError

    _skip_pydantic_plugins()
    try:
        with suppress(ConfigError):  # the command reports broken settings
            write_plainly(sys.stdout, sys.stderr)
        try:
            return _run_command(list(argv), foreground)
        finally:
            OPTION_VALUES.clear()  # they are this command line's, not those of a next one in this process
            sys.stdout.flush()  # at exit, a BrokenPipeError could no longer be handled
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        if not discard_unread_output():
            raise
        return 0  # the reader closed the pipe, as `| head` does


def _skip_pydantic_plugins() -> None:
    """Replace pydantic's plugin loader by one that finds no plugins.

    The original searches all installed packages, and imports email, zipfile and importlib.metadata
    for that, which slows down each start. Pydantic's own switch is an environment variable, which
    agents would inherit; they may need plugins.
    """
    loader = ModuleType("pydantic.plugin._loader")
    vars(loader)["get_plugins"] = tuple
    sys.modules[loader.__name__] = loader


def load_command(name: str) -> Command:
    """Import the module of a command. At start only one is imported: all of them would take too
    long.
    """
    return cast("Command", import_module(f"acp_tui.cli.{name}"))


def _run_command(argv: list[str], foreground: "Foreground | None") -> int:
    arguments, agent_command = _split_arguments(_plain_help(argv))
    arguments = _move_command_first(arguments)
    name = arguments.pop(0) if arguments and arguments[0] in COMMANDS else DEFAULT
    first: list[str] = []
    if name == DEFAULT:
        first = list(takewhile(lambda one: not one.startswith("-"), arguments))
        arguments = arguments[len(first) :]
        if first and not _HELP.isdisjoint(arguments) and not _are_agents(first):
            return USAGE
    if name not in ACCEPTING_AGENTS:
        arguments, agent_command = [*arguments, *agent_command], []
    parser = Parser("acp-tui", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command")
    chosen = load_command(name)
    its_parser = add_command(commands, name, chosen)
    if name == DEFAULT and arguments in (["--help", "all"], ["-h", "all"]):
        print_help(its_parser.format_help())
        return 0
    options, unknown = parser.parse_known_args(
        [name, *(expand_findings_option(arguments) if name == "run" else arguments)]
    )
    names, has_option = first, any(one.startswith("-") for one in unknown)
    if name == DEFAULT and unknown and unknown[0] not in COMMANDS and not has_option:
        names, unknown = [*first, *unknown], []  # agents named after the options
    if unknown:
        its_parser.error(f"unknown argument: {unknown[0]}{_find_hint(its_parser, names, unknown)}")
    options.arguments = [*first, *arguments]
    options.names = names
    options.agent_command = agent_command
    options.foreground = foreground
    return chosen.execute(options)


def _move_command_first(arguments: list[str]) -> list[str]:
    """Move a command that follows options to the front. An option's value isn't taken for a
    command.
    """
    if not (arguments and arguments[0].startswith("-")):
        return arguments
    for at, word in enumerate(arguments):
        if word in COMMANDS and word != DEFAULT:
            parser = Parser("acp-tui", add_help=False, allow_abbrev=False)
            load_command(DEFAULT).configure(parser)
            _, unknown = parser.parse_known_args(arguments[: at + 1])
            if [one for one in unknown if not one.startswith("-")] == [word]:
                return [word, *arguments[:at], *arguments[at + 1 :]]
    return arguments


def add_command(
    commands: "argparse._SubParsersAction[Parser]", name: str, command: Command
) -> Parser:
    """Add the parser of a command, and return it."""
    parser = commands.add_parser(
        name,
        help=COMMANDS[name],
        prog="acp-tui" if name in HOSTING else f"acp-tui {name}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.command_name, parser.is_default = "" if name == DEFAULT else name, name == DEFAULT
    parser.set_defaults(parser=parser)
    command.configure(parser)
    return parser


def _plain_help(argv: list[str]) -> list[str]:
    """Replace `help`, `help all` and `help WORD` with the equivalent options."""
    if argv[:1] != ["help"]:
        return argv
    topic = argv[1:2]
    return ["--help", *topic] if topic in ([], ["all"]) else [*topic, "--help"]


def _are_agents(names: list[str]) -> bool:
    """Return whether words that aren't commands name agents; report similar names for an unknown
    one.
    """
    from acp_tui.cli.options.launch_options import user_settings
    from acp_tui.cli.options.named_agents import NotStartedError, check_name

    try:
        for name in names:
            check_name(name, user_settings().agents, COMMANDS)
    except NotStartedError as error:
        print_error(str(error))
        return False
    return True


def _split_arguments(argv: list[str]) -> tuple[list[str], list[str]]:
    """Split the arguments at the first `--`, which the agent's command follows."""
    if "--" not in argv:
        return argv, []
    at = argv.index("--")
    return argv[:at], argv[at + 1 :]


def _find_hint(parser: Parser, names: list[str], unknown: list[str]) -> str:
    """Return a hint about what an unknown argument was probably meant to be, or ""."""
    name = parser.command_name or DEFAULT
    alike = parser.options_like(unknown[0])
    if alike and not (name == DEFAULT and names):
        return f"; did you mean {alike[0]}?"
    if name in HOSTING and unknown[0] in COMMANDS:
        return f"; it must come first: acp-tui {unknown[0]} [OPTIONS]"
    if name == DEFAULT and names and unknown[0].startswith("-"):
        return f"; options of the agent follow --, as in: acp-tui -- {' '.join([*names, *unknown])}"
    if name in ACCEPTING_AGENTS and name != "demo" and not unknown[0].startswith("-"):
        after = parser.get_default("agent_after") or "-- "
        by_name = len(unknown) == 1 and bool(parser.options_like("--agent"))
        agent = f"--agent {unknown[0]}" if by_name else f"-- {' '.join(unknown)}"
        return f"; is it the agent? Then: {parser.command} {after.removesuffix('-- ')}{agent}"
    return ""
