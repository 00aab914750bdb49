"""What moved when an event was applied: told to the view, which draws only that."""

from dataclasses import dataclass
from enum import StrEnum


class Facet(StrEnum):
    """A part of a session beside its entries."""

    OPENED = "opened"
    TURN = "turn"
    PLAN = "plan"
    COMMANDS = "commands"
    MODES = "modes"
    TITLE = "title"
    USAGE = "usage"
    PERMISSIONS = "permissions"


@dataclass(frozen=True, slots=True)
class EntryAdded:
    session_id: str
    index: int


@dataclass(frozen=True, slots=True)
class EntryChanged:
    session_id: str
    index: int


@dataclass(frozen=True, slots=True)
class SessionChanged:
    session_id: str
    facet: Facet


@dataclass(frozen=True, slots=True)
class TerminalChanged:
    terminal_id: str


@dataclass(frozen=True, slots=True)
class PeerChanged:
    """The agent's process, phase, clocks or problems."""


Change = EntryAdded | EntryChanged | SessionChanged | TerminalChanged | PeerChanged
