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
    from acp_tui.config.settings import Settings


def add(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument_group("telemetry").add_argument(
        "--otel",
        action=argparse.BooleanOptionalAction,
        help="export spans and metrics over OTLP/HTTP, as the OTEL_* variables say (docs/fleet.md)",
    )


@contextmanager
def exporting(
    options: argparse.Namespace, settings: "Settings", launch: "Launch"
) -> "Iterator[Launch]":
    """Export what the agents of a launch do, if that is wanted. What could not be exported is
    reported at the end.
    """
    if not (settings.otel if options.otel is None else options.otel):
        yield launch
        return
    try:
        from acp_tui.telemetry.live import Telemetry
    except ImportError as error:
        complain(missing("OpenTelemetry (--otel, or otel in the settings)", "otel", error))
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
    """Return a message that says what has to be installed for an option."""
    return f"{option} needs {error.name}: pip install 'acp-tui[{extra}]'"
