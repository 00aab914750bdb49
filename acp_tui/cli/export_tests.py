"""`acp-tui export --pytest` and `--script`: a recording as a test of the agent, or as an agent."""

import argparse
import sys
from pathlib import Path

from acp_tui.cli.output import complain
from acp_tui.config.private_files import write_new
from acp_tui.debug.play.scenes import runs_in
from acp_tui.debug.report.redaction import Redactor
from acp_tui.log_files import Masked, open_log, recording_path
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_decoder import TooDeepError
from acp_tui.recordings.recording import RecordingError


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
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


def execute(options: argparse.Namespace) -> int:
    """Write the source, and print its path."""
    from acp_tui.library.recordings import Recording
    from acp_tui.testing.pytest_source import left_out, pytest_source
    from acp_tui.testing.script_source import script_source

    path = recording_path(options.recording)
    opened = open_log(path)
    redactor = Redactor(environments=not options.script)
    redactor.look_at(opened.records)
    runs = runs_in(Masked(opened.records, redactor), Direction.IN)
    if not runs:
        raise RecordingError("no messages are recorded in it: nothing can be tested")
    if len(runs) > 1:
        complain(f"the agent was started {len(runs)} times; this is its first run", "export")
    records = runs[0]
    stem = "session" if str(path) == "-" else path.stem
    try:
        if options.pytest:
            recording, name = Recording(records, opened.facts), f"test_{stem}.py"
            source = pytest_source(recording, path.name)
            for words in left_out(recording):
                complain(f"not in the test as it was recorded: {words}", "export")
        else:
            source, name = script_source(records, path.name), f"{stem}_agent.py"
    except TooDeepError:
        raise RecordingError("a message is nested too deep to be written as source") from None
    if redactor.masked:
        complain(redactor.summary(), "export")
    if options.output == "-":
        sys.stdout.write(source)
        return 0
    written = Path(options.output or name)
    write_new(written, source.encode("utf-8", "backslashreplace"))
    print(written)  # noqa: T201
    return 0
