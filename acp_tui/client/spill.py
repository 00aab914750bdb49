"""Keeps on disk what is too much for memory, in a file that nobody else can open."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryFile

from acp_tui.config.private_files import make_folder
from acp_tui.recordings.frame_lines import PIECE, slices
from acp_tui.recordings.long_frames import HUGE

PATIENCE = 5.0
"""Seconds that the disk may take for many bytes before the next ones stay in memory."""


class SpilledBytes:
    """Bytes in the file of a spill, or in memory until they are there."""

    def __init__(self, file: int, start: int, data: bytes) -> None:
        self._file = file
        self._start = start
        self._size = len(data)
        self._data: bytes | None = data

    def write(self) -> None:
        """Write the bytes, and forget them; if the disk takes them."""
        assert self._data is not None
        at = self._start
        for part in slices(self._data):  # at one go, it would take long, and all of the disk's time
            rest = memoryview(part)
            while rest:
                count = os.pwrite(self._file, rest, at)
                rest, at = rest[count:], at + count
        self._data = None

    def read(self) -> bytes:
        """Return all bytes."""
        return b"".join(self.pieces())

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes, a few at a time; they may be forgotten meanwhile."""
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
    """A file without a name, which ends with `close`, or this process. Raises OSError if it can't be made.

    What it can't take, because the disk is full, stays in memory. Many bytes are written by a thread.
    """

    def __init__(self, folder: Path) -> None:
        make_folder(folder)
        self._file = TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115
        self._end = 0
        self._many: SimpleQueue[SpilledBytes | None] = SimpleQueue()
        self._room = threading.Semaphore()
        self._thread: threading.Thread | None = None

    def close(self) -> None:
        """Give the disk back."""
        self._many.put(None)
        if self._thread is not None:
            self._thread.join(PATIENCE)
            if self._thread.is_alive():  # the disk hangs: it ends with this process
                return
        self._file.close()

    def keep(self, data: bytes) -> SpilledBytes:
        """Keep bytes; many wait for those before them, which else would fill the memory."""
        kept = SpilledBytes(self._file.fileno(), self._end, data)
        if len(data) >= HUGE:
            self._end += len(data)
            if self._room.acquire(timeout=PATIENCE):
                self._begin()
                self._many.put(kept)
        elif _is_written(kept):
            self._end += len(data)
        return kept

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="spill", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while (kept := self._many.get()) is not None:
            _is_written(kept)
            self._room.release()


def _is_written(kept: SpilledBytes) -> bool:
    try:
        kept.write()
    except OSError:
        return False
    return True
