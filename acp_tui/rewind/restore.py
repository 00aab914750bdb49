"""Restores files from a checkpoint: opens each path name by name from the top, through no link.

Names that lead elsewhere were rejected when the trees were read.
"""

import os
import secrets
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from acp_tui.git.objects import CheckpointError, Objects
from acp_tui.rewind.checkpoint import ChangeType, TreeChange
from acp_tui.rewind.object_store import Vault
from acp_tui.store.same_folder import opened_below

_LINK, _PROGRAM = "120000", "100755"
_DEEPEST_EMPTY = 100
"""Most levels of nested empty folders that are removed: each takes an open file and a call."""
Signature = tuple[int, ...] | None
"""Metadata that shows whether a file has changed; None for no file."""


class _InTheWayError(Exception):
    """A file that isn't stored is in the way."""


def file_signatures(top: Path, changes: Sequence[TreeChange]) -> dict[bytes, Signature]:
    """Return the files' metadata before the files are stored."""
    found = dict[bytes, Signature]()
    for change in changes:
        try:
            found[change.path] = _signature(os.lstat(os.fsencode(top) + b"/" + change.path))
        except OSError:
            found[change.path] = None
    return found


def _signature(facts: os.stat_result) -> tuple[int, ...]:
    return facts.st_mode, facts.st_ino, facts.st_size, facts.st_mtime_ns


class Restore:
    """Restores files, but only those that are still as `seen` before they were stored. `stored_ids`
    has the ids needed to undo it.
    """

    def __init__(
        self,
        vault: Vault,
        changes: Sequence[TreeChange],
        seen: Mapping[bytes, Signature],
        stored_ids: Mapping[bytes, str],
    ) -> None:
        self._vault = vault
        self._changes = changes
        self._seen = seen
        self._stored_ids = stored_ids

    def check(self) -> None:
        """Verify that all contents to write exist. Raises CheckpointError."""
        self._vault.check(
            [one.id for one in self._changes if one.change_type is not ChangeType.DELETED]
        )

    def carry_out(self) -> tuple[int, tuple[tuple[str, str], ...]]:
        """Delete and write files; return their number, and the skipped files with the reasons."""
        done, skipped = 0, list[tuple[str, str]]()
        ordered = sorted(self._changes, key=lambda one: one.change_type is not ChangeType.DELETED)
        with self._vault.contents() as contents:
            for change in ordered:
                try:
                    self._apply_change(change, contents)
                    done += 1
                except (_InTheWayError, CheckpointError) as why:
                    skipped.append((change.shown, str(why)))
                except OSError as error:
                    skipped.append((change.shown, error.strerror or str(error)))
        return done, tuple(skipped)

    def _apply_change(self, change: TreeChange, contents: Objects) -> None:
        names = change.path.split(b"/")
        content = (
            b"" if change.change_type is ChangeType.DELETED else contents.read_object(change.id)
        )
        if change.change_type is not ChangeType.CREATED:
            self._check_undoable(change, contents)
        with opened_below(
            self._vault.top, names[:-1], make=change.change_type is not ChangeType.DELETED
        ) as folder:
            self._check_file(change, folder, names[-1])
            if change.change_type is ChangeType.DELETED:
                os.unlink(names[-1], dir_fd=folder)
            else:
                _write(folder, names[-1], change.mode, content)
        if change.change_type is ChangeType.DELETED:
            self._remove_empty_folders(names[:-1])

    def _check_undoable(self, change: TreeChange, contents: Objects) -> None:
        """Check that the change could be undone: the stored file may have been swapped.

        Raises CheckpointError if it couldn't.
        """
        if self._stored_ids[change.path] == change.id:
            return
        try:
            contents.read_object(self._stored_ids[change.path])
        except CheckpointError as why:
            raise CheckpointError(f"it stays, for nothing could take that back: {why}") from None

    def _check_file(self, change: TreeChange, folder: int, name: bytes) -> None:
        """Check that the file at this path is the stored one, or missing. Raises _InTheWayError."""
        try:
            facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            facts = None
        if change.change_type is ChangeType.CREATED:
            if facts is not None and not _remove_empty(folder, name):
                raise _InTheWayError("something stands there that is not kept")
        elif facts is None or _signature(facts) != self._seen[change.path]:
            raise _InTheWayError("it has changed just now")

    def _remove_empty_folders(self, names: Sequence[bytes]) -> None:
        """Remove the folders that are empty by now."""
        for end in range(len(names), 0, -1):
            try:
                with opened_below(self._vault.top, names[: end - 1], make=False) as folder:
                    os.rmdir(names[end - 1], dir_fd=folder)
            except OSError:
                return


def _remove_empty(folder: int, name: bytes, levels: int = _DEEPEST_EMPTY) -> bool:
    """Remove a folder that contains only empty folders; return False if it doesn't."""
    if not levels:
        return False
    try:
        descriptor = os.open(name, os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return False
    try:
        with os.scandir(descriptor) as entries:
            names = [os.fsencode(entry.name) for entry in entries]
        if not all(_remove_empty(descriptor, one, levels - 1) for one in names):
            return False
    finally:
        os.close(descriptor)
    with suppress(OSError):
        os.rmdir(name, dir_fd=folder)
        return True
    return False


def _write(folder: int, name: bytes, mode: str, content: bytes) -> None:
    """Replace a file or link atomically, preserving a file's other permissions."""
    new = f".acp-tui-{secrets.token_hex(6)}".encode()
    try:
        if mode == _LINK:
            os.symlink(content, new, dir_fd=folder)
        else:
            _write_file(folder, new, name, content, runs=mode == _PROGRAM)
        os.replace(new, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(new, dir_fd=folder)
        raise


def _write_file(folder: int, new: bytes, name: bytes, content: bytes, *, runs: bool) -> None:
    how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(new, how, 0o777 if runs else 0o666, dir_fd=folder)
    with os.fdopen(descriptor, "wb") as out:
        out.write(content)
        with suppress(FileNotFoundError):
            before = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISREG(before.st_mode):
                os.fchmod(descriptor, _permissions(before.st_mode, runs=runs))


def _permissions(mode: int, *, runs: bool) -> int:
    """Return a file's permissions with execution for all who may read it, or for nobody."""
    kept = stat.S_IMODE(mode) & 0o777
    return kept | (kept & 0o444) >> 2 if runs else kept & ~0o111
