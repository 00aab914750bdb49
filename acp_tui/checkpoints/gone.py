"""What was there and not kept, and is there no more: nothing brings it back."""

import os
from pathlib import Path

from acp_tui.checkpoints.checkpoint import LeftOut


def find_gone(top: Path, left_out: LeftOut) -> tuple[tuple[str, str], ...]:
    """Return what was left out then, and is gone by now."""
    return tuple(one for one in left_out.names if _is_gone(top, one[0]))


def _is_gone(top: Path, name: str) -> bool:
    try:
        os.lstat(os.fsencode(top) + b"/" + name.rstrip("/").encode("utf-8", "surrogateescape"))
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False  # nobody knows
    return False
