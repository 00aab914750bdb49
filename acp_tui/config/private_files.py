"""Reads files that the user names, and writes the program's own files.

Reading never blocks on a FIFO without a writer. Own files are written whole or not at all, readable
for their owner only.
"""

import errno
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def name_in_errors(path: Path) -> Iterator[None]:
    """Set the file name of an OSError in the block: a failed write, as on a full disk, has none, or
    a descriptor's number.
    """
    try:
        yield
    except OSError as error:
        if error.filename is None or isinstance(error.filename, int):
            error.filename = str(path)
        raise


def make_folder(folder: Path) -> None:
    """Create a folder and its missing parents, accessible for their owner only. Raises OSError."""
    if not folder.exists():
        make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def write_whole(path: Path, text: str) -> None:
    """Replace a file atomically, creating its folder if needed. Raises OSError."""
    make_folder(path.parent)
    new = path.with_suffix(f".{os.getpid()}.new")
    try:
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with name_in_errors(path), os.fdopen(descriptor, "w", encoding="utf-8") as out:
            out.write(text)
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def write_new(path: Path, data: bytes) -> None:
    """Create a file with this content. Raises OSError; then no file is left."""
    how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, how, 0o600)
    try:
        with name_in_errors(path), os.fdopen(descriptor, "wb") as out:
            out.write(data)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def read_file(path: Path) -> bytes:
    """Read a file, or a FIFO that has a writer. Raises OSError."""
    how = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with name_in_errors(path), os.fdopen(os.open(path, how), "rb", buffering=0) as file:
        begin: bytes | None = b""
        if stat.S_ISFIFO(os.fstat(file.fileno()).st_mode):
            begin = file.read(1)  # None if there is a writer that hasn't written yet
            if begin == b"":
                raise OSError(errno.ENXIO, "it is a FIFO that nobody writes to", str(path))
            os.set_blocking(file.fileno(), True)
        return (begin or b"") + file.readall()


def read_json(path: Path, largest: int | None = None) -> Any:
    """Read a JSON file of ours; return None if it is missing, broken, or larger than `largest`
    bytes.
    """
    try:
        if largest is not None and path.stat().st_size > largest:
            return None
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
