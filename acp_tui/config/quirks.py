"""Known agents that need something else than the protocol says, and what is done about it.

A quirk is never a silent lie: it is told on screen in plain words, as a workaround, and
`--no-quirks` turns all of them off.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class Remedy(StrEnum):
    """What the client does differently."""

    MISSING_FILE_IS_EMPTY = "missing-file-is-empty"


class Quirk(NamedTuple):
    """What one agent needs: `agent` as it calls itself in `agentInfo`, up to version `until`."""

    agent: str
    until: str | None
    remedy: Remedy
    why: str


QUIRKS = (
    Quirk(
        "gemini-cli",
        None,
        Remedy.MISSING_FILE_IS_EMPTY,
        "A file that doesn't exist is read as an empty one: this agent gives up at the error that "
        "the protocol has for that, and could create no file.",
    ),
)


def quirks_of(agent: str, version: str, more: Iterable[Quirk] = ()) -> tuple[Quirk, ...]:
    """The quirks of an agent, by the name and version in its `agentInfo`; `more` are a person's."""
    return tuple(
        quirk
        for quirk in (*QUIRKS, *more)
        if quirk.agent == agent and (quirk.until is None or _parts(version) <= _parts(quirk.until))
    )


def _parts(version: str) -> tuple[int, ...]:
    """The numbers of a version, for comparing; what is no number counts as 0."""
    return tuple(int(part) if part.isdecimal() else 0 for part in version.split("."))
