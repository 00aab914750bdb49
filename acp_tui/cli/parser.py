"""The command line's parser: two-line errors, and a short help for the default command."""

import argparse
import re
import sys
from typing import NoReturn

from acp_tui.cli.output import USAGE, Painted, Style, has_colors, out, print_error

_HEAD = re.compile(r"(?P<bold>(?:usage|\w[\w ,./()-]*):)(?P<rest>.*)")
_OPTION = re.compile(r"(?P<space> {2,})(?P<name>-[^\s,]+(?:, -[^\s,]+)*)(?P<rest>.*)")


ALIKE = 0.8
"""Least similarity, up to 1, of an option that is suggested for a misspelled one."""


SHORT_HELP = """\
usage: acp-tui                          choose an agent, or a session to resume
       acp-tui [OPTIONS] -- COMMAND...  work with an agent, started as written
       acp-tui NAME... [OPTIONS]        the same by name: acp-tui agents
       acp-tui demo                     the built-in demo agent, offline

work:
  run, script             one turn without a UI; a file of prompts and answers
  race                    one prompt for several agents, compared
  serve                   work with an agent in a browser
  ps, attach, send, stop  runs that are kept in the background (--keep)

look into it:
  log, find, replay       list, search and replay the recordings
  stats, diff, export     numbers, differences; pages, pictures and tables
  check, matrix           the rules of the protocol; what agents can do
  tap, play, shrink, mcp  record another editor; play, cut and offer recordings

set it up:
  agents, config, policy  agents by name, settings, rules about permissions
  doctor                  what this machine has, and what is wrong
  completion              for your shell

options:
  --agent NAME            an agent of the settings or the registry (repeatable)
  --connect URL           an agent elsewhere: ws:// or https://
  --cwd DIR, --env K=V    its folder; variables for it
  --continue, --resume    continue the newest session; choose one
  --sandbox, --in PLACE   where the agent runs: docs/places.md
  --policy FILE           rules about permissions
  --plain                 by lines, without a screen
  --keep                  the agents outlive the screen
  --theme NAME            one of themes/*.toml
  --version               print the version

all options: acp-tui --help all     those of a command: acp-tui COMMAND --help
"""


class Parser(argparse.ArgumentParser):
    """Prints errors without the whole usage, and a short form of the default command's long help."""

    command_name = ""
    """The parser's command as the user types it, or "" for the default command."""
    is_default = False

    def error(self, message: str) -> NoReturn:
        """Print the error with a hint to the help, and exit."""
        words = self.command
        print_error(f"{message}\nto see what there is: {words} --help", words[len("acp-tui ") :])
        sys.exit(USAGE)

    @property
    def command(self) -> str:
        """The command line up to this command: `acp-tui run`."""
        return f"acp-tui {self.command_name}" if self.command_name else self.prog

    def options_like(self, written: str) -> list[str]:
        """Return the options that were probably meant, likeliest first."""
        from difflib import get_close_matches

        known = [name for action in self._actions for name in action.option_strings]
        return get_close_matches(written.partition("=")[0], known, cutoff=ALIKE)

    def print_help(self, file: object = None) -> None:  # noqa: ARG002  always stdout
        """Print a help text; on a terminal, headings and options are highlighted."""
        if self.is_default:
            print_help(SHORT_HELP)
        else:
            print_help(self.format_help())


def print_help(text: str) -> None:
    """Print a help text; on a terminal, headings and options are highlighted."""
    for line in text.splitlines():
        if not has_colors(sys.stdout):
            out(line)
        elif head := _HEAD.fullmatch(line):
            out(Painted(head["bold"], Style.BOLD), head["rest"])
        elif option := _OPTION.fullmatch(line):
            out(option["space"], Painted(option["name"], Style.NAME), option["rest"])
        else:
            out(line)
