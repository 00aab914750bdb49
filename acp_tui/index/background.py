"""Updates the index from recordings in a process of its own, so that typing never lags.

The process runs while the user is idle, or while they wait for the statistics of all recordings.
"""

import errno
import os
import select
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from math import inf
from subprocess import DEVNULL, PIPE, Popen

import anyio
from anyio import to_thread

from acp_tui.config.paths import PYTHON, archive_file, recordings_folder
from acp_tui.index.index import Index
from acp_tui.index.numbers import agents_by_recordings, number_parts
from acp_tui.recordings.recorded_numbers import NumbersProgress
from acp_tui.store.files_in_use import in_use
from acp_tui.store.recordings import recordings_in

USER_WAITS = "--asked-for"
"""The argument of a process that the user waits for: it runs at normal priority."""
IDLE_SECONDS = 5.0
"""Seconds without a key press after which the user counts as idle."""
CHECK_INTERVAL = 10.0
"""Seconds between checks whether the index is out of date."""
_KEY_INTERVAL = 0.1
"""Seconds between checks whether a key was pressed while the process reads."""
PARTS = 24
"""Most parts that the statistics are divided into, one for each bar in a row of the screen."""
SO_FAR = 0.5
"""Seconds between reports of the statistics so far."""
_MOST_NAMES = 100
"""Most names of one kind in a part; a longer list is of no use."""
_POLL_INTERVAL = 0.02
"""Seconds between checks whether a process has ended."""
_NICE = 19
"""The lowest priority: every other process goes first."""


async def update_when_idle(last_typed: Callable[[], float], is_enabled: Callable[[], bool]) -> None:
    """Update an existing index while the user is idle, until canceled.

    `last_typed` returns the time of the last key press, by the monotonic clock. Nothing is read
    unless `is_enabled` returns true.
    """

    def has_time() -> bool:
        return is_enabled() and time.monotonic() - last_typed() >= IDLE_SECONDS

    while True:
        await anyio.sleep(CHECK_INTERVAL)
        if has_time() and await to_thread.run_sync(_is_outdated, abandon_on_cancel=True):
            try:
                await _update_index(has_time)
            except OSError:
                return  # no process can be started: each search updates the index itself


async def _update_index(has_time: Callable[[], bool]) -> None:
    with run_indexer() as process:
        while process.poll() is None:
            if not has_time() and process.stdin is not None:
                process.stdin.close()  # it ends after the current recording
            await anyio.sleep(_KEY_INTERVAL)


def _is_outdated() -> bool:
    """Return whether the index exists and is out of date; a missing one is only made by a search."""
    file = archive_file()
    if not file.exists():
        return False
    try:
        with Index.open(file) as index:
            files = recordings_in(recordings_folder())
            return bool(index.outdated(files, skip=in_use)) or index.has_deleted(files)
    except (OSError, sqlite3.Error):
        return False


class Overview:
    """Reads the statistics in the index: while a process updates it, and for each new selection."""

    def __init__(self, process: "Popen[bytes]") -> None:
        self._process = process
        self._agent, self._age = "", 0.0
        self._selected = anyio.Event()

    async def select(self, agent: str, age: float) -> None:
        """Select agents with `agent` in their names, and recordings at most `age` seconds old (0:
        all).
        """
        self._agent, self._age = agent, age
        self._selected.set()

    async def updates(self) -> AsyncIterator[NumbersProgress]:
        """Yield the statistics so far, then the final ones, and those of each new selection.

        Raises OSError if the index can't be read.
        """
        while True:
            self._selected = anyio.Event()
            is_read = self._process.poll() is not None
            yield await to_thread.run_sync(
                _read_numbers, self._agent, self._age, is_read, abandon_on_cancel=True
            )
            with anyio.move_on_after(inf if is_read else SO_FAR):
                await self._selected.wait()


@asynccontextmanager
async def open_overview() -> AsyncIterator[Overview]:
    """Start the process that updates the index, and end it afterward. Raises OSError."""
    with run_indexer(USER_WAITS) as process:
        yield Overview(process)


async def update_index() -> None:
    """Update the index while the user waits for it. Raises OSError."""
    with run_indexer(USER_WAITS) as process:
        while process.poll() is None:  # noqa: ASYNC110  a plain process has no event
            await anyio.sleep(_POLL_INTERVAL)


def _read_numbers(agent: str, age: float, is_read: bool) -> NumbersProgress:
    """Read the statistics of the recordings that are in the index. Raises OSError."""
    files = recordings_in(recordings_folder())
    try:
        with Index.open(archive_file()) as index:
            left = 0 if is_read else len(index.outdated(files, skip=in_use))
            since = time.time() - age if age else 0.0
            parts = number_parts(index.database, agent, since, PARTS)
            agents = agents_by_recordings(index.database)
    except sqlite3.Error as error:
        raise OSError(errno.EIO, str(error)) from None
    for _, one in parts:
        one.bound(_MOST_NAMES)
    return NumbersProgress(len(files) - left, len(files), agents, parts)


@contextmanager
def run_indexer(*arguments: str) -> Iterator["Popen[bytes]"]:
    """Run the process that updates the index, and kill it afterward. Raises OSError.

    Nothing is awaited here: an app that quits cancels its tasks at any await, and would leave
    behind a process that is starting or ending. The process is killed, not terminated, because
    waiting for its end blocks the event loop; the index survives that.
    """
    argv = [*PYTHON, "acp_tui.index.background", *arguments]
    with Popen(argv, stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


class _StopError(Exception):
    """The process has to stop: the user is typing, or has deleted the index."""


def main() -> None:
    """Update the index, in the process that `run_indexer` starts."""
    if USER_WAITS not in sys.argv and hasattr(os, "nice"):
        os.nice(_NICE)
    file = archive_file()
    with suppress(_StopError, OSError, sqlite3.Error), Index.open(file) as index:
        same = file.stat().st_ino

        def check(_: int, __: int) -> None:
            # The parent ends this process by closing its stdin.
            has_eof = bool(select.select([0], [], [], 0)[0])
            if has_eof or file.stat().st_ino != same:
                raise _StopError

        index.update(recordings_in(recordings_folder()), check, skip=in_use)


if __name__ == "__main__":
    main()
