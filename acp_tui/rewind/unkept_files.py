"""Finds changed files that no checkpoint stores, by the times at which they changed."""

import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from acp_tui.rewind.checkpoint import LeftOut
from acp_tui.rewind.store import Checkpoints

MOST_FILES = 100_000
"""Most files whose times are read; changes of further files aren't found."""
USUAL_SECONDS = 3600.0
"""Seconds before a turn within which a file was written for another write to it in the turn to
count as usual, whatever is allowed.
"""
MOST_USUAL = 5_000
"""Most files whose times are read before a turn: the user waits for that."""


class WrittenFile(NamedTuple):
    """A file that was written or moved there; `entry` is the file, or the ignored folder that
    contains it.
    """

    path: str
    entry: str


def find_written(store: Checkpoints, left_out: LeftOut, since: float) -> Iterator[WrittenFile]:
    """Yield the files without a copy that were written at or after a time, in seconds since 1970:
    ignored files, those `left_out`, and git's own.

    Raises CheckpointError.
    """
    others = (Path(store.top, name) for name, _ in left_out.names)
    yield from _written([*store.controls, *store.ignored_files(), *others], since, MOST_FILES)


def find_usual(store: Checkpoints) -> tuple[str, ...]:
    """Return the ignored files and folders that were written to recently: logs, for example.

    Raises CheckpointError.
    """
    found = _written(store.ignored_files(), time.time() - USUAL_SECONDS, MOST_USUAL)
    return tuple(dict.fromkeys(one.entry for one in found))


def _written(entries: Sequence[Path], since: float, most: int) -> Iterator[WrittenFile]:
    """Yield the files that were written since a time, among the first `most` files.

    The time is the ctime, which no program can choose. A deleted file leaves no trace.
    """
    left = most
    # Files first, since a large folder may use up the limit.
    for entry in sorted(entries, key=Path.is_dir):
        for path, facts in _files(str(entry)):
            if stat.S_ISREG(facts.st_mode) and facts.st_ctime >= since:
                yield WrittenFile(path, str(entry))
            left -= 1
            if left <= 0:
                return


def _files(path: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield a file, or all files below a folder, without following links and without `.git`
    folders: git itself writes to those at any time.
    """
    with suppress(OSError):
        facts = os.lstat(path)
        if not stat.S_ISDIR(facts.st_mode):
            yield path, facts
            return
    folders = [path]  # no recursion: folders may be nested deeper than Python's limit
    while folders:
        for one in _entries(folders.pop()):
            if one.is_dir(follow_symlinks=False):
                folders.append(one.path)
                continue
            with suppress(OSError):
                yield one.path, one.stat(follow_symlinks=False)


def _entries(folder: str) -> "list[os.DirEntry[str]]":
    with suppress(OSError), os.scandir(folder) as found:
        return [one for one in found if one.name != ".git"]
    return []
