"""The options for breakpoints, and for faults on purpose."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.client.launch import GateOptions


def add_breakpoints(parser: argparse.ArgumentParser) -> None:
    """Add the option for breakpoints, to commands with a person who can release what is held."""
    parser.add_argument_group("breakpoints").add_argument(
        "--break",
        dest="breakpoints",
        metavar="FILTER",
        action="append",
        default=[],
        help="hold messages that match FILTER until you release them: F12, H (repeatable)",
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
        help="inject a fault: [in:|out:]NAME[=VALUE][:FILTER], as drop=10%% or delay=1s-3s (repeatable)",
    )
    group.add_argument(
        "--fault-seed",
        metavar="N",
        type=int,
        default=0,
        help="the seed: the same N gives the same faults (default: 0)",
    )


def gate_options(options: argparse.Namespace) -> "GateOptions":
    """Return the gate's breakpoints and faults at the start; usage errors end the program."""
    from acp_tui.client.launch import GateOptions

    check_faults(options)
    breakpoints = tuple(getattr(options, "breakpoints", ()))
    if breakpoints:
        _check_filters(options.parser, breakpoints)
    return GateOptions(breakpoints, tuple(options.faults), options.fault_seed)


def check_faults(options: argparse.Namespace) -> None:
    """End the program with a usage error if a fault can't be parsed."""
    if not options.faults:
        return
    from acp_tui.debug.faults import FaultError, read_fault

    for text in options.faults:
        try:
            read_fault(text)
        except FaultError as error:
            options.parser.error(f"--fault: {error}")


def _check_filters(parser: argparse.ArgumentParser, filters: tuple[str, ...]) -> None:
    from acp_tui.debug.filters.language import FilterError
    from acp_tui.debug.filters.predicates import compile_filter

    for text in filters:
        try:
            compile_filter(text)
        except FilterError as error:
            parser.error(f"--break:\n{error.pointed(text)}")
