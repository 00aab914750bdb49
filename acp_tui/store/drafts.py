"""Stores prompts that were written but not sent; the next run restores them."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from acp_tui.config.private_files import make_folder, name_in_errors
from acp_tui.store.files_in_use import HAS_LOCKS, in_use, mark_in_use

DRAFT_LIFETIME = 30 * 24 * 3600.0
"""Seconds after which drafts that no run restored are deleted."""
Place = tuple[str, ...]
"""The folder and the agent's command; drafts are only restored where both are the same."""


class StoredDraft(NamedTuple):
    """A session's queued prompts, and the text in its prompt."""

    session_id: str | None
    queue: tuple[str, ...]
    text: str


class LeftoverDrafts(NamedTuple):
    """The drafts of a run that has ended; `at` is when they were written, in seconds since 1970."""

    path: Path
    at: float
    drafts: list[StoredDraft]


class Drafts:
    """This run's draft files, in a folder that may not exist. Reads and writes files: call it off
    the event loop.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[Path, int] = {}
        self._lock = Lock()
        self._is_closed = False

    def save(self, drafts: Mapping[Place, Sequence[StoredDraft]]) -> None:
        """Save these drafts, replacing those that were saved before. Raises OSError."""
        with self._lock:
            self._save_drafts(drafts)

    def replace(
        self, drafts: Mapping[Place, Sequence[StoredDraft]], restored: Sequence[LeftoverDrafts]
    ) -> None:
        """Save these drafts, and delete the files of earlier runs whose drafts were restored."""
        with self._lock, suppress(OSError):
            self._save_drafts(drafts)
            for one in restored:
                one.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Unlock the files, so that the next run finds them."""
        with self._lock:
            self._is_closed = True
            while self._open:
                os.close(self._open.popitem()[1])

    def _save_drafts(self, drafts: Mapping[Place, Sequence[StoredDraft]]) -> None:
        if self._is_closed:
            return
        paths = {self._path(place): (place, kept) for place, kept in drafts.items() if kept}
        for path, (place, kept) in paths.items():
            self._replace_file(path, place, kept)
        for path in self._open.keys() - paths.keys():
            path.unlink(missing_ok=True)
            os.close(self._open.pop(path))

    def leftover_drafts(self, place: Place) -> list[LeftoverDrafts]:
        """Return the drafts of earlier runs at this place, oldest first; broken files are skipped."""
        if not HAS_LOCKS:
            return []  # without locks, nothing shows whether the other run is still going
        self._prune()
        if not any(self._folder.glob("*.json")):
            return []  # most starts end here, without importing hashlib
        found = []
        for path in self._folder.glob(f"{_hash_place(place)}-*.json"):
            with suppress(OSError, ValueError, KeyError, TypeError):
                if path not in self._open and not in_use(path):
                    found.append(_read_drafts(path))
        return sorted(found, key=lambda one: one.at)

    def _prune(self) -> None:
        """Delete drafts that no run restored in time."""
        for path in self._folder.glob("*.json"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > DRAFT_LIFETIME and not in_use(path):
                    path.unlink()

    def _path(self, place: Place) -> Path:
        return self._folder / f"{_hash_place(place)}-{os.getpid()}.json"

    def _replace_file(self, path: Path, place: Place, drafts: Sequence[StoredDraft]) -> None:
        """Replace a file atomically. It is locked before it gets its name, so that no other run
        takes it.
        """
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


def _hash_place(place: Place) -> str:
    from hashlib import sha256

    return sha256("\0".join(place).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _read_drafts(path: Path) -> LeftoverDrafts:
    body: dict[str, Any] = json.loads(path.read_bytes())
    drafts = [
        StoredDraft(one["session_id"], tuple(map(str, one["queue"])), str(one["text"]))
        for one in body["drafts"]
    ]
    return LeftoverDrafts(path, float(body["at"]), drafts)
