"""`acp-tui diff`: compare two recordings, or two turns."""

import argparse
import errno
from pathlib import Path

from acp_tui.cli.output import finish_command, is_report, out, out_data, print_error
from acp_tui.config.private_files import write_whole
from acp_tui.debug.compare.comparison import SLOWER, compare_recordings
from acp_tui.debug.compare.report import (
    PAGE_BEGINS,
    comparison_html,
    comparison_json,
    comparison_text,
)
from acp_tui.debug.compare.steps import RecordingPart, split_at_turns
from acp_tui.log_files import Masked, open_log, recording_path
from acp_tui.masking.redactor import Redactor
from acp_tui.protocol.events import Record
from acp_tui.recordings.recording import RecordingError, dump_in_pieces, format_header
from acp_tui.store import recordings

DIFFERS = 1
_EPILOG = """\
A and B are files, or, from the list of acp-tui log, numbers, names, or the beginnings of names; A#2 is the
second turn of A. Ids, times, temporary folders and ports don't count.

  acp-tui diff 2 1                          the last two runs
  acp-tui diff 1#1 1#2                      two turns of one run
  acp-tui diff 1 --save-baseline main       keep the last run under a name
  acp-tui diff 1 --baseline main            and compare a later one with it

exit codes: 0 the same; 1 something differs; 2 usage, or a file that can't be read"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.description = (
        "Compare two recordings, or two turns: what is new, gone, changed or slower."
    )
    parser.epilog = _EPILOG
    parser.add_argument("before", metavar="A", help="a recording, or one turn of it")
    parser.add_argument("after", metavar="B", nargs="?", help="another one")
    parser.add_argument(
        "--baseline", metavar="NAME", help="compare A with the one kept under this name"
    )
    parser.add_argument(
        "--save-baseline", metavar="NAME", help="keep A under a name, for --baseline"
    )
    parser.add_argument("--stderr", action="store_true", help="compare what is on stderr, too")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object")
    form.add_argument("--html", metavar="FILE", type=Path, help="write a page; - is stdout")
    parser.add_argument(
        "--slower",
        metavar="N",
        type=_parse_times,
        help=f"report answers that take N times as long, and count them (default: report {SLOWER:g})",
    )


def execute(options: argparse.Namespace) -> int:
    """Compare two recordings, or store a baseline."""
    others = [options.after, options.baseline, options.save_baseline]
    if sum(one is not None for one in others) != 1:
        options.parser.error("besides A, give B, --baseline NAME or --save-baseline NAME")
    named = options.baseline if options.baseline is not None else options.save_baseline
    if named is not None and not recordings.is_baseline_name(named):
        options.parser.error(f"{named!r}: a name may only have letters, digits, -, _ and .")
    names = " and ".join(one for one in (options.before, options.after) if one is not None)
    return finish_command(
        "diff",
        names,
        lambda: _save_baseline(options) if options.save_baseline else _print_comparison(options),
    )


def _parse_times(text: str) -> float:
    try:
        times = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a number, not {text!r}") from None
    if not times > 1:
        raise argparse.ArgumentTypeError("more than 1")
    return times


def _save_baseline(options: argparse.Namespace) -> int:
    opened = open_log(recording_path(options.before))
    lines = [format_header(opened.facts), *("".join(dump_in_pieces(one)) for one in opened.records)]
    recordings.save_baseline(options.save_baseline, "\n".join([*lines, ""]))
    out(f"kept; compare with it: acp-tui diff FILE --baseline {options.save_baseline}")
    return 0


def _print_comparison(options: argparse.Namespace) -> int:
    before, after = options.before, options.after
    if options.baseline:
        before, after = str(recordings.find_baseline(options.baseline)), before
    masked = options.html is not None  # mask a page: it is made to be shared
    found = compare_recordings(
        *(_read_parts(one, stderr=options.stderr, masked=masked) for one in (before, after)),
        slower=options.slower or SLOWER,
    )
    if options.json:
        out_data(comparison_json(found) + "\n")
    elif options.html is not None:
        _write_page(options.html, comparison_html(found, before, after))
    else:
        for line in comparison_text(found):
            out(line)
    slower = options.slower is not None and bool(found.differences)
    return DIFFERS if found.differs or slower else 0


def _write_page(path: Path, page: str) -> None:
    if str(path) == "-":
        out_data(page)
        return
    if path.exists() and not is_report(path, PAGE_BEGINS):
        why = "it exists, and is not a page of a comparison"
        raise FileExistsError(errno.EEXIST, why, str(path))
    write_whole(path, page)


def _read_parts(name: str, *, stderr: bool, masked: bool) -> list[RecordingPart]:
    """Read the parts of a recording; `A#2` is its second turn only."""
    file, mark, number = name.rpartition("#")
    if not mark or not number.isdecimal() or Path(name).exists():
        return split_at_turns(_read_records(name, masked=masked), stderr=stderr)
    found = split_at_turns(_read_records(file, masked=masked), stderr=stderr)
    if not 0 < int(number) < len(found):
        turns = len(found) - 1
        raise RecordingError(f"there is no turn {number}: {file} has {turns or 'none'}")
    return [found[int(number)]]


def _read_records(name: str, *, masked: bool) -> "list[Record]":
    records = open_log(recording_path(name)).records
    if not len(records):
        print_error(f"{name}: nothing is recorded in it", "diff")
    if masked:
        redactor = Redactor()
        redactor.scan(records)
        records = Masked(records, redactor)
    return list(records)
