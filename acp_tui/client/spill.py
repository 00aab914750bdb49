"""Keeps on disk what is too much for memory, in a file that nobody else can open."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile

from acp_tui.config.private_files import make_folder


class Spill:
    """A file without a name, which ends with `close`, or this process. Raises OSError if it can't be made.

    What it can't take, because the disk is full, stays in memory.
    """

    def __init__(self, folder: Path) -> None:
        make_folder(folder)
        self._file = TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115
        self._end = 0

    def close(self) -> None:
        """Give the disk back."""
        self._file.close()

    def keep(self, data: bytes) -> Callable[[], bytes]:
        """Keep bytes; return how to get them back."""
        start = self._end
        try:
            self._write(data)
        except OSError:
            return lambda: data
        self._end += len(data)
        return partial(self._read, start, len(data))

    def _write(self, data: bytes) -> None:
        rest, at = memoryview(data), self._end
        while rest:
            count = os.pwrite(self._file.fileno(), rest, at)
            rest, at = rest[count:], at + count

    def _read(self, start: int, size: int) -> bytes:
        found = bytearray()
        while len(found) < size:
            part = os.pread(self._file.fileno(), size - len(found), start + len(found))
            if not part:
                raise OSError(f"{self._file.name!r} is cut off")
            found += part
        return bytes(found)
