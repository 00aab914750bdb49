"""Which run of a recording comes next, where a client starts the player again for each of them."""

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from acp_tui.config.private_files import write_whole


def next_run(folder: Path, recording: Path, runs: int) -> int:
    """Return the run after the one that the process above us began last, and note it in a file.

    After the last run comes the first one, with which every other process begins. Raises OSError.
    """
    _forget_gone(folder)
    name = blake2b(bytes(recording.absolute()), digest_size=8).hexdigest()
    file = folder / f"{os.getppid()}-{name}"
    try:
        last = int(file.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        last = 0
    number = last % runs + 1
    write_whole(file, f"{number}\n")
    return number


def _forget_gone(folder: Path) -> None:
    """Remove what is noted of processes that have ended."""
    for file in folder.glob("*-*"):
        with suppress(ValueError, OverflowError, PermissionError):
            try:
                os.kill(int(file.name.partition("-")[0]), 0)
            except ProcessLookupError:
                file.unlink(missing_ok=True)
