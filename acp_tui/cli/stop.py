"""`acp-tui stop`: end kept runs."""

import argparse

from acp_tui.cli.output import USAGE, out, print_error

STOP_TIMEOUT = 30.0
"""Seconds to wait for a run to end: longer than any agent gets."""

_EPILOG = """\
acp-tui stop tea
acp-tui stop --all"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.description = "End a kept run with its agents, and wait until they are gone."
    parser.epilog = _EPILOG
    parser.add_argument("name", metavar="NAME", nargs="?", help="as acp-tui ps lists it")
    parser.add_argument("--all", action="store_true", help="end all of them")


def execute(options: argparse.Namespace) -> int:
    """End the runs."""
    from acp_tui.config.paths import kept_folder
    from acp_tui.kept.run_places import KeptRunError, find_run, living_runs, stop_run

    if options.all == (options.name is not None):
        options.parser.error("name one run, or give --all")
    code = 0
    try:
        places = (
            living_runs(kept_folder()) if options.all else [find_run(kept_folder(), options.name)]
        )
    except KeptRunError as error:
        print_error(str(error), "stop")
        return USAGE
    for place in places:
        try:
            stop_run(place, STOP_TIMEOUT)
            out(f"stopped: {place.name}")
        except KeptRunError as error:
            print_error(str(error), "stop")
            code = 1
    return code
