"""Keeps files as objects of git, in a folder's repository or beside our index.

Each checkpoint is a commit. Which there are is known by refs in our own git directory. In a repository
the same names below `refs/acp-tui/` only keep git from collecting the commits: whatever else an agent
makes of those is never followed. They end with our signature, so that old ones can be told from refs
that others made, which are not deleted.
"""

import json
import re
import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from acp_tui.formatting import counted
from acp_tui.git import limits
from acp_tui.git.errors import CheckpointError
from acp_tui.git.git import Git, GitError
from acp_tui.git.git_objects import Objects
from acp_tui.git.left_out import LeftOut
from acp_tui.git.own_index import OwnIndex
from acp_tui.git.ref_names import ref_names
from acp_tui.git.repository import Repository
from acp_tui.rewind.checkpoint import Checkpoint, TreeChange
from acp_tui.rewind.diffs import read_changes
from acp_tui.rewind.git_rules import ignored_then
from acp_tui.rewind.seal import Seal
from acp_tui.store.same_folder import SameFolder

_REFS = "refs/acp-tui/"
_RACES = f"{_REFS}races/"
"""Results of races: those are this program's, too."""
_NAME = re.compile(r"(refs/acp-tui/[0-9a-f]{24}/(\d{17}))-([0-9a-f]{32})")
"""A checkpoint: where and when it was made, in microseconds, and its signature."""
_ANCHORING = 10.0
"""Seconds for git to write or delete refs in the repository: others may have made them endless."""
_WHO = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "acp-tui"), ("EMAIL", "acp-tui@localhost"))
}


class Vault:
    """Those of one folder; without a repository its objects lie in our place.

    All of it is done by one program at a time.
    """

    def __init__(self, folder: Path, place: Path, repository: Repository | None) -> None:
        """Raises CheckpointError or OSError."""
        self._index = OwnIndex(place, folder, repository)
        self._own = self._index.git
        self._repository = repository
        self._key = f"{_REFS}{place.name}/"
        self._seal = Seal.of(place.parent)
        self.top = SameFolder(folder if repository is None else repository.top)
        self.remarks: list[str] = []
        """What a person should know about the place itself, collected until it is reported."""

    def make(self) -> None:
        """Make our git directory."""
        self._index.make()

    def keep(self) -> tuple[str, LeftOut]:
        """Take in what has changed; return the tree of all, and what isn't in it. Raises GitError."""
        return self._index.keep()

    def changes(self, before: str, after: str, until: float) -> tuple[TreeChange, ...]:
        """Return what differs between two trees. Raises CheckpointError."""
        return read_changes(self._own, before, after, until)

    def find(self, tree: str, paths: Iterable[bytes]) -> dict[bytes, str]:
        """Return the ids of those files that a tree has. Raises CheckpointError."""
        with self._own.objects() as objects:
            found = {path: objects.find(tree, path) for path in paths}
        return {path: id_ for path, id_ in found.items() if id_}

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
        """Commit a tree, and let refs keep it. Raises GitError."""
        facts = json.dumps(unnamed.facts())
        message = f"acp-tui: the files before {unnamed.reason.kind.value}\n\n{facts}\n"
        commit = self._committing().line("commit-tree", unnamed.tree, given=message.encode())
        name = f"{self._key}{int(unnamed.at * 1e6):017}"
        ref = f"{name}-{self._seal.sign(name)}"
        self._own.run("update-ref", ref, commit, "")
        self._anchor("update-ref", ref, commit, "")
        return replace(unnamed, ref=ref)

    def _committing(self) -> Git:
        return self._own.with_variables(_WHO)

    def _anchor(self, *command: str, given: str = "") -> None:
        """Write or delete refs in the repository. What an agent can break there must not keep the files
        from being kept: git collects what no ref leads to only after weeks.
        """
        if self._repository is None:
            return
        try:
            self._repository.git().run(*command, given=given.encode(), patience=_ANCHORING)
        except GitError as error:
            self.remarks.append(f"git can't change {_REFS} in this repository: {error}")

    def list(self) -> list[Checkpoint]:
        """Return all of this folder whose commits are still there. Raises GitError."""
        found = []
        lost = 0
        with self._own.objects() as objects:
            for ref, commit in self._refs().items():
                try:
                    tree, message = objects.commit(commit)
                    facts = json.loads(message.partition("\n\n")[2])
                    found.append(Checkpoint.of(ref, tree, facts))
                except CheckpointError:
                    lost += 1
        if lost:
            self.remarks.append(f"{counted(lost, 'checkpoint')} can't be read: git has lost a part")
        return found

    def _refs(self) -> dict[str, str]:
        """Return the commits of this folder's checkpoints by their refs, the oldest first. Raises GitError."""
        told = self._own.line("for-each-ref", "--format=%(refname) %(objectname)", self._key)
        return dict(line.split(" ", 1) for line in told.splitlines())

    def prune(self, keep: Collection[str] = ()) -> None:
        """Delete the refs of what is too old or too much: git collects the rest in its own time."""
        oldest = int((time.time() - limits.DAYS * 86400) * 1e6)
        own = list(self._refs())
        old = {ref for ref in own if _made_at(ref) < oldest} | set(own[: -limits.KEPT])
        full = self._repository is None and self._index.room() > limits.ROOM
        if full:
            old |= set(own[: len(own) // 2])
        old -= set(keep)
        if old:
            self._own.run("update-ref", "--no-deref", "--stdin", given=_deleting(old).encode())
        if self._repository is not None:
            self._prune_anchors(self._repository, {*own} - old, old, oldest)
        elif old or full:
            self._own.run("prune", "--expire=now" if full else "--expire=1.hour.ago")

    def _prune_anchors(
        self, repository: Repository, own: set[str], old: set[str], oldest: int
    ) -> None:
        """Delete from the repository what this folder doesn't have anymore, and what is old of others."""
        foreign = 0
        for ref in ref_names(repository.common, _REFS):
            if ref in own or ref in old or ref.startswith(_RACES):
                continue
            name = _NAME.fullmatch(ref)
            if name is None or not self._seal.is_ours(name[3], name[1]):
                foreign += 1
            elif ref.startswith(self._key) or int(name[2]) < oldest:
                old.add(ref)
        if old:
            # A ref may lead to another, a branch for instance: that one is not deleted.
            self._anchor("update-ref", "--no-deref", "--stdin", given=_deleting(old))
        if foreign:
            what = "ref" if foreign == 1 else "refs"
            self.remarks.append(f"ignored, as not made from here: {foreign:,} {what} below {_REFS}")


def _made_at(ref: str) -> int:
    name = _NAME.fullmatch(ref)
    return int(name[2]) if name else 0


def _deleting(refs: Iterable[str]) -> str:
    return "".join(f"delete {ref}\n" for ref in sorted(refs))
