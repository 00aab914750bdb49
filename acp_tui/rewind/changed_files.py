"""Files that differ from the last commit, quickly and without errors, for a list of files."""

from pathlib import Path

from acp_tui.git.git import SUBMODULES, GitError
from acp_tui.git.repository import find_repository

PATIENCE = 2.0
"""Seconds for each git command: the user is typing meanwhile."""
_WORDS = {"?": "new", "A": "new", "D": "deleted", "R": "renamed", "C": "new", "U": "conflict"}


def changed_files(folder: str) -> dict[str, str]:
    """Return the changed files below a folder with their status: `changed`, `new`, `renamed`,
    `conflict`.

    Paths are relative to the folder; without a repository there are none.
    """
    status = ("status", "--porcelain=v1", "-z", "--untracked-files=all", SUBMODULES, "--", ".")
    try:
        repository = find_repository(Path(folder))
        if repository is None:
            return {}
        with repository.without_settings() as git:
            there = git.with_variables({}, Path(folder))
            prefix = there.run("rev-parse", "--show-prefix", patience=PATIENCE).removesuffix(b"\n")
            told = there.run(*status, patience=PATIENCE)
    except GitError:
        return {}
    found = {}
    parts = iter(told.split(b"\0"))
    for part in parts:
        state, path = part[:2].decode(), part[3:]
        if "R" in state or "C" in state:
            next(parts, None)  # the old path
        if path and path.startswith(prefix) and "D" not in state:
            word = next((_WORDS[one] for one in state if one in _WORDS), "changed")
            found[path[len(prefix) :].decode("utf-8", "surrogateescape")] = word
    return found
