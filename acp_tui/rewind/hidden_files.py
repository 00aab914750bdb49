"""Includes files that git's index marks to be skipped: an agent that can write to a repository can
set the mark.
"""

import os
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from acp_tui.git.git import Git, GitError

_MARKED = re.compile(rb"(?<![^\0])([a-zS]) ([^\t\0]+)\t([^\0]+)")
"""Marked entries in git's list: skip-worktree (S), and assume-unchanged (lower case)."""


@contextmanager
def unmarked(git: Git, top: Path, git_dir: Path) -> Iterator[tuple[Git, Collection[str]]]:
    """Yield git with a copy of the index without marks, and the marked files.

    Files outside a sparse checkout stay marked unless they exist. Raises GitError.
    """
    marked = _marked(git, top, git_dir)
    if not marked:
        yield git, ()
        return
    try:
        with TemporaryDirectory(prefix="acp-tui-index-") as folder:
            index = Path(folder, "index")
            copyfile(git_dir / "index", index)
            other = git.with_variables({"GIT_INDEX_FILE": str(index)})
            given = b"".join(entry + b"\t" + path + b"\0" for path, entry in marked.items())
            # A new entry has neither marks nor cached file metadata, which could be faked.
            other.run("update-index", "-z", "--index-info", given=given)
            yield other, {os.fsdecode(path) for path in marked}
    except OSError as error:
        raise GitError(error.strerror or str(error)) from None


def _marked(git: Git, top: Path, git_dir: Path) -> dict[bytes, bytes]:
    """Return the entries of marked files by their paths. Raises GitError."""
    found = {}
    is_sparse = (git_dir / "info" / "sparse-checkout").exists()
    for sign, facts, path in _MARKED.findall(git.run("ls-files", "-v", "-s", "-z")):
        is_left_out = is_sparse and sign in b"Ss"
        if not is_left_out or os.path.lexists(os.fsencode(top) + b"/" + path):
            found[path] = facts
    return found
