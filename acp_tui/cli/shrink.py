"""`acp-tui shrink`: cut a recording to the smallest one that still shows a finding."""

import argparse
import time
from pathlib import Path

from acp_tui.cli.options.values import parse_seconds
from acp_tui.cli.output import add_recording, finish_command, out, print_error, show_progress
from acp_tui.config.private_files import write_new
from acp_tui.debug.findings_report import findings_text
from acp_tui.debug.log import Log
from acp_tui.debug.shrink import Shrinker
from acp_tui.extensions import extensions
from acp_tui.formatting import narrow_size
from acp_tui.log_files import masked_recording, open_log, recording_path
from acp_tui.masking.redactor import Redactor
from acp_tui.protocol.frames import Frame

_EPILOG = """\
What is left shows the finding at the same record, and no other that the whole doesn't show: the handshake
and whatever else it needs stay. Secrets are masked.

  acp-tui log 1 --findings                  which rules are broken
  acp-tui shrink 1 --keep-finding stdout-noise -o small.jsonl
  acp-tui replay small.jsonl

exit codes: 0; 2 usage, a file that can't be read, or no such finding in it"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.description = "Cut a recording down to the smallest that still shows a finding."
    parser.epilog = _EPILOG
    add_recording(parser)
    parser.add_argument(
        "--keep-finding", metavar="RULE", required=True, help="the rule that must stay broken"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, help="default: a new file named after both"
    )
    parser.add_argument(
        "--max-time",
        metavar="SECONDS",
        type=parse_seconds,
        default=60.0,
        help="stop then, with the best result so far (default: 60)",
    )


def execute(options: argparse.Namespace) -> int:
    """Shrink the recording, and write the result."""
    return finish_command("shrink", options.recording, lambda: _shrink_recording(options))


def _shrink_recording(options: argparse.Namespace) -> int:
    path = recording_path(options.recording)
    opened = open_log(path)
    records = list(opened.records)
    deadline: float = time.monotonic() + options.max_time

    def should_continue(tries: int, left: int) -> bool:
        if tries % 16 == 0:
            show_progress(f"{tries:,} tries, {left:,} of {len(records):,} records left")
        return time.monotonic() < deadline

    shrunk = Shrinker(records, options.keep_finding, extensions.linter, should_continue).shrink()
    show_progress()
    redactor = Redactor()
    redactor.scan(records)
    log = Log(shrunk.records)
    log.catch_up()
    stem = "session" if str(path) == "-" else path.stem
    written = options.output or Path(f"{stem}-{options.keep_finding}.jsonl")
    write_new(written, masked_recording(log.records, opened.facts, redactor))
    if redactor.masked:
        print_error(redactor.summary(), "shrink")
    if not shrunk.whole:
        print_error(
            f"stopped after {options.max_time:g} s: more could be cut (--max-time)", "shrink"
        )
    for line in findings_text(log, [shrunk.finding]):
        out(line)
    left = sum(one.size for one in shrunk.records if isinstance(one, Frame))
    amount = f"{len(log):,} of {len(records):,} records left ({narrow_size(left)} bytes)"
    out(f"{amount}, in {shrunk.tries:,} tries: {written}")
    return 0
