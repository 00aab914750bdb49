"""What differs between two trees."""

import time
from contextlib import suppress

from acp_tui.checkpoints.checkpoint import Counted, Deed, FileChange, Lines
from acp_tui.checkpoints.git import Git, TooSlowError
from acp_tui.checkpoints.names import checked_path

_DEEDS = {"A": Deed.MADE, "D": Deed.DELETED}


def read_changes(git: Git, before: str, after: str, until: float) -> tuple[FileChange, ...]:
    """Return the files that differ, by path, with their lines if git counts them until then.

    Raises GitError, also for a name that leads elsewhere.
    """
    if before == after:
        return ()
    told, counted = _run(git, before, after, until)
    facts: dict[bytes, tuple[str, str, str]] = {}
    lines: dict[bytes, Lines] = {}
    fields = iter(told.split(b"\0")[:-1])
    for field in fields:
        if field.startswith(b":"):
            _, mode, _, id_, deed = field.decode().split()
            facts[checked_path(next(fields))] = mode, id_, deed
        else:
            added, removed, path = field.split(b"\t", 2)
            lines[path] = _lines(added, removed)
    return tuple(
        FileChange(path, _DEEDS.get(deed, Deed.CHANGED), mode, id_, *lines.get(path, counted))
        for path, (mode, id_, deed) in facts.items()
    )


def _run(git: Git, before: str, after: str, until: float) -> tuple[bytes, Lines]:
    """Return what git says, and what holds for files of which it says no lines. Raises GitError."""
    how = ("diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--raw")
    patience = until - time.monotonic()
    if patience > 0:
        with suppress(TooSlowError):
            told = git.run(*how, "--numstat", before, after, patience=patience)
            return told, (None, None, Counted.NO_TEXT)
    return git.run(*how, before, after), (None, None, Counted.NOT_IN_TIME)


def _lines(added: bytes, removed: bytes) -> Lines:
    if added.isdigit() and removed.isdigit():
        return int(added), int(removed), Counted.EXACTLY
    return None, None, Counted.NO_TEXT
