"""What was read of the files the last time: what looks as it did then is not read again."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from acp_tui.checkpoints.seal import Seal
from acp_tui.config.private_files import write_whole
from acp_tui.lazy_named_tuple import NamedTuple

RACY = 2_000_000_000
"""Nanoseconds: what was changed so shortly before it was read can change again and look the same."""
_FORM = "looks 1"


class Look(NamedTuple):
    """What a file looked like just before it was read, and what it was."""

    mode: int
    size: int
    inode: int
    changed: int
    touched: int
    id: str

    def is_racy(self, began: int) -> bool:
        """Whether the file may change again without another look, as it was when all `began`."""
        return max(self.changed, self.touched) > began - RACY


def look_of(facts: os.stat_result, id: str) -> Look:
    """Note what a file looks like, and the id of its content."""
    return Look(
        facts.st_mode, facts.st_size, facts.st_ino, facts.st_mtime_ns, facts.st_ctime_ns, id
    )


class Known:
    """Kept in a signed file: it says which content a path has, and is believed."""

    def __init__(self, path: Path, seal: Seal) -> None:
        self._path = path
        self._seal = seal
        self._looks = self._read()

    def _read(self) -> dict[str, Look]:
        """Read what is there; nothing if it is damaged, for then all files are read again."""
        try:
            signature, _, told = self._path.read_text("utf-8").partition("\n")
        except (OSError, ValueError):
            return {}
        if not self._seal.is_ours(signature, _FORM, told):
            return {}
        return {path: Look(*facts) for path, facts in json.loads(told).items()}

    def id_of(self, path: str, facts: os.stat_result) -> str | None:
        """Return the content that a file still has; None if it has to be read."""
        look = self._looks.get(path)
        return look.id if look is not None and look == look_of(facts, look.id) else None

    def save(self, looks: Mapping[str, Look]) -> None:
        """Keep what there is now. Raises OSError."""
        if looks != self._looks:
            told = json.dumps(looks, separators=(",", ":"))
            write_whole(self._path, f"{self._seal.sign(_FORM, told)}\n{told}")
