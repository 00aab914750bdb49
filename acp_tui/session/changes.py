"""What moved when an event was applied: told to the view, which draws only that."""

from enum import StrEnum

from acp_tui.lazy_dataclass import value


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


@value
class EntryAdded:
    session_id: str
    index: int


@value
class EntryChanged:
    session_id: str
    index: int


@value
class SessionChanged:
    session_id: str
    facet: Facet


@value
class TerminalChanged:
    terminal_id: str


@value
class PeerChanged:
    """The agent's process, phase or clocks."""


@value
class CatalogueChanged:
    """The list of sessions that the agent keeps."""


@value
class ElicitationsChanged:
    """A question beside permissions was asked, settled or completed."""


@value
class NoticeAdded:
    """The client told something that belongs to no session; `index` is its place."""

    index: int


@value
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
