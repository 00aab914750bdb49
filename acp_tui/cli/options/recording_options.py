"""Recording and telemetry of a run: opens recorders, and exports spans and metrics to
OpenTelemetry.
"""

import argparse
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli.output import USAGE, print_error
from acp_tui.version import install_command

if TYPE_CHECKING:
    from acp_tui.client.launch import Launch, Notify, TraceIds
    from acp_tui.client.recorder import Recorder
    from acp_tui.config.settings import Settings
    from acp_tui.protocol.events import Event
    from acp_tui.telemetry.otlp import Telemetry


@contextmanager
def open_recorder(
    options: argparse.Namespace,
    launch: "Launch",
    path: Path | None,
    troubles: list[str],
    *,
    failure_reported: bool = False,
    by: str = "",
) -> "Iterator[Recorder | None]":
    """Open a recorder that writes to `path`, or to a new file.

    If it can't be opened, yield None and add the reason to `troubles`; an unusable `path` ends the
    program. A recording that failed is reported at the end, unless
    `failure_reported` is set. `by` names the command if it runs without a person.
    """
    if options.no_record:
        yield None
        return
    from acp_tui.client.recorder import recorder_at

    made = None
    try:
        made = recorder_at(path, launch, by) if path else new_recorder(launch, by)
    except OSError as error:
        if path is not None:
            print_error(f"--record: can't write {str(path)!r}: {error.strerror}")
            raise SystemExit(USAGE) from None
        troubles.append(f"this is not recorded: {error.strerror}: {error.filename!r}")
        print_error(f"{troubles[-1]} (see --no-record)")
    yield made
    if made is not None and made.failure is not None and not failure_reported:
        print_error(made.failure)


def recorder_maker(options: argparse.Namespace) -> "Callable[[Launch], Recorder] | None":
    """Return a function that opens recorders for agents started later; None with `--no-record`."""
    return None if options.no_record else new_recorder


def new_recorder(launch: "Launch", by: str = "") -> "Recorder":
    """Open a recorder in the folder of recordings, and delete the oldest ones beyond the settings'
    limits.

    If the settings can't be read, nothing is deleted. Raises OSError.
    """
    from acp_tui.client.recorder import recorder_in
    from acp_tui.config.layers import load_settings
    from acp_tui.config.paths import recordings_folder, settings_file
    from acp_tui.config.settings import RecordingSettings
    from acp_tui.config.toml_files import ConfigError

    try:
        room = load_settings(settings_file()).recordings
    except ConfigError:
        room = RecordingSettings(kept=sys.maxsize, gigabytes=1e6)
    return recorder_in(recordings_folder(), launch, room.kept, room.limit, by)


OFF = "the export was turned off"
"""The status of spans that are still open when the export is turned off."""


def add_telemetry_option(parser: argparse.ArgumentParser) -> None:
    """Add `--otel`."""
    parser.add_argument_group("telemetry").add_argument(
        "--otel",
        action=argparse.BooleanOptionalAction,
        help="export spans and metrics over OTLP/HTTP, as the OTEL_* variables say (docs/recording.md)",
    )


@contextmanager
def exporting(
    options: argparse.Namespace, settings: "Settings", launch: "Launch"
) -> "Iterator[Launch]":
    """Export the events of a launch's agents while the export is on; report at the end what could
    not be exported.
    """
    from acp_tui.client.launch import SpanExport

    export = Export()
    try:
        trace = export.switch(settings.otel if options.otel is None else options.otel)
    except ImportError as error:
        print_error(str(error))
        raise SystemExit(USAGE) from None
    try:
        yield replace(launch, export=SpanExport(trace, export.follower, export.switch))
    finally:
        if trouble := export.close():
            print_error(f"--otel: {trouble}")


class Export:
    """The OpenTelemetry export of this process's agents, which can be turned on and off."""

    def __init__(self) -> None:
        self._telemetry: Telemetry | None = None
        self._trace: TraceIds | None = None

    def switch(self, enabled: bool) -> "TraceIds | None":
        """Turn the export on or off; return the ids of the trace that later requests belong to, or
        None.

        Raises:
            ImportError: a package is missing; the text says how to install it.
        """
        if enabled and self._telemetry is None:
            self._begin_export()
        elif not enabled and self._telemetry is not None:
            end = threading.Thread(target=self._telemetry.close, args=(OFF,), name="otel-off")
            self._telemetry = self._trace = None
            end.start()
        return self._trace

    def _begin_export(self) -> None:
        try:
            from acp_tui.telemetry.otlp import Telemetry
        except ImportError as error:
            words = explain_missing(
                "OpenTelemetry (--otel, or otel in the settings)", "otel", error
            )
            raise ImportError(words, name=error.name) from None
        from acp_tui.client.launch import TraceIds

        self._trace = TraceIds(os.environ)
        self._telemetry = Telemetry(self._trace.parent)

    def follower(self, notify: "Notify") -> "Callable[[Event], None]":
        """Return a function that exports one agent's events while the export is on."""
        from acp_tui.protocol.wire_events import Responded

        used: Telemetry | None = None
        follow_event: Callable[[Event], None] | None = None
        introduction: list[Event] = []
        """The agent's `initialize` request and response, for an export that is turned on later."""

        def follow(event: "Event") -> None:
            nonlocal used, follow_event
            if self._telemetry is not used:
                used = self._telemetry
                follow_event = None if used is None else used.follower(notify, introduction)
            if isinstance(event, Responded) and event.request.method == "initialize":
                introduction[:] = [event.request, event]
            if follow_event is not None:
                follow_event(event)

        return follow

    def close(self) -> str:
        """Export what is left; return the last error, or ""."""
        telemetry, self._telemetry = self._telemetry, None
        if telemetry is None:
            return ""
        telemetry.close()
        return telemetry.trouble


def explain_missing(option: str, extra: str, error: ImportError) -> str:
    """Return an error message that says how to install what an option needs."""
    return f"{option} needs {error.name}: {install_command(extra)}"
