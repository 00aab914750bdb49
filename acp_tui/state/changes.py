"""Changes of the state, as the fold returns them: views redraw only these."""

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
    """A turn began, ended, or is being canceled."""

    session_id: str


@dataclass(frozen=True, slots=True)
class TerminalChanged:
    terminal_id: str


@dataclass(frozen=True, slots=True)
class NoticeAdded:
    """The client has a notice that belongs to no session: `index` in the state's `notices`."""

    index: int


@dataclass(frozen=True, slots=True)
class ScreenChanged:
    """Something else on the screen changed; the screen reads it from the state."""


Change = EntryAdded | EntryChanged | TurnChanged | TerminalChanged | NoticeAdded | ScreenChanged
