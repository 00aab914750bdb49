"""Looks at files that git's index says not to look at: whoever can write in a repository can mark them."""

import os
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from acp_tui.git.git import Git, GitError

_MARKED = re.compile(rb"(?<![^\0])([a-zS]) ([^\t\0]+)\t([^\0]+)")
"""How git lists what is not to be on disk (S), and what counts as unchanged: in lower case."""


@contextmanager
def unmarked(git: Git, top: Path, git_dir: Path) -> Iterator[tuple[Git, Collection[str]]]:
    """Give what runs git with a copy of the index that marks nothing, and the files that the index marks.

    What a sparse checkout leaves out stays marked, unless it is there. Raises GitError.
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
            # What is put in anew has no marks, and no look that its file could have, too.
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
