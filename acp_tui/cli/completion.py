"""`acp-tui completion`: a script that completes our commands, options and files in a shell."""

import argparse
import sys

SHELLS = ("bash", "zsh", "fish", "tcsh")
_FILES = ("FILE", "RECORDING", "DIR|ZIP", "A", "B")
_FOLDER = "DIR"
_EPILOG = """\
bash:  acp-tui completion bash > ~/.local/share/bash-completion/completions/acp-tui
zsh:   acp-tui completion zsh > DIR/_acp-tui, where DIR is one of $fpath
fish:  acp-tui completion fish > ~/.config/fish/completions/acp-tui.fish
tcsh:  acp-tui completion tcsh > /etc/profile.d/acp-tui.completion.csh"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments."""
    parser.description = "Print a script that completes the arguments of acp-tui in a shell."
    parser.epilog = _EPILOG
    parser.add_argument("shell", choices=SHELLS)


def execute(options: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    sys.stdout.write(shtab.complete(whole_parser(), options.shell))
    return 0


def whole_parser() -> argparse.ArgumentParser:
    """Build the parser of all commands at once; its own options are those of the UI."""
    from acp_tui.cli.commands import COMMANDS, DEFAULT
    from acp_tui.cli.main import add_command, command
    from acp_tui.cli.parser import Parser

    parser = Parser("acp-tui", allow_abbrev=False)
    command(DEFAULT).configure(parser)
    commands = parser.add_subparsers(dest="command")
    for name in COMMANDS:
        if name != DEFAULT:
            add_command(commands, name, command(name))
    for one in (parser, *commands.choices.values()):
        _complete_files(one)
    return parser


def _complete_files(parser: argparse.ArgumentParser) -> None:
    import shtab

    for action in parser._actions:  # noqa: SLF001  argparse has no other way to list them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for one in action.choices.values():
                _complete_files(one)
        elif action.metavar == _FOLDER:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        elif action.metavar in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
