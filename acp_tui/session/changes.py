"""What moved when an event was applied: views draw only that."""

from acp_tui.lazy_dataclass import lazy_dataclass


@lazy_dataclass(frozen=True)
class EntryAdded:
    session_id: str
    index: int


@lazy_dataclass(frozen=True)
class EntryChanged:
    session_id: str
    index: int


@lazy_dataclass(frozen=True)
class TurnChanged:
    """A turn began, ended, or is being cancelled."""

    session_id: str


@lazy_dataclass(frozen=True)
class TerminalChanged:
    terminal_id: str


@lazy_dataclass(frozen=True)
class NoticeAdded:
    """The client has a notice that belongs to no session; `index` is its place."""

    index: int


@lazy_dataclass(frozen=True)
class ScreenChanged:
    """Anything else changed that a screen may show; the screen looks at the state."""


Change = EntryAdded | EntryChanged | TurnChanged | TerminalChanged | NoticeAdded | ScreenChanged
