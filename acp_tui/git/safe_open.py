"""Opens folders name by name from the top, and files: through no link."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from acp_tui.store.same_folder import SameFolder


@contextmanager
def opened_below(top: SameFolder, names: Sequence[bytes], *, make: bool) -> Iterator[int]:
    """Open a folder below the top, creating it if `make`.

    Raises OSError for a link, or if the top is another folder by now.
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
    """Open a file for reading; not through a link, and without blocking on pipes. Raises OSError."""
    return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
