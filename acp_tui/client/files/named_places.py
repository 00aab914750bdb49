"""The paths that questions name: changes there that no tree of the session's folder shows.

A tree has no empty folders, only one bit of a file's mode, and nothing outside its folder. Contents aren't
read here, so a text that changed is left to `folder_changes.py`. A question is recorded before its paths are
read, so what was done between is found by the times on disk.
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
"""Paths of a turn that are read, at most: each word of a command may be one."""
NO_DISK = ("/dev/", "/proc/", "/sys/")
"""Folders whose files have no time of their last change."""
Facts = tuple[int, int, int]
"""Kind and permissions, user and group."""
_UNKNOWN: Facts = (0, 0, 0)
"""Facts that were changed before they could be read: they differ from any others."""


class SeenPath(NamedTuple):
    """The facts about a path at a time of the client's clock; None if nothing was there."""

    at: float
    facts: Facts | None


def read_places(paths: Iterable[str], at: float, epoch: float) -> dict[str, SeenPath]:
    """Return what was at each path at a time of the client's clock, which was 0 at `epoch`.

    Links aren't followed. A path that was created since then counts as missing: the agent may be faster
    than this.
    """
    known = (path for path in paths if not path.startswith(NO_DISK))
    return {path: SeenPath(at, _facts(path, epoch + at - CLOCK_SLACK)) for path in known}


def find_differences(places: Mapping[str, SeenPath], now: float) -> Iterator[ChangedPath]:
    """Yield the paths that were created or removed since, or whose facts differ.

    Who did it isn't known here. Our own files are excluded.
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
    """Return the facts about a path before a time; None if it is missing, or was created since.

    A new file changes its folder's time, too. One that was only written keeps the facts that are
    compared; one whose status alone changed has other facts.
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
