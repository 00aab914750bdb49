"""A temporary file for bytes that would fill up memory."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryFile

from acp_tui.config.private_files import make_folder
from acp_tui.recordings.long_frames import HUGE, PIECE, slice_bytes

DISK_TIMEOUT = 5.0
"""Seconds that the disk may take to write large data before further data stays in memory."""


class SpilledBytes:
    """Bytes in a spill's file, or in memory until they are written."""

    def __init__(self, file: int, start: int, data: bytes) -> None:
        self._file = file
        self._start = start
        self._size = len(data)
        self._data: bytes | None = data

    def write(self) -> None:
        """Write the bytes and drop them from memory. Raises OSError."""
        assert self._data is not None
        at = self._start
        for part in slice_bytes(self._data):  # a single large write would block the disk for others
            rest = memoryview(part)
            while rest:
                count = os.pwrite(self._file, rest, at)
                rest, at = rest[count:], at + count
        self._data = None

    def read(self) -> bytes:
        """Return all bytes."""
        return b"".join(self.pieces())

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes in pieces; they may move to disk in between."""
        for at in range(0, self._size, PIECE):
            data = self._data
            yield self._piece(at) if data is None else data[at : at + PIECE]

    def _piece(self, start: int) -> bytes:
        wanted, found = min(PIECE, self._size - start), b""
        while len(found) < wanted:
            at = self._start + start + len(found)
            part = os.pread(self._file, wanted - len(found), at)
            if not part:
                raise OSError("what was kept on disk is cut off")
            found += part
        return found


class Spill:
    """An anonymous temporary file, which is gone after `close` or with this process.

    Raises OSError if it can't be created. Data that doesn't fit on the disk stays in memory. A
    thread writes large data.
    """

    def __init__(self, folder: Path) -> None:
        make_folder(folder)
        self._file = TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115
        self._end = 0
        self._large: SimpleQueue[SpilledBytes | None] = SimpleQueue()
        self._room = threading.Semaphore()
        self._thread: threading.Thread | None = None

    def close(self) -> None:
        """Free the disk space."""
        self._large.put(None)
        if self._thread is not None:
            self._thread.join(DISK_TIMEOUT)
            if self._thread.is_alive():  # the disk hangs: the file ends with this process
                return
        self._file.close()

    def store(self, data: bytes) -> SpilledBytes:
        """Store bytes. Large data waits for earlier large data, since together they would fill the
        memory.
        """
        kept = SpilledBytes(self._file.fileno(), self._end, data)
        if len(data) >= HUGE:
            self._end += len(data)
            if self._room.acquire(timeout=DISK_TIMEOUT):
                if self._thread is None:
                    self._thread = threading.Thread(
                        target=self._write_large, name="spill", daemon=True
                    )
                    self._thread.start()
                self._large.put(kept)
        elif _is_written(kept):
            self._end += len(data)
        return kept

    def _write_large(self) -> None:
        while (kept := self._large.get()) is not None:
            _is_written(kept)
            self._room.release()


def _is_written(spilled: SpilledBytes) -> bool:
    try:
        spilled.write()
    except OSError:
        return False
    return True
