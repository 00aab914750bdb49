"""Keeps a folder's files before each turn, and goes back to them; none of it may run in a loop.

In a repository each checkpoint is a commit below `refs/acp-tui/`, which nothing else points to: git keeps
it until the ref is deleted. A folder without a repository has its own objects beside our index.
"""

import json
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from acp_tui.checkpoints.checkpoint import Checkpoint, FileChange, LeftOut, Outcome, Plan, Reason
from acp_tui.checkpoints.diffs import read_changes
from acp_tui.checkpoints.git import Git, GitError
from acp_tui.checkpoints.own_index import OwnIndex
from acp_tui.checkpoints.repository import Repository, find_repository
from acp_tui.checkpoints.restore import Restore, signatures
from acp_tui.checkpoints.spared import find_spared
from acp_tui.config.private_files import make_folder
from acp_tui.config.same_folder import SameFolder
from acp_tui.lazy_pattern import LazyPattern

KEPT = 100
"""How many checkpoints of a folder are kept, the newest ones."""
DAYS = 30
"""After so many days a checkpoint is deleted, and what was kept for a folder that nobody came back to."""
CHANGED_SINCE = "it has changed since it was listed"
_REFS = "refs/acp-tui/"
_OURS = LazyPattern(_REFS + r"[0-9a-f]{24}/(?P<at>[0-9]{17})-[0-9a-f]{8}")
"""The refs of checkpoints; what else lies there, such as the results of races, is none of them."""
_WHO = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "acp-tui"), ("EMAIL", "acp-tui@localhost"))
}


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

    @classmethod
    def of(cls, folder: Path, state: Path, *, anywhere: bool) -> "Checkpoints | None":
        """Find where a folder's are kept: in its repository, or `anywhere`; None for nowhere.

        Raises GitError.
        """
        repository = find_repository(folder)
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
        form = "%(refname)%00%(tree)%00%(contents)%00"
        told = self._refs.run("for-each-ref", f"--format={form}", self._key)
        fields = told.decode("utf-8", "surrogateescape").split("\0")
        found = []
        for ref, tree, message in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
            with suppress(ValueError, KeyError, TypeError):
                facts = json.loads(message.partition("\n\n")[2])
                found.append(Checkpoint.of(ref.strip(), tree, facts))
        return sorted(found, key=lambda one: one.ref, reverse=True)

    def now(self) -> tuple[str, LeftOut]:
        """Return the tree of the files as they are, and what isn't in it. Raises GitError."""
        with self._locked():
            return self._index.keep()

    def changes(self, before: str, after: str) -> tuple[FileChange, ...]:
        """Return what differs between two trees. Raises GitError."""
        return read_changes(self._own, before, after)

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
        ref = f"{self._key}{int(at * 1e6):017}-{secrets.token_hex(4)}"
        checkpoint = Checkpoint(ref, tree, at, reason, late, left_out)
        message = (
            f"acp-tui: the files before {reason.kind.value}\n\n{json.dumps(checkpoint.facts())}\n"
        )
        commit = self._committing().line("commit-tree", tree, given=message.encode())
        self._refs.run("update-ref", ref, commit, "")
        self._prune()
        return checkpoint

    def _committing(self) -> Git:
        return self._own.with_variables(_WHO)

    def _prune(self) -> None:
        """Delete the refs of what is too old or too much: git collects the rest in its own time."""
        told = self._refs.line("for-each-ref", "--format=%(refname)", _REFS)
        oldest = int((time.time() - DAYS * 86400) * 1e6)
        found = filter(None, map(_OURS.compiled.fullmatch, sorted(told.split())))
        times = {one.group(): int(one["at"]) for one in found}
        own = [ref for ref in times if ref.startswith(self._key)]
        old = {ref for ref, at in times.items() if at < oldest} | set(own[:-KEPT])
        if old:
            given = "".join(f"delete {ref}\n" for ref in sorted(old))
            # A ref may lead to another, a branch for instance: that one is not deleted.
            self._refs.run("update-ref", "--no-deref", "--stdin", given=given.encode())
            if self._repository is None:
                self._own.run("prune", "--expire=1.hour.ago")


def _forget_left_places(place: Path) -> None:
    """Delete what was kept for folders that nobody came back to."""
    from shutil import rmtree

    oldest = time.time() - DAYS * 86400
    with suppress(OSError):
        for other in place.parent.iterdir():
            if other != place and other.stat().st_mtime < oldest:
                rmtree(other, ignore_errors=True)
