"""Writes a recording off the loop, so that a slow disk never slows the session."""

import os
import platform
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import anyio
from anyio import to_thread

from acp_tui import __version__
from acp_tui.client.launch import Launch
from acp_tui.config.recordings import KEPT_BYTES, hold, new_file, prune
from acp_tui.wire.recording import Record, dump, header

PERIOD = 0.5
"""Seconds between two writes; so much a crash can lose."""


class Recorder:
    """Takes records; a thread writes them. `failure` says why it had to stop.

    Raises OSError if the file can't be made. A file in the recordings folder (`housed`) makes
    room for itself, and ends at the folder's limit.
    """

    def __init__(
        self,
        path: Path,
        facts: dict[str, object],
        *,
        housed: bool = False,
        limit: int = KEPT_BYTES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path = path
        self.failure: str | None = None
        self._housed = housed
        self._limit = limit
        self._written = 0
        self._taken: list[Record] = []
        self._closing = threading.Event()
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        hold(self._file)
        times = {"started": time.time(), "monotonic": clock()}
        try:
            self._write_all(f"{header({**facts, **times})}\n".encode("utf-8", "backslashreplace"))
        except OSError:
            os.close(self._file)
            raise

    def record(self, record: Record) -> None:
        """Take a record; never waits."""
        if self.failure is None:
            self._taken.append(record)

    async def run(self, failed: Callable[[str], None]) -> None:
        """Write what is taken, until cancelled; then the rest. `failed` is told of a failure."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._close_when_cancelled)
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(self._work)
            if self.failure is not None:
                failed(self.failure)
            tasks.cancel_scope.cancel()

    async def _close_when_cancelled(self) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            self._closing.set()

    def _work(self) -> None:
        """The thread: a loop of its own, so that a busy event loop delays no write."""
        try:
            if self._housed:
                prune(self.path.parent)
            while not self._closing.wait(PERIOD):
                self._write_taken()
            self._write_taken()
        except OSError as error:
            self.failure = f"the recording has stopped: {error.strerror or error}"
        finally:
            self._taken = []
            os.close(self._file)

    def _write_taken(self) -> None:
        records, self._taken = self._taken, []
        data = "".join(f"{dump(record)}\n" for record in records)
        self._write_all(data.encode("utf-8", "backslashreplace"))
        if self._housed and self._written > self._limit:
            raise OSError(f"it has reached {self._limit:,} bytes; --record FILE has no limit")

    def _write_all(self, data: bytes) -> None:
        self._written += len(data)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._file, rest) :]


def recorder_at(path: Path, launch: Launch) -> Recorder:
    """A recorder into a file that was named. Raises OSError."""
    return Recorder(path, _facts(launch))


def recorder_in(folder: Path, launch: Launch) -> Recorder:
    """A recorder into a new file of the recordings folder. Raises OSError."""
    path = new_file(folder, launch.argv, datetime.now().astimezone())
    return Recorder(path, _facts(launch), housed=True)


def _facts(launch: Launch) -> dict[str, object]:
    """What the header says. Of the environment only names: values may be secrets."""
    system = platform.uname()
    return {
        "argv": launch.argv,
        "cwd": launch.cwd,
        "env": sorted(launch.env),
        "version": __version__,
        "python": sys.version.split()[0],
        "platform": f"{system.system} {system.release} {system.machine}",
    }
