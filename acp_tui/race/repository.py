"""Git operations of a race. They change no branch, index or hook of the user's, unless a result is
adopted.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from acp_tui.git.blocking_files import walk_folders
from acp_tui.git.git import PLAIN_DIFF, Git, TooSlowError
from acp_tui.git.objects import GitError
from acp_tui.store.files_in_use import wait_for_lock

_SUBMODULE = b"160000 "
"""The mode of a submodule, at the beginning of its index entry."""
REFS = "refs/acp-tui/races"
"""Namespace of the results' refs: neither branches nor tags, so that `git fetch` and `git push`
ignore them.
"""
NAMED = 3
"""Most folders that a message names."""
_US = {"NAME": "acp-tui", "EMAIL": "acp-tui@localhost"}
_WAITS = ("-c", "core.filesRefLockTimeout=10000")
"""Makes git wait 10 s for a ref's lock: another race may be claiming its name."""
_LOCK_TIMEOUT = 60.0
"""Seconds to wait while another race adds or removes a worktree."""
_DIFF = ("diff", *PLAIN_DIFF, "--src-prefix=a/", "--dst-prefix=b/")


class FolderTree(NamedTuple):
    """A tree of files, the number of ignored files and folders, and the folders that the tree
    lacks, wholly or partly, because they are repositories of their own.
    """

    tree: str
    ignored: int
    lacking: tuple[str, ...]


class WorktreeFiles:
    """The files below `root`; `git` uses a private index."""

    def __init__(self, root: Path, git: Git) -> None:
        self._root = Path(os.path.realpath(root))
        self._git = git

    def write_tree(self, parent: str | None) -> FolderTree:
        """Write a tree with all current files, based on the commit `parent`.

        Submodules stay as they are in the commit, unless their folders are gone. Raises GitError or
        OSError.
        """
        if parent is not None:
            self._git.run("read-tree", parent)
        entries = (one.partition(b"\t") for one in self._listed("--stage"))
        staged = {name: entry for entry, _, name in entries}
        ignored = self._listed("--others", "--ignored", "--exclude-standard", "--directory")
        inner = set(self._repositories(ignored))
        submodules = {name for name, entry in staged.items() if entry.startswith(_SUBMODULE)}
        there = {name for name in submodules if self._is_real_folder(name)}
        given = b"".join(name + b"\0" for name in submodules | inner)
        self._git.run("update-index", "-z", "--force-remove", "--stdin", stdin=given)
        others = self._listed("--others", "--exclude-standard")
        left_out = there | {one[:-1] for one in others if one.endswith(b"/")}
        self._add_all_but(left_out)
        given = b"".join(b"%s\t%s\0" % (staged[name], name) for name in there)
        self._git.run("update-index", "-z", "--index-info", stdin=given)
        filled = {name for name in left_out if any(self._place_of(name).iterdir())}
        lacking = tuple(map(os.fsdecode, sorted(inner | filled)))
        return FolderTree(self._git.line("write-tree"), len(ignored), lacking)

    def _listed(self, *options: str) -> set[bytes]:
        return {one for one in self._git.run("ls-files", "-z", *options).split(b"\0") if one}

    def _repositories(self, ignored: Set[bytes]) -> Iterator[bytes]:
        """Yield the folders that have a `.git`, except ignored ones."""
        root = os.fsencode(self._root)
        for folder, folders, files in walk_folders(root):
            name = folder[len(root) + 1 :]
            if name and any(one.lower() == b".git" for one in (*folders, *files)):
                yield name
            above = name + b"/" if name else b""
            folders[:] = [
                one
                for one in folders
                if one.lower() != b".git" and above + one + b"/" not in ignored
            ]

    def _is_real_folder(self, name: bytes) -> bool:
        """Return whether a name is a real folder, not a symlink."""
        place = self._place_of(name)
        return place.is_dir() and place.resolve() == place

    def _place_of(self, name: bytes) -> Path:
        return self._root / os.fsdecode(name)

    def _add_all_but(self, names: Iterable[bytes]) -> None:
        given = b":(top)\0" + b"".join(b":(top,exclude,literal)%s\0" % name for name in names)
        options = ("--pathspec-from-file=-", "--pathspec-file-nul")
        # Other commands set it to "1", but then git would take `:(exclude,literal)` for a part of
        # the name.
        git = self._git.with_variables({"GIT_LITERAL_PATHSPECS": "0"})
        git.run("add", "--all", *options, stdin=given)


class CommitChanges(NamedTuple):
    """The number of changed files in a commit, and of added and removed lines in text files."""

    files: int
    added: int
    removed: int


