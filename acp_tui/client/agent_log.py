"""Follows the agent's own log file and emits its lines as events among the frames."""

import os
import stat
from contextlib import suppress
from pathlib import Path

import anyio
from anyio import to_thread

from acp_tui.client.core import Core
from acp_tui.client.output_log import LineLog, LineSplitter
from acp_tui.protocol.process_events import AgentLogLine, AgentLogOmitted

PERIOD = 0.05
"""Seconds between reads: how exactly a line is placed among the frames."""
SIZE_TIMEOUT = 2.0
"""Seconds that the agent's start waits at most for the file's current size."""
FINAL_READ_TIMEOUT = 0.5
"""Seconds in which the last lines are read after the agent has ended."""
_READ_SIZE = 256 * 1024


class AgentLog:
    """Emits the lines that are added to a log file, skipping earlier content: it is from earlier
    runs.

    The file may not exist yet, and it may grow, be truncated, or be replaced.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._lines = LineLog(core.clock, core.emit, line=AgentLogLine, omitted=AgentLogOmitted)
        self._splitter = LineSplitter()
        self._ready = anyio.Event()

    async def wait_until_ready(self) -> None:
        """Wait until the old content is skipped, but no longer than SIZE_TIMEOUT, in case the disk
        hangs.
        """
        with anyio.move_on_after(SIZE_TIMEOUT):
            await self._ready.wait()

    async def follow(self, path: Path) -> None:
        """Follow the file until canceled."""
        file = _File(path)
        try:
            await to_thread.run_sync(file.skip)
            self._ready.set()
            while True:
                await self._read_new_lines(file)
                await anyio.sleep(PERIOD)
        except OSError as error:
            words = f"{path}: {error.strerror or error}"
            self._core.notify(None, "error", "The agent's log is no longer followed", words)
        finally:
            self._ready.set()
            with anyio.move_on_after(FINAL_READ_TIMEOUT, shield=True), suppress(OSError):
                await self._read_new_lines(file)
            self._lines.finish()
            file.close()

    async def _read_new_lines(self, file: "_File") -> None:
        """Emit the lines that were added since the last read."""
        while data := await to_thread.run_sync(file.read, abandon_on_cancel=True):
            for line in self._splitter.feed(data):
                self._lines.add_line(line)
        if self._lines.seconds_until_due == 0.0:
            self._lines.flush()


class _File:
    """The log file, reopened when another file replaces it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open: int | None = None
        self._at = 0

    def skip(self) -> None:
        """Skip the current content."""
        self._reopen()
        if self._open is not None:
            self._at = os.fstat(self._open).st_size

    def read(self) -> bytes:
        """Return the next bytes, reading the rest of a replaced file first. Raises OSError."""
        if self._open is None:
            self._reopen()
        if self._open is None:
            return b""
        if os.fstat(self._open).st_size < self._at:
            self._at = 0  # it was emptied
        data = self._read_lines()
        if not data and not self._is_there(self._open):
            self.close()
            self._reopen()
            data = self._read_lines()
        return data

    def close(self) -> None:
        if self._open is not None:
            os.close(self._open)
        self._open, self._at = None, 0

    def _read_lines(self) -> bytes:
        if self._open is None:
            return b""
        os.lseek(self._open, self._at, os.SEEK_SET)
        data = os.read(self._open, _READ_SIZE)
        self._at += len(data)
        return data

    def _is_there(self, descriptor: int) -> bool:
        """Return whether the path still names the open file."""
        try:
            return os.path.samestat(os.fstat(descriptor), self._path.stat())
        except FileNotFoundError:
            return False

    def _reopen(self) -> None:
        how = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        try:
            self._open = os.open(self._path, how)
        except FileNotFoundError:
            return
        if not stat.S_ISREG(os.fstat(self._open).st_mode):
            self.close()
            raise OSError(f"{self._path.name} is not a regular file")
