"""Recordings that are kept by a name, for later ones to be compared with."""

import re
from pathlib import Path

from acp_tui.config.paths import baselines_folder
from acp_tui.config.private_files import write_whole

_NAME = re.compile(r"[\w-][\w.-]*")


def is_name(name: str) -> bool:
    """Whether a baseline can be called that."""
    return _NAME.fullmatch(name) is not None


def save(name: str, text: str) -> Path:
    """Keep a recording, in the place of one with the same name. Raises OSError."""
    path = baselines_folder() / f"{name}.jsonl"
    write_whole(path, text)
    return path


def find(name: str) -> Path:
    """Find a baseline. Raises FileNotFoundError, whose text lists those there are."""
    path = baselines_folder() / f"{name}.jsonl"
    if not path.exists():
        known = ", ".join(sorted(one.stem for one in baselines_folder().glob("*.jsonl")))
        words = (
            f"there is no baseline with this name; there are: {known}"
            if known
            else "no baseline was saved"
        )
        raise FileNotFoundError(2, f"{words}; save one with --save-baseline", name)
    return path