class RaceRepository:
    """A git repository with a working tree: the user's own, or a worktree."""

    def __init__(self, root: Path, git_folder: Path) -> None:
        """Open the user's repository for the files below `root`, which may be a worktree.

        Git reads settings only from `git_folder`, as a `.git` below `root` may be an agent's work.
        """
        self.root = root
        self._git_folder = git_folder
        variables = {"GIT_DIR": str(git_folder), "GIT_WORK_TREE": str(root)}
        self._git = Git(root, variables, _WAITS)

    @classmethod
    def around(cls, folder: Path) -> "RaceRepository":
        """Return the repository that contains a folder. Raises GitError."""
        try:
            root, git_folder = (
                os.fsdecode(Git(folder, {}).run("rev-parse", asked)).removesuffix("\n")
                for asked in ("--show-toplevel", "--absolute-git-dir")
            )
        except GitError as error:
            raise GitError(f"{folder}: a race needs a git repository: {error}") from None
        if not folder.resolve().is_relative_to(Path(root).resolve()):
            raise GitError(
                f"{folder}: a race needs its files, but the repository has them in {root}"
            )
        return cls(Path(root), Path(git_folder))

    @property
    def is_there(self) -> bool:
        """Whether the working tree is a real folder, not a symlink."""
        return self.root.is_dir() and not self.root.is_symlink()

    def head(self) -> str | None:
        """Return the checked-out commit, or None before the first commit. Raises TooSlowError."""
        try:
            return self._git.line("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        except TooSlowError:  # git didn't answer, so there may be a commit
            raise
        except GitError:
            return None

    def snapshot(self, words: str, parent: str | None) -> "Snapshot":
        """Commit all current files except ignored ones, on no branch.

        If nothing differs from `parent`, return `parent` itself. Raises GitError.
        """
        try:
            with tempfile.TemporaryDirectory(prefix="acp-tui-race-") as folder:
                git = self._git.with_variables({"GIT_INDEX_FILE": str(Path(folder, "index"))})
                files = WorktreeFiles(self.root, git).write_tree(parent)
        except OSError as error:
            raise GitError(f"{error.strerror}: {error.filename!r}") from error
        if parent is not None and files.tree == self._git.line("rev-parse", f"{parent}^{{tree}}"):
            return Snapshot(parent, files.ignored, files.lacking)
        return Snapshot(self._commit_tree(files.tree, words, parent), files.ignored, files.lacking)

    def _commit_tree(self, tree: str, words: str, parent: str | None) -> str:
        """Commit a tree, as the user if git knows a name, else as acp-tui."""
        parents = ["-p", parent] if parent is not None else []
        arguments = ("commit-tree", tree, *parents, "-m", words)
        try:
            return self._git.line(*arguments)
        except GitError:
            ours = {f"GIT_{who}_{k}": v for who in ("AUTHOR", "COMMITTER") for k, v in _US.items()}
            return self._git.with_variables(ours).line(*arguments)

    def create_ref(self, name: str, commit: str) -> None:
        """Create one of our refs for a commit. Raises GitError."""
        self._git.run("update-ref", f"{REFS}/{name}", commit, "")

    def claim(self, name: str, commit: str) -> bool:
        """Create one of our refs unless the name is taken; return whether it was created. Raises
        GitError.
        """
        try:
            self.create_ref(name, commit)
        except GitError:
            if self._git.run("for-each-ref", f"{REFS}/{name}"):
                return False
            raise
        return True

    def new_branch(self, name: str, commit: str) -> None:
        """Create a branch. Raises GitError if the name is taken or invalid."""
        self._git.run("check-ref-format", "--branch", name)
        self._git.run("branch", "--no-track", name, commit)

    def add_worktree(self, folder: Path, commit: str) -> "RaceRepository":
        """Check out a commit into a new folder. Raises GitError."""
        with self._worktrees_locked():
            self._git.run("worktree", "add", "--detach", "--quiet", str(folder), commit)
        return self.checked_out(folder)

    def checked_out(self, folder: Path) -> "RaceRepository":
        """Return the worktree in this folder."""
        return RaceRepository(folder, self._git_folder)

    def remove_worktree(self, folder: Path) -> None:
        """Remove a worktree with all its files. Raises GitError."""
        with self._worktrees_locked():
            self._git.run("worktree", "remove", "--force", "--force", str(folder))

    @contextmanager
    def _worktrees_locked(self) -> Iterator[None]:
        """Keep other races from adding or removing a worktree until the block ends. Raises GitError.

        Of two git processes that do so at once, one may fail: it reads what the other has half
        written, or creates a file in a folder that the other removes. After `_LOCK_TIMEOUT`, or on
        a file system without locks, git runs all the same, and usually succeeds.
        """
        common = os.fsdecode(self._git.run("rev-parse", "--git-common-dir")).removesuffix("\n")
        try:
            descriptor = os.open(self.root / common, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise GitError(f"{error.strerror}: {error.filename!r}") from None
        try:
            with suppress(OSError):
                wait_for_lock(descriptor, _LOCK_TIMEOUT)
            yield
        finally:
            os.close(descriptor)

    def changes(self, base: str, commit: str) -> CommitChanges:
        """Count the changes between two commits. Raises GitError."""
        numstat = self._git.run(*_DIFF, "--numstat", "-z", "--no-renames", base, commit)
        rows = [one.split(b"\t")[:2] for one in numstat.split(b"\0") if b"\t" in one]
        added, removed = (sum(int(row[at]) for row in rows if row[at] != b"-") for at in (0, 1))
        return CommitChanges(len(rows), added, removed)

    def patch(self, base: str, commit: str) -> bytes:
        """Return the changes between two commits as a patch for `git apply`. Raises GitError."""
        return self._git.run(*_DIFF, "--binary", "--full-index", base, commit)

    def apply(self, patch: bytes) -> None:
        """Apply a patch to the files, completely or not at all; the index isn't changed.

        Raises GitError if any part doesn't apply.
        """
        self._git.run("apply", "--whitespace=nowarn", "-", stdin=patch)


class Snapshot(NamedTuple):
    """A commit of all files, the number of ignored files and folders, and the folders that the
    commit lacks, wholly or partly, because they are repositories of their own.
    """

    commit: str
    ignored: int
    lacking: tuple[str, ...]


def describe_inner_repositories(folders: Sequence[str]) -> str:
    """Describe the repositories that a commit lacks, naming the first few."""
    names = ", ".join(map(repr, folders[:NAMED]))
    more = f" and {len(folders) - NAMED} more" if len(folders) > NAMED else ""
    return f"the {'repository' if len(folders) == 1 else 'repositories'} in {names}{more}"
