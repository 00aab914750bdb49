"""Which files a folder had: a list for each folder with files in it, and a list of those lists.

A folder in which nothing changed has the list that it had before, so that only what differs is read.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from acp_tui.checkpoints.errors import CheckpointError
from acp_tui.checkpoints.names import checked_path
from acp_tui.checkpoints.plain.objects import Objects
from acp_tui.lazy_named_tuple import NamedTuple

MODES = FILE, PROGRAM, LINK = "100644", "100755", "120000"
"""What a file can be, in git's words; the content of a link is where it leads."""


class Kept(NamedTuple):
    """A file: what it is, its content's id, and its size."""

    mode: str
    id: str
    size: int


class Trees:
    """Trees among objects; names are text as Python's file system functions give it."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def write(self, files: Mapping[str, Kept]) -> str:
        """Keep a tree of files by their paths; return its id. Raises OSError."""
        folders = defaultdict[str, list[tuple[str, Kept]]](list)
        for path in sorted(files):
            folder, _, name = path.rpartition("/")
            folders[folder].append((name, files[path]))
        lists = {folder: self._put(found) for folder, found in folders.items()}
        return self._put(sorted(lists.items()))

    def _put(self, rows: Iterable[Any]) -> str:
        return self._objects.put(json.dumps(list(rows), separators=(",", ":")).encode())

    def folders(self, tree: str) -> dict[str, str]:
        """Return the folders with files, each with the id of its list. Raises CheckpointError."""
        try:
            found = {str(folder): str(id_) for folder, id_ in self._rows(tree)}
        except (TypeError, ValueError, RecursionError):
            raise _damaged(tree) from None
        for folder in found:
            checked_path(_bytes(folder) or b"top")
        return found

    def files(self, id: str) -> dict[str, Kept]:
        """Return the files of one list by their names. Raises CheckpointError."""
        try:
            found = {
                str(name): Kept(str(mode), str(one), int(size))
                for name, (mode, one, size) in self._rows(id)
            }
        except (TypeError, ValueError, RecursionError):
            raise _damaged(id) from None
        for name, kept in found.items():
            if kept.mode not in MODES or "/" in name:
                raise _damaged(id)
            checked_path(_bytes(name))
        return found

    def _rows(self, id: str) -> list[Any]:
        """Raises ValueError, or CheckpointError."""
        rows = json.loads(self._objects.read(id))
        if not isinstance(rows, list):
            raise ValueError(id)
        return rows

    def differing(
        self, before: str, after: str
    ) -> Iterator[tuple[bytes, Kept | None, Kept | None]]:
        """Return the files that differ, with what they are in both trees. Raises CheckpointError."""
        old_folders, new_folders = self.folders(before), self.folders(after)
        for folder in sorted({*old_folders, *new_folders}):
            was, now = old_folders.get(folder), new_folders.get(folder)
            if was == now:
                continue
            old = self.files(was) if was is not None else {}
            new = self.files(now) if now is not None else {}
            for name in sorted({*old, *new}):
                if old.get(name) != new.get(name):
                    path = f"{folder}/{name}" if folder else name
                    yield checked_path(_bytes(path)), old.get(name), new.get(name)

    def reachable(self, trees: Iterable[str]) -> set[str]:
        """Return the ids of all that belongs to these trees; one that is damaged needs nothing."""
        found = set[str]()
        for tree in set(trees):
            with suppress(CheckpointError):
                lists = {*self.folders(tree).values()} - found
                found |= {kept.id for id_ in lists for kept in self.files(id_).values()}
                found |= lists | {tree}
        return found


def _damaged(id: str) -> CheckpointError:
    return CheckpointError(f"what was kept is damaged: {id!r} is no list of files")


def _bytes(name: str) -> bytes:
    """Raises CheckpointError for what is no name."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise CheckpointError(f"what was kept is damaged: {name!r} is no name") from None
