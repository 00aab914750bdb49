"""`acp-tui export`: a recorded session as a page or a picture; many recordings as data."""

import argparse
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from acp_tui.cli import export_tables, export_tests
from acp_tui.cli.output import add_recording, complain, finish
from acp_tui.config.paths import settings_file
from acp_tui.config.private_files import name_in_errors
from acp_tui.config.settings import DEFAULT_THEME
from acp_tui.config.themes import theme_in_settings
from acp_tui.debug.report.redaction import Redactor
from acp_tui.log_files import Opened, open_log, recording_path
from acp_tui.recordings.recording import RecordingError, events
from acp_tui.state.fold import replay
from acp_tui.state.state import Session, State
from acp_tui.text import clean_line

FORMATS = ("md", "html", "svg")

_EPILOG = """\
acp-tui export 1 -o talk.html                the newest recording as a page, secrets masked
acp-tui export 1 --pytest                    a test that expects the agent to do the same again
acp-tui export --parquet tables recordings   many as tables"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments."""
    parser.description = (
        "Write a recorded session as Markdown, as HTML, or as an SVG of its end; "
        "or as a test, or as a script of the fake agent; or many recordings as tables, or as spans and "
        "metrics."
    )
    parser.epilog = _EPILOG
    add_recording(parser, several=True)
    export_tables.add(parser)
    export_tests.add(parser)
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
    parser.add_argument("--width", metavar="CELLS", type=_size, default=100, help="default: 100")
    parser.add_argument(
        "--height", metavar="LINES", type=_size, default=40, help="height of the SVG; default: 40"
    )


def execute(options: argparse.Namespace) -> int:
    """Write the session, or export the recordings."""
    names = options.recording
    if options.parquet is not None or options.otlp:
        if options.parquet is not None and options.otlp:
            options.parser.error("--parquet and --otlp are two exports: give one of them")
        return finish("export", ", ".join(names), lambda: export_tables.execute(options))
    if len(names) > 1:
        options.parser.error(
            "a page or a test is of one recording; --parquet and --otlp take several"
        )
    options.recording = names[0]
    if options.pytest or options.script:
        return finish("export", options.recording, lambda: export_tests.execute(options))
    return finish("export", options.recording, lambda: _export(options))


def _size(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 20 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"a number from 20 to 1000, not {text!r}")
    return int(text)


def _export(options: argparse.Namespace) -> int:
    path = recording_path(options.recording)
    if options.output and _same(path, Path(options.output)):
        raise RecordingError("the output would overwrite it")
    kind = options.format or _kind(Path(options.output or ""))
    from acp_tui.ui.export.masking import masked_at_once

    opened = open_log(path)
    state = replay(events(opened.records))
    redactor = Redactor()
    state, session = masked_at_once(state, _session(state, options.session), redactor)
    if redactor.masked:
        complain(redactor.summary(), "export")
    text = _text(kind, state, session, opened, options)
    if options.output == "-":
        sys.stdout.write(text)
        return 0
    from acp_tui.ui.export.files import write_beside

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


def _kind(output: Path) -> str:
    """Return the format for the name of a file."""
    suffix = output.suffix[1:].lower() or FORMATS[0]
    if suffix not in FORMATS:
        kinds = ", ".join(f".{one}" for one in FORMATS)
        said = f"{output.name} doesn't end in {kinds}; choose a format with --format"
        raise RecordingError(said)
    return suffix


def _same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


def _session(state: State, session_id: str | None) -> Session:
    """Return the session that is asked for, else the last one. A session that the agent only listed
    counts if there is no other.
    """
    there = [session for session in state.sessions.values() if session.entries]
    wanted = [one for one in there if session_id in (None, one.session_id)]
    ids = ", ".join(clean_line(one.session_id) for one in there)
    if not wanted:
        what = "there is no session with anything in it"
        raise RecordingError(what if not there else f"no session {session_id}; there are: {ids}")
    chosen = ([one for one in wanted if one.opened] or wanted)[-1]
    if len(wanted) > 1:
        named = clean_line(chosen.session_id)
        complain(f"exporting session {named}; --session chooses another: {ids}", "export")
    return chosen


def _text(
    kind: str, state: State, session: Session, opened: Opened, options: argparse.Namespace
) -> str:
    from acp_tui.ui.export.about import about

    facts = about(state, session, _started(opened.facts))
    if kind == "md":
        from acp_tui.ui.export.markdown import markdown_page

        return "".join(markdown_page(state, session, facts))
    from acp_tui.ui.export.drawing import Drawing
    from acp_tui.ui.theme import theme_called
    from acp_tui.ui.transcript.entries.views import document_of

    name = options.theme or theme_in_settings(settings_file()) or DEFAULT_THEME
    end = opened.records[len(opened.records) - 1].at
    document = document_of(state, session, lambda: end)
    drawing = Drawing(document, theme_called(name), options.width)
    if kind == "html":
        from acp_tui.ui.export.html import html_page

        return "".join(html_page(drawing, facts))
    from acp_tui.ui.export.svg import svg

    for _ in drawing.lay_out():
        pass
    return svg(drawing.last_lines(options.height), drawing, facts.title)


def _started(facts: dict[str, Any]) -> datetime | None:
    started = facts.get("started")
    if not isinstance(started, (int, float)):
        return None
    try:
        return datetime.fromtimestamp(started).astimezone()
    except (ValueError, OverflowError, OSError):
        return None  # no time that a calendar has
