"""Looks at the files that a script speaks of. It reads them: off the event loop."""

import hashlib
import os
import stat
from pathlib import Path
from typing import BinaryIO

MOST_READ = 16 * 1024 * 1024
"""Bytes of a file in which texts are looked for."""
_PIECE = 1024 * 1024


class NoFileError(Exception):
    """There is no such file, or it can't be read; the text says why."""


def fingerprint(path: Path) -> str | None:
    """Return the SHA-256 of a file; None if there is none. Raises NoFileError: it can't be read."""
    if not os.path.lexists(path):
        return None
    digest = hashlib.sha256()
    try:
        with open_file(path) as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
    except OSError as error:
        raise NoFileError(error.strerror or str(error)) from None
    return digest.hexdigest()


def text_of(path: Path) -> str:
    """Return a file's text. Raises NoFileError."""
    try:
        with open_file(path) as file:
            data = file.read(MOST_READ + 1)
    except OSError as error:
        raise NoFileError(error.strerror or str(error)) from None
    if len(data) > MOST_READ:
        raise NoFileError(f"it is larger than {MOST_READ // 2**20} MiB: expect its sha256 instead")
    return data.decode("utf-8", "replace")


def open_file(path: Path) -> BinaryIO:
    """Open a file, but nothing that would wait: no FIFO, no device. Raises NoFileError, OSError."""
    descriptor = os.open(
        path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NoFileError("it is no file" if not path.is_dir() else "it is a folder")
    return os.fdopen(descriptor, "rb")
