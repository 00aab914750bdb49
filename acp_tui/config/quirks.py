"""Known agents that need something else than the protocol says, and what is done about it.

A quirk is never a silent lie: it is named on screen and in the log, and `--no-quirks` turns all
of them off.
"""

from dataclasses import dataclass
from enum import StrEnum

from acp_tui.protocol.setup import Implementation


class Remedy(StrEnum):
    """What the client does differently."""

    MISSING_FILE_IS_EMPTY = "missing-file-is-empty"


@dataclass(frozen=True, slots=True)
class Quirk:
    """What one agent needs; `agent` is the name that it gives in `agentInfo`."""

    agent: str
    remedy: Remedy
    why: str


QUIRKS = (
    Quirk(
        "gemini-cli",
        Remedy.MISSING_FILE_IS_EMPTY,
        "takes the error for a file that doesn't exist yet as fatal, so it could create none; "
        "it is told that the file is empty",
    ),
)


def quirks_of(info: Implementation | None) -> tuple[Quirk, ...]:
    """The quirks of the agent that calls itself so."""
    if info is None:
        return ()
    return tuple(quirk for quirk in QUIRKS if quirk.agent == info.name)
