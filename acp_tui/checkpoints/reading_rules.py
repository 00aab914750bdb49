"""Reads files of rules: what they ignored then is deleted by no return, so their text counts."""

import os
import stat
from pathlib import Path

from acp_tui.checkpoints.below import open_file
from acp_tui.checkpoints.errors import TooMuchError
from acp_tui.formatting import counted, size
from acp_tui.workspace import gitignore


def read_rules(name: str | Path, folder: int | None = None, shown: str = "") -> str | None:
    """Return the text of a `.gitignore`; None if it is none that git reads, which follows no link to one.

    Raises TooMuchError.
    """
    try:
        descriptor = open_file(name, folder)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        content = file.read(gitignore.LARGEST + 1)
    if not gitignore.is_read(content):
        words = f"over {size(gitignore.LARGEST)} or {counted(gitignore.LONGEST, 'line')} of rules"
        raise TooMuchError(f"too much: {words} in {shown or str(name)!r}")
    return gitignore.decoded(content)
