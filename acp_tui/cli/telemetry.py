"""The option that exports spans and metrics while agents work."""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from acp_tui.cli.output import USAGE, complain

if TYPE_CHECKING:
    from acp_tui.client.launch import Launch


def add(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument_group("telemetry").add_argument(
        "--otel",
        action="store_true",
        help="export spans and metrics over OTLP/HTTP, as the OTEL_* variables say (docs/fleet.md)",
    )


@contextmanager
def exporting(options: argparse.Namespace, launch: "Launch") -> "Iterator[Launch]":
    """Export what is done by the agents of a launch, if that is wanted. What could not be exported
    is reported at the end.
    """
    if not options.otel:
        yield launch
        return
    try:
        from acp_tui.telemetry.live import Telemetry
    except ImportError as error:
        complain(missing("--otel", "otel", error))
        raise SystemExit(USAGE) from None
    from acp_tui.client.trace_ids import TraceIds

    trace = TraceIds(os.environ)
    telemetry = Telemetry(trace.parent)
    try:
        yield replace(launch, trace=trace, followers=(*launch.followers, telemetry.follower))
    finally:
        telemetry.close()
        if telemetry.trouble:
            complain(f"--otel: {telemetry.trouble}")


def missing(option: str, extra: str, error: ImportError) -> str:
    """Say what has to be installed for an option."""
    return f"{option} needs {error.name}: pip install 'acp-tui[{extra}]'"
