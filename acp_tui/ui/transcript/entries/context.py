"""What entry views need to draw themselves, and how much of each entry is shown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from acp_tui.formatting import spinner_at
from acp_tui.protocol.events import Record
from acp_tui.state.session import Session
from acp_tui.state.state import State


class Fold(IntEnum):
    """How much of an entry is shown."""

    FOLDED = 0
    OPEN = 1
    FULL = 2


@dataclass(slots=True)
class Context:
    """The state, session, clock and display settings that a document's entries are drawn with."""

    state: State
    session: Session
    clock: Callable[[], float]
    records: Sequence[Record] = ()
    """The log that the state was folded from, if known."""
    split: bool | None = None
    """Whether diffs are side by side; None to decide by the width."""
    folds: dict[str, Fold] = field(default_factory=dict)
    """The fold that the user has chosen for all entries of a kind."""
    whole_diffs: bool = True
    """Whether a fully shown diff includes its unchanged lines."""
    shows_agent_exit: bool = False
    """Whether the screen reports the agent's exit below the document."""
    with_chips: Callable[[str], str] = str
    """Folds the long pastes in a prompt into chips."""

    @property
    def spinner(self) -> str:
        return spinner_at(self.clock())
