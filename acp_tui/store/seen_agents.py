"""Remembers each agent's version, last successful turn and quota, in one file.

A command may hold a secret: only its hash is kept.
"""

import json
import re
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from acp_tui.config.private_files import read_json, write_whole
from acp_tui.protocol.quota import QuotaWindow

KEPT_AGENTS = 200
"""How many agents are kept: those that ran last."""
LARGEST_AGENTS_FILE = 256 * 1024
"""The largest file in bytes: a larger one isn't ours."""
VERSION = r"[0-9A-Za-z][0-9A-Za-z.+_-]{0,39}"
"""The form of a version; an agent's other words could pass for ours next to it on the screen."""
KEPT_WINDOWS = 5
"""How many usage windows are kept for each agent: the fullest ones."""
_WRITING = Lock()
"""Held while the file is changed: several agents of one program may do so at once."""


class SeenAgent(NamedTuple):
    """The version that an agent gave last, and when a turn of its ended, in seconds since 1970: it was
    signed in then. None where that isn't known.
    """

    version: str
    worked: float | None


class SeenQuota(NamedTuple):
    """The usage windows that an agent last reported, and when, in seconds since 1970."""

    at: float
    windows: tuple[QuotaWindow, ...]


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
    """Return the facts about agents by their keys; none if the file isn't there, or can't be read."""
    return {key: SeenAgent(one["version"], one["worked"]) for key, one in _read_seen(path).items()}


def keep_seen(path: Path, key: str, *, version: str | None = None, worked: bool = False) -> None:
    """Store what an agent reported now, merged with what was known of it. Raises OSError."""
    with _WRITING:
        known = _read_seen(path)
        before = known.pop(key, {"version": "", "worked": None})
        known[key] = {
            **before,
            "version": before["version"] if version is None else as_version(version),
            "worked": time.time() if worked else before["worked"],
        }
        write_whole(path, json.dumps(dict(list(known.items())[-KEPT_AGENTS:])))


def read_quota(path: Path, key: str) -> SeenQuota | None:
    """Return an agent's usage windows that aren't reset yet; None if there are none."""
    found: Any = _read_seen(path).get(key, {}).get("quota")
    try:
        at, rows = found
        windows = [
            QuotaWindow(
                str(id), None if used is None else float(used), float(end), *map(bool, flags)
            )
            for id, used, end, *flags in rows
        ]
        left = tuple(one for one in windows if not one.is_over(time.time()))
        return SeenQuota(float(at), left) if left else None
    except (TypeError, ValueError):
        return None


def keep_quota(path: Path, key: str, windows: Iterable[QuotaWindow]) -> None:
    """Store an agent's usage windows, replacing the earlier ones. Raises OSError.

    A window of unknown usage can stop nothing, and one without a reset would stop turns forever: both
    are left out.
    """
    known = [one for one in windows if one.resets_at is not None and one.reaches(0)]
    known.sort(key=lambda one: (one.rejected, one.used or 0.0))
    with _WRITING:
        agents = _read_seen(path)
        agents[key] = {
            **agents.pop(key, {"version": "", "worked": None}),
            "quota": [time.time(), known[-KEPT_WINDOWS:]],
        }
        write_whole(path, json.dumps(dict(list(agents.items())[-KEPT_AGENTS:])))


def _read_seen(path: Path) -> dict[str, dict[str, Any]]:
    """Return the content of the file, the agents that ran last at the end."""
    body = read_json(path, LARGEST_AGENTS_FILE)
    found: dict[str, dict[str, Any]] = {}
    for key, one in body.items() if isinstance(body, dict) else ():
        with suppress(TypeError, KeyError, ValueError):
            worked = one["worked"]
            found[key] = {
                "version": as_version(str(one["version"])),
                "worked": None if worked is None else float(worked),
                "quota": one.get("quota"),
            }
    return found
