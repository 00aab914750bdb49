"""The options for breakpoints, and for faults on purpose."""

import argparse
from typing import Any


def add_breakpoints(parser: argparse.ArgumentParser) -> None:
    """Add the option for breakpoints, to commands with a person who can release what is held."""
    parser.add_argument_group("breakpoints").add_argument(
        "--break",
        dest="breakpoints",
        metavar="FILTER",
        action="append",
        default=[],
        help="hold the frames that pass FILTER until they are released in the inspector (repeatable)",
    )


def add_fault_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("faults on purpose")
    group.add_argument(
        "--fault",
        dest="faults",
        metavar="SPEC",
        action="append",
        default=[],
        help="make things go wrong on purpose: [in:|out:]NAME[=VALUE][:FILTER], as drop=10%% or delay=1s-3s (repeatable)",
    )
    group.add_argument(
        "--fault-seed",
        metavar="N",
        type=int,
        default=0,
        help="the seed: the same N gives the same faults (default: 0)",
    )


def launch_options(parser: argparse.ArgumentParser, options: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of a Launch that the options set; usage errors end the program."""
    faults = tuple(options.faults)
    breakpoints = tuple(getattr(options, "breakpoints", ()))
    if faults:
        _check_faults(parser, faults)
    if breakpoints:
        _check_filters(parser, breakpoints)
    return {"breakpoints": breakpoints, "faults": faults, "fault_seed": options.fault_seed}


def _check_faults(parser: argparse.ArgumentParser, faults: tuple[str, ...]) -> None:
    from acp_tui.debug.faults import FaultError, read_fault

    for text in faults:
        try:
            read_fault(text)
        except FaultError as error:
            parser.error(f"--fault: {error}")


def _check_filters(parser: argparse.ArgumentParser, filters: tuple[str, ...]) -> None:
    from acp_tui.debug.filters.language import FilterError
    from acp_tui.debug.filters.predicates import compile_filter

    for text in filters:
        try:
            compile_filter(text)
        except FilterError as error:
            parser.error(f"--break:\n{error.pointed(text)}")
