"""`acp-tui log`: list, show, filter, check and export recordings."""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from acp_tui.cli import stats
from acp_tui.cli.output import USAGE, Painted, Style, finish_command, out, out_data, print_error
from acp_tui.cli.table import fit_cells, format_table, terminal_width
from acp_tui.config.paths import recordings_folder
from acp_tui.config.private_files import make_folder, name_in_errors, write_new
from acp_tui.debug.bug_report import bug_report, zip_files
from acp_tui.debug.filters.language import FilterError
from acp_tui.debug.filters.predicates import Predicate, compile_filter, record_text
from acp_tui.debug.findings_report import (
    findings_json,
    findings_junit,
    findings_text,
    version_fields,
)
from acp_tui.debug.log import Log
from acp_tui.debug.rows import LogRow
from acp_tui.debug.view import Group, LogView
from acp_tui.extensions import extensions
from acp_tui.formatting import counted, duration, narrow_size
from acp_tui.index.passages import Beginning, read_beginning
from acp_tui.log_files import Masked, OpenedLog, masked_recording, open_log, recording_path
from acp_tui.masking.redactor import Redactor
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Record
from acp_tui.protocol.findings import Finding, Severity
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.jsonrpc import Malformed
from acp_tui.recordings.recording import RecordingError, format_record
from acp_tui.store.recordings import recordings_in
from acp_tui.text import clean_line

FOUND = 1
STDOUT = Path("-")
FOLLOW_INTERVAL = 0.2
"""Seconds between reads of a file that is followed."""

_EPILOG = """\
acp-tui log                                               list the recordings, newest first
acp-tui log 1 --filter 'method:session/* status:error'    of the newest: these frames
acp-tui log 1 --findings                                  which rules of the protocol are broken
acp-tui log 1 --report bug.zip                            everything around the first error, secrets masked

filters: method:session/* kind:tool_call* dir:in|out|local id:3 session:abc* status:error
  text:word finding:error|RULE size>10k latency>2s time>60 delta>500ms #12 toolCallId:x
  params.update.status:failed result.usage.totalTokens>1000
  joined by and, or, not and ( ); a value may be "quoted" or a /regular expression/

FILE may also be a bug report (.zip), or another program's log: JSON Lines of plain messages, as acpx
writes them, Zed's ACP log, a conductor's trace (.jsons), and what acp-devtools, ACP-inspector and
others write: entries with a direction, a time and a message. - is stdin.

exit codes: 0; 1 --findings found an error; 2 usage, or a file that can't be read"""


_AGENT = 16
"""Widest agent name, in columns."""
_PROMPT = 24
"""Columns that a prompt must have before the recording's duration and size are shown."""


