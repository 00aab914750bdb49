"""The folder of recordings, one file for each run of an agent, of which the oldest are deleted; and
named baselines, which are kept.
"""

import os
import re
from contextlib import suppress
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from shutil import rmtree
from stat import S_ISREG

from acp_tui.config.paths import baselines_folder
from acp_tui.config.private_files import make_folder, write_whole
from acp_tui.config.settings import KEPT_BYTES, KEPT_RECORDINGS
from acp_tui.store.files_in_use import in_use

KEPT_RUNS = 10
"""Least number of runs of checks that are kept."""
RUN_RETENTION = 3600.0
"""Seconds for which every run is kept: many may run at the same time, and each has printed its
paths.
"""
_DATE = "%Y%m%d-%H%M%S"
_DATED = re.compile(r"[0-9]{8}-[0-9]{6}(?=-|$)")
_STRANGE = re.compile(r"[^\w.-]+")
_BASELINE_NAME = re.compile(r"[\w-][\w.-]*")


def new_file(folder: Path, name: str, now: datetime) -> Path:
    """Return an unused path for a new recording of a program or a host; create the private folder."""
    make_folder(folder)
    agent = _STRANGE.sub("-", Path(name).name)[:40] or "agent"
    name = f"{now:{_DATE}}-{agent}-{os.getpid()}"
    names = chain([name], (f"{name}-{nth}" for nth in count(2)))  # a run may have several agents
    return next(path for one in names if not (path := folder / f"{one}.jsonl").exists())


def new_run_folder(folder: Path, name: str, now: datetime) -> Path:
    """Create a folder for the recordings of one run of checks; delete the oldest such folders."""
    make_folder(folder)
    _make_room(folder, now.timestamp())
    agent = _STRANGE.sub("-", Path(name).name)[:40] or "agent"
    made = folder / f"{now:{_DATE}}-{agent}-{os.getpid()}"
    make_folder(made)
    return made


def _make_room(folder: Path, now: float) -> None:
    """Delete the oldest runs beyond the limits; those of the last hour only if all are too large
    together.
    """
    runs = [one for one in folder.iterdir() if one.is_dir() and _DATED.match(one.name)]
    total = 0
    for place, run in enumerate(sorted(runs, reverse=True)):
        with suppress(FileNotFoundError):  # another run may be deleting it, too
            total += sum(path.stat().st_size for path in run.iterdir())
            is_new = now - run.stat().st_mtime < RUN_RETENTION
            if place >= KEPT_RUNS - 1 and (not is_new or total > KEPT_BYTES):
                rmtree(run, ignore_errors=True)


def recordings_in(folder: Path) -> list[Path]:
    """Return the recordings in a folder, newest first by when they began, so that the order is
    stable.
    """
    return sorted((path for path, _ in _sized(folder)), key=_began, reverse=True)


def find_by_name(folder: Path, name: str) -> list[Path]:
    """Return the recording with this name, or else those whose names begin with it."""
    found = recordings_in(folder)
    exact = [path for path in found if path.stem == name]
    return exact or [path for path in found if path.stem.startswith(name)]


def _began(path: Path) -> tuple[str, str]:
    """Return when a recording began, from its name, or else from its last change, as a sort key."""
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
    """Delete the oldest recordings beyond the limits, but never one that is being written."""
    total = 0
    for place, (path, size) in enumerate(_sized(folder)):
        total += size
        if (place >= kept or total > kept_bytes) and not in_use(path):
            path.unlink(missing_ok=True)


def _sized(folder: Path) -> list[tuple[Path, int]]:
    """Return all recordings with their sizes in bytes, last written first."""
    found = []
    for path in folder.glob("*.jsonl"):
        with suppress(FileNotFoundError):  # another run may be deleting it, too
            facts = path.stat()
            if S_ISREG(facts.st_mode):
                found.append((facts.st_mtime, path, facts.st_size))
    return [(path, size) for _, path, size in sorted(found, reverse=True)]


def is_baseline_name(name: str) -> bool:
    """Return whether a name is valid for a baseline."""
    return _BASELINE_NAME.fullmatch(name) is not None


def save_baseline(name: str, text: str) -> Path:
    """Store a recording as a baseline, replacing one with the same name. Raises OSError."""
    path = baselines_folder() / f"{name}.jsonl"
    write_whole(path, text)
    return path


def find_baseline(name: str) -> Path:
    """Return the path of a baseline. Raises FileNotFoundError, which lists the existing ones."""
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
