"""What agents reported when they ran last, in one file: the version of each, and when it worked.

A command may hold a secret: only its hash is kept.
"""

import json
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from acp_tui.config.private_files import write_whole

KEPT_AGENTS = 200
"""How many agents are kept: those that ran last."""
LARGEST_AGENTS_FILE = 256 * 1024
"""The largest file in bytes: a larger one isn't ours."""
VERSION = r"[0-9A-Za-z][0-9A-Za-z.+_-]{0,39}"
"""The form of a version; an agent's other words could pass for ours next to it on the screen."""
_WRITING = Lock()
"""Held while the file is changed: several agents of one program may do so at once."""


class SeenAgent(NamedTuple):
    """The version that an agent gave last, and when a turn of its ended, in seconds since 1970: it was
    signed in then. None where that isn't known.
    """

    version: str
    worked: float | None


def as_version(told: str) -> str:
    """Return a version that an agent reported; "" if it doesn't look like one."""
    return told if re.fullmatch(VERSION, told) else ""


def seen_key(command: Sequence[str], place: str = "") -> str:
    """Return the key of the agent that this command starts in a place; for a remote agent, the
    command is its address.
    """
    from hashlib import sha256  # a start needs it only when the agent has answered

    return sha256(json.dumps([place, *command]).encode()).hexdigest()


def read_seen(path: Path) -> dict[str, SeenAgent]:
    """Return what is known of agents, by their keys; nothing if the file isn't there, or can't be read."""
    return {key: SeenAgent(one["version"], one["worked"]) for key, one in _read(path).items()}


def keep_seen(path: Path, key: str, *, version: str | None = None, worked: bool = False) -> None:
    """Store what an agent reported now, merged with what was known of it. Raises OSError."""
    with _WRITING:
        known = _read(path)
        before = known.pop(key, {"version": "", "worked": None})
        known[key] = {
            "version": before["version"] if version is None else as_version(version),
            "worked": time.time() if worked else before["worked"],
        }
        write_whole(path, json.dumps(dict(list(known.items())[-KEPT_AGENTS:])))


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """Return what the file holds, the agents that ran last at the end."""
    try:
        if path.stat().st_size > LARGEST_AGENTS_FILE:
            return {}
        body = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    found: dict[str, dict[str, Any]] = {}
    for key, one in body.items() if isinstance(body, dict) else ():
        with suppress(TypeError, KeyError, ValueError):
            worked = one["worked"]
            found[key] = {
                "version": as_version(str(one["version"])),
                "worked": None if worked is None else float(worked),
            }
    return found
