"""Keeps files as objects of git, in a folder's repository or beside our index.

Each checkpoint is a commit below `refs/acp-tui/`, which nothing else points to: git keeps it until the
ref is deleted. Its name ends with our signature of it: refs that others make, an agent for one, are
neither read nor deleted.
"""

import json
import re
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from acp_tui.checkpoints import bounds
from acp_tui.checkpoints.checkpoint import Checkpoint, FileChange, LeftOut
from acp_tui.checkpoints.diffs import read_changes
from acp_tui.checkpoints.git import Git, GitError
from acp_tui.checkpoints.git_objects import Objects
from acp_tui.checkpoints.git_rules import ignored_then
from acp_tui.checkpoints.own_index import OwnIndex
from acp_tui.checkpoints.repository import Repository
from acp_tui.checkpoints.seal import Seal
from acp_tui.config.same_folder import SameFolder
from acp_tui.lazy_named_tuple import NamedTuple

_REFS = "refs/acp-tui/"
_NAME = re.compile(r"(refs/acp-tui/[0-9a-f]{24}/(\d{17}))-([0-9a-f]{32})")
"""One of ours: where and when it was made, in microseconds, and its signature."""
_WHO = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "acp-tui"), ("EMAIL", "acp-tui@localhost"))
}


class _Signed(NamedTuple):
    """A ref that this program made, and when, in microseconds."""

    ref: str
    at: int
    tree: str
    message: str


class GitVault:
    """Those of one folder; without a repository its objects lie in our place."""

    def __init__(self, folder: Path, place: Path, repository: Repository | None) -> None:
        """Raises CheckpointError or OSError."""
        self._index = OwnIndex(place, folder, repository)
        self._own = self._index.git
        self._refs = self._own if repository is None else repository.git()
        self._repository = repository
        self._key = f"{_REFS}{place.name}/"
        self._seal = Seal.of(place.parent)
        self.top = SameFolder(folder if repository is None else repository.top)

    def make(self) -> None:
        """Make our git directory."""
        self._index.make()

    def keep(self) -> tuple[str, LeftOut]:
        """Take in what has changed; return the tree of all, and what isn't in it. Raises GitError."""
        return self._index.keep()

    def changes(self, before: str, after: str, until: float) -> tuple[FileChange, ...]:
        """Return what differs between two trees. Raises CheckpointError."""
        return read_changes(self._own, before, after, until)

    def ignored(self, target: Checkpoint, paths: Sequence[bytes]) -> set[bytes]:
        """Return what git ignores by the rules of that time. Raises GitError."""
        return ignored_then(self._own, target, paths)

    def check(self, ids: Sequence[str]) -> None:
        """See to it that these contents are there. Raises GitError."""
        given = "".join(f"{id_}\n" for id_ in ids).encode()
        told = self._own.line("cat-file", "--batch-check=%(objecttype)", given=given)
        if any(kind != "blob" for kind in told.split("\n")[: len(ids)]):
            raise GitError("git has lost a part of what was kept")

    def contents(self) -> AbstractContextManager[Objects]:
        """Read contents by their ids."""
        return self._own.objects()

    def add(self, unnamed: Checkpoint) -> Checkpoint:
        """Commit a tree, and let a ref of ours keep it. Raises GitError."""
        name = f"{self._key}{int(unnamed.at * 1e6):017}"
        facts = json.dumps(unnamed.facts())
        message = f"acp-tui: the files before {unnamed.reason.kind.value}\n\n{facts}\n"
        ref = f"{name}-{self._seal.sign(name, unnamed.tree, message)}"
        commit = self._committing().line("commit-tree", unnamed.tree, given=message.encode())
        self._refs.run("update-ref", ref, commit, "")
        return replace(unnamed, ref=ref)

    def _committing(self) -> Git:
        return self._own.with_variables(_WHO)

    def list(self) -> list[Checkpoint]:
        """Return all of this folder. Raises GitError."""
        found = []
        for one in self._ours(self._key):
            facts = json.loads(one.message.partition("\n\n")[2])
            found.append(Checkpoint.of(one.ref, one.tree, facts))
        return found

    def _ours(self, below: str) -> Iterator["_Signed"]:
        """Return the refs that this program made."""
        form = "%(refname)%00%(tree)%00%(contents)%00"
        told = self._refs.run("for-each-ref", f"--format={form}", below)
        fields = iter(told.decode("utf-8", "surrogateescape").split("\0"))
        for ref, tree, message in zip(fields, fields, fields, strict=False):
            name = _NAME.fullmatch(ref.strip())
            if name is not None and self._seal.is_ours(name[3], name[1], tree, message):
                yield _Signed(name[0], int(name[2]), tree, message)

    def prune(self, keep: Collection[str] = ()) -> None:
        """Delete the refs of what is too old or too much: git collects the rest in its own time."""
        oldest = int((time.time() - bounds.DAYS * 86400) * 1e6)
        ours = sorted(self._ours(_REFS))
        own = [one.ref for one in ours if one.ref.startswith(self._key)]
        old = {one.ref for one in ours if one.at < oldest} | set(own[: -bounds.KEPT])
        full = self._repository is None and self._index.room() > bounds.ROOM
        if full:
            old |= set(own[: len(own) // 2])
        old -= set(keep)
        if old:
            given = "".join(f"delete {ref}\n" for ref in sorted(old))
            # A ref may lead to another, a branch for instance: that one is not deleted.
            self._refs.run("update-ref", "--no-deref", "--stdin", given=given.encode())
        if self._repository is None and (old or full):
            self._own.run("prune", "--expire=now" if full else "--expire=1.hour.ago")
