"""`acp-tui tap`: stand between another editor and an agent, and record what they say."""

import argparse
import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli import fault_options
from acp_tui.cli.output import USAGE, complain

if TYPE_CHECKING:
    from acp_tui.client.process.group import Exit
    from acp_tui.client.recorder import Recorder
    from acp_tui.kept.run_places import RunPlace

    Found = tuple[RunPlace, socket.socket]

_USAGE = "acp-tui tap [--record FILE] [--fault SPEC]... -- COMMAND [ARG...]"
_EPILOG = """\
acp-tui tap -- my-agent --acp
acp-tui tap --fault in:late-answer=5s,10% -- my-agent --acp

Put it before the agent's command in the editor's settings (docs/tap.md). You can read along: acp-tui log 1
--follow, or acp-tui --attach-tap, where you can also hold frames.

exit code: the agent's; a signal that ended the agent ends acp-tui, too; 2 usage"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments."""
    parser.usage = _USAGE
    parser.description = (
        "Sit between an editor and an agent: pass every byte on as it is, and record it."
    )
    parser.epilog = _EPILOG
    parser.add_argument(
        "--record",
        metavar="FILE",
        type=Path,
        help="record into FILE (default: a new file; see acp-tui log)",
    )
    fault_options.add(parser)


def execute(options: argparse.Namespace) -> int:
    """Run the agent; return its exit code."""
    if not options.agent_command:
        options.parser.error(
            "name the agent's command after --, as in: acp-tui tap -- my-agent --acp"
        )
    fault_options.launch_options(options.parser, options)
    argv = tuple(options.agent_command)
    return pass_on(argv, options, _recorder(options.record, argv, str(Path.cwd())))


def pass_on(argv: tuple[str, ...], options: argparse.Namespace, recorder: "Recorder | None") -> int:
    """Run an agent with our own stdin and stdout; return its exit code."""
    import anyio

    cwd = str(Path.cwd())
    with _found_by(cwd) as found:
        gone = anyio.run(_run, argv, cwd, recorder, options, found)
    return USAGE if gone is None else _as_it_ended(gone)


@contextmanager
def _found_by(cwd: str) -> "Iterator[Found | None]":
    """Let screens find this tap; yield None if that is impossible. The editor and the agent can
    still talk.
    """
    from acp_tui.config.paths import taps_folder
    from acp_tui.kept.run_places import KeptRunError, claimed

    with ExitStack() as stack:
        try:
            found = stack.enter_context(claimed(taps_folder(), cwd, None))
        except (KeptRunError, OSError) as error:
            complain(f"nobody can attach: {error}", "tap")
            found = None
        yield found


def _recorder(path: Path | None, argv: tuple[str, ...], cwd: str) -> "Recorder | None":
    """Make the recorder; None if it can't be made. The editor and the agent can still talk."""
    from acp_tui.cli.recording import new_recorder
    from acp_tui.client.launch import Launch
    from acp_tui.client.recorder import recorder_at

    launch = Launch(argv, cwd)
    try:
        return recorder_at(path, launch) if path else new_recorder(launch)
    except OSError as error:
        complain(f"this is not recorded: {error.strerror}: {error.filename!r}", "tap")
        return None


async def _run(
    argv: tuple[str, ...],
    cwd: str,
    recorder: "Recorder | None",
    options: argparse.Namespace,
    found: "Found | None",
) -> "Exit | None":
    """Run the agent; return how it ended, or None where it can't be started."""
    import anyio

    from acp_tui.cli.tap_screens import TapScreens, kept_on_disk
    from acp_tui.client.process.group import SpawnError
    from acp_tui.protocol.events import ClientNotice
    from acp_tui.proxy.interceptor import Interceptor
    from acp_tui.proxy.tap import Tap

    with kept_on_disk() as keep:
        async with anyio.create_task_group() as tasks:
            screens = TapScreens(tasks, None if recorder is None else recorder.record, keep)
            record = screens.record

            def refuse(title: str, words: str) -> None:  # what a screen asked for
                _complain(title, words)
                record(ClientNotice(time.monotonic(), None, "warning", title, words))

            holding = Interceptor(time.monotonic, record, refuse, options.fault_seed)
            holding.begin(options.faults)
            if found is not None:
                tasks.start_soon(screens.listen, *found, holding)
            if recorder is not None:
                tasks.start_soon(
                    recorder.run, lambda title, words: complain(f"{title}: {words}", "tap")
                )
            gone = None
            try:
                tap = Tap(record, time.monotonic, holding, screens.waiting)
                gone = await tap.run(argv, cwd)
            except SpawnError as error:
                complain(str(error), "tap")
            tasks.cancel_scope.cancel()
    return gone


def _complain(title: str, words: str) -> None:
    complain(f"{title}: {words}", "tap")


def _as_it_ended(gone: "Exit") -> int:
    """Return the agent's exit code; if a signal ended the agent, end this process by the same
    signal.
    """
    if gone.signal is None:
        return gone.code or 0
    number = getattr(signal, gone.signal, signal.SIGKILL)
    signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None
    os.kill(os.getpid(), number)
    return 128 + number
