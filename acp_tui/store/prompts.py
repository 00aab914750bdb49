"""Stores the prompts that the user sent (the prompt history)."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from acp_tui.config.private_files import make_folder, name_in_errors, write_whole

try:
    import fcntl
except ImportError:  # not POSIX: two runs that shorten the file at the same time may lose a prompt
    fcntl = None  # type: ignore[assignment]

KEPT_PROMPTS = 5_000
"""Number of prompts that are kept."""
LARGEST_HISTORY_FILE = 4 * 1024 * 1024
"""Size in bytes above which the file is shortened to the newest prompts."""
LONGEST_PROMPT = 64 * 1024
"""Longest prompt that is stored, in characters."""


class SentPrompt(NamedTuple):
    """A sent prompt; `at` is in seconds since 1970, and `folder` is the session's."""

    at: float
    folder: str
    text: str


class PromptFile:
    """The file of sent prompts, which may not exist. Reads and writes files: call it off the event
    loop.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def add_prompt(self, folder: str, text: str) -> None:
        """Add a prompt that is being sent, unless it begins with a space, as in shells. Raises
        OSError.
        """
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
        """Return the stored prompts, oldest first, without repetitions in a folder; broken lines
        are skipped.
        """
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
        """Lock out other runs' writes until the block ends, if the system has locks."""
        descriptor = os.open(self._path.with_suffix(".lock"), os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            if fcntl is not None:
                with suppress(OSError):
                    fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)
