"""What all checkers share: how they report, and how they read what a peer may have got wrong."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from acp_tui.protocol.findings import ProtocolRule
from acp_tui.protocol.schema_checks import JsonPath
from acp_tui.wire.exchanges import Asked, Reading
from acp_tui.wire.lint.peers import Peers

Report = Callable[[ProtocolRule, Reading | Asked, str, JsonPath], None]
"""Takes a broken rule: by which record, how, and where in its message."""

IN_FLIGHT = 0.05
"""Seconds within which an answer may have crossed what would have changed it."""


class Checker(ABC):
    """Looks at each record of one agent process, in order; `peers` is what was known before it."""

    RULES: tuple[ProtocolRule, ...] = ()
    ABOUT: tuple[str, ...] = ()
    """The methods, and kinds of updates, that it wants to see; "" are local events. Without any, it
    sees all records.
    """

    def __init__(self, peers: Peers, report: Report) -> None:
        self.peers = peers
        self.report = report

    @abstractmethod
    def look(self, reading: Reading) -> None:
        """Take the next record."""

    def reopened(self, session: str) -> None:  # noqa: B027 - few keep something of sessions
        """A session is asked for again: what the agent tells of it now, it may have told before."""

    def end(self) -> None:  # noqa: B027 - few have something to say at the end
        """The process is gone, or the recording is over. A turn may be cut off by that."""


def items(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; what is none of it, is left out."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def entry(value: Any, name: str) -> dict[str, Any]:
    """The object in a field of an object; an empty one if it is none."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}
