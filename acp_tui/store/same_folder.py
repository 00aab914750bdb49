"""Identifies the folder that the user was shown, so that nothing is written or run in another
folder that got the same name, or through a symlink.
"""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from acp_tui.config.private_files import name_in_errors, write_new


def folder_id(facts: os.stat_result) -> str:
    """Return an id that distinguishes a folder from all others on this machine."""
    return f"{facts.st_dev}:{facts.st_ino}"


class SameFolder:
    """The folder that a path led to when this object was created. Raises OSError if there is none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.id = folder_id(path.stat())
        except ValueError as error:  # the path has a NUL
            raise OSError(errno.EINVAL, str(error), str(path)) from None

    def check(self) -> None:
        """Raise OSError if the path now leads to another folder."""
        with self.open():
            pass

    @contextmanager
    def open(self) -> Iterator[int]:
        """Open the folder. Raises OSError, also if the path now leads to another folder."""
        descriptor = os.open(self.path, os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            if folder_id(os.fstat(descriptor)) != self.id:
                words = "it leads elsewhere now"
                raise OSError(errno.ESTALE, words, str(self.path))
            yield descriptor
        finally:
            os.close(descriptor)

    def write_new(self, name: str, data: bytes) -> Path:
        """Create a file in the folder; return its path. Raises OSError."""
        path = self.path / name
        if os.open not in os.supports_dir_fd:
            write_new(path, data)
            return path
        with self.open() as folder, name_in_errors(path):
            how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            descriptor = os.open(name, how, 0o600, dir_fd=folder)
            try:
                with os.fdopen(descriptor, "wb") as out:
                    out.write(data)
            except BaseException:
                os.unlink(name, dir_fd=folder)
                raise
        return path


@contextmanager
def opened_below(top: SameFolder, names: Sequence[bytes], *, make: bool) -> Iterator[int]:
    """Open a folder below `top`; with `make`, create the missing ones.

    Raises OSError for a symlink, or if the path of `top` now leads to another folder.
    """
    how = os.O_DIRECTORY | os.O_CLOEXEC
    with top.open() as first:
        descriptor = os.dup(first)
    try:
        for name in names:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=descriptor)
            inner = os.open(name, how | os.O_NOFOLLOW, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def open_file(path: Path) -> int:
    """Open a file for reading, but no symlink, and without blocking on a pipe. Raises OSError."""
    return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
