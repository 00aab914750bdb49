"""Detects changes at the paths that questions name, where the session folder's tree shows none.

A tree has no empty folders, only one bit of a file's mode, and nothing outside its folder. Contents
aren't read here, so `folder_changes.py` finds changed texts. A question is recorded before its
paths are read; changes in between are found by the times on disk.
"""

import math
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from acp_tui.config.paths import recordings_folder
from acp_tui.protocol.file_events import CREATED, RELABELED, REMOVED
from acp_tui.state.unapproved_changes import CLOCK_SLACK, ChangedPath

MOST_NAMED = 100
"""Most paths of a turn that are read: each word of a command may be one."""
NO_DISK = ("/dev/", "/proc/", "/sys/")
"""Folders whose files have no meaningful modification times."""
Facts = tuple[int, int, int]
"""File type and permissions, user and group."""
_UNKNOWN: Facts = (0, 0, 0)
"""Facts that changed before they could be read: they differ from all others."""


class SeenPath(NamedTuple):
    """A path's facts at a time of the client's clock; None if nothing was there."""

    at: float
    facts: Facts | None


def read_places(paths: Iterable[str], at: float, epoch: float) -> dict[str, SeenPath]:
    """Return the facts about each path at a time of the client's clock, whose zero is `epoch`.

    Links aren't followed. A path that was created since that time counts as missing, since the
    agent may be faster than this.
    """
    known = (path for path in paths if not path.startswith(NO_DISK))
    return {path: SeenPath(at, _facts(path, epoch + at - CLOCK_SLACK)) for path in known}


def find_differences(places: Mapping[str, SeenPath], now: float) -> Iterator[ChangedPath]:
    """Yield the paths that were created or removed since then, or whose facts changed.

    Who changed them isn't known here. Excludes acp-tui's own files.
    """
    ours = os.path.realpath(recordings_folder().parent)
    for path, (at, before) in places.items():
        after = _facts(path)
        folder, name = os.path.split(path)
        real = os.path.join(os.path.realpath(folder), name)  # noqa: PTH118
        if before == after or f"{real}/".startswith(f"{ours}/"):
            continue
        deed = CREATED if before is None else REMOVED if after is None else RELABELED
        yield ChangedPath(path, real, deed, at, now)


def _facts(path: str, before: float = math.inf) -> Facts | None:
    """Return a path's facts before a time; None if it is missing, or was created since.

    Creating a file also changes its folder's time. A file that was only written keeps the compared
    facts; if only its status changed, its facts may differ.
    """
    try:
        found, folder = os.lstat(path), os.lstat(os.path.dirname(path))  # noqa: PTH120
    except (OSError, ValueError):
        return None
    if min(found.st_ctime, folder.st_mtime) >= before:
        return None
    if found.st_ctime >= before > found.st_mtime:
        return _UNKNOWN
    mode = stat.S_IFMT(found.st_mode) if stat.S_ISLNK(found.st_mode) else found.st_mode
    return mode, found.st_uid, found.st_gid
