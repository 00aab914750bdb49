"""Runs that were killed: each marks itself with a locked file as long as it lasts."""

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
from acp_tui.store.files_in_use import HAS_LOCKS, in_use, mark_in_use

RUN_LIFETIME = 30 * 24 * 3600.0
"""Seconds after which a killed run is no longer reported."""


class Killed(NamedTuple):
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


def killed_runs(folder: Path, cwd: str) -> list[Killed]:
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
                found.append(Killed(float(body["at"]), [str(one) for one in body["recordings"]]))
            if body["cwd"] == cwd or time.time() - float(body["at"]) > RUN_LIFETIME:
                path.unlink()
    return sorted(found)
