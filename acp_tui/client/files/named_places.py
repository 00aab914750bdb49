"""The places that questions name: what was there when each was asked, and what no tree of a folder tells."""

import math
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from acp_tui.config.paths import recordings_folder
from acp_tui.protocol.file_events import CREATED, RELABELED, REMOVED
from acp_tui.state.unapproved_changes import CLOCK_SLACK, ChangedPath

MOST_NAMED = 100
"""Places of a turn that are looked at."""
_PLACES_OF_SYSTEM = ("/dev/", "/proc/", "/sys/")
Facts = tuple[int, int, int]
_UNKNOWN: Facts = (0, 0, 0)
"""The facts about a file that were others, as far as the time of its last change tells."""


class SeenPath(NamedTuple):
    """What is at a place: its kind and permissions, and its owners. It was read at a time of the client's clock."""

    at: float
    facts: Facts | None


def read_places(paths: Iterable[str], at: float, epoch: float) -> dict[str, SeenPath]:
    """Read what was at each path at a time of the client's clock, which was 0 at `epoch`.

    Links aren't followed. What was made since isn't there: an agent may be faster than this.
    """
    known = (path for path in paths if not path.startswith(_PLACES_OF_SYSTEM))
    return {path: SeenPath(at, _facts(path, epoch + at - CLOCK_SLACK)) for path in known}


def find_differences(places: Mapping[str, SeenPath], now: float) -> Iterator[ChangedPath]:
    """Yield the places at which something was created or removed since, or has another name or other
    permissions.

    Our own files are excluded.
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
    """Return the facts about a path before a time; None if it is missing, or was made since."""
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
