"""Compares and stages whole files against a commit: their patch, their renames, and the index."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_IXUSR
from tempfile import TemporaryDirectory

from acp_tui.git.git import PLAIN_DIFF, Git
from acp_tui.git.objects import GitError

_AS_PATCH = (
    *(*PLAIN_DIFF, "--no-renames", "--binary", "-U3"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
)
"""Options for a diff that `git apply` accepts."""
_ARGUMENTS = 100_000
"""Most bytes of file names in one command."""
NONE = "000000"
"""Git's mode for a missing file."""
_KINDS = {"100755": "a program", "120000": "a link", "160000": "a submodule"}
"""Git's modes for anything but regular files."""


def kind_of(old: str, new: str) -> str:
    """Return a file's type, or how it changed; "" for a regular file."""
    if old == new or NONE in (old, new):
        return _KINDS.get(old if new == NONE else new, "")
    if new == "100644" and old == "100755":
        return "no longer a program"
    return f"now {_KINDS.get(new, 'a file')}"


def mode_on_disk(file: Path) -> str:
    """Return git's mode for a file on disk; a folder gets that of a submodule."""
    try:
        mode = file.lstat().st_mode
    except OSError:
        return NONE
    if S_ISLNK(mode):
        return "120000"
    if S_ISDIR(mode):
        return "160000"
    return "100755" if mode & S_IXUSR else "100644"


def patch_of(
    git: Git, top: Path, commit: str, paths: Sequence[str], most: int
) -> tuple[str, list[str]]:
    """Return the patch of these files, with modes, links and binary content, and the paths left
    out.

    Left out are folders with their own repository, names that git rejects, and everything beyond
    `most` bytes. Raises GitError.
    """
    known = sizes_of(git, commit, paths)
    taken, left_out, size = [], [], 0
    for path in paths:
        both = known.get(path, 0) + _size_on_disk(top / path)
        if path.endswith("/") or size + both > most:
            left_out.append(path)
        elif path in known or os.path.lexists(top / path):
            size += both
            taken.append(path)
    if not taken:
        return "", left_out
    with _with_all(git, commit, taken) as (other, refused):
        left_out += refused
        taken = [path for path in taken if path not in refused]
        if not taken:
            return "", left_out
        diff = ("diff", *_AS_PATCH, commit, "--")
        made = b"".join(other.run(*diff, *names) for names in _batches(taken))
    return made.decode("utf-8", "surrogateescape"), left_out


def find_renamed(git: Git, commit: str, paths: Sequence[str]) -> dict[str, str]:
    """Return the old path of each renamed file by its new path. Raises GitError."""
    with _with_all(git, commit, paths) as (other, _):
        how = ("--name-status", "--find-renames", "--diff-filter=R", "-z")
        told = other.run("diff", *PLAIN_DIFF, *how, commit, "--", *map(os.fsencode, paths))
    fields = [os.fsdecode(one) for one in told.split(b"\0")]
    return {fields[at + 2]: fields[at + 1] for at in range(0, len(fields) - 2, 3)}


def sizes_of(git: Git, commit: str, paths: Sequence[str]) -> dict[str, int]:
    """Return the sizes of these files in a commit by path. Raises GitError."""
    found = {}
    for one in filter(None, _tree(git, commit, paths, "--long").split(b"\0")):
        facts, path = one.split(b"\t", 1)
        size = facts.split()[-1]
        found[os.fsdecode(path)] = int(size) if size.isdigit() else 0
    return found


def is_staged(git: Git, top: Path, path: str) -> bool:
    """Return whether the index has a file as it is on disk, or lacks one that is missing there."""
    name = os.fsencode(path)
    if bool(git.run("ls-files", "--cached", "-z", "--", name)) != os.path.lexists(top / path):
        return False
    told = git.run("diff", *PLAIN_DIFF, "--name-only", "-z", "--", name)
    return not told


def why_not_staged(git: Git, path: str) -> str:
    """Return the reason why a whole file can't be staged or unstaged, or "". Raises GitError."""
    name = os.fsencode(path)
    if git.run("ls-files", "--unmerged", "-z", "--", name):
        return "it is in conflict: staging it would end that"
    below = git.run("ls-files", "--cached", "-z", "--", name).split(b"\0")
    if any(one.startswith(name.rstrip(b"/") + b"/") for one in below):
        return "the index has a folder of its name"
    return ""


def stage_file(git: Git, top: Path, path: str) -> None:
    """Stage a file as it is on disk, or its deletion. Raises GitError."""
    git.run("update-index", "--add", "--remove", "--", os.fsencode(path))
    if not is_staged(git, top, path):
        raise GitError("git doesn't take it")


def unstage_file(git: Git, commit: str, path: str) -> None:
    """Reset a file in the index to its version in a commit. Raises GitError."""
    entry = _tree(git, commit, [path])
    if entry:
        git.run("update-index", "-z", "--index-info", stdin=entry)
    else:
        git.run("update-index", "--force-remove", "--", os.fsencode(path))


def _size_on_disk(file: Path) -> int:
    try:
        return file.lstat().st_size
    except OSError:
        return 0


def _tree(git: Git, commit: str, paths: Sequence[str], *how: str) -> bytes:
    tree = ("ls-tree", "-z", "--full-tree", *how, commit, "--")
    return b"".join(git.run(*tree, *names) for names in _batches(paths))


def _batches(paths: Sequence[str]) -> Iterator[list[bytes]]:
    """Yield the file names in batches that fit one command."""
    batch, size = list[bytes](), 0
    for name in map(os.fsencode, paths):
        if size + len(name) > _ARGUMENTS:
            yield batch
            batch, size = [], 0
        batch.append(name)
        size += len(name) + 1
    if batch:
        yield batch


@contextmanager
def _with_all(git: Git, commit: str, paths: Sequence[str]) -> Iterator[tuple[Git, list[str]]]:
    """Yield git with a temporary index that has a commit's files and the names of new ones, and the
    names that git rejects.
    """
    try:
        with TemporaryDirectory(prefix="acp-tui-index-") as folder:
            other = git.with_variables({"GIT_INDEX_FILE": str(Path(folder, "index"))})
            other.run("read-tree", commit)
            known = sizes_of(git, commit, paths)
            new = [one for one in paths if one not in known]
            yield other, [name for names in _batches(new) for name in _add_files(other, names)]
    except OSError as error:
        raise GitError(error.strerror or str(error)) from None


def _add_files(git: Git, paths: Sequence[bytes]) -> list[str]:
    """Add the names of new files to an index; return the names that git rejects."""
    try:
        git.run("add", "--intent-to-add", "--force", "--", *paths)
    except GitError:
        if len(paths) == 1:
            return [*map(os.fsdecode, paths)]
        half = len(paths) // 2
        return [*_add_files(git, paths[:half]), *_add_files(git, paths[half:])]
    return []