def execute(options: argparse.Namespace) -> int:
    """Show a recording, or list the recordings if there are no arguments."""
    if not options.arguments:
        return finish_command("log", "", lambda: list_recordings(recordings_folder()))
    try:
        passes = compile_filter(options.filter)
    except FilterError as error:
        print_error(f"--filter:\n{error.pointed(options.filter)}", "log")
        return USAGE
    return finish_command("log", options.file, lambda: _read_log(options, passes))


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.description = "Read a recording; without arguments, list all recordings."
    parser.epilog = _EPILOG
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        default="1",
        help="a file; or, from the list, a number, a name, or the beginning of a name",
    )
    parser.add_argument(
        "--filter", metavar="EXPR", default="", help="only records that match (see below)"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object per line")
    form.add_argument("--table", action="store_true", help="a table (default)")
    parser.add_argument("--unfold", action="store_true", help="show each chunk of a message")
    parser.add_argument("--follow", action="store_true", help="keep reading as the file grows")
    parser.add_argument(
        "--findings", action="store_true", help="show what breaks the rules of the protocol"
    )
    parser.add_argument(
        "--junit", metavar="FILE", type=Path, help="write the findings as JUnit XML; - is stdout"
    )
    parser.add_argument("--stats", action="store_true", help="show numbers (see acp-tui stats)")
    parser.add_argument("--redact", action="store_true", help="mask secrets in what is shown")
    parser.add_argument(
        "--export",
        metavar="FILE",
        type=Path,
        help="write the matching records as a recording, secrets masked; - is stdout",
    )
    parser.add_argument(
        "--report",
        metavar="DIR|ZIP",
        type=Path,
        help="write a bug report about the first error or warning, else the first record that passes",
    )


def list_recordings(folder: Path) -> int:
    """Print the list of recordings, newest first."""
    width = terminal_width()
    found = recordings_in(folder)
    begun = [(path, _read_beginning(path)) for path in found]
    name = max((len(path.stem) for path in found), default=0)
    agent = min(_AGENT, max((len(clean_line(one.agent)) for _, one in begun), default=0))
    is_wide = width >= 5 + name + 19 + agent + 2 + _PROMPT
    if found:
        facts = "     TOOK    SIZE" if is_wide else ""
        head = f"  #  {'RECORDING':<{name}}{facts}  {fit_cells('AGENT', max(agent, 5))}  PROMPT"
        out(Painted(fit_cells(head, width).rstrip(), Style.BOLD))
    for number, (path, one) in enumerate(begun, 1):
        facts = _duration_and_size(path, one) if is_wide else ""
        said = fit_cells(clean_line(one.agent), max(agent, 5))
        line = f"{number:>3}  {path.stem:<{name}}{facts}  {said}  {' '.join(one.prompt.split())}"
        out(fit_cells(clean_line(line), width).rstrip())
    out(f"{'' if found else 'no recordings yet '}in {folder}")
    return 0


def _read_beginning(path: Path) -> Beginning:
    """Read how a recording begins; if it can't be read, the reason takes the place of its prompt."""
    try:
        return read_beginning(path)
    except (RecordingError, OSError) as error:
        return Beginning(None, "", f"({error})")


def _duration_and_size(path: Path, one: Beginning) -> str:
    """Format a recording's duration, up to its last write, and its size."""
    facts = path.stat()
    started, written = one.started, facts.st_mtime
    took = ""
    if isinstance(started, int | float) and 0 < started <= written:
        took = duration(written - started)
    return f"  {took:>7}  {narrow_size(facts.st_size):>6}"


def _read_log(options: argparse.Namespace, passes: Predicate) -> int:
    if options.stats:
        return stats.print_numbers([recording_path(options.file)])
    opened = open_log(recording_path(options.file))
    log = Log(opened.records, extensions.linter())
    if options.follow:
        return _follow_log(opened, log, passes, options)
    log.catch_up()
    log.finish()
    redactor = Redactor() if options.redact or options.export else None
    if redactor is not None:
        redactor.scan(log.records)
    findings = [one for one in log.findings if passes(log[one.index])]
    if options.junit is not None:
        _write_junit(options.junit, findings_junit(log, findings))
    if options.export is not None:
        assert redactor is not None
        _export_rows(options.export, opened, log, passes, redactor)
    elif options.report is not None:
        _write_report(options, opened, log, findings, passes)
    elif options.findings:
        _print_lines((findings_json if options.json else findings_text)(log, findings))
    elif options.junit is None:
        _show_log(log, passes, options, redactor)
    if redactor is not None:
        print_error(redactor.summary(), "log")
    failed = any(one.severity is Severity.ERROR for one in findings)
    return FOUND if failed and (options.findings or options.junit is not None) else 0


def _show_log(
    log: Log, passes: Predicate, options: argparse.Namespace, redactor: Redactor | None
) -> None:
    if redactor is not None:
        log.records = Masked(log.records, redactor)
    if options.json:
        _print_lines(_format_object(log, row) for row in _filter_rows(log, passes))
        return
    if log.spoken is not None and not log.spoken.is_usual:
        print_error(f"the protocol's {log.spoken.words}", "log")
    view = LogView(log, passes, fold=not options.unfold)
    view.catch_up()
    groups = (view[position] for position in range(len(view)))
    without = _uniform_columns(log) if sys.stdout.isatty() else ()
    _print_lines(format_table(groups, terminal_width(), without=without))


def _uniform_columns(log: Log) -> list[str]:
    """Return the columns that are the same in every row, and would only waste space."""
    sessions = {log.names[code] for code in set(log.sessions)} - {""}
    alike = ["session"] if len(sessions) < 2 else []
    return alike if log.findings else [*alike, "issues"]


def _filter_rows(log: Log, passes: Predicate) -> Iterator[LogRow]:
    return (row for row in (log[index] for index in range(len(log))) if passes(row))


def _format_object(log: Log, row: LogRow) -> str:
    """Format a row as one JSON object: `message` is the frame's JSON, `text` is a line that isn't
    JSON.
    """
    body: dict[str, Any] = {
        "frame": row.number or None,
        "at": row.at,
        "time": round(row.time, 6),
        "direction": row.direction or "local",
        "by": row.by,
        "method": row.method or None,
        "kind": row.kind or None,
        "id": row.id,
        "session": row.session or None,
        "bytes": row.size,
        "latency": row.latency,
        "status": row.status.value or None,
        **version_fields(log, row.index),
        "findings": [
            {"severity": one.severity, "rule": one.rule.id, "where": one.where, "is": one.message}
            for one in row.findings
        ],
    }
    return json.dumps(body | _make_content(row.whole))


def _make_content(record: Record) -> dict[str, Any]:
    if not isinstance(record, Frame):
        return {"event": json.loads(format_record(record))}
    value = jsonrpc.decode(record.raw)
    if isinstance(value, Malformed):
        return {"text": record_text(record)}
    return {"message": value}


def _write_junit(path: Path, report: str) -> None:
    if path == STDOUT:
        out_data(report)
    else:
        with name_in_errors(path):
            path.write_text(report, "utf-8")


def _export_rows(
    path: Path, opened: OpenedLog, log: Log, passes: Predicate, redactor: Redactor
) -> None:
    """Write the records that pass the filter as a new recording, whose header says what was masked,
    and report where.
    """
    indexes = [row.index for row in _filter_rows(log, passes)]
    records = (log.records[index] for index in indexes)
    data = masked_recording(records, opened.facts, redactor)
    if path == STDOUT:
        out_data(data.decode())
    else:
        write_new(path, data)
        print_error(f"{counted(len(indexes), 'record')} written to {path}", "log")


def _write_report(
    options: argparse.Namespace,
    opened: OpenedLog,
    log: Log,
    findings: list[Finding],
    passes: Predicate,
) -> None:
    """Write a bug report; print its subject and its path."""
    if not len(log):
        raise RecordingError("nothing is recorded in it")
    index = _choose_focus(log, findings, passes, bool(options.filter.strip()))
    report = bug_report(log, index, opened.facts)
    write_bug_report(options.report, report.files)
    out(f"{options.report}: about {report.title}")
    out(report.masked)


def _follow_log(opened: OpenedLog, log: Log, passes: Predicate, options: argparse.Namespace) -> int:
    """Show the existing records and new ones as they are written, until interrupted."""
    if opened.growing is None:
        print_error("--follow: only a recording of acp-tui can be followed", "log")
        return USAGE
    redactor = Redactor() if options.redact else None
    if redactor is not None:
        log.records = Masked(opened.growing, redactor)
        print_error("--follow: a secret that comes in pieces is not masked", "log")
    shown = 0
    if not (options.json or options.findings):
        _print_lines(format_table((), terminal_width()))
    while True:
        opened.growing.grow()
        log.catch_up()
        for index in range(shown, len(log)):
            if passes(log[index]):
                _print_lines(_format_lines(log, log[index], options))
        shown = len(log)
        sys.stdout.flush()
        time.sleep(FOLLOW_INTERVAL)


def _format_lines(log: Log, row: LogRow, options: argparse.Namespace) -> Iterator[str]:
    """Yield the lines of a row that has just arrived. It isn't folded, as its message may continue."""
    if options.findings:
        findings: list[Finding] = list(row.findings)
        return findings_json(log, findings)
    if options.json:
        return iter([_format_object(log, row)])
    return format_table([Group(log, [row.index])], terminal_width(), titles=False)


def _print_lines(lines: Iterator[str]) -> None:
    for line in lines:
        out(line)


def write_bug_report(path: Path, files: Mapping[str, str]) -> None:
    """Write the files into a new folder, or into a new zip if the path ends in `.zip`. Raises
    OSError.
    """
    if path.suffix == ".zip":
        write_new(path, zip_files(files, path.stem))
        return
    make_folder(path.parent)
    path.mkdir(mode=0o700)
    for name, text in files.items():
        write_new(path / name, text.encode("utf-8", "backslashreplace"))


def _choose_focus(log: Log, findings: list[Finding], passes: Predicate, filtered: bool) -> int:
    """Choose the record that a report is about: the first of the worst findings, else the first
    that passes the filter, else the last.
    """
    for severity in (Severity.ERROR, Severity.WARNING):
        for finding in findings:
            if finding.severity is severity:
                return finding.index
    if filtered:
        for index in range(len(log)):
            if passes(log[index]):
                return index
    return len(log) - 1
