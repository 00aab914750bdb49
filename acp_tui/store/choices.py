"""What a person chose on screens, beside the settings: read when the program starts, kept as it is chosen."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from acp_tui.config.private_files import write_whole

LARGEST = 64 * 1024
"""Bytes of the file: one that is larger is none of ours."""


def read_choices(path: Path) -> dict[str, Any]:
    """Return what was chosen; nothing if the file isn't there, or can't be read."""
    try:
        if path.stat().st_size > LARGEST:
            return {}
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def keep_choices(path: Path, chosen: Mapping[str, Any]) -> None:
    """Keep what was chosen, beside what another run has kept meanwhile. Raises OSError."""
    write_whole(path, json.dumps({**read_choices(path), **chosen}))
