"""What going back can't bring back: it is gone and was not kept, or is there and isn't kept now."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from stat import S_ISDIR

from acp_tui.git.left_out import LeftOut
from acp_tui.git.safe_open import opened_below
from acp_tui.rewind.checkpoint import FileDeed, TreeChange
from acp_tui.store.same_folder import SameFolder


def find_gone(top: Path, left_out: LeftOut) -> tuple[tuple[str, str], ...]:
    """Return what was left out then, and is gone by now."""
    return tuple(one for one in left_out.names if _is_gone(top, one[0]))


def find_unkept(
    top: SameFolder, changes: Sequence[TreeChange], left_out: LeftOut
) -> Iterator[tuple[TreeChange, str]]:
    """Yield what would be made and stands there, for it isn't kept now, each with its why."""
    for change in changes:
        if change.deed is FileDeed.MADE and _stands(top, change.path.split(b"/")):
            yield change, left_out.why(change.shown) or "git ignores it now"


def _stands(top: SameFolder, names: Sequence[bytes]) -> bool:
    """Whether a file is there, through no link, or what else isn't written over; a folder may be empty."""
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
        return False  # nobody knows
    return False
