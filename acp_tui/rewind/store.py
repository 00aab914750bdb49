"""Stores a folder's files before each turn, lists those turns, and rewinds the files.

All of this blocks: call it off the event loop.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from shutil import rmtree, which
from stat import S_ISDIR

from acp_tui.config.private_files import make_folder
from acp_tui.git.objects import CheckpointError, NotStorableError, Objects
from acp_tui.git.repository import find_repository
from acp_tui.rewind import limits
from acp_tui.rewind.checkpoint import (
    ChangeType,
    Checkpoint,
    LeftOut,
    Reason,
    RewindOutcome,
    RewindPlan,
    TreeChange,
    with_folders,
)
from acp_tui.rewind.object_store import Vault
from acp_tui.rewind.restore import Restore, file_signatures
from acp_tui.store.files_in_use import wait_for_lock
from acp_tui.store.same_folder import SameFolder, opened_below

LOCK_TIMEOUT = 60.0
"""Seconds to wait while another process holds the folder's lock."""
CHANGED_SINCE = "it has changed since it was listed"


def find_preserved(
    vault: Vault, target: Checkpoint, changes: Sequence[TreeChange]
) -> tuple[TreeChange, ...]:
    """Return the files that a rewind would delete, but that were left out or ignored at the
    checkpoint.

    An agent may change the ignore rules, and a rewind must never delete `.env`. Raises
    CheckpointError.
    """
    deleted = [one for one in changes if one.change_type is ChangeType.DELETED]
    ignored = vault.ignored(target, [one.path for one in deleted])
    return tuple(one for one in deleted if one.path in ignored or target.left_out.has(one.shown))


def find_lost(top: Path, left_out: LeftOut) -> tuple[tuple[str, str], ...]:
    """Return the files that were left out at the checkpoint and are gone by now."""
    return tuple(one for one in left_out.names if _is_gone(top, one[0]))


def find_unstored(
    top: SameFolder, changes: Sequence[TreeChange], left_out: LeftOut
) -> Iterator[tuple[TreeChange, str]]:
    """Yield the files to create that exist already and aren't stored now, each with the reason."""
    for change in changes:
        if change.change_type is ChangeType.CREATED and _exists(top, change.path.split(b"/")):
            yield change, left_out.why(change.shown) or "git ignores it now"


