"""`acp-tui attach`: a kept run in this terminal."""

import argparse

from acp_tui.cli import kept, setting_option

_EPILOG = """\
acp-tui attach                 the only run there is
acp-tui attach tea             the one of that name

exit codes: 0 left, or the run has ended; 1 the connection to it was lost; 2 usage, or there is no such run;
129, 130, 143 as with acp-tui"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments."""
    parser.description = "Show a run that is kept in the background (acp-tui --keep). Several terminals can show it at once."
    parser.epilog = _EPILOG
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help="as acp-tui ps lists it (default: the only one)"
    )
    parser.add_argument("--theme", metavar="NAME", help="a theme of themes/*.toml")
    setting_option.add(parser)


def execute(options: argparse.Namespace) -> int:
    """Show the run."""
    from acp_tui.kept.run_places import find

    return kept.attach(options, lambda folder: find(folder, options.name))
