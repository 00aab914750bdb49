"""What a race asks of git, by its plumbing: no branch, no index and no hook of the person is touched."""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from acp_tui.lazy_named_tuple import NamedTuple

REFS = "refs/acp-tui/races"
"""Where the results are kept: no branch, no tag, and no `git fetch` or `git push` takes them along."""
_QUIET = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "commit.gpgSign=false", "gc.auto=0")
_US = {"NAME": "acp-tui", "EMAIL": "acp-tui@localhost"}


class GitError(Exception):
    """Git is missing, or refuses; the text says why."""


class Changes(NamedTuple):
    """What a commit changed: how many files, and lines where they are text."""

    files: int
    added: int
    removed: int


class Repository:
    """A git repository with a tree of files: the person's own, or another that was checked out of it."""

    def __init__(self, root: Path, git_folder: Path) -> None:
        """`git_folder` is the person's, wherever the files are: no other's settings are obeyed."""
        self.root = root
        self._git_folder = git_folder

    @classmethod
    def around(cls, folder: Path) -> "Repository":
        """Find the repository that a folder is in. Raises GitError."""
        try:
            root, git_folder = (
                os.fsdecode(_git(folder, "rev-parse", asked)).removesuffix("\n")
                for asked in ("--show-toplevel", "--absolute-git-dir")
            )
        except GitError as error:
            raise GitError(f"{folder}: a race needs a git repository: {error}") from None
        return cls(Path(root), Path(git_folder))

    def head(self) -> str | None:
        """Return the commit that is checked out; None before the first one."""
        try:
            return self._line("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        except GitError:
            return None

    def snapshot(self, words: str, parent: str | None) -> "Snapshot":
        """Commit all files as they are now, but ignored ones; the commit is on no branch.

        It is `parent` itself where nothing differs from that. Raises GitError.
        """
        with tempfile.TemporaryDirectory(prefix="acp-tui-race-") as folder:
            env = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
            if parent is not None:
                self._run("read-tree", parent, env=env)
            self._run("add", "--all", env=env)
            tree = self._line("write-tree", env=env)
            others = ("--others", "--ignored", "--exclude-standard", "--directory", "-z")
            left = self._run("ls-files", *others, env=env).split(b"\0")
        ignored = sum(map(bool, left))
        if parent is not None and tree == self._line("rev-parse", f"{parent}^{{tree}}"):
            return Snapshot(parent, ignored)
        return Snapshot(self._commit(tree, words, parent), ignored)

    def _commit(self, tree: str, words: str, parent: str | None) -> str:
        """Commit a tree, in the person's name where git knows it."""
        parents = ["-p", parent] if parent is not None else []
        arguments = ("commit-tree", tree, *parents, "-m", words)
        try:
            return self._line(*arguments)
        except GitError:
            ours = {f"GIT_{who}_{k}": v for who in ("AUTHOR", "COMMITTER") for k, v in _US.items()}
            return self._line(*arguments, env=ours)

    def keep(self, name: str, commit: str) -> None:
        """Keep a commit under a name of ours. Raises GitError."""
        self._run("update-ref", f"{REFS}/{name}", commit)

    def new_branch(self, name: str, commit: str) -> None:
        """Make a branch. Raises GitError: there is one of that name, or it is no name."""
        self._run("check-ref-format", "--branch", name)
        self._run("branch", "--no-track", name, commit)

    def add_worktree(self, folder: Path, commit: str) -> "Repository":
        """Check a commit out into a new folder. Raises GitError."""
        self._run("worktree", "add", "--detach", "--quiet", str(folder), commit)
        return Repository(folder, self._git_folder)

    def remove_worktree(self, folder: Path) -> None:
        """Remove a worktree with all that is in it. Raises GitError."""
        self._run("worktree", "remove", "--force", "--force", str(folder))

    def changes(self, base: str, commit: str) -> Changes:
        """Count what differs between two commits. Raises GitError."""
        told = self._run(*_DIFF, "--numstat", "-z", "--no-renames", base, commit)
        rows = [one.split(b"\t")[:2] for one in told.split(b"\0") if b"\t" in one]
        added, removed = (sum(int(row[at]) for row in rows if row[at] != b"-") for at in (0, 1))
        return Changes(len(rows), added, removed)

    def patch(self, base: str, commit: str) -> bytes:
        """Return what differs between two commits, as `git apply` takes it. Raises GitError."""
        return self._run(*_DIFF, "--binary", "--full-index", base, commit)

    def apply(self, patch: bytes) -> None:
        """Change the files as a patch says, all of it or nothing; the index stays as it is.

        Raises GitError: a part of it doesn't fit what stands there.
        """
        self._run("apply", "--whitespace=nowarn", "-", data=patch)

    def _run(self, *arguments: str, env: dict[str, str] | None = None, data: bytes = b"") -> bytes:
        where = {"GIT_DIR": str(self._git_folder), "GIT_WORK_TREE": str(self.root)}
        return _git(self.root, *arguments, env={**where, **(env or {})}, data=data)

    def _line(self, *arguments: str, env: dict[str, str] | None = None) -> str:
        return self._run(*arguments, env=env).decode().rstrip("\n")


class Snapshot(NamedTuple):
    """Files as a commit, and how many files and folders git ignores beside them."""

    commit: str
    ignored: int


_DIFF = (
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)


def _git(
    folder: Path, *arguments: str, env: dict[str, str] | None = None, data: bytes = b""
) -> bytes:
    """Run git; return what it prints. No variable of ours leads it to another repository."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    options: Sequence[str] = [word for one in _QUIET for word in ("-c", one)]
    try:
        ran = subprocess.run(
            ["git", *options, *arguments],
            cwd=folder,
            env={**clean, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", **(env or {})},
            input=data,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        missing = "the folder is gone" if not folder.is_dir() else "git is not installed"
        raise GitError(missing) from error
    except OSError as error:
        raise GitError(f"git can't be started: {error.strerror}") from error
    if ran.returncode:
        said = ran.stderr.decode(errors="replace").strip()
        raise GitError(said.removeprefix("fatal: ") or f"git {arguments[0]} failed")
    return ran.stdout
