"""The options that say where a run's events go: to a recording, and to OpenTelemetry's receiver."""

import argparse
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli.output import USAGE, complain
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
    told: bool = False,
    by: str = "",
) -> "Iterator[Recorder | None]":
    """Open the recorder of a named file, or of a new one.

    If there is none, the reason is added to `troubles`. A recording that failed is reported at the
    end, unless the person was `told` already. `by` names the command if it runs without a person.
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
            complain(f"--record: can't write {str(path)!r}: {error.strerror}")
            raise SystemExit(USAGE) from None
        troubles.append(f"this is not recorded: {error.strerror}: {error.filename!r}")
        complain(f"{troubles[-1]} (see --no-record)")
    yield made
    if made is not None and made.failure is not None and not told:
        complain(made.failure)


def recorder_maker(options: argparse.Namespace) -> "Callable[[Launch], Recorder] | None":
    """Return a function that makes recorders for agents that start later; None if nothing is recorded."""
    return None if options.no_record else new_recorder


def new_recorder(launch: "Launch", by: str = "") -> "Recorder":
    """Make a recorder in the folder of recordings, of which the settings limit the number.

    Where these can't be read, nothing is deleted. Raises OSError.
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
"""How what is still open then ends."""


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
    """Export what the agents of a launch do, while that is wanted. What could not be exported is
    reported at the end.
    """
    from acp_tui.client.launch import SpanExport

    export = Export()
    try:
        trace = export.use(settings.otel if options.otel is None else options.otel)
    except ImportError as error:
        complain(str(error))
        raise SystemExit(USAGE) from None
    try:
        yield replace(launch, export=SpanExport(trace, export.follower, export.use))
    finally:
        if trouble := export.close():
            complain(f"--otel: {trouble}")


class Export:
    """Exports what the agents of this process do, from when it is wanted until it no longer is."""

    def __init__(self) -> None:
        self._telemetry: Telemetry | None = None
        self._trace: TraceIds | None = None

    def use(self, wanted: bool) -> "TraceIds | None":
        """Start or stop exporting; return the trace that requests belong to from now on.

        Raises:
            ImportError: something is not installed; the text says what to do.
        """
        if wanted and self._telemetry is None:
            self._begin_export()
        elif not wanted and self._telemetry is not None:
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
        """Return a function that follows the events of one more agent, as long as it is wanted."""
        from acp_tui.protocol.wire_events import Responded

        used: Telemetry | None = None
        told: Callable[[Event], None] | None = None
        introduction: list[Event] = []
        """How the agent said what it is: whoever follows it later needs no more of what was before."""

        def follow(event: "Event") -> None:
            nonlocal used, told
            if self._telemetry is not used:
                used = self._telemetry
                told = None if used is None else used.follower(notify, introduction)
            if isinstance(event, Responded) and event.request.method == "initialize":
                introduction[:] = [event.request, event]
            if told is not None:
                told(event)

        return follow

    def close(self) -> str:
        """Export what is left; return the last trouble, if there was any."""
        telemetry, self._telemetry = self._telemetry, None
        if telemetry is None:
            return ""
        telemetry.close()
        return telemetry.trouble


def explain_missing(option: str, extra: str, error: ImportError) -> str:
    """Return a message about what has to be installed for an option."""
    return f"{option} needs {error.name}: {install_command(extra)}"
