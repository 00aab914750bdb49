"""`acp-tui man`: the manual page, made of the same words as --help."""

import argparse
import sys
from collections.abc import Iterator

from acp_tui import __version__

_FILES = """\
settings.toml in the folder of settings: acp-tui config says where, and lists every setting.
.acp-tui/settings.toml in a project: settings of that project, once you trust them.
Recordings: acp-tui log says where. acp-tui doctor names all folders."""
_EPILOG = """\
  acp-tui man | man -l -
  acp-tui man > ~/.local/share/man/man1/acp-tui.1    then: man acp-tui"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the description."""
    parser.description = "Print the manual page, for man."
    parser.epilog = _EPILOG


def execute(_: argparse.Namespace) -> int:
    """Print the page."""
    for line in page():
        sys.stdout.write(line + "\n")
    return 0


def page() -> Iterator[str]:
    """Write the page in roff, line by line."""
    from acp_tui.cli.commands import COMMANDS, DEFAULT
    from acp_tui.cli.completion import whole_parser

    parser = whole_parser()
    yield f'.TH ACP\\-TUI 1 "" "acp\\-tui {__version__}"'
    yield ".SH NAME"
    yield "acp\\-tui \\- the terminal client and debugger for Agent Client Protocol (ACP) agents"
    yield ".SH SYNOPSIS"
    yield from _usage(parser)
    yield ".SH OPTIONS"
    yield from _options(parser)
    yield ".SH COMMANDS"
    commands = _commands(parser)
    for name in COMMANDS:
        if name != DEFAULT:
            yield f".SS acp\\-tui {_roff(name)}"
            yield from _command(commands[name])
    yield ".SH FILES"
    yield from _as_it_stands(_FILES)
    yield ".SH EXIT STATUS"
    yield from _as_it_stands((parser.epilog or "").removeprefix("exit codes: "))


def _command(parser: argparse.ArgumentParser) -> Iterator[str]:
    if parser.description:
        yield _roff(" ".join(parser.description.split()))
    if parser.usage:
        yield ".PP"
        yield from _usage(parser)
    yield from _options(parser)
    for name, nested in _commands(parser).items():
        yield ".TP"
        yield f".B {_roff(name)}"
        yield _roff(nested.description or "")
        yield ".RS"
        yield from _options(nested)
        yield ".RE"
    if parser.epilog:
        yield ".PP"
        yield from _as_it_stands(parser.epilog)


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The arguments of a parser."""
    for action in parser._actions:  # noqa: SLF001  argparse has no other way to list them
        nested = isinstance(action, argparse._SubParsersAction)  # noqa: SLF001
        if not nested and action.help != argparse.SUPPRESS and "-h" not in action.option_strings:
            yield ".TP"
            yield f".B {_roff(_invocation(action))}"
            yield _roff((action.help or "").replace("%%", "%"))


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands within a parser, by their names."""
    nested: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:  # noqa: SLF001
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            nested |= action.choices
    return nested


def _invocation(action: argparse.Action) -> str:
    """An argument as one writes it: `--theme NAME`."""
    choices = "|".join(map(str, action.choices)) if action.choices is not None else ""
    value = action.metavar or choices or (action.dest.upper() if action.nargs != 0 else "")
    shown = value if isinstance(value, str) else " ".join(value)
    if not action.option_strings:
        return shown or action.dest
    return f"{', '.join(action.option_strings)} {shown}".rstrip()


def _usage(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The usage, without the room for `usage: ` that --help has before all lines but the first."""
    yield from _as_it_stands((parser.usage or "").replace(f"\n{' ' * len('usage: ')}", "\n"))


def _as_it_stands(text: str) -> Iterator[str]:
    """Lines that keep their ends."""
    yield ".nf"
    yield from map(_roff, text.splitlines())
    yield ".fi"


def _roff(text: str) -> str:
    """A text in which nothing is a request or an escape of roff's."""
    plain = " ".join(text.splitlines()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain
