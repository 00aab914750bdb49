"""Locks the files that a running acp-tui uses; a lock ends with its process.

Each run locks a file of its own, too: one that is left unlocked shows that its run was killed.
"""

import json
import os
import shlex
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from acp_tui.config.private_files import make_folder

try:
    import fcntl
except ImportError:  # not POSIX: files in use are only protected by their age
    HAS_LOCKS = False
else:
    HAS_LOCKS = True

_LOCK_INTERVAL = 0.02
"""Seconds between two attempts to lock a file."""
RUN_LIFETIME = 30 * 24 * 3600.0
"""Seconds after which a killed run is no longer reported."""


def mark_in_use(descriptor: int) -> None:
    """Lock an open file as in use, until it is closed."""
    if not HAS_LOCKS:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pass  # a file system without locks: the file is only protected by its age


def wait_for_lock(descriptor: int, timeout: float) -> bool:
    """Lock an open file or folder until it is closed; return False if another process held the lock
    for `timeout` seconds. Raises OSError on a file system without locks.
    """
    if not HAS_LOCKS:
        return True
    until = time.monotonic() + timeout
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(_LOCK_INTERVAL)
        else:
            return True


def in_use(path: Path) -> bool:
    """Return whether a running acp-tui uses a file."""
    if not HAS_LOCKS:
        return False
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


class KilledRun(NamedTuple):
    """A run that was killed; `at` is when it began, in seconds since 1970."""

    at: float
    recordings: list[str]

    @property
    def words(self) -> str:
        """A message that says what happened, and how to replay the recordings."""
        when = datetime.fromtimestamp(self.at).astimezone()
        text = f"acp-tui, started here on {when:%d %b at %H:%M}, was killed before it could quit"
        replays = (f"acp-tui replay {shlex.quote(path)}" for path in self.recordings)
        return "; ".join([text, *replays])


@contextmanager
def mark_running(folder: Path, cwd: str, recordings: Sequence[Path]) -> Iterator[None]:
    """Keep a locked file for this run until the block ends, if possible."""
    path = folder / f"{os.getpid()}.json"
    descriptor = -1
    try:
        with suppress(OSError):
            make_folder(folder)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            mark_in_use(descriptor)
            body = {"cwd": cwd, "at": time.time(), "recordings": list(map(str, recordings))}
            os.write(descriptor, json.dumps(body).encode())
        yield
    finally:
        if descriptor >= 0:
            path.unlink(missing_ok=True)
            os.close(descriptor)


def killed_runs(folder: Path, cwd: str) -> list[KilledRun]:
    """Return the runs in a directory that were killed, oldest first. Each is returned only once."""
    if not HAS_LOCKS:
        return []  # without locks, nothing shows which runs are still going
    found = []
    for path in folder.glob("*.json"):
        with suppress(OSError, ValueError, KeyError, TypeError):
            if in_use(path):
                continue
            body = json.loads(path.read_bytes())
            if body["cwd"] == cwd:
                found.append(KilledRun(float(body["at"]), [str(one) for one in body["recordings"]]))
            if body["cwd"] == cwd or time.time() - float(body["at"]) > RUN_LIFETIME:
                path.unlink()
    return sorted(found)
