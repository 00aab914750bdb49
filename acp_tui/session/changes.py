"""What moved when an event was applied: told to the view, which draws only that."""

from dataclasses import dataclass
from enum import StrEnum


class Facet(StrEnum):
    """A part of a session. OPENED: opened or closed. ENTRIES: all are to be read anew."""

    OPENED = "opened"
    ENTRIES = "entries"
    TURN = "turn"
    PLAN = "plan"
    COMMANDS = "commands"
    MODES = "modes"
    TITLE = "title"
    USAGE = "usage"
    PERMISSIONS = "permissions"
    WRITES = "writes"


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


@dataclass(frozen=True, slots=True)
class CatalogueChanged:
    """The list of sessions that the agent keeps."""


@dataclass(frozen=True, slots=True)
class ElicitationsChanged:
    """A question beside permissions was asked, settled or completed."""


@dataclass(frozen=True, slots=True)
class NoticeAdded:
    """The client told something that belongs to no session; `index` is its place."""

    index: int


@dataclass(frozen=True, slots=True)
class RulesMoved:
    """Other rules are in force."""


Change = (
    EntryAdded
    | EntryChanged
    | SessionChanged
    | TerminalChanged
    | PeerChanged
    | CatalogueChanged
    | ElicitationsChanged
    | NoticeAdded
    | RulesMoved
)
