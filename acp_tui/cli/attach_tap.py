"""`acp-tui --attach-tap`: a running tap in the inspector."""

import argparse
from functools import partial

from acp_tui.cli.output import USAGE, complain
from acp_tui.cli.screen import has_terminal, look_of


def add(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument_group("tap").add_argument(
        "--attach-tap",
        metavar="NAME",
        nargs="?",
        const="",
        help="show what a running acp-tui tap passes on, and hold frames there (default: the only one)",
    )


def attach(options: argparse.Namespace) -> int:
    """Show the tap."""
    import anyio

    from acp_tui.cli.launch import settings_of_person
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
    settings, theme = settings_of_person(), look_of(options)
    try:
        place = find_tap(taps_folder(), options.attach_tap)
        return anyio.run(partial(with_tap, place, settings, theme))
    except* KeptRunError as group:
        complain(str(_first(group)))
    return USAGE


def _first(error: BaseException) -> BaseException:
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error
