"""Writes a recording from a thread, so that a slow disk never slows the session."""

import os
import platform
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import chain
from pathlib import Path
from stat import S_ISREG

import anyio
from anyio import from_thread
from anyio.lowlevel import EventLoopToken, current_token

from acp_tui.client.launch import Launch, Notify
from acp_tui.config.private_files import name_in_errors
from acp_tui.config.settings import KEPT_BYTES, KEPT_RECORDINGS
from acp_tui.protocol.events import ClientNotice, Record
from acp_tui.protocol.frames import Frame
from acp_tui.recordings.long_frames import StoredFrame
from acp_tui.recordings.recording import dump_in_pieces, format_header
from acp_tui.store.files_in_use import mark_in_use
from acp_tui.store.recordings import new_file, prune_recordings
from acp_tui.version import __version__

PERIOD = 0.5
"""Seconds between writes: the most that a crash loses."""
PENDING_BYTES = 64 * 1024 * 1024
"""Bytes that may be pending for a disk that hangs; records beyond that are dropped and counted."""
_LONG_FRAME = PENDING_BYTES // 4
"""Most bytes that one frame counts as, so that a long one alone doesn't displace the records after
it.
"""
FINAL_WRITE_TIMEOUT = 5.0
"""Seconds without progress at the end after which pending records are given up."""
FINAL_WRITES_TIMEOUT = 60.0
"""Seconds at the end in which all pending records must be written: a long line takes a while."""
_PIECE = 1024 * 1024
_OVERHEAD = 300
"""Approximate bytes of memory that a record takes besides its texts."""


class Recorder:
    """Records frames and events, which a thread writes. `failure` is the reason why it had to stop.

    `waiting` is about how many bytes of memory are pending for the disk. Raises OSError if the file
    can't be created. If `housed` in the recordings folder, it deletes old recordings so that at
    most `kept` remain, within `limit` bytes in total, and stops at that `limit` itself.
    """

    def __init__(
        self,
        path: Path,
        facts: dict[str, object],
        *,
        housed: bool = False,
        kept: int = KEPT_RECORDINGS,
        limit: int = KEPT_BYTES,
    ) -> None:
        self.path = path
        self.failure: str | None = None
        self._housed = housed
        self._max_recordings = kept
        self._limit = limit
        self._written = 0
        self._pending: list[Record | StoredFrame] = []
        self.waiting = 0
        self._lost = 0
        self._lock = threading.Lock()
        self._losses_changed: anyio.Event | None = None
        self._closing = threading.Event()
        self._file = _open_file(path)
        mark_in_use(self._file)
        times = {"started": time.time(), "monotonic": time.monotonic()}
        try:
            with name_in_errors(path):
                self._write_all(
                    f"{format_header({**facts, **times})}\n".encode("utf-8", "backslashreplace")
                )
        except OSError:
            os.close(self._file)
            if housed:
                path.unlink(missing_ok=True)
            raise

    def limit_to(self, limit: int) -> None:
        """Stop at `limit` bytes from now on, if the file is in the recordings folder."""
        self._limit = limit

    def record(self, record: Record | StoredFrame) -> None:
        """Queue a frame or event for writing; never waits. If too much is pending, drop and count
        it.
        """
        if self.failure is not None:
            return
        with self._lock:
            if self.waiting > PENDING_BYTES:
                self._lost += 1
                news = self._lost == 1
            else:
                news = self._note_lost()
                self._pending.append(record)
                self.waiting += _size(record)
        if news and self._losses_changed is not None:
            self._losses_changed.set()

    def _note_lost(self) -> bool:
        """Queue a notice of how many records were dropped; return False if none were."""
        if not self._lost:
            return False
        title = f"{self._lost:,} records are missing here"
        words = "The disk did not take them in time; what follows may not fit."
        self._pending.append(ClientNotice(time.monotonic(), None, "warning", title, words))
        self._lost = 0
        return True

    async def run(self, notify: Notify) -> None:
        """Write records until canceled, then write the rest."""
        done, self._losses_changed = anyio.Event(), anyio.Event()
        # Not one of anyio's threads: if the disk hangs, the program must be able to exit without
        # it.
        work = partial(self._work, done.set, current_token())
        threading.Thread(target=work, name="recorder", daemon=True).start()
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._report_losses, notify)
                await done.wait()
                tasks.cancel_scope.cancel()
        finally:
            self._closing.set()
            await self._wait_for_last(done)
            if not done.is_set():
                self.failure = "the end of the recording is missing: it was not written in time"
            if self.failure is not None:
                notify("No longer recorded", self.failure)

    async def _wait_for_last(self, done: anyio.Event) -> None:
        """Wait until everything is written, as long as there is progress."""
        with anyio.move_on_after(FINAL_WRITES_TIMEOUT, shield=True):
            before = -1
            while before < self._written and not done.is_set():
                before = self._written
                with anyio.move_on_after(FINAL_WRITE_TIMEOUT):
                    await done.wait()

    async def _report_losses(self, notify: Notify) -> None:
        """Notify the user when records are dropped, and when recording works again."""
        losing = False
        while True:
            assert self._losses_changed is not None
            news = self._losses_changed
            if bool(self._lost) != losing:
                losing = not losing
                if losing:
                    words = f"The disk is too slow: {PENDING_BYTES // 2**20} MiB wait for it."
                    notify("Not recorded for now", words)
                else:
                    notify("Recorded again", "The recording says how much of it is missing.")
            await news.wait()
            self._losses_changed = anyio.Event()

    def _work(self, done: Callable[[], None], loop: EventLoopToken) -> None:
        """Write records periodically; a thread, so that a busy event loop delays no write."""
        try:
            if self._housed:
                prune_recordings(self.path.parent, self._max_recordings, self._limit)
            while not self._closing.wait(PERIOD):
                self._write_pending()
            with self._lock:
                self._note_lost()
            self._write_pending()
        except OSError as error:
            self.failure = f"the recording has stopped: {error.strerror or error}"
        except Exception:
            self.failure = "the recording has stopped because of a bug in acp-tui"
            raise
        finally:
            self._pending = []
            os.close(self._file)
            try:
                from_thread.run_sync(done, token=loop)
            except RuntimeError:
                pass  # the loop is closed: nobody waits anymore

    def _write_pending(self) -> None:
        with self._lock:
            records, self._pending = self._pending, []
        if records and not os.fstat(self._file).st_nlink:
            raise OSError("its file was removed")
        piece = bytearray()
        for record in records:
            parts = record.pieces() if isinstance(record, StoredFrame) else dump_in_pieces(record)
            for part in chain(parts, "\n"):
                piece += part.encode("utf-8", "backslashreplace")
                if len(piece) > _PIECE:
                    self._write_all(piece)
                    piece = bytearray()
        self._write_all(piece)
        with self._lock:  # only now: until written, the records are still in memory
            self.waiting = sum(map(_size, self._pending))
        if self._housed and self._written > self._limit:
            raise OSError(f"it has reached {self._limit:,} bytes; --record FILE has no limit")

    def _write_all(self, data: bytes | bytearray) -> None:
        rest = memoryview(data)
        while rest:
            count = os.write(self._file, rest)
            self._written += count
            rest = rest[count:]


