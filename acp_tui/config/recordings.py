"""The folder of recordings: one file a run of an agent, the oldest thrown away in time."""

import fcntl
import os
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

KEPT = 50
"""How many recordings are kept."""
KEPT_BYTES = 1024**3
"""How many bytes all of them may have; more than this none of them gets either."""

_STRANGE = re.compile(r"[^\w.-]+")


def new_file(folder: Path, argv: Sequence[str], now: datetime) -> Path:
    """A path for a new recording; makes the folder, which nobody else may read."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    agent = _STRANGE.sub("-", Path(argv[0]).name)[:40] or "agent"
    return folder / f"{now:%Y%m%d-%H%M%S}-{agent}-{os.getpid()}.jsonl"


def recordings(folder: Path) -> list[Path]:
    """All recordings in a folder, newest first."""
    dated = [(path.stat().st_mtime, path) for path in folder.glob("*.jsonl") if path.is_file()]
    return [path for _, path in sorted(dated, reverse=True)]


def hold(descriptor: int) -> None:
    """Mark an open recording as in use, for as long as it is open."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pass  # a file system without locks: then only its age protects the file


def prune(folder: Path, kept: int = KEPT, kept_bytes: int = KEPT_BYTES) -> None:
    """Delete the oldest recordings beyond the limits; never one that is being written."""
    total = 0
    for place, path in enumerate(recordings(folder)):
        total += path.stat().st_size
        if (place >= kept or total > kept_bytes) and not _in_use(path):
            path.unlink(missing_ok=True)


def _in_use(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False
