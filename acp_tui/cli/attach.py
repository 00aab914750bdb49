"""`acp-tui attach`: a kept run in this terminal; `acp-tui --attach-tap`: a running tap."""

import argparse
from functools import partial

from acp_tui.cli import kept
from acp_tui.cli.options import launch_options
from acp_tui.cli.output import USAGE, complain
from acp_tui.cli.screen import first_error, has_terminal, prepare_look

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
    launch_options.add_setting_option(parser)


def execute(options: argparse.Namespace) -> int:
    """Show the run."""
    from acp_tui.kept.run_places import find_run

    return kept.attach_run(options, lambda folder: find_run(folder, options.name))


def add_tap_option(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument_group("tap").add_argument(
        "--attach-tap",
        metavar="NAME",
        nargs="?",
        const="",
        help="show what a running acp-tui tap passes on, and hold frames there (default: the only one)",
    )


def attach_tap(options: argparse.Namespace) -> int:
    """Show the tap."""
    import anyio

    from acp_tui.cli.options.launch_options import settings_of_person
    from acp_tui.config.paths import taps_folder
    from acp_tui.kept.attach import with_tap
    from acp_tui.kept.run_places import KeptRunError
    from acp_tui.kept.tap_server import find_tap

    if options.agent_command:
        options.parser.error(
            "--attach-tap shows an agent that is already running: leave out -- and what follows"
        )
    if not has_terminal():
        return USAGE
    settings, theme = settings_of_person(), prepare_look(options)
    try:
        place = find_tap(taps_folder(), options.attach_tap)
        return anyio.run(partial(with_tap, place, settings, theme))
    except* KeptRunError as group:
        complain(str(first_error(group)))
    return USAGE
