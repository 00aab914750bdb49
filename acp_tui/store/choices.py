"""Stores choices made on screens, and the keys that were used. Settings are in `config`."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from acp_tui.config.private_files import read_json, write_whole

LARGEST_CHOICES_FILE = 64 * 1024
"""Largest file in bytes: a larger one isn't ours."""
MOST_USED_KEYS = 100
"""Most key names that are read: our file has fewer."""


def read_choices(path: Path) -> dict[str, Any]:
    """Return the stored choices; {} if the file is missing or broken."""
    found = read_json(path, LARGEST_CHOICES_FILE)
    return found if isinstance(found, dict) else {}


def write_choices(path: Path, chosen: Mapping[str, Any]) -> None:
    """Store choices, merged with those of other runs. Raises OSError."""
    write_whole(path, json.dumps({**read_choices(path), **chosen}))


def read_used_keys(path: Path) -> set[str]:
    """Return the names of the keys that the user has used; empty if the file is missing or broken."""
    found = read_json(path)
    names = found[:MOST_USED_KEYS] if isinstance(found, list) else ()
    return {one for one in names if isinstance(one, str)}


def write_used_keys(path: Path, used: Iterable[str]) -> None:
    """Store the names of used keys, merged with those of other runs. Raises OSError."""
    write_whole(path, json.dumps(sorted({*used, *read_used_keys(path)})))
