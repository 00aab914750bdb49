"""Stores each agent's version, last successful turn and quota, in one file.

A command may contain a secret, so only its hash is stored.
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
"""Number of agents that are kept: those that ran last."""
LARGEST_AGENTS_FILE = 256 * 1024
"""Largest file in bytes: a larger one isn't ours."""
VERSION = r"[0-9A-Za-z][0-9A-Za-z.+_-]{0,39}"
"""The form of a version. Any other text of an agent's could pass for ours where it is shown."""
KEPT_WINDOWS = 5
"""Number of usage windows that are kept for each agent: the fullest ones."""
_WRITING = Lock()
"""Held while the file is changed, as several agents of this process may do so at once."""


class SeenAgent(NamedTuple):
    """The version that an agent reported last, and when it last completed a turn, in seconds since
    1970; None if unknown.

    At that time, it was signed in.
    """

    version: str
    worked: float | None


class SeenQuota(NamedTuple):
    """The usage windows that an agent last reported, and when, in seconds since 1970."""

    at: float
    windows: tuple[QuotaWindow, ...]


def clean_version(text: str) -> str:
    """Return a version that an agent reported; "" if it doesn't look like one."""
    return text if re.fullmatch(VERSION, text) else ""


def seen_key(command: Sequence[str], place: str = "") -> str:
    """Return the key of the agent that this command starts in a place. For a remote agent, the
    command is its URL.
    """
    from hashlib import sha256  # not needed before the agent has responded

    return sha256(json.dumps([place, *command]).encode()).hexdigest()


def read_seen(path: Path) -> dict[str, SeenAgent]:
    """Return the known facts about agents by key; empty if the file is missing or broken."""
    return {key: SeenAgent(one["version"], one["worked"]) for key, one in _read_seen(path).items()}


def write_seen(path: Path, key: str, *, version: str | None = None, worked: bool = False) -> None:
    """Store what an agent has reported, merged with what is known about it. Raises OSError."""
    with _WRITING:
        known = _read_seen(path)
        before = known.pop(key, {"version": "", "worked": None})
        known[key] = {
            **before,
            "version": before["version"] if version is None else clean_version(version),
            "worked": time.time() if worked else before["worked"],
        }
        write_whole(path, json.dumps(dict(list(known.items())[-KEPT_AGENTS:])))


def read_quota(path: Path, key: str) -> SeenQuota | None:
    """Return an agent's usage windows that haven't been reset yet; None if there are none."""
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


def write_quota(path: Path, key: str, windows: Iterable[QuotaWindow]) -> None:
    """Store an agent's usage windows, replacing the earlier ones. Raises OSError.

    A window of unknown usage can't stop a turn, and one without a reset time would stop turns
    forever: both are left out.
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
    """Return the file's content by key; the agents that ran last come last."""
    body = read_json(path, LARGEST_AGENTS_FILE)
    found: dict[str, dict[str, Any]] = {}
    for key, one in body.items() if isinstance(body, dict) else ():
        with suppress(TypeError, KeyError, ValueError):
            worked = one["worked"]
            found[key] = {
                "version": clean_version(str(one["version"])),
                "worked": None if worked is None else float(worked),
                "quota": one.get("quota"),
            }
    return found
