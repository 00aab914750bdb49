"""What moved when an event was applied: told to the view, which draws only that."""

from enum import StrEnum

from acp_tui.lazy_dataclass import lazy_dataclass


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


@lazy_dataclass
class EntryAdded:
    session_id: str
    index: int


@lazy_dataclass
class EntryChanged:
    session_id: str
    index: int


@lazy_dataclass
class SessionChanged:
    session_id: str
    facet: Facet


@lazy_dataclass
class TerminalChanged:
    terminal_id: str


@lazy_dataclass
class PeerChanged:
    """The agent's process, phase or clocks."""


@lazy_dataclass
class CatalogueChanged:
    """The list of sessions that the agent keeps."""


@lazy_dataclass
class ElicitationsChanged:
    """A question beside permissions was asked, settled or completed."""


@lazy_dataclass
class NoticeAdded:
    """The client told something that belongs to no session; `index` is its place."""

    index: int


@lazy_dataclass
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
