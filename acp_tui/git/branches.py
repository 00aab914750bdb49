"""What a race asks of git, by its plumbing: no branch, no index and no hook of the person is touched."""

import os
import tempfile
from pathlib import Path
from typing import NamedTuple

from acp_tui.git.files import WorktreeFiles
from acp_tui.git.worktrees import WorktreeGit, WorktreeGitError

REFS = "refs/acp-tui/races"
"""Where the results are kept: no branch, no tag, and no `git fetch` or `git push` takes them along."""
_US = {"NAME": "acp-tui", "EMAIL": "acp-tui@localhost"}


class CommitChanges(NamedTuple):
    """What a commit changed: how many files, and lines where they are text."""

    files: int
    added: int
    removed: int


class RaceRepository:
    """A git repository with a tree of files: the person's own, or another that was checked out of it."""

    def __init__(self, root: Path, git_folder: Path) -> None:
        """`git_folder` is the person's, wherever the files are: no other's settings are obeyed."""
        self.root = root
        self._git_folder = git_folder
        self._git = WorktreeGit(root, {"GIT_DIR": str(git_folder), "GIT_WORK_TREE": str(root)})

    @classmethod
    def around(cls, folder: Path) -> "RaceRepository":
        """Find the repository that a folder is in. Raises GitError."""
        try:
            root, git_folder = (
                os.fsdecode(WorktreeGit(folder, {}).run("rev-parse", asked)).removesuffix("\n")
                for asked in ("--show-toplevel", "--absolute-git-dir")
            )
        except WorktreeGitError as error:
            raise WorktreeGitError(f"{folder}: a race needs a git repository: {error}") from None
        if not folder.resolve().is_relative_to(Path(root).resolve()):
            raise WorktreeGitError(
                f"{folder}: a race needs its files, but the repository has them in {root}"
            )
        return cls(Path(root), Path(git_folder))

    @property
    def is_there(self) -> bool:
        """Whether its files are where they should be: in a folder, to which no link leads."""
        return self.root.is_dir() and not self.root.is_symlink()

    def head(self) -> str | None:
        """Return the commit that is checked out; None before the first one."""
        try:
            return self._git.line("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        except WorktreeGitError:
            return None

    def snapshot(self, words: str, parent: str | None) -> "Snapshot":
        """Commit all files as they are now, but ignored ones; the commit is on no branch.

        It is `parent` itself where nothing differs from that. Raises GitError.
        """
        try:
            with tempfile.TemporaryDirectory(prefix="acp-tui-race-") as folder:
                git = self._git.with_variables({"GIT_INDEX_FILE": str(Path(folder, "index"))})
                taken = WorktreeFiles(self.root, git).take(parent)
        except OSError as error:
            raise WorktreeGitError(f"{error.strerror}: {error.filename!r}") from error
        if parent is not None and taken.tree == self._git.line("rev-parse", f"{parent}^{{tree}}"):
            return Snapshot(parent, taken.ignored, taken.lacking)
        return Snapshot(self._commit(taken.tree, words, parent), taken.ignored, taken.lacking)

    def _commit(self, tree: str, words: str, parent: str | None) -> str:
        """Commit a tree, in the person's name where git knows it."""
        parents = ["-p", parent] if parent is not None else []
        arguments = ("commit-tree", tree, *parents, "-m", words)
        try:
            return self._git.line(*arguments)
        except WorktreeGitError:
            ours = {f"GIT_{who}_{k}": v for who in ("AUTHOR", "COMMITTER") for k, v in _US.items()}
            return self._git.with_variables(ours).line(*arguments)

    def keep(self, name: str, commit: str) -> None:
        """Keep a commit under a new name of ours. Raises GitError."""
        self._git.run("update-ref", f"{REFS}/{name}", commit, "")

    def claim(self, name: str, commit: str) -> bool:
        """Keep a commit under a name of ours if that is free; return whether it was. Raises GitError."""
        try:
            self.keep(name, commit)
        except WorktreeGitError:
            if self._git.run("for-each-ref", f"{REFS}/{name}"):
                return False
            raise
        return True

    def new_branch(self, name: str, commit: str) -> None:
        """Make a branch. Raises GitError: there is one of that name, or it is no name."""
        self._git.run("check-ref-format", "--branch", name)
        self._git.run("branch", "--no-track", name, commit)

    def add_worktree(self, folder: Path, commit: str) -> "RaceRepository":
        """Check a commit out into a new folder. Raises GitError."""
        self._git.run("worktree", "add", "--detach", "--quiet", str(folder), commit)
        return self.checked_out(folder)

    def checked_out(self, folder: Path) -> "RaceRepository":
        """Return a worktree of this repository."""
        return RaceRepository(folder, self._git_folder)

    def remove_worktree(self, folder: Path) -> None:
        """Remove a worktree with all that is in it. Raises GitError."""
        self._git.run("worktree", "remove", "--force", "--force", str(folder))

    def changes(self, base: str, commit: str) -> CommitChanges:
        """Count what differs between two commits. Raises GitError."""
        told = self._git.run(*_DIFF, "--numstat", "-z", "--no-renames", base, commit)
        rows = [one.split(b"\t")[:2] for one in told.split(b"\0") if b"\t" in one]
        added, removed = (sum(int(row[at]) for row in rows if row[at] != b"-") for at in (0, 1))
        return CommitChanges(len(rows), added, removed)

    def patch(self, base: str, commit: str) -> bytes:
        """Return what differs between two commits, as `git apply` takes it. Raises GitError."""
        return self._git.run(*_DIFF, "--binary", "--full-index", base, commit)

    def apply(self, patch: bytes) -> None:
        """Change the files as a patch says, all of it or nothing; the index stays as it is.

        Raises GitError: a part of it doesn't fit what stands there.
        """
        self._git.run("apply", "--whitespace=nowarn", "-", data=patch)


class Snapshot(NamedTuple):
    """Files as a commit, how many files and folders git ignores beside them, and which folders the
    commit lacks, all or in part, because they are repositories of their own.
    """

    commit: str
    ignored: int
    lacking: tuple[str, ...]


_DIFF = (
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)
