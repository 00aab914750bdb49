"""Keeps a folder's files before each turn, and goes back to them; none of it may run in a loop.

In a repository each checkpoint is a commit below `refs/acp-tui/`, which nothing else points to: git keeps
it until the ref is deleted. Its name ends with our signature of it: refs that others make, an agent for one,
are neither read nor deleted. A folder without a repository has its own objects beside our index.
"""

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from acp_tui.checkpoints.checkpoint import Checkpoint, FileChange, LeftOut, Outcome, Plan, Reason
from acp_tui.checkpoints.diffs import read_changes
from acp_tui.checkpoints.git import Blobs, Git, GitError
from acp_tui.checkpoints.own_index import OwnIndex
from acp_tui.checkpoints.repository import Repository, find_repository
from acp_tui.checkpoints.restore import Restore, signatures
from acp_tui.checkpoints.seal import Seal
from acp_tui.checkpoints.spared import find_spared
from acp_tui.config.private_files import make_folder
from acp_tui.config.same_folder import SameFolder
from acp_tui.lazy_named_tuple import NamedTuple

KEPT = 100
"""How many checkpoints of a folder are kept, the newest ones."""
DAYS = 30
"""After so many days a checkpoint is deleted, and what was kept for a folder that nobody came back to."""
ROOM = 1_000_000_000
"""Bytes of the copies of a folder without a repository; above that the older half is deleted."""
CHANGED_SINCE = "it has changed since it was listed"
_REFS = "refs/acp-tui/"
_NAME = re.compile(r"(refs/acp-tui/[0-9a-f]{24}/(\d{17}))-([0-9a-f]{32})")
"""One of ours: where and when it was made, in microseconds, and its signature."""
_WHO = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "acp-tui"), ("EMAIL", "acp-tui@localhost"))
}


class NotKeptError(GitError):
    """Why nobody would want the files of a folder to be kept."""


class _Signed(NamedTuple):
    """A ref that this program made, and when, in microseconds."""

    ref: str
    at: int
    tree: str
    message: str


