"""`acp-tui export`: write a recorded session as a page, a picture or a test, and many recordings as
data.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli.options.recording_options import explain_missing
from acp_tui.cli.output import USAGE, add_recording, finish_command, print_error
from acp_tui.config.paths import settings_file
from acp_tui.config.private_files import name_in_errors, write_new
from acp_tui.config.settings import DEFAULT_THEME
from acp_tui.config.themes import theme_in_settings
from acp_tui.debug.play.scenes import runs_in
from acp_tui.log_files import Masked, OpenedLog, open_log, recording_path
from acp_tui.masking.redactor import Redactor
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_decoder import TooDeepError
from acp_tui.recordings.recording import RecordingError, read_events
from acp_tui.state.fold import replay_events
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.text import clean_line

if TYPE_CHECKING:
    from acp_tui.telemetry.activities import RecordedRun

FORMATS = ("md", "html", "svg")
_EPILOG = """\
acp-tui export 1 -o talk.html                the newest recording as a page, secrets masked
acp-tui export 1 --pytest                    a test that expects the agent to do the same again
acp-tui export --parquet tables recordings   many as tables"""
UNREADABLE = 1
"""The exit code if some recordings could not be read or sent."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.description = (
        "Write a recorded session as Markdown, HTML, an SVG of its end, a test, or a script of the fake agent;\n"
        "or many recordings as tables, or as spans and metrics."
    )
    parser.epilog = _EPILOG
    add_recording(parser, several=True)
    _add_table_options(parser)
    _add_test_options(parser)
    parser.add_argument("--format", choices=FORMATS, help="default: FILE's suffix, else md")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="default: a new file here, named after the recording; - is stdout",
    )
    parser.add_argument(
        "--session", metavar="ID", help="default: the last session with anything in it"
    )
    parser.add_argument("--theme", metavar="NAME", help="colors for html and svg")
    parser.add_argument(
        "--width", metavar="CELLS", type=_parse_size, default=100, help="default: 100"
    )
    parser.add_argument(
        "--height",
        metavar="LINES",
        type=_parse_size,
        default=40,
        help="height of the SVG; default: 40",
    )


def execute(options: argparse.Namespace) -> int:
    """Write the session, or export many recordings."""
    names = options.recording
    if options.parquet is not None or options.otlp:
        if options.parquet is not None and options.otlp:
            options.parser.error("--parquet and --otlp are two exports: give one of them")
        export_many = _export_tables if options.parquet is not None else _export_otlp
        return finish_command("export", ", ".join(names), lambda: export_many(options))
    if len(names) > 1:
        options.parser.error(
            "a page or a test is of one recording; --parquet and --otlp take several"
        )
    options.recording = names[0]
    if options.pytest or options.script:
        return finish_command("export", options.recording, lambda: _export_test(options))
    return finish_command("export", options.recording, lambda: _export_session(options))


def _add_test_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("tests (docs/testing.md)")
    form = group.add_mutually_exclusive_group()
    form.add_argument(
        "--pytest", action="store_true", help="write a test of the agent for the fixture acp_agent"
    )
    form.add_argument(
        "--script",
        action="store_true",
        help="write the agent as a script that can be changed and run",
    )


def _export_test(options: argparse.Namespace) -> int:
    """Write a test or a script, and print its path."""
    from acp_tui.library.recordings import Recording
    from acp_tui.testing.recorded_script import script_source
    from acp_tui.testing.recorded_test import pytest_source, unrepeatable

    path = recording_path(options.recording)
    opened = open_log(path)
    redactor = Redactor(environments=not options.script)
    redactor.scan(opened.records)
    runs = runs_in(Masked(opened.records, redactor), Direction.IN)
    if not runs:
        raise RecordingError("no messages are recorded in it: nothing can be tested")
    if len(runs) > 1:
        print_error(f"the agent was started {len(runs)} times; this is its first run", "export")
    records = runs[0]
    stem = "session" if str(path) == "-" else path.stem
    try:
        if options.pytest:
            recording, name = Recording(records, opened.facts), f"test_{stem}.py"
            source = pytest_source(recording, path.name)
            for words in unrepeatable(recording):
                print_error(f"not in the test as it was recorded: {words}", "export")
        else:
            source, name = script_source(records, path.name), f"{stem}_agent.py"
    except TooDeepError:
        raise RecordingError("a message is nested too deep to be written as source") from None
    if redactor.masked:
        print_error(redactor.summary(), "export")
    if options.output == "-":
        sys.stdout.write(source)
        return 0
    written = Path(options.output or name)
    write_new(written, source.encode("utf-8", "backslashreplace"))
    print(written)  # noqa: T201
    return 0


def _add_table_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("many recordings (docs/recording.md)")
    group.add_argument(
        "--parquet", metavar="DIR", type=Path, help="write tables into DIR, one file each"
    )
    group.add_argument(
        "--otlp",
        action="store_true",
        help="send spans and metrics over OTLP/HTTP, as the OTEL_* variables say",
    )


def _export_tables(options: argparse.Namespace) -> int:
    try:
        from acp_tui.telemetry.tables import write_tables
    except ImportError as error:
        print_error(explain_missing("--parquet", "parquet", error), "export")
        return USAGE
    from acp_tui.telemetry.tables import Row, table_rows

    problems: list[str] = []

    def all_rows() -> Iterator[Row]:
        for path in find_recordings(options.recording):
            kept: list[Row] = []
            _with_run(path, lambda run, kept=kept: kept.extend(table_rows(run)), problems)  # type: ignore[misc]
            yield from kept

    counts = write_tables(all_rows(), options.parquet)
    print(f"{options.parquet}: " + ", ".join(f"{n:,} {table}" for table, n in counts.items()))  # noqa: T201
    return UNREADABLE if problems else 0


