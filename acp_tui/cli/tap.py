"""`acp-tui tap`: run between another editor and an agent, and record their messages."""

import argparse
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup

from acp_tui.cli.options import launch_options
from acp_tui.cli.options.recording_options import new_recorder
from acp_tui.cli.output import USAGE, print_error
from acp_tui.config.paths import recordings_folder, taps_folder
from acp_tui.protocol.connection import WireConnection
from acp_tui.protocol.events import ClientNotice, Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.proxy.interceptor import Interceptor
from acp_tui.proxy.spill import Spill
from acp_tui.recordings.long_frames import HUGE, ByteStore, StoredFrame, store_frame
from acp_tui.recordings.records import PackedLog

if TYPE_CHECKING:
    from acp_tui.client.process.group import Exit
    from acp_tui.client.recorder import Recorder
    from acp_tui.kept.run_places import RunPlace
    from acp_tui.kept.tap_server import TappedServer

    ClaimedPlace = tuple[RunPlace, socket.socket]

_USAGE = "acp-tui tap [--record FILE] [--fault SPEC]... -- COMMAND [ARG...]"
_EPILOG = """\
acp-tui tap -- my-agent --acp
acp-tui tap --fault in:late-answer=5s,10% -- my-agent --acp

Put it before the agent's command in the editor's settings (docs/testing.md). To watch it: acp-tui log 1
--follow, or acp-tui --attach-tap, where you can also hold messages.

exit code: the agent's; a signal that ended the agent ends acp-tui, too; 2 usage"""
SEARCHED_RECORDS = 20_000
"""Most recent records that are searched for pending requests."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.usage = _USAGE
    parser.description = (
        "Record what an editor and an agent say to each other; every byte is passed on unchanged."
    )
    parser.epilog = _EPILOG
    parser.add_argument(
        "--record",
        metavar="FILE",
        type=Path,
        help="record into FILE (default: a new file; see acp-tui log)",
    )
    launch_options.add_fault_options(parser)


def execute(options: argparse.Namespace) -> int:
    """Run the agent; return its exit code."""
    if not options.agent_command:
        options.parser.error(
            "name the agent's command after --, as in: acp-tui tap -- my-agent --acp"
        )
    launch_options.check_faults(options)
    if sys.stdin.isatty():
        print_error("this talks to an editor on stdin: put it into the editor's settings", "tap")
    argv = tuple(options.agent_command)
    return tap_agent(argv, options, _open_recorder(options.record, argv, str(Path.cwd())))


def tap_agent(
    argv: tuple[str, ...], options: argparse.Namespace, recorder: "Recorder | None"
) -> int:
    """Run an agent on this process's stdin and stdout; return its exit code."""
    cwd = str(Path.cwd())
    with _announced(cwd) as claimed:
        end = anyio.run(_run_tap, argv, cwd, recorder, options, claimed)
    return USAGE if end is None else _exit_like(end)


@contextmanager
def _announced(cwd: str) -> "Iterator[ClaimedPlace | None]":
    """Announce this tap to screens. If that fails, yield None: the editor and the agent still work."""
    from acp_tui.kept.run_places import KeptRunError, claim_name

    with ExitStack() as stack:
        try:
            claimed = stack.enter_context(claim_name(taps_folder(), cwd, None))
        except (KeptRunError, OSError) as error:
            print_error(f"nobody can attach: {error}", "tap")
            claimed = None
        yield claimed


def _open_recorder(path: Path | None, argv: tuple[str, ...], cwd: str) -> "Recorder | None":
    """Open the recorder. If that fails, return None: the editor and the agent still work."""
    from acp_tui.client.launch import Launch
    from acp_tui.client.recorder import recorder_at

    launch = Launch(argv, cwd)
    try:
        return recorder_at(path, launch) if path else new_recorder(launch)
    except OSError as error:
        print_error(f"this is not recorded: {error.strerror}: {error.filename!r}", "tap")
        return None


