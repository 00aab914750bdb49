"""A folder that a person was shown: in whatever takes its name later nothing is written or run."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acp_tui.config.private_files import name_in_errors, write_new


def folder_id(facts: os.stat_result) -> str:
    """Return what tells a folder from all others on this machine."""
    return f"{facts.st_dev}:{facts.st_ino}"


class SameFolder:
    """Remembers which folder has a path, when it is made. Raises OSError if none has it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.id = folder_id(path.stat())
        except ValueError as error:  # a name with a NUL
            raise OSError(errno.EINVAL, str(error), str(path)) from None

    def check(self) -> None:
        """Raise OSError if the path leads to another one by now."""
        with self.open():
            pass

    @contextmanager
    def open(self) -> Iterator[int]:
        """Open it. Raises OSError, also if the path leads to another one by now."""
        descriptor = os.open(self.path, os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            if folder_id(os.fstat(descriptor)) != self.id:
                words = "it leads elsewhere by now"
                raise OSError(errno.ESTALE, words, str(self.path))
            yield descriptor
        finally:
            os.close(descriptor)

    def write_new(self, name: str, data: bytes) -> Path:
        """Write a new file into it, and return where it is. Raises OSError."""
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
