"""Stores choices made on screens, and the keys used; settings are elsewhere."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from acp_tui.config.private_files import write_whole

LARGEST_CHOICES_FILE = 64 * 1024
"""Bytes of the file: one that is larger is none of ours."""


def read_choices(path: Path) -> dict[str, Any]:
    """Return what was chosen; nothing if the file isn't there, or can't be read."""
    try:
        if path.stat().st_size > LARGEST_CHOICES_FILE:
            return {}
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def keep_choices(path: Path, chosen: Mapping[str, Any]) -> None:
    """Store choices, merged with those that another run has stored. Raises OSError."""
    write_whole(path, json.dumps({**read_choices(path), **chosen}))


MOST_USED_KEYS = 100
"""How many words are read: a file that holds more is none of ours."""


def read_used(path: Path) -> set[str]:
    """Return the words of a file; none if it isn't there, or can't be read."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return set()
    return (
        {one for one in found[:MOST_USED_KEYS] if isinstance(one, str)}
        if isinstance(found, list)
        else set()
    )


def write_used(path: Path, used: Iterable[str]) -> None:
    """Store the words, merged with those that another run has stored. Raises OSError."""
    write_whole(path, json.dumps(sorted({*used, *read_used(path)})))