def _open_file(path: Path) -> int:
    """Open a file for writing; a FIFO without a reader is an error, since it would block."""
    how = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    if not hasattr(os, "O_NONBLOCK"):
        return os.open(path, how, 0o600)
    descriptor = os.open(path, how | os.O_NONBLOCK, 0o600)
    os.set_blocking(descriptor, True)
    if S_ISREG(os.fstat(descriptor).st_mode):
        with suppress(OSError):  # another user's file, or a file system without modes
            os.fchmod(descriptor, 0o600)  # an existing file may be readable by everyone
    return descriptor


def _size(record: Record | StoredFrame) -> int:
    """Return roughly how many bytes of memory a record takes."""
    if isinstance(record, StoredFrame):
        return _OVERHEAD
    if isinstance(record, Frame):
        return min(len(record.raw), _LONG_FRAME) + _OVERHEAD
    return _OVERHEAD + sum(len(one) for one in record if isinstance(one, str | bytes))


def recorder_at(path: Path, launch: Launch, by: str = "") -> Recorder:
    """Return a recorder that writes to the file at `path`. Raises OSError.

    `by` is the command that runs the sessions, if no person does.
    """
    return Recorder(path, _facts(launch, by))


def recorder_in(
    folder: Path,
    launch: Launch,
    kept: int = KEPT_RECORDINGS,
    limit: int = KEPT_BYTES,
    by: str = "",
) -> Recorder:
    """Return a recorder that writes to a new file in the recordings folder. Raises OSError."""
    path = new_file(folder, launch.program, datetime.now().astimezone())
    return Recorder(path, _facts(launch, by), housed=True, kept=kept, limit=limit)


def _facts(launch: Launch, by: str) -> dict[str, object]:
    """Return the fields of a recording's header. Variables are only named: their values may be
    secrets.
    """
    system = platform.uname()
    trace = {} if launch.export.trace is None else {"trace": launch.export.trace.facts()}
    return {
        **trace,
        "argv": launch.argv,
        **({} if launch.remote is None else launch.remote.facts),
        "cwd": launch.cwd,
        **({"by": by} if by else {}),
        "env": sorted(launch.env),
        "pid": os.getpid(),
        "version": __version__,
        "python": sys.version.split()[0],
        "platform": f"{system.system} {system.release} {system.machine}",
    }
