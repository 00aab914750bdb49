"""Contents by their SHA-256, compressed, each in a file of its own."""

import os
import re
import secrets
import stat
import time
import zlib
from collections.abc import Container
from hashlib import sha256
from pathlib import Path

from acp_tui.checkpoints.below import open_file
from acp_tui.checkpoints.errors import CheckpointError
from acp_tui.config.private_files import make_folder, write_new

LARGEST = 256_000_000
"""Bytes of one content: whatever claims to be longer is damaged."""
_ID = re.compile(r"[0-9a-f]{64}")
_FAST = 1
"""How hard it is tried to compress: a prompt waits for it."""


class Objects:
    """Those in one folder; `look` before anything is put into it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sizes = dict[str, int]()

    def look(self) -> None:
        """See which there are. Raises OSError."""
        make_folder(self._folder)
        self._sizes = {}
        for part in os.scandir(self._folder):
            for entry in os.scandir(part):
                self._sizes[part.name + entry.name] = entry.stat(follow_symlinks=False).st_size

    def has(self, id: str) -> bool:
        """Whether it was there at the last look, or came since."""
        return id in self._sizes

    def room(self) -> int:
        """Return how many bytes all of them take."""
        return sum(self._sizes.values())

    def put(self, content: bytes) -> str:
        """Keep a content; return its id. Raises OSError."""
        id_ = sha256(content).hexdigest()
        if id_ not in self._sizes:
            packed = zlib.compress(content, _FAST)
            path = self._path(id_)
            make_folder(path.parent)
            new = path.with_name(f"{secrets.token_hex(8)}.new")
            write_new(new, packed)
            new.replace(path)
            self._sizes[id_] = len(packed)
        return id_

    def read(self, id: str) -> bytes:
        """Return a content. Raises CheckpointError, also if it isn't what was kept."""
        if _ID.fullmatch(id) is None:
            raise CheckpointError(f"what was kept is damaged: {id!r} is no content")
        path = self._path(id)
        try:
            reader = zlib.decompressobj()
            content = reader.decompress(_read(path), LARGEST)
        except FileNotFoundError:
            raise CheckpointError(f"a part of what was kept is lost: {str(path)!r}") from None
        except (OSError, zlib.error):
            content = b""
        if sha256(content).hexdigest() != id:
            raise CheckpointError(f"what was kept is damaged: {str(path)!r}")
        return content

    def delete_all_but(self, wanted: Container[str], *, older: float) -> None:
        """Delete what isn't wanted and is older than so many seconds. Raises OSError."""
        oldest = time.time() - older
        for part in os.scandir(self._folder):
            for entry in os.scandir(part):
                id_ = part.name + entry.name
                if id_ not in wanted and entry.stat(follow_symlinks=False).st_mtime <= oldest:
                    Path(entry).unlink(missing_ok=True)
                    self._sizes.pop(id_, None)

    def _path(self, id: str) -> Path:
        return self._folder / id[:2] / id[2:]


def _read(path: Path) -> bytes:
    """Read a file, and nothing that has its place. Raises OSError."""
    descriptor = open_file(path)
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(descriptor)
        is_sound = stat.S_ISREG(facts.st_mode) and facts.st_size <= LARGEST
        return file.read() if is_sound else b""
