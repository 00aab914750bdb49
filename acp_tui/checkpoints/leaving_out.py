"""What is not kept, and is named."""

import os
import stat
from collections.abc import Iterable

from acp_tui.checkpoints import bounds
from acp_tui.checkpoints.checkpoint import LeftOut
from acp_tui.checkpoints.errors import TooMuchError
from acp_tui.formatting import counted, size

OWN_REPOSITORY = "a repository of its own"
UNREADABLE = "it can't be read"


def why_not(facts: os.stat_result) -> str | None:
    """Return why a file isn't kept; empty where that need not be said."""
    if stat.S_ISLNK(facts.st_mode):
        return None
    if stat.S_ISDIR(facts.st_mode):
        return ""
    if not stat.S_ISREG(facts.st_mode):
        return "no plain file"
    if facts.st_size > bounds.BIG:
        return f"{size(facts.st_size)}, over {size(bounds.BIG)}"
    return None


def left_out(names: Iterable[tuple[str, str]]) -> LeftOut:
    """Return what is not kept, by name. Raises TooMuchError."""
    found = tuple(sorted(names))
    if len(found) > bounds.LEFT_OUT:
        raise TooMuchError(f"too much: {counted(len(found), 'file')} that can't be kept")
    return LeftOut(found)
