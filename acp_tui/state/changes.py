"""What moved when an event was applied: views draw only that."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EntryAdded:
    session_id: str
    index: int


@dataclass(frozen=True, slots=True)
class EntryChanged:
    session_id: str
    index: int


@dataclass(frozen=True, slots=True)
class TurnChanged:
    """A turn began, ended, or is being cancelled."""

    session_id: str


@dataclass(frozen=True, slots=True)
class TerminalChanged:
    terminal_id: str


@dataclass(frozen=True, slots=True)
class NoticeAdded:
    """The client has a notice that belongs to no session; `index` is its place."""

    index: int


@dataclass(frozen=True, slots=True)
class ScreenChanged:
    """Anything else changed that a screen may show; the screen looks at the state."""


Change = EntryAdded | EntryChanged | TurnChanged | TerminalChanged | NoticeAdded | ScreenChanged
