"""Files that a rewind can't restore: gone and not stored, or existing and not stored now."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from stat import S_ISDIR

from acp_tui.git.left_out import LeftOut
from acp_tui.git.safe_open import opened_below
from acp_tui.rewind.checkpoint import FileDeed, TreeChange
from acp_tui.store.same_folder import SameFolder


def find_gone(top: Path, left_out: LeftOut) -> tuple[tuple[str, str], ...]:
    """Return files that were left out at the checkpoint, and are gone by now."""
    return tuple(one for one in left_out.names if _is_gone(top, one[0]))


def find_unkept(
    top: SameFolder, changes: Sequence[TreeChange], left_out: LeftOut
) -> Iterator[tuple[TreeChange, str]]:
    """Yield files to be created that exist already and aren't stored now, each with why."""
    for change in changes:
        if change.deed is FileDeed.MADE and _stands(top, change.path.split(b"/")):
            yield change, left_out.why(change.shown) or "git ignores it now"


def _stands(top: SameFolder, names: Sequence[bytes]) -> bool:
    """Return whether a file exists, through no link, or anything else that isn't overwritten; a
    folder may be empty.
    """
    try:
        with opened_below(top, names[:-1], make=False) as folder:
            facts = os.stat(names[-1], dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return not S_ISDIR(facts.st_mode)


def _is_gone(top: Path, name: str) -> bool:
    try:
        os.lstat(os.fsencode(top) + b"/" + name.rstrip("/").encode("utf-8", "surrogateescape"))
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False  # unknown
    return False
