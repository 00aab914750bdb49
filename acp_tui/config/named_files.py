"""Reads the files that a person names, without waiting for what never comes."""

import errno
import os
import stat
from pathlib import Path

from acp_tui.config.private_files import name_in_errors


def read_file(path: Path) -> bytes:
    """Read a file, or a FIFO that somebody writes to. Raises OSError."""
    how = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with name_in_errors(path), os.fdopen(os.open(path, how), "rb", buffering=0) as file:
        begin: bytes | None = b""
        if stat.S_ISFIFO(os.fstat(file.fileno()).st_mode):
            begin = file.read(1)  # None if somebody may still write
            if begin == b"":
                raise OSError(errno.ENXIO, "it is a FIFO that nobody writes to", str(path))
            os.set_blocking(file.fileno(), True)
        return (begin or b"") + file.readall()