class Checkpoints:
    """Those of one folder; several programs may keep them at once."""

    def __init__(self, folder: Path, state: Path, repository: Repository | None) -> None:
        """What is brought back goes into the folder that has the path now. Raises GitError."""
        self._given = folder
        self._folder = folder = Path(os.path.realpath(folder))
        key = sha256(os.fsencode(folder)).hexdigest()[:24]
        self._place = state / key
        self._index = OwnIndex(self._place, folder, repository)
        self._own = self._index.git
        self._refs = self._own if repository is None else repository.git()
        self._top = folder if repository is None else repository.top
        self._repository = repository
        self._key = f"{_REFS}{key}/"
        try:
            self._shown = SameFolder(self._top)
        except OSError as error:
            raise GitError(f"{error.strerror}: {error.filename!r}") from None
        self._seal = Seal.of(state)

    @classmethod
    def of(cls, folder: Path, state: Path, *, anywhere: bool) -> "Checkpoints | None":
        """Find where a folder's are kept: in its repository, or `anywhere`; None for nowhere.

        Raises GitError; NotKeptError for the home folder and what it lies in, without a repository.
        """
        repository = find_repository(folder)
        home = Path(os.path.realpath(Path("~").expanduser()))
        if repository is None and anywhere and home.is_relative_to(os.path.realpath(folder)):
            raise NotKeptError("this is your home folder, or it is in here")
        return cls(folder, state, repository) if repository is not None or anywhere else None

    def has(self, path: str) -> bool:
        """Whether a file belongs to the folder."""
        return Path(os.path.realpath(path)).is_relative_to(self._folder)

    def shares(self, folder: str | None) -> bool:
        """Whether another folder is in this one, or the other way round; by name, without a look."""
        if folder is None:
            return False
        other = Path(folder)
        return any(
            other.is_relative_to(one) or one.is_relative_to(other)
            for one in (self._given, self._folder)
        )

    def warm_up(self) -> None:
        """Read what is there, so that the next look is quick; delete what is old. Raises GitError."""
        with self._locked():
            self._index.keep()
            self._prune()
        _forget_left_places(self._place)

    def take(self, reason: Reason, *, is_late: Callable[[], bool] = lambda: False) -> Checkpoint:
        """Keep the files as they are; `is_late` tells in the end whether that took too long.

        Raises GitError.
        """
        with self._locked():
            tree, left_out = self._index.keep()
            return self._add(tree, reason, left_out, late=is_late())

    def list(self) -> list[Checkpoint]:
        """Return all, the newest first. Raises GitError."""
        found = []
        for one in self._ours(self._key):
            facts = json.loads(one.message.partition("\n\n")[2])
            found.append(Checkpoint.of(one.ref, one.tree, facts))
        return sorted(found, key=lambda one: one.ref, reverse=True)

    def _ours(self, below: str) -> Iterator["_Signed"]:
        """Return the refs that this program made."""
        form = "%(refname)%00%(tree)%00%(contents)%00"
        told = self._refs.run("for-each-ref", f"--format={form}", below)
        fields = iter(told.decode("utf-8", "surrogateescape").split("\0"))
        for ref, tree, message in zip(fields, fields, fields, strict=False):
            name = _NAME.fullmatch(ref.strip())
            if name is not None and self._seal.is_ours(name[3], name[1], tree, message):
                yield _Signed(name[0], int(name[2]), tree, message)

    def now(self) -> tuple[str, LeftOut]:
        """Return the tree of the files as they are, and what isn't in it. Raises GitError."""
        with self._locked():
            return self._index.keep()

    def changes(self, before: str, after: str) -> tuple[FileChange, ...]:
        """Return what differs between two trees. Raises GitError."""
        return read_changes(self._own, before, after)

    @contextmanager
    def contents(self) -> Iterator[Blobs]:
        """Read the contents of files by their ids."""
        with self._own.blobs() as blobs:
            yield blobs

    def plan(self, target: Checkpoint) -> Plan:
        """Look what going back would do; nothing is written. Raises GitError."""
        with self._locked():
            tree, left_out = self._index.keep()
            changes = self.changes(tree, target.tree)
            spared = find_spared(self._own, target, changes)
        kept = tuple(one for one in changes if one not in set(spared))
        return Plan(target, tree, kept, spared, left_out)

    def restore(self, plan: Plan, reason: Reason) -> Outcome:
        """Go back as planned, after keeping what is there now; what has changed since the plan was
        made is left alone. Raises GitError: then nothing is written.
        """
        with self._locked():
            seen = signatures(self._top, plan.changes)
            tree, left_out = self._index.keep()
            moved = {one.path for one in self.changes(plan.now, tree)}
            restore = Restore(
                self._own,
                self._shown,
                [one for one in plan.changes if one.path not in moved],
                seen,
            )
            restore.check()
            before = self._add(tree, reason, left_out, late=False)
            done, skipped = restore.carry_out()
        since = [(one.shown, CHANGED_SINCE) for one in plan.changes if one.path in moved]
        return Outcome(before, done, (*since, *skipped))

    # Keeping

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Be the only one who uses the index, in whatever process. Raises GitError."""
        import fcntl

        try:
            make_folder(self._place)
            descriptor = os.open(self._place / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise GitError(f"{error.strerror}: {error.filename!r}") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            self._index.make()
            os.utime(self._place)
            yield
        except OSError as error:
            raise GitError(f"{error.strerror}: {error.filename!r}") from None
        finally:
            os.close(descriptor)

    def _add(self, tree: str, reason: Reason, left_out: LeftOut, *, late: bool) -> Checkpoint:
        """Commit a tree, and let a ref of ours keep it."""
        at = time.time()
        name = f"{self._key}{int(at * 1e6):017}"
        unnamed = Checkpoint("", tree, at, reason, late, left_out)
        facts = json.dumps(unnamed.facts())
        message = f"acp-tui: the files before {reason.kind.value}\n\n{facts}\n"
        ref = f"{name}-{self._seal.sign(name, tree, message)}"
        commit = self._committing().line("commit-tree", tree, given=message.encode())
        self._refs.run("update-ref", ref, commit, "")
        self._prune()
        return replace(unnamed, ref=ref)

    def _committing(self) -> Git:
        return self._own.with_variables(_WHO)

    def _prune(self) -> None:
        """Delete the refs of what is too old or too much: git collects the rest in its own time."""
        oldest = int((time.time() - DAYS * 86400) * 1e6)
        ours = sorted(self._ours(_REFS))
        own = [one.ref for one in ours if one.ref.startswith(self._key)]
        old = {one.ref for one in ours if one.at < oldest} | set(own[:-KEPT])
        full = self._repository is None and self._index.room() > ROOM
        if full:
            old |= set(own[: len(own) // 2])
        if old:
            given = "".join(f"delete {ref}\n" for ref in sorted(old))
            # A ref may lead to another, a branch for instance: that one is not deleted.
            self._refs.run("update-ref", "--no-deref", "--stdin", given=given.encode())
        if self._repository is None and (old or full):
            self._own.run("prune", "--expire=now" if full else "--expire=1.hour.ago")


def _forget_left_places(place: Path) -> None:
    """Delete what was kept for folders that nobody came back to."""
    from shutil import rmtree

    oldest = time.time() - DAYS * 86400
    with suppress(OSError):
        for other in place.parent.iterdir():
            if other != place and other.is_dir() and other.stat().st_mtime < oldest:
                rmtree(other, ignore_errors=True)
