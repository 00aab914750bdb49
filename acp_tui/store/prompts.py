"""The prompts that a person wrote, in files: those that were sent, and drafts that were not."""

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from acp_tui.config.private_files import make_folder, name_in_errors, write_whole
from acp_tui.store.recordings import HAS_LOCKS, in_use, mark_in_use

try:
    import fcntl
except ImportError:  # not POSIX: two runs that end a file's growth at once may lose a prompt
    fcntl = None  # type: ignore[assignment]

KEPT_PROMPTS = 5_000
"""How many prompts are kept."""
LARGEST_HISTORY_FILE = 4 * 1024 * 1024
"""Bytes from which on the file is shortened to the newest prompts."""
LONGEST_PROMPT = 64 * 1024
"""Characters of the longest prompt that is kept."""
DRAFT_LIFETIME = 30 * 24 * 3600.0
"""Seconds after which drafts that nobody took over are deleted."""
Place = tuple[str, ...]
"""The folder and the agent's command: drafts are offered where both are the same again."""


class SentPrompt(NamedTuple):
    """A prompt that was sent; `at` is when, in seconds since 1970, `folder` where the agent worked."""

    at: float
    folder: str
    text: str


class PromptFile:
    """The file of sent prompts, which need not exist. Reads and writes: call it off the event loop."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add_prompt(self, folder: str, text: str) -> None:
        """Add a prompt that is sent now, unless it begins with a space, as in shells. Raises OSError."""
        if text[:1].isspace() or len(text) > LONGEST_PROMPT:
            return
        body = {"at": round(time.time(), 3), "folder": folder, "text": text}
        line = memoryview(json.dumps(body).encode() + b"\n")
        make_folder(self._path.parent)
        with self._locked():
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                with name_in_errors(self._path):
                    while line:
                        line = line[os.write(descriptor, line) :]
                is_large = os.fstat(descriptor).st_size > LARGEST_HISTORY_FILE
            finally:
                os.close(descriptor)
            if is_large:
                self._shorten()

    def load(self) -> list[SentPrompt]:
        """Return the kept prompts, oldest first, each text of a folder once; skip broken lines."""
        try:
            lines = self._path.read_bytes().splitlines()
        except OSError:
            return []
        found: dict[tuple[str, str], SentPrompt] = {}
        for line in lines:
            with suppress(ValueError, KeyError, TypeError):
                body = json.loads(line)
                sent = SentPrompt(float(body["at"]), str(body["folder"]), str(body["text"]))
                found.pop((sent.folder, sent.text), None)
                found[sent.folder, sent.text] = sent
        return list(found.values())

    def _shorten(self) -> None:
        kept = self.load()[-KEPT_PROMPTS:]
        while sum(len(one.text) for one in kept) > LARGEST_HISTORY_FILE // 4:
            del kept[: len(kept) // 4 + 1]
        write_whole(self._path, "".join(f"{json.dumps(one._asdict())}\n" for one in kept))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other runs from writing until the block ends, where files have locks."""
        descriptor = os.open(self._path.with_suffix(".lock"), os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            if fcntl is not None:
                with suppress(OSError):
                    fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


class StoredDraft(NamedTuple):
    """A session's queued prompts, and the text that was being written."""

    session_id: str | None
    queue: tuple[str, ...]
    text: str


class LeftBehind(NamedTuple):
    """The drafts of a run that has ended; `at` is when they were written, in seconds since 1970."""

    path: Path
    at: float
    drafts: list[StoredDraft]


class Drafts:
    """This run's files of drafts, in a folder that need not exist. Reads and writes: call it off the event loop."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[Path, int] = {}
        self._lock = Lock()
        self._is_closed = False

    def save(self, drafts: Mapping[Place, Sequence[StoredDraft]]) -> None:
        """Save these drafts, and only these. Raises OSError."""
        with self._lock:
            self._save_drafts(drafts)

    def replace(
        self, drafts: Mapping[Place, Sequence[StoredDraft]], taken: Sequence[LeftBehind]
    ) -> None:
        """Save these drafts, and delete the files of the runs whose drafts were taken over."""
        with self._lock, suppress(OSError):
            self._save_drafts(drafts)
            for one in taken:
                one.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Release the files: the next run finds them."""
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

    def left_behind(self, place: Place) -> list[LeftBehind]:
        """Return the drafts that earlier runs left at this place, oldest first; skip broken files."""
        if not HAS_LOCKS:
            return []  # nothing tells whether the other run is still going
        self._prune()
        if not any(self._folder.glob("*.json")):
            return []  # most starts end here, and needn't load hashlib
        found = []
        for path in self._folder.glob(f"{_hash_place(place)}-*.json"):
            with suppress(OSError, ValueError, KeyError, TypeError):
                if path not in self._open and not in_use(path):
                    found.append(_read_drafts(path))
        return sorted(found, key=lambda one: one.at)

    def _prune(self) -> None:
        """Delete drafts that nobody took over in time."""
        for path in self._folder.glob("*.json"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > DRAFT_LIFETIME and not in_use(path):
                    path.unlink()

    def _path(self, place: Place) -> Path:
        return self._folder / f"{_hash_place(place)}-{os.getpid()}.json"

    def _replace_file(self, path: Path, place: Place, drafts: Sequence[StoredDraft]) -> None:
        """Replace the file as a whole; it is locked before it gets its name, so that no other run takes it."""
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


def _read_drafts(path: Path) -> LeftBehind:
    body: dict[str, Any] = json.loads(path.read_bytes())
    drafts = [
        StoredDraft(one["session_id"], tuple(map(str, one["queue"])), str(one["text"]))
        for one in body["drafts"]
    ]
    return LeftBehind(path, float(body["at"]), drafts)