class TapScreens:
    """Records the messages of a tap, and serves them to attached screens."""

    def __init__(
        self,
        tasks: TaskGroup,
        record: Callable[[Record | StoredFrame], None] | None,
        store: ByteStore | None = None,
    ) -> None:
        self._tasks = tasks
        self._to_disk = record
        self._store = store
        self._memory = PackedLog(store=store)
        self._server: TappedServer | None = None

    def record(self, record: Record) -> None:
        """Record a frame or a fact, and send it to the screens."""
        if self._store is not None and isinstance(record, Frame) and len(record.raw) >= HUGE:
            stored = store_frame(record, self._store)
            self._write_record(stored)
            self._memory.append_stored(stored)
        else:
            self._write_record(record)
            self._memory.append(record)
        if self._server is not None:
            self._server.wake()

    def _write_record(self, record: Record | StoredFrame) -> None:
        if self._to_disk is not None:
            self._to_disk(record)

    def waiting(self) -> list[Frame]:
        """Return the recent pending requests.

        Huge frames aren't read: a huge request is missing, and a request with a huge response
        counts as pending.
        """
        connection, frames = WireConnection(), {}
        for at in range(max(0, len(self._memory) - SEARCHED_RECORDS), len(self._memory)):
            record = None if self._memory.stored_frame(at) else self._memory[at]
            if isinstance(record, Frame):
                frames[record.number] = record
                connection.receive(record)
        waiting = [one.number for side in Direction for one in connection.pending(side)]
        return [frames[number] for number in sorted(waiting)]

    async def listen(
        self, place: "RunPlace", listener: socket.socket, holding: Interceptor
    ) -> None:
        """Accept screens until canceled."""
        listener.setblocking(False)
        await anyio.wait_readable(listener)
        # in a thread, as the import is slow, and the editor and the agent must not wait
        await to_thread.run_sync(import_module, "acp_tui.kept.tap_server")
        from acp_tui.kept.tap_server import TappedServer

        self._server = TappedServer(place, self._memory, holding, self._tasks)
        await self._server.listen(listener)


@contextmanager
def records_on_disk() -> Iterator[ByteStore | None]:
    """Yield a store that keeps records on disk, as a tap can run for days. If there can't be one,
    yield None: records stay in memory.
    """
    with ExitStack() as stack:
        store = None
        with suppress(OSError):
            store = stack.enter_context(closing(Spill(recordings_folder())))
        yield store


async def _run_tap(
    argv: tuple[str, ...],
    cwd: str,
    recorder: "Recorder | None",
    options: argparse.Namespace,
    claimed: "ClaimedPlace | None",
) -> "Exit | None":
    """Run the agent; return how it ended, or None if it can't be started."""
    from acp_tui.client.process.group import SpawnError
    from acp_tui.proxy.tap import Tap

    with records_on_disk() as store:
        async with anyio.create_task_group() as tasks:
            screens = TapScreens(tasks, None if recorder is None else recorder.record, store)
            record = screens.record

            def refuse(title: str, words: str) -> None:
                """Report a screen's request that failed, on stderr and to all screens."""
                print_error(f"{title}: {words}", "tap")
                record(ClientNotice(time.monotonic(), None, "warning", title, words))

            holding = Interceptor(time.monotonic, record, refuse, options.fault_seed)
            holding.begin(options.faults)
            if claimed is not None:
                tasks.start_soon(screens.listen, *claimed, holding)
            if recorder is not None:
                tasks.start_soon(
                    recorder.run, lambda title, words: print_error(f"{title}: {words}", "tap")
                )
            end = None
            try:
                tap = Tap(record, time.monotonic, holding, screens.waiting)
                end = await tap.run(argv, cwd)
            except SpawnError as error:
                print_error(str(error), "tap")
            tasks.cancel_scope.cancel()
    return end


def _exit_like(end: "Exit") -> int:
    """Return the agent's exit code. If a signal ended the agent, end this process by the same
    signal.
    """
    if end.signal is None:
        return end.code or 0
    number = getattr(signal, end.signal, signal.SIGKILL)
    signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None
    os.kill(os.getpid(), number)
    return 128 + number
