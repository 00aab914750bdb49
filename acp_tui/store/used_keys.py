"""What a person has used by now, by a word for each: hints about it are over."""

import json
from collections.abc import Iterable
from pathlib import Path

from acp_tui.config.private_files import write_whole

MOST = 100
"""How many words are read: a file that holds more is none of ours."""


def read_used(path: Path) -> set[str]:
    """Return the words of a file; none if it isn't there, or can't be read."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return set()
    return (
        {one for one in found[:MOST] if isinstance(one, str)} if isinstance(found, list) else set()
    )


def write_used(path: Path, used: Iterable[str]) -> None:
    """Keep the words, with those that another run has kept meanwhile. Raises OSError."""
    write_whole(path, json.dumps(sorted({*used, *read_used(path)})))
