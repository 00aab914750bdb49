"""Backups of overwritten files, stored while the client runs and readable by their owner only."""

import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path

from acp_tui.client.process.watchdog import watchdog
from acp_tui.config.private_files import make_folder

BACKUP_BYTES = 256 * 1024 * 1024
"""Total size of a client's backups in bytes; the oldest are dropped."""


class Backups:
    """One backup file per write, named by the frame of its request.

    The folder is made when needed, and nothing is stored unless `wanted`.
    """

    def __init__(self, parent: Path, *, wanted: bool = True) -> None:
        self.wanted = wanted
        self._folder = parent / f"{os.getpid()}-{os.urandom(4).hex()}"
        self._sizes: dict[int, int] = {}
        self._digests: dict[int, bytes] = {}
        self._made = False

    def keep(self, number: int, data: bytes) -> list[int]:
        """Store a file's content; return the numbers of the backups dropped for it. Raises OSError."""
        dropped = []
        while self._sizes and sum(self._sizes.values()) + len(data) > BACKUP_BYTES:
            dropped.append(next(iter(self._sizes)))
            self.drop(dropped[-1])
        if not self._folder.exists():  # also when somebody removed it
            make_folder(self._folder.parent)
            self._folder.mkdir(mode=0o700)
            if not self._made:
                watchdog.add_path(self._folder)
            self._made = True
        self._sizes[number] = len(data)
        self._digests[number] = _digest(data)
        try:
            descriptor = os.open(self._path(number), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
        except OSError:
            self.drop(number)
            raise
        return dropped

    def read_backup(self, number: int) -> bytes:
        """Return a file's content before this write. Raises OSError, also if the backup was
        changed.
        """
        data = self._path(number).read_bytes()
        if _digest(data) != self._digests[number]:
            raise OSError(errno.EIO, "its backup isn't what was kept: somebody has changed it")
        return data

    def drop(self, number: int) -> None:
        """Delete the backup of this write."""
        self._sizes.pop(number, None)
        self._digests.pop(number, None)
        with suppress(OSError):
            self._path(number).unlink()

    def close(self) -> None:
        """Delete all backups."""
        if self._made:
            shutil.rmtree(self._folder, ignore_errors=True)
            watchdog.remove_path(self._folder)

    def _path(self, number: int) -> Path:
        return self._folder / str(number)


def _digest(data: bytes) -> bytes:
    from hashlib import sha256  # not loaded before the first write

    return sha256(data).digest()
