"""The parser of the command line: what is wrong in two lines, and help that can be read."""

import argparse
import re
import sys
from typing import NoReturn

from acp_tui.cli.output import USAGE, Painted, Style, complain, has_colors, out

_HEAD = re.compile(r"(?P<bold>(?:usage|\w[\w ,./()-]*):)(?P<rest>.*)")
_OPTION = re.compile(r"(?P<space> {2,})(?P<name>-[^\s,]+(?:, -[^\s,]+)*)(?P<rest>.*)")


ALIKE = 0.8
"""How much an option has to be like what was written, of 1."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong without the whole usage. The long help of the default command has a short one."""

    called = ""
    """The command that it is for, as it is written."""
    is_default = False

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and where help is; end the program."""
        words = self.command
        complain(f"{message}\nto see what there is: {words} --help", words[len("acp-tui ") :])
        sys.exit(USAGE)

    @property
    def command(self) -> str:
        """The command as it is written behind a prompt: `acp-tui run`."""
        return f"acp-tui {self.called}" if self.called else self.prog

    def options_like(self, written: str) -> list[str]:
        """Return the options that were probably meant, the likeliest first."""
        from difflib import get_close_matches

        known = [name for action in self._actions for name in action.option_strings]
        return get_close_matches(written.partition("=")[0], known, cutoff=ALIKE)

    def print_help(self, file: object = None) -> None:  # noqa: ARG002  it is always stdout
        """Print the short help, or all where there is none."""
        if self.is_default:
            from acp_tui.cli.short_help import SHORT

            print_help(SHORT)
        else:
            print_help(self.format_help())


def print_help(text: str) -> None:
    """Print a help text; on a terminal its heads and options stand out."""
    for line in text.splitlines():
        if not has_colors(sys.stdout):
            out(line)
        elif head := _HEAD.fullmatch(line):
            out(Painted(head["bold"], Style.BOLD), head["rest"])
        elif option := _OPTION.fullmatch(line):
            out(option["space"], Painted(option["name"], Style.NAME), option["rest"])
        else:
            out(line)
