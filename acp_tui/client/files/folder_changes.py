"""Finds changes in a session's folder since a checkpoint, by its tree and by files' times."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from acp_tui.client.files.named_places import NO_DISK
from acp_tui.config.paths import recordings_folder
from acp_tui.rewind.checkpoint import ChangeType, TreeChange
from acp_tui.rewind.store import Checkpoints, changed_since
from acp_tui.rewind.unkept_files import find_written
from acp_tui.state.commands import CompareFolder
from acp_tui.state.unapproved_changes import CLOCK_SLACK, ChangedPath

WHOLE_SECONDS = 2.0
"""Clock slack, in seconds, on a file system whose timestamps are whole seconds."""
_DEED_NAMES = {
    ChangeType.CREATED: "made",
    ChangeType.CHANGED: "changed",
    ChangeType.DELETED: "deleted",
}


def read_tree(command: CompareFolder) -> str:
    """Return the tree of the folder's current content as a git id. Raises CheckpointError."""
    return _checkpoints(command).now()[0]


@dataclass(frozen=True, slots=True)
class EarlierFolder:
    """A folder's tree at a time of the client's clock.

    The clock's zero was between the two epochs, in seconds since 1970.
    """

    command: CompareFolder
    tree: str
    at: float
    first_epoch: float
    last_epoch: float

    def changes(self) -> list[ChangedPath]:
        """Return the folder's differences from the tree, and the files without a copy that were
        written since then. Excludes acp-tui's own files.

        Raises CheckpointError.
        """
        store = _checkpoints(self.command)
        folder = os.path.realpath(self.command.folder)
        changed, left_out = changed_since(store, self.tree)
        found = list[ChangedPath]()
        for change in changed:
            real = os.path.join(store.top, change.shown)  # noqa: PTH118
            if not os.path.relpath(real, folder).startswith("../"):
                found.append(
                    self._changed(real, folder, _DEED_NAMES[change.change_type])._replace(
                        lines=_lines(change)
                    )
                )
        for file in find_written(store, left_out, self.last_epoch + self.at):
            found.append(self._changed(file.path, folder, "written")._replace(entry=file.entry))
        return _without_ours(found)

    def written_outside(self, denied: Mapping[str, float]) -> list[ChangedPath]:
        """Return the files outside the folder that were written after access to them was denied.

        `denied` maps each path to the time of the answer. The files are not read; only their times
        are. Excludes acp-tui's own files.
        """
        folder, found = os.path.realpath(self.command.folder), list[ChangedPath]()
        for path, at in denied.items():
            real = os.path.realpath(path)
            is_inside = not os.path.relpath(real, folder).startswith("../")
            if is_inside or real.startswith(NO_DISK) or not os.path.isfile(real):  # noqa: PTH113
                continue
            changed_at = _changed_at(real)
            if changed_at > self.last_epoch + at - CLOCK_SLACK:
                span = changed_at - self.last_epoch, changed_at - self.first_epoch
                found.append(ChangedPath(path, real, "written", *span))
        return _without_ours(found)

    def _changed(self, real: str, folder: str, deed: str) -> ChangedPath:
        inside = os.path.relpath(real, folder)
        path = real if inside.startswith("../") else os.path.join(self.command.folder, inside)  # noqa: PTH118
        earliest, latest = _changed_between(real, folder)
        span = earliest - self.last_epoch, latest - self.first_epoch
        return ChangedPath(path, real, deed, *span)


def _lines(change: TreeChange) -> tuple[int, int] | None:
    if change.added is None or change.removed is None:
        return None
    return change.added, change.removed


def _checkpoints(command: CompareFolder) -> Checkpoints:
    """Return the folder's checkpoints. Raises CheckpointError."""
    store = Checkpoints.of(Path(command.folder), Path(command.place), anywhere=True)
    assert store is not None
    return store


def _without_ours(found: list[ChangedPath]) -> list[ChangedPath]:
    """Return the changes without files that acp-tui writes: a recording grows whatever the agent
    does.
    """
    ours = _open_files()
    state = os.path.realpath(recordings_folder().parent)
    return [
        one
        for one in found
        if _file_id(one.real) not in ours and not one.real.startswith(f"{state}/")
    ]


def _open_files() -> set[tuple[int, int] | None]:
    """Return the device and inode of each open file of acp-tui, such as its recording."""
    found = set[tuple[int, int] | None]()
    with suppress(OSError):
        for name in os.listdir("/dev/fd"):  # noqa: PTH208
            with suppress(OSError):
                facts = os.fstat(int(name))
                found.add((facts.st_dev, facts.st_ino))
    return found


def _file_id(path: str) -> tuple[int, int] | None:
    with suppress(OSError):
        facts = os.lstat(path)
        return facts.st_dev, facts.st_ino
    return None


def _changed_between(path: str, folder: str) -> tuple[float, float]:
    """Return the earliest and latest time at which a path may have changed, in seconds since 1970.

    Times of parent folders count, too: one of them may have been moved with the file, and for a
    deleted file only its folder's time is left.
    """
    own = _changed_at(path)
    latest, parent = own, os.path.dirname(path)  # noqa: PTH120
    while parent != folder and parent.startswith(folder):
        latest = max(latest, _changed_at(parent))
        parent = os.path.dirname(parent)  # noqa: PTH120
    if not own:
        latest = max(latest, _changed_at(folder))
    return own, latest if latest % 1 else latest + WHOLE_SECONDS


def _changed_at(path: str) -> float:
    """Return the time of a path's last change on disk (ctime), or 0 if the path is gone."""
    try:
        return os.lstat(path).st_ctime_ns / 1e9
    except OSError:
        return 0.0
