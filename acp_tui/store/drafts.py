"""Prompts that were written and not sent, in files: one of each run for each place.

A place is a project's folder and an agent's command. A file is locked while its run lasts, so that
another run finds only what was left behind.
"""

import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from acp_tui.config.private_files import make_folder, name_in_errors
from acp_tui.store.recordings import HAS_LOCKS, in_use, mark_in_use

DRAFT_LIFETIME = 30 * 24 * 3600.0
"""Seconds after which what was left behind is thrown away."""

Place = tuple[str, ...]


class StoredDraft(NamedTuple):
    """The prompts of a session that wait to be sent, and the one that was being written."""

    session_id: str | None
    queue: tuple[str, ...]
    text: str


class LeftBehind(NamedTuple):
    """The drafts of a run that has ended; `at` is when they were written, in seconds since 1970."""

    path: Path
    at: float
    drafts: list[StoredDraft]


class Drafts:
    """The files of this run, in a folder that need not exist. Nothing here may run in a loop."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[Path, int] = {}
        self._lock = Lock()
        self._is_closed = False

    def save(self, drafts: Mapping[Place, Sequence[StoredDraft]]) -> None:
        """Save these drafts, and only these. Raises OSError."""
        with self._lock:
            self._save(drafts)

    def replace(
        self, drafts: Mapping[Place, Sequence[StoredDraft]], taken: Sequence[LeftBehind]
    ) -> None:
        """Save these drafts, and delete the files of those that were taken over."""
        with self._lock, suppress(OSError):
            self._save(drafts)
            for one in taken:
                one.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Release the files: the next run finds them."""
        with self._lock:
            self._is_closed = True
            while self._open:
                os.close(self._open.popitem()[1])

    def _save(self, drafts: Mapping[Place, Sequence[StoredDraft]]) -> None:
        if self._is_closed:
            return
        paths = {self._path(place): (place, kept) for place, kept in drafts.items() if kept}
        for path, (place, kept) in paths.items():
            self._write(path, place, kept)
        for path in self._open.keys() - paths.keys():
            path.unlink(missing_ok=True)
            os.close(self._open.pop(path))

    def left_behind(self, place: Place) -> list[LeftBehind]:
        """Return what earlier runs left at this place, oldest first; skip what can't be read."""
        if not HAS_LOCKS:
            return []  # nobody knows whether its run goes on
        self._prune()
        if not any(self._folder.glob("*.json")):
            return []  # as at most starts, which then load no hashing
        found = []
        for path in self._folder.glob(f"{_name(place)}-*.json"):
            with suppress(OSError, ValueError, KeyError, TypeError):
                if path not in self._open and not in_use(path):
                    found.append(_read(path))
        return sorted(found, key=lambda one: one.at)

    def _prune(self) -> None:
        """Throw away what nobody fetched."""
        for path in self._folder.glob("*.json"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > DRAFT_LIFETIME and not in_use(path):
                    path.unlink()

    def _path(self, place: Place) -> Path:
        return self._folder / f"{_name(place)}-{os.getpid()}.json"

    def _write(self, path: Path, place: Place, drafts: Sequence[StoredDraft]) -> None:
        """Replace the file by a whole one, which is locked before it has its name."""
        body = {"place": place, "at": time.time(), "drafts": [one._asdict() for one in drafts]}
        make_folder(self._folder)
        new = path.with_suffix(".new")
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            mark_in_use(descriptor)
            rest = memoryview(json.dumps(body).encode())
            with name_in_errors(path):
                while rest:
                    rest = rest[os.write(descriptor, rest) :]
            new.replace(path)
        except OSError:
            os.close(descriptor)
            new.unlink(missing_ok=True)
            raise
        if path in self._open:
            os.close(self._open[path])
        self._open[path] = descriptor


def _name(place: Place) -> str:
    from hashlib import sha256

    return sha256("\0".join(place).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _read(path: Path) -> LeftBehind:
    body: dict[str, Any] = json.loads(path.read_bytes())
    drafts = [
        StoredDraft(one["session_id"], tuple(map(str, one["queue"])), str(one["text"]))
        for one in body["drafts"]
    ]
    return LeftBehind(path, float(body["at"]), drafts)
