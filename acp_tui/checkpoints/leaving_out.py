"""What is not kept, and is named."""

import os
import stat
from collections.abc import Iterable, Mapping

from acp_tui.checkpoints import bounds
from acp_tui.checkpoints.checkpoint import LeftOut
from acp_tui.checkpoints.errors import TooMuchError
from acp_tui.formatting import counted, size
from acp_tui.workspace import gitignore

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


def left_out(names: Iterable[tuple[str, str]], rules: Mapping[str, str]) -> LeftOut:
    """Return what is not kept, by name, and rules that are not kept. Raises TooMuchError."""
    found = tuple(sorted(names))
    if len(found) > bounds.LEFT_OUT:
        raise TooMuchError(f"too much: {counted(len(found), 'file')} that can't be kept")
    if sum(len(path) + len(text) for path, text in rules.items()) > gitignore.LARGEST:
        words = f"over {size(gitignore.LARGEST)} of rules"
        raise TooMuchError(f"too much: {words} in .gitignore files that are ignored themselves")
    return LeftOut(found, tuple(sorted(rules.items())))
