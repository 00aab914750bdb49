"""Differences between two trees."""

import time
from contextlib import suppress

from acp_tui.git.git import Git, TooSlowError
from acp_tui.rewind.checkpoint import FileDeed, LineCount, Lines, TreeChange

COUNT_LINES = ("--numstat", "--ignore-cr-at-eol")
"""Options that ignore line endings, which diffs don't show either; git omits a file that has no
other change.
"""
_GONE = "000000"
_FILE = "100"
"""The start of a regular file's mode."""


def read_changes(git: Git, before: str, after: str, until: float) -> tuple[TreeChange, ...]:
    """Return the files that differ, by path, with their lines if git counts them by `until`.

    The files come from the trees themselves, verified by their ids: only the line counts are git's.
    Raises CheckpointError, also for a name that leads elsewhere.
    """
    if before == after:
        return ()
    with git.objects() as objects:
        found = sorted(objects.differing(before, after))
    lines, others = _count(git, before, after, until)
    return tuple(
        TreeChange(
            path,
            FileDeed.MADE if not was.mode else FileDeed.CHANGED if now.mode else FileDeed.DELETED,
            now.mode or _GONE,
            now.id,
            *lines.get(path, _line_ends(was.mode, now.mode, others)),
            was.mode or _GONE,
            was.id,
        )
        for path, was, now in found
    )


def _count(git: Git, before: str, after: str, until: float) -> tuple[dict[bytes, Lines], Lines]:
    """Return the lines of the files, and the default for files without. Raises GitError."""
    how = ("diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv")
    lines = dict[bytes, Lines]()
    patience = until - time.monotonic()
    if patience > 0:
        with suppress(TooSlowError):
            for field in git.run(*how, *COUNT_LINES, before, after, patience=patience).split(b"\0")[
                :-1
            ]:
                added, removed, path = field.split(b"\t", 2)
                lines[path] = _lines(added, removed)
            return lines, (None, None, LineCount.NO_TEXT)
    return lines, (None, None, LineCount.NOT_IN_TIME)


def _line_ends(was: str, now: str, others: Lines) -> Lines:
    """Return the lines of a file that git's count omits."""
    is_text = others[2] is LineCount.NO_TEXT and was.startswith(_FILE) and now.startswith(_FILE)
    return (0, 0, LineCount.EXACTLY) if is_text else others


def _lines(added: bytes, removed: bytes) -> Lines:
    if added.isdigit() and removed.isdigit():
        return int(added), int(removed), LineCount.EXACTLY
    return None, None, LineCount.NO_TEXT
