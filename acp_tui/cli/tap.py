"""`acp-tui tap`: stand between another editor and an agent, and record what they say."""

import argparse
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli.output import USAGE, complain

if TYPE_CHECKING:
    from acp_tui.client.process.group import Exit
    from acp_tui.client.recorder import Recorder

_USAGE = "acp-tui tap [--record FILE] -- COMMAND [ARG...]"
_EPILOG = """\
Put it before the agent's command in the editor's settings (docs/tap.md). What is said can be read while it
is said: acp-tui log 1 --follow.

exit code: the agent's; a signal that ended the agent ends acp-tui, too; 2 usage"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments."""
    parser.usage = _USAGE
    parser.description = (
        "Stand between an editor and an agent: pass every byte on as it is, and record it."
    )
    parser.epilog = _EPILOG
    parser.add_argument(
        "--record",
        metavar="FILE",
        type=Path,
        help="record into FILE (default: a new file; see acp-tui log)",
    )


def execute(options: argparse.Namespace) -> int:
    """Run the agent; return its exit code."""
    if not options.agent_command:
        options.parser.error(
            "name the agent's command after --, as in: acp-tui tap -- my-agent --acp"
        )
    import anyio

    argv, cwd = tuple(options.agent_command), str(Path.cwd())
    gone = anyio.run(_run, argv, cwd, _recorder(options.record, argv, cwd))
    return USAGE if gone is None else _as_it_ended(gone)


def _recorder(path: Path | None, argv: tuple[str, ...], cwd: str) -> "Recorder | None":
    """Make the recorder. Without one the editor and the agent can still talk."""
    from acp_tui.client.launch import Launch
    from acp_tui.client.recorder import recorder_at, recorder_in
    from acp_tui.config.paths import recordings_folder

    launch = Launch(argv, cwd)
    try:
        return recorder_at(path, launch) if path else recorder_in(recordings_folder(), launch)
    except OSError as error:
        complain(f"this is not recorded: {error.strerror}: {error.filename!r}", "tap")
        return None


async def _run(argv: tuple[str, ...], cwd: str, recorder: "Recorder | None") -> "Exit | None":
    """Run the agent; return how it ended, or None where it can't be started."""
    import anyio

    from acp_tui.client.process.group import SpawnError
    from acp_tui.client.tap import Tap

    async with anyio.create_task_group() as tasks:
        record = (lambda _: None) if recorder is None else recorder.record
        if recorder is not None:
            tasks.start_soon(
                recorder.run, lambda title, words: complain(f"{title}: {words}", "tap")
            )
        gone = None
        try:
            gone = await Tap(record, time.monotonic).run(argv, cwd)
        except SpawnError as error:
            complain(str(error), "tap")
        tasks.cancel_scope.cancel()
    return gone


def _as_it_ended(gone: "Exit") -> int:
    """Return the agent's exit code; a signal that ended it ends us."""
    if gone.signal is None:
        return gone.code or 0
    number = getattr(signal, gone.signal, signal.SIGKILL)
    signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None
    os.kill(os.getpid(), number)
    return 128 + number