def _exists(top: SameFolder, names: Sequence[bytes]) -> bool:
    """Return whether something is there that a rewind wouldn't overwrite; a folder doesn't count,
    since it may be empty. Follows no links.
    """
    try:
        with opened_below(top, names[:-1], make=False) as folder:
            facts = os.stat(names[-1], dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return not S_ISDIR(facts.st_mode)


def _is_gone(top: Path, name: str) -> bool:
    try:
        os.lstat(os.fsencode(top) + b"/" + name.rstrip("/").encode("utf-8", "surrogateescape"))
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False  # unknown
    return False


class Checkpoints:
    """The checkpoints of one folder. Several programs may use them at once."""

    def __init__(self, folder: Path, place: Path, vault: Vault) -> None:
        """`folder` is resolved now; files are restored to whatever has its path by then."""
        self._unresolved_folder = folder
        self._folder = Path(os.path.realpath(folder))
        self._place = place
        self._vault = vault

    @classmethod
    def of(cls, folder: Path, state: Path, *, anywhere: bool) -> "Checkpoints | None":
        """Return a folder's checkpoints, in its repository or (if `anywhere`) without one; else
        None.

        Raises CheckpointError, or NotStorableError if git isn't installed, and for the home folder and
        those above it without a repository.
        """
        try:
            real = Path(os.path.realpath(folder))
            place = state / sha256(os.fsencode(real)).hexdigest()[:24]
            vault = _find_vault(real, place, anywhere=anywhere)
        except OSError as error:
            raise CheckpointError(f"{error.strerror}: {error.filename!r}") from None
        except ValueError as error:  # the name has a NUL
            raise CheckpointError(str(error)) from None
        return None if vault is None else cls(folder, place, vault)

    @property
    def top(self) -> str:
        """The folder to which paths in trees are relative."""
        return str(self._vault.top.path)

    def find_files(self, tree: str, paths: Iterable[bytes]) -> dict[bytes, str]:
        """Return the ids of those files that are in a tree, by path. Raises CheckpointError."""
        return self._vault.find_files(tree, paths)

    def ignored(self, target: Checkpoint, paths: Sequence[bytes]) -> set[bytes]:
        """Return the paths that were ignored by the rules at a checkpoint, stored or not. Raises
        CheckpointError.
        """
        with self._locked():
            return self._vault.ignored(target, paths)

    def has(self, path: str) -> bool:
        """Return whether a file is in the folder."""
        return Path(os.path.realpath(path)).is_relative_to(self._folder)

    def shares(self, folder: str | None) -> bool:
        """Return whether one of the two folders is inside the other, judging by their paths."""
        if folder is None:
            return False
        other = Path(folder)
        return any(
            other.is_relative_to(one) or one.is_relative_to(other)
            for one in (self._unresolved_folder, self._folder)
        )

    def warm_up(self) -> None:
        """Store the current files, so that the next checkpoint is quick, and delete old
        checkpoints. Raises CheckpointError.
        """
        with self._locked():
            self._vault.store()
            self._vault.prune()
        _delete_unused_stores(self._place)

    def make_checkpoint(
        self, reason: Reason, *, is_late: Callable[[], bool] = lambda: False
    ) -> Checkpoint:
        """Make a checkpoint; `is_late` is called at the end and returns whether that was too late.

        Raises CheckpointError.
        """
        with self._locked():
            tree, left_out = self._vault.store()
            added = self._add_checkpoint(tree, reason, left_out, late=is_late())
            # Not an error: the files are stored, and the next turn prunes again.
            with suppress(CheckpointError, OSError):
                self._vault.prune()
        return added

    def list(self) -> list[Checkpoint]:
        """Return all checkpoints, the newest first. Raises CheckpointError."""
        with self._locked():
            return sorted(self._vault.list(), key=lambda one: one.ref, reverse=True)

    def remarks(self) -> tuple[str, ...]:
        """Return the store's problems since the last call."""
        found = tuple(dict.fromkeys(self._vault.remarks))
        self._vault.remarks.clear()
        return found

    def now(self) -> tuple[str, LeftOut]:
        """Return the tree of the current files, and the files left out. Raises CheckpointError."""
        with self._locked():
            return self._vault.store()

    def ignored_files(self) -> Sequence[Path]:
        """Return the files and folders that git ignores now, which no checkpoint stores. Raises
        CheckpointError.
        """
        with self._locked():
            return self._vault.ignored_files()

    @property
    def controls(self) -> Sequence[Path]:
        """Git's own hooks, settings and branches, which no checkpoint stores either."""
        return self._vault.controls

    def changes(
        self, before: str, after: str, *, until: float | None = None
    ) -> tuple[TreeChange, ...]:
        """Return the differences between two trees. Lines are counted until a time of the monotonic
        clock (0 counts none), by default for as long as the user may wait for a list.

        Raises CheckpointError.
        """
        if until is None:
            until = time.monotonic() + limits.LINE_COUNT_TIMEOUT
        return self._vault.changes(before, after, until)

    def contents(self) -> AbstractContextManager[Objects]:
        """Return a reader of objects by id."""
        return self._vault.contents()

    def plan(self, target: Checkpoint) -> RewindPlan:
        """Return the plan of a rewind; changes no files. Raises CheckpointError."""
        with self._locked():
            tree, left_out = self._vault.store()
            changes = self.changes(tree, target.tree)
            spared = find_preserved(self._vault, target, changes)
        top = self._vault.top
        unkept = dict(find_unstored(top, changes, left_out))
        planned = tuple(one for one in changes if one not in {*spared, *unkept})
        gone = find_lost(top.path, target.left_out)
        named = tuple((one.shown, why) for one, why in unkept.items())
        return RewindPlan(target, tree, planned, spared, left_out, gone, named)

    def restore(self, plan: RewindPlan, reason: Reason) -> RewindOutcome:
        """Make a checkpoint of the current files, then rewind as planned; skip files changed since
        the plan.

        Raises CheckpointError, before anything is written. Old checkpoints are deleted at the end,
        but never the target or the checkpoint that undoes the rewind.
        """
        with self._locked():
            seen = file_signatures(self._vault.top.path, plan.changes)
            tree, left_out = self._vault.store()
            moved = {one.path for one in self.changes(plan.now, tree, until=0.0)}
            kept = {one.path: one.id for one in self.changes(plan.target.tree, tree, until=0.0)}
            left = [one for one in plan.changes if one.path not in moved]
            restore = Restore(self._vault, left, seen, kept)
            restore.check()
            before = self._add_checkpoint(tree, reason, left_out, late=False)
            done, skipped = restore.carry_out()
            with suppress(CheckpointError, OSError):  # the next turn prunes again
                self._vault.prune(preserved=(plan.target.ref, before.ref))
        since = [(one.shown, CHANGED_SINCE) for one in plan.changes if one.path in moved]
        return RewindOutcome(before, done, (*since, *skipped))

    # Storing

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock the store against other processes. Raises CheckpointError."""
        try:
            make_folder(self._place)
            descriptor = os.open(self._place / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise CheckpointError(f"{error.strerror}: {error.filename!r}") from None
        try:
            if not wait_for_lock(descriptor, LOCK_TIMEOUT):
                words = f"another program has had it locked for {LOCK_TIMEOUT:.0f} s"
                raise CheckpointError(f"{words}: {str(self._place / 'lock')!r}")
            self._vault.make()
            os.utime(self._place)
            yield
        except OSError as error:
            raise CheckpointError(f"{error.strerror}: {error.filename!r}") from None
        finally:
            os.close(descriptor)

    def _add_checkpoint(
        self, tree: str, reason: Reason, left_out: LeftOut, *, late: bool
    ) -> Checkpoint:
        return self._vault.commit_tree(Checkpoint("", tree, time.time(), reason, late, left_out))


def _find_vault(folder: Path, place: Path, *, anywhere: bool) -> Vault | None:
    """Return the vault for a folder, or None. Raises CheckpointError or OSError."""
    if which("git") is None:
        raise NotStorableError("git isn't installed")
    repository = find_repository(folder)
    if repository is None and not anywhere:
        return None
    home = Path(os.path.realpath(Path("~").expanduser()))
    if repository is None and home.is_relative_to(folder):
        words = "this is your home folder, or it is in here; there only a git repository is kept"
        raise NotStorableError(words)
    return Vault(folder, place, repository)


def _delete_unused_stores(place: Path) -> None:
    """Delete the checkpoints of folders that haven't been used for CHECKPOINT_DAYS."""
    oldest = time.time() - limits.CHECKPOINT_DAYS * 86400
    with suppress(OSError):
        for other in place.parent.iterdir():
            if other != place and other.is_dir() and other.stat().st_mtime < oldest:
                rmtree(other, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class CheckpointedTurn:
    """A checkpoint, and the changes from it to the next one or to the current files: the tree
    `after`.

    Files `unstored` were no longer stored by then; files `lost` weren't stored before either, and
    don't exist anymore.
    """

    checkpoint: Checkpoint
    changes: tuple[TreeChange, ...]
    after: str
    unstored: tuple[tuple[str, str], ...] = ()
    lost: tuple[tuple[str, str], ...] = ()


def read_turns(store: Checkpoints) -> list[CheckpointedTurn]:
    """Return all turns, the newest first; their lines are counted in that order. Raises
    CheckpointError.
    """
    after, left_out = store.now()
    until = time.monotonic() + limits.LINE_COUNT_TIMEOUT
    turns = []
    for checkpoint in store.list():
        changes = store.changes(checkpoint.tree, after, until=until)
        turns.append(_turn(checkpoint, changes, after, left_out))
        after, left_out = checkpoint.tree, checkpoint.left_out
    return turns


def changed_since(store: Checkpoints, before: str) -> tuple[tuple[TreeChange, ...], LeftOut]:
    """Return the files that differ from a tree now, whoever changed them, and those left out of the
    comparison.

    Raises CheckpointError.
    """
    after, left_out = store.now()
    return tuple(certain_changes(store.changes(before, after), left_out)), left_out


def certain_changes(changes: Iterable[TreeChange], left_out: LeftOut) -> Iterator[TreeChange]:
    """Yield the changes that are certain: a file that is left out by now may only seem deleted."""
    for one in changes:
        if one.change_type is not ChangeType.DELETED or not left_out.has(one.shown):
            yield one


def _turn(
    checkpoint: Checkpoint, changes: tuple[TreeChange, ...], after: str, left_out: LeftOut
) -> CheckpointedTurn:
    known = tuple(certain_changes(changes, left_out))
    before = checkpoint.left_out
    made = (one.shown for one in changes if one.change_type is ChangeType.CREATED)
    there = {part for name in made for part in with_folders(name)}
    gone = tuple(one for one in before.beyond(left_out) if one[0] not in there)
    return CheckpointedTurn(checkpoint, known, after, left_out.beyond(before), gone)
