"""The folder of recordings: one file for each run of an agent, the oldest deleted in time; and baselines.

A current run has a locked file of its own: one whose file isn't locked was killed.
"""

import json
import os
import re
import shlex
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from shutil import rmtree
from stat import S_ISREG
from typing import NamedTuple

from acp_tui.config.paths import baselines_folder
from acp_tui.config.private_files import make_folder, write_whole
from acp_tui.config.settings import KEPT_BYTES, KEPT_RECORDINGS

try:
    import fcntl
except ImportError:  # not POSIX: there, only its age protects a file
    HAS_LOCKS = False
else:
    HAS_LOCKS = True

KEPT_RUNS = 10
"""Runs of checks that are kept in any case."""
KEPT_FOR = 3600.0
"""Seconds for which every run is kept: many may run side by side, and each has printed its paths."""
_DATE = "%Y%m%d-%H%M%S"
_DATED = re.compile(r"[0-9]{8}-[0-9]{6}(?=-|$)")
_STRANGE = re.compile(r"[^\w.-]+")
_BASELINE_NAME = re.compile(r"[\w-][\w.-]*")


def new_file(folder: Path, called: str, now: datetime) -> Path:
    """Choose a path for a new recording of a program, or a host, and make the folder, which nobody
    else can read.
    """
    make_folder(folder)
    agent = _STRANGE.sub("-", Path(called).name)[:40] or "agent"
    name = f"{now:{_DATE}}-{agent}-{os.getpid()}"
    names = chain([name], (f"{name}-{nth}" for nth in count(2)))  # one run may have several agents
    return next(path for one in names if not (path := folder / f"{one}.jsonl").exists())


def new_run_folder(folder: Path, called: str, now: datetime) -> Path:
    """Make a folder for the recordings of one run of checks; delete the oldest such folders."""
    make_folder(folder)
    _make_room(folder, now.timestamp())
    agent = _STRANGE.sub("-", Path(called).name)[:40] or "agent"
    made = folder / f"{now:{_DATE}}-{agent}-{os.getpid()}"
    make_folder(made)
    return made


def _make_room(folder: Path, now: float) -> None:
    """Delete the oldest runs beyond the limits; those of the last hour only if all are too big."""
    runs = [one for one in folder.iterdir() if one.is_dir() and _DATED.match(one.name)]
    total = 0
    for place, run in enumerate(sorted(runs, reverse=True)):
        with suppress(FileNotFoundError):  # another run may make room at the same time
            total += sum(path.stat().st_size for path in run.iterdir())
            is_new = now - run.stat().st_mtime < KEPT_FOR
            if place >= KEPT_RUNS - 1 and (not is_new or total > KEPT_BYTES):
                rmtree(run, ignore_errors=True)


def recordings_in(folder: Path) -> list[Path]:
    """List the recordings in a folder, latest start first, so that the order is stable."""
    return sorted((path for path, _ in _sized(folder)), key=_began, reverse=True)


def find_by_name(folder: Path, name: str) -> list[Path]:
    """Find the recording with a name, or else those whose names begin with it."""
    found = recordings_in(folder)
    exact = [path for path in found if path.stem == name]
    return exact or [path for path in found if path.stem.startswith(name)]


def _began(path: Path) -> tuple[str, str]:
    """Return when a recording began: by its name; a file of another name by its last change."""
    dated = _DATED.match(path.stem)
    if dated is not None:
        return dated[0], path.stem
    with suppress(FileNotFoundError):
        written = datetime.fromtimestamp(path.stat().st_mtime, UTC).astimezone()
        return f"{written:{_DATE}}", path.stem
    return "", path.stem


def prune_recordings(
    folder: Path, kept: int = KEPT_RECORDINGS, kept_bytes: int = KEPT_BYTES
) -> None:
    """Delete the oldest recordings beyond the limits; never one that is being written."""
    total = 0
    for place, (path, size) in enumerate(_sized(folder)):
        total += size
        if (place >= kept or total > kept_bytes) and not in_use(path):
            path.unlink(missing_ok=True)


def _sized(folder: Path) -> list[tuple[Path, int]]:
    """Return all recordings, the one written last first, with their sizes in bytes."""
    found = []
    for path in folder.glob("*.jsonl"):
        with suppress(FileNotFoundError):  # another run may make room at the same time
            facts = path.stat()
            if S_ISREG(facts.st_mode):
                found.append((facts.st_mtime, path, facts.st_size))
    return [(path, size) for _, path, size in sorted(found, reverse=True)]


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


def is_baseline_name(name: str) -> bool:
    """Return whether a baseline can have this name."""
    return _BASELINE_NAME.fullmatch(name) is not None


def save_baseline(name: str, text: str) -> Path:
    """Store a recording as a baseline, replacing one with the same name. Raises OSError."""
    path = baselines_folder() / f"{name}.jsonl"
    write_whole(path, text)
    return path


def find_baseline(name: str) -> Path:
    """Find a baseline. Raises FileNotFoundError, whose text lists the existing ones."""
    path = baselines_folder() / f"{name}.jsonl"
    if not path.exists():
        known = ", ".join(sorted(one.stem for one in baselines_folder().glob("*.jsonl")))
        words = (
            f"there is no baseline with this name; there are: {known}"
            if known
            else "no baseline was saved"
        )
        raise FileNotFoundError(2, f"{words}; save one with --save-baseline", name)
    return path


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