def _export_otlp(options: argparse.Namespace) -> int:
    try:
        from acp_tui.telemetry.otlp import ExportError, OtlpExport
    except ImportError as error:
        print_error(explain_missing("--otlp", "otel", error), "export")
        return USAGE
    export = OtlpExport()
    problems: list[str] = []
    try:
        for path in find_recordings(options.recording):
            _with_run(path, export.send, problems)
    except ExportError as error:
        print_error(f"--otlp: {error}", "export")
        return UNREADABLE
    finally:
        export.close()
        print(f"sent {export.sent:,} spans")  # noqa: T201
    return UNREADABLE if problems else 0


def _with_run(path: Path, work: "Callable[[RecordedRun], object]", problems: list[str]) -> None:
    """Call `work` with a recording; report one that can't be read and skip it."""
    from acp_tui.telemetry.activities import RecordedRun

    try:
        run = RecordedRun(path)
        try:
            work(run)
        finally:
            run.close()
    except RecordingError as error:
        problems.append(f"{path}: {error}")
        print_error(f"{problems[-1]}; left out", "export")
    except OSError as error:
        problems.append(f"{path}: {error.strerror}")
        print_error(f"{problems[-1]}; left out", "export")


def find_recordings(names: list[str]) -> Iterator[Path]:
    """Yield the recordings that the names refer to; a folder stands for all recordings in it."""
    for name in names:
        path = recording_path(name)
        if path.is_dir():
            yield from sorted(one for one in path.rglob("*.jsonl") if one.is_file())
        else:
            yield path


def _parse_size(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 20 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"a number from 20 to 1000, not {text!r}")
    return int(text)


def _export_session(options: argparse.Namespace) -> int:
    path = recording_path(options.recording)
    output = Path(options.output) if options.output else None
    if output is not None and path.exists() and output.exists() and path.samefile(output):
        raise RecordingError("the output would overwrite it")
    kind = options.format or _find_format(Path(options.output or ""))
    from acp_tui.ui.export.masking import masked_at_once

    opened = open_log(path)
    state = replay_events(read_events(opened.records))
    redactor = Redactor()
    state, session = masked_at_once(state, _find_session(state, options.session), redactor)
    if redactor.masked:
        print_error(redactor.summary(), "export")
    text = _format_session(kind, state, session, opened, options)
    if options.output == "-":
        sys.stdout.write(text)
        return 0
    from acp_tui.ui.new_files import write_beside

    if options.output:
        written = Path(options.output)
        with name_in_errors(written):
            if not written.exists():
                written.touch(0o600)
            written.write_text(text, "utf-8", newline="\n")
    else:
        name = "session" if str(path) == "-" else path.stem
        written = write_beside(Path(f"{name}.{kind}"), text)
    print(written)  # noqa: T201
    return 0


def _find_format(output: Path) -> str:
    """Return the format that the suffix of a file's name stands for."""
    suffix = output.suffix[1:].lower() or FORMATS[0]
    if suffix not in FORMATS:
        kinds = ", ".join(f".{one}" for one in FORMATS)
        said = f"{output.name} doesn't end in {kinds}; choose a format with --format"
        raise RecordingError(said)
    return suffix


def _find_session(state: State, session_id: str | None) -> Session:
    """Return the requested session; by default the last one that isn't a subagent's, which is
    exported with its parent.

    Sessions that the agent only listed count if there are no others.
    """
    there = [session for session in state.sessions.values() if session.entries]
    wanted = [one for one in there if session_id == one.session_id]
    if session_id is None:
        wanted = [one for one in there if one.subagent is None] or there
    ids = ", ".join(clean_line(one.session_id) for one in there)
    if not wanted:
        what = "no session in it has any content"
        raise RecordingError(what if not there else f"no session {session_id}; there are: {ids}")
    chosen = ([one for one in wanted if one.opened] or wanted)[-1]
    if len(wanted) > 1:
        named = clean_line(chosen.session_id)
        print_error(f"exporting session {named}; --session chooses another: {ids}", "export")
    return chosen


def _format_session(
    kind: str, state: State, session: Session, opened: OpenedLog, options: argparse.Namespace
) -> str:
    from acp_tui.ui.export.about import heading_of

    facts = heading_of(state, session, opened.started)
    if kind == "md":
        from acp_tui.ui.export.markdown import markdown_page

        return "".join(markdown_page(state, session, facts))
    from acp_tui.ui.colors.theme import theme_called
    from acp_tui.ui.export.drawing import Drawing
    from acp_tui.ui.transcript.entries.views import document_of

    name = options.theme or theme_in_settings(settings_file()) or DEFAULT_THEME
    end = opened.records[len(opened.records) - 1].at
    document = document_of(state, session, lambda: end)
    drawing = Drawing(document, theme_called(name), options.width)
    if kind == "html":
        from acp_tui.ui.export.html import html_page

        return "".join(html_page(drawing, facts))
    from acp_tui.ui.export.drawing import draw_svg

    for _ in drawing.lay_out():
        pass
    return draw_svg(drawing.last_lines(options.height), drawing, facts.title)
