"""Marks what a running acp-tui uses with a lock, which ends with it: its files, and the file of the run itself,
by which a run that was killed is found.
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
except ImportError:  # not POSIX: there, only its age protects a file
    HAS_LOCKS = False
else:
    HAS_LOCKS = True

RUN_LIFETIME = 30 * 24 * 3600.0
"""Seconds after which a killed run is no longer reported."""


def mark_in_use(descriptor: int) -> None:
    """Mark an open file as in use, for as long as it is open."""
    if not HAS_LOCKS:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pass  # a file system without locks: then only its age protects the file


def in_use(path: Path) -> bool:
    """Return whether a running acp-tui uses this file."""
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
        """Format what happened to the run."""
        when = datetime.fromtimestamp(self.at).astimezone()
        told = f"acp-tui, started here on {when:%d %b at %H:%M}, was killed before it could quit"
        replays = (f"acp-tui replay {shlex.quote(path)}" for path in self.recordings)
        return "; ".join([told, *replays])


@contextmanager
def mark_running(folder: Path, cwd: str, recordings: Sequence[Path]) -> Iterator[None]:
    """Mark a run with a file as long as it lasts, if possible."""
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
    """Return the runs in a directory that were killed, oldest first, once each."""
    if not HAS_LOCKS:
        return []  # nothing tells which of them are still going
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
