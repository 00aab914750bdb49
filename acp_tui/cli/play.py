"""`acp-tui play`: be the recorded agent for any client, or the recorded client for an agent."""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli.options import launch_options
from acp_tui.cli.options.agent_options import make_paths_absolute
from acp_tui.cli.options.recording_options import open_recorder
from acp_tui.cli.options.values import parse_seconds, speed_or_none
from acp_tui.cli.output import USAGE, add_recording, finish_command, out, print_error
from acp_tui.config.paths import PROGRAM, plays_folder
from acp_tui.debug.play.scenes import runs_in, split_into_scenes
from acp_tui.formatting import counted
from acp_tui.log_files import open_log, recording_path
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction
from acp_tui.recordings.recording import RecordingError

if TYPE_CHECKING:
    from acp_tui.client.recorder import Recorder
    from acp_tui.player.client import Play

DIFFERS = 1
NEXT = 0
"""Value of `--run next`: the run after the one that the same client got last."""
_USAGE = """\
acp-tui play [OPTIONS] RECORDING
       acp-tui play --as-client [OPTIONS] RECORDING -- COMMAND [ARG...]"""
_EPILOG = """\
acp-tui play 1 --speed 4                        be the agent of the newest recording
acp-tui play 1 --as-client -- my-agent --acp    send to an agent what was sent to it then

Without --as-client it is an agent on stdin and stdout: put it where a client expects the agent's command.

With --as-client it starts the agent in a temporary folder, sends what the recorded client sent, and compares
what comes back (see acp-tui diff). Only what was allowed in the recording is allowed: the same call, once.
Everything else is rejected, with words. The agent reads files of that folder and of the recording; commands
aren't run. Files that COMMAND names are found from here.

RECORDING may also be a bug report (.zip), or another program's log that acp-tui log can read.

exit codes: 0; 1 --strict or --as-client, and the other side said something else; 2 usage, or what can't
be read or started"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.usage = _USAGE
    parser.description = (
        "Act as the recorded agent for a client, or as the recorded client for an agent."
    )
    parser.epilog = _EPILOG
    add_recording(parser)
    launch_options.add_fault_options(parser)
    parser.add_argument(
        "--speed",
        metavar="N",
        type=speed_or_none,
        default=1.0,
        help="how many times as fast; 0 leaves out all pauses (default: 1)",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--loose", action="store_true", help="continue whatever the client says (default)"
    )
    how.add_argument(
        "--strict",
        action="store_true",
        help="answer what differs from the recording with an error, and report it",
    )
    how.add_argument("--as-client", action="store_true", help="be the client of the agent after --")
    parser.add_argument(
        "--run",
        metavar="N",
        type=_parse_number,
        default=1,
        help="begin with the Nth run of an agent that was started several times (default: 1); next is"
        " the one after that with which the same client began before",
    )
    client = parser.add_argument_group("with --as-client")
    client.add_argument(
        "--cwd",
        metavar="DIR",
        type=Path,
        help="let the agent work in DIR, and its files be read there",
    )
    client.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=parse_seconds,
        default=60.0,
        help="how long to wait for an answer (default: 60)",
    )
    client.add_argument(
        "--slower", metavar="N", type=parse_seconds, help="count answers that take N times as long"
    )
    client.add_argument("--record", metavar="FILE", type=Path, help="record into FILE")
    client.add_argument("--no-record", action="store_true", help="record nothing")


def execute(options: argparse.Namespace) -> int:
    """Play the recording."""
    if options.as_client != bool(options.agent_command):
        hint = (
            "name the agent's command after --" if options.as_client else "-- goes with --as-client"
        )
        options.parser.error(f"{hint}: acp-tui play --as-client RECORDING -- my-agent --acp")
    if options.cwd is not None and not options.cwd.is_dir():
        options.parser.error(f"--cwd: {options.cwd} is no folder")
    if options.run == NEXT:
        if options.as_client:
            options.parser.error("--run next doesn't work with --as-client, which plays all runs")
        failed = finish_command("play", options.recording, lambda: _choose_run(options))
        if failed:
            return failed
    if options.faults:
        return _play_with_faults(options)
    work = _play_client if options.as_client else _play_agent
    return finish_command("play", options.recording, lambda: work(options))


def _play_with_faults(options: argparse.Namespace) -> int:
    """Play the recorded agent behind a tap that injects the faults."""
    from acp_tui.cli.tap import tap_agent

    if options.as_client:
        options.parser.error("--fault doesn't work with --as-client")
    launch_options.check_faults(options)
    strict = ("--strict",) if options.strict else ()
    words = ("play", options.recording, "--speed", options.speed, "--run", options.run, *strict)
    return tap_agent((*PROGRAM, *map(str, words)), options, None)


def _print_notice(words: str) -> None:
    print_error(words, "play")


def _parse_number(text: str) -> int:
    if text == "next":
        return NEXT
    if not text.isdecimal() or not 0 < int(text[:9]) < 1e6:
        raise argparse.ArgumentTypeError(f"a number from 1, or next, not {text!r}")
    return int(text)


def _choose_run(options: argparse.Namespace) -> int:
    """Pick the next recorded run for the client that started this process."""
    from acp_tui.player.agent import next_run

    path = recording_path(options.recording)
    options.run = next_run(plays_folder(), path, len(_all_runs(options)))
    return 0


def _all_runs(options: argparse.Namespace) -> list[list[Record]]:
    side = Direction.OUT if options.as_client else Direction.IN
    runs = runs_in(open_log(recording_path(options.recording)).records, side)
    if not runs:
        raise RecordingError("no messages are recorded in it: nothing can be played")
    return runs


def _read_runs(options: argparse.Namespace) -> list[list[Record]]:
    runs = _all_runs(options)
    if options.run > len(runs):
        raise RecordingError(
            f"it has {counted(len(runs), 'run')} of the agent, but no run {options.run}"
        )
    return runs[options.run - 1 :]


def _play_agent(options: argparse.Namespace) -> int:
    from acp_tui.player.agent import play_agent

    runs = list(map(split_into_scenes, _read_runs(options)))
    if sys.stdin.isatty():
        _print_notice(
            "this is an agent now, on stdin and stdout: name it to a client as its agent's command"
        )
    return play_agent(
        runs, _print_notice, speed=options.speed, strict=options.strict, run=options.run
    )


def _play_client(options: argparse.Namespace) -> int:
    from tempfile import TemporaryDirectory

    from acp_tui.client.process.watchdog import watchdog

    runs = _read_runs(options)
    if options.cwd is not None:
        return _play_and_compare(options, runs, options.cwd)
    with TemporaryDirectory(prefix="acp-tui-play-") as folder:
        watchdog.start()
        watchdog.add_path(Path(folder))
        return _play_and_compare(options, runs, Path(folder))


def _play_and_compare(options: argparse.Namespace, runs: list[list[Record]], folder: Path) -> int:
    """Play in a folder, and print the differences from the recording."""
    import anyio

    from acp_tui.client.launch import Launch
    from acp_tui.client.process.group import SpawnError
    from acp_tui.debug.play.recorded_client import read_acts
    from acp_tui.player.client import FolderFiles, Play

    files = FolderFiles(folder)
    argv = make_paths_absolute(options.agent_command)
    launch = Launch(tuple(argv), str(folder))
    received: list[list[Record]] = [[] for _ in runs]
    with open_recorder(options, launch, options.record, [], by="play") as recorder:
        plays = [
            Play(
                *(read_acts(recorded), files, options.speed, options.timeout, _print_notice),
                partial(_record_into, into, recorder),
            )
            for recorded, into in zip(runs, received, strict=True)
        ]
        try:
            anyio.run(_run_plays, argv, plays, recorder)
        except SpawnError as error:
            _print_notice(str(error))
            return USAGE
    differs = False
    for number, (recorded, played) in enumerate(zip(runs, received, strict=True), options.run):
        if len(runs) > 1:
            out(f"run {number}")
        differs |= _print_differences(recorded, played, options.slower or inf)
    return DIFFERS if differs else 0


def _record_into(into: list[Record], recorder: "Recorder | None", record: Record) -> None:
    into.append(record)
    if recorder is not None:
        recorder.record(record)


def _print_differences(recorded: list[Record], played: list[Record], slower: float) -> bool:
    from acp_tui.debug.compare.comparison import compare_recordings
    from acp_tui.debug.compare.report import comparison_text
    from acp_tui.debug.compare.steps import split_at_turns

    found = compare_recordings(split_at_turns(recorded), split_at_turns(played), slower=slower)
    for line in comparison_text(found):
        out(line)
    return bool(found.differences)


async def _run_plays(argv: list[str], plays: "Sequence[Play]", recorder: "Recorder | None") -> None:
    """Start the agent once for each of its runs, and play the run to it. Raises SpawnError."""
    import anyio

    from acp_tui.player.client import play_client

    async with anyio.create_task_group() as tasks:
        if recorder is not None:
            tasks.start_soon(recorder.run, lambda title, words: _print_notice(f"{title}: {words}"))
        await play_client(argv, plays)
        tasks.cancel_scope.cancel()
