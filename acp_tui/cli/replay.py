"""`acp-tui replay`: play a recording in the app, as if it were live; no process is started."""

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli.options import launch_options
from acp_tui.cli.options.values import parse_speed
from acp_tui.cli.output import USAGE, add_recording, finish_command, print_error
from acp_tui.log_files import open_log, recording_path
from acp_tui.protocol.events import Record
from acp_tui.recordings.recording import RecordingError

if TYPE_CHECKING:
    from acp_tui.ui.app import AcpApp

_EPILOG = """\
acp-tui replay 1               the newest recording
acp-tui replay 1 --speed 5
acp-tui replay talk.jsonl --at 50%

keys: Space pauses, + and - change the speed, . and , step, g seeks, End goes to the end;
F12 opens the inspector on the whole recording.

RECORDING may also be a bug report (.zip), or another program's log that acp-tui log can read."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.description = "Play a recording in the app, as if it were live."
    parser.epilog = _EPILOG
    add_recording(parser)
    parser.add_argument(
        "--speed",
        metavar="N",
        type=parse_speed,
        default=1.0,
        help="how many times as fast (default: 1)",
    )
    parser.add_argument(
        "--at",
        metavar="PLACE",
        help="begin at a time (12.5, 1m30), a frame (#12) or a share (50%%)",
    )
    parser.add_argument("--theme", metavar="NAME", help="a theme of themes/*.toml")
    launch_options.add_setting_option(parser)


def execute(options: argparse.Namespace) -> int:
    """Play the recording."""
    return finish_command("replay", options.recording, lambda: _show_replay(options))


def _show_replay(options: argparse.Namespace) -> int:
    opened = open_log(recording_path(options.recording))
    if not len(opened.records):
        raise RecordingError("nothing is recorded in it")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print_error("a replay needs a terminal; without one, use: acp-tui log", "replay")
        return USAGE
    import anyio

    from acp_tui.client.process.watchdog import watchdog
    from acp_tui.ui.replay.feature import make_replay_app
    from acp_tui.ui.replay.player import ReplayPlayer
    from acp_tui.ui.terminal_app import numbers_of_all

    goal = _find_frame(options, opened.records)
    watchdog.start()
    player = ReplayPlayer(opened.records, time.monotonic, options.speed)
    if goal is not None:
        player.paused = True
        player.seek(goal + 1)
    began = "" if opened.started is None else f"{opened.started:%Y-%m-%d %H:%M}"
    app = make_replay_app(player, began, options.theme)
    app.feature.numbers.read_all = numbers_of_all
    app.on_terminal_taken = watchdog.guard_terminal
    app.feature.external.on_temporary_folder = watchdog.add_path
    # not into the session's folder, which may be on another machine
    app.feature.exports.folder = Path.cwd()
    app.gc_control.enabled = True
    return anyio.run(_run_app, app)


def _find_frame(options: argparse.Namespace, records: Sequence[Record]) -> int | None:
    """Return the index of the record to start at, or None; an invalid `--at` ends the program."""
    if options.at is None:
        return None
    from acp_tui.debug.filters.language import FilterError
    from acp_tui.ui.inspector.positions import position_of

    try:
        return position_of(options.at, records)
    except FilterError as error:
        options.parser.error(f"--at: {error}")
    return None


async def _run_app(app: "AcpApp") -> int:
    """Run the app. A signal ends it like a live one, with the terminal restored."""
    import anyio

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_leave_on_signal, app)
        await app.run_async()
        tasks.cancel_scope.cancel()
    if app.return_code == 1:
        from acp_tui.ui.textual_fixes.faults import BROKE

        sys.stderr.write(BROKE)
    return app.return_code or 0


async def _leave_on_signal(app: "AcpApp") -> None:
    import anyio

    if not hasattr(signal, "SIGHUP"):
        return  # on Windows, event loops can't receive signals
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGHUP) as signals:
        async for number in signals:
            app.exit(return_code=128 + number)
