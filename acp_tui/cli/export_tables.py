"""`acp-tui export --parquet` and `--otlp`: many recordings, for databases and observability
systems.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli.output import USAGE, complain
from acp_tui.cli.telemetry import missing
from acp_tui.log_files import recording_path
from acp_tui.recordings.recording import RecordingError

if TYPE_CHECKING:
    from acp_tui.telemetry.runs import RecordedRun

UNREADABLE = 1
"""The exit code if some recordings could not be read or sent."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("many recordings (docs/fleet.md)")
    group.add_argument(
        "--parquet", metavar="DIR", type=Path, help="write tables into DIR, one file each"
    )
    group.add_argument(
        "--otlp",
        action="store_true",
        help="send spans and metrics over OTLP/HTTP, as the OTEL_* variables say",
    )


def execute(options: argparse.Namespace) -> int:
    """Export what the recordings hold."""
    return _parquet(options) if options.parquet is not None else _otlp(options)


def _parquet(options: argparse.Namespace) -> int:
    try:
        from acp_tui.telemetry.parquet import write_tables
    except ImportError as error:
        complain(missing("--parquet", "parquet", error), "export")
        return USAGE
    from acp_tui.telemetry.tables import Row, rows

    problems: list[str] = []

    def all_rows() -> Iterator[Row]:
        for path in paths(options.recording):
            kept: list[Row] = []
            _with_run(path, lambda run, kept=kept: kept.extend(rows(run)), problems)  # type: ignore[misc]
            yield from kept

    counts = write_tables(all_rows(), options.parquet)
    print(f"{options.parquet}: " + ", ".join(f"{n:,} {table}" for table, n in counts.items()))  # noqa: T201
    return UNREADABLE if problems else 0


def _otlp(options: argparse.Namespace) -> int:
    try:
        from acp_tui.telemetry.otlp import ExportError, OtlpExport
    except ImportError as error:
        complain(missing("--otlp", "otel", error), "export")
        return USAGE
    export = OtlpExport()
    problems: list[str] = []
    try:
        for path in paths(options.recording):
            _with_run(path, export.send, problems)
    except ExportError as error:
        complain(f"--otlp: {error}", "export")
        return UNREADABLE
    finally:
        export.close()
        print(f"sent {export.sent:,} spans")  # noqa: T201
    return UNREADABLE if problems else 0


def _with_run(path: Path, work: "Callable[[RecordedRun], object]", problems: list[str]) -> None:
    """Work on one recording; report one that can't be read, and go on."""
    from acp_tui.telemetry.runs import RecordedRun

    try:
        run = RecordedRun(path)
        try:
            work(run)
        finally:
            run.close()
    except RecordingError as error:
        problems.append(f"{path}: {error}")
        complain(f"{problems[-1]}; left out", "export")
    except OSError as error:
        problems.append(f"{path}: {error.strerror}")
        complain(f"{problems[-1]}; left out", "export")


def paths(names: list[str]) -> Iterator[Path]:
    """Yield the recordings that names mean; a folder means all files that are in it."""
    for name in names:
        path = recording_path(name)
        if path.is_dir():
            yield from sorted(one for one in path.rglob("*.jsonl") if one.is_file())
        else:
            yield path
