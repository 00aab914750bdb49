"""Baselines: recordings that a check is compared with, by the names that a person gave them."""

import re
from pathlib import Path

from acp_tui.config.paths import baselines_folder
from acp_tui.config.private_files import write_whole

_BASELINE_NAME = re.compile(r"[\w-][\w.-]*")


def is_baseline_name(name: str) -> bool:
    """Return whether a baseline can have this name."""
    return _BASELINE_NAME.fullmatch(name) is not None


def save_baseline(name: str, text: str) -> Path:
    """Store a recording as a baseline, replacing one with the same name. Raises OSError."""
    path = baselines_folder() / f"{name}.jsonl"
    write_whole(path, text)
    return path


def find_baseline(name: str) -> Path:
    """Find a baseline. Raises FileNotFoundError, whose text lists the existing ones."""
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
