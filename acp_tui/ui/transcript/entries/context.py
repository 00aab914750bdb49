"""The context in which entries are shown, and how much of each is."""

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
    """The state, the session and the clock that the entries of a document are drawn with."""

    state: State
    session: Session
    clock: Callable[[], float]
    records: Sequence[Record] = ()
    """The log that the state was folded from, if known."""
    split: bool | None = None
    """Whether diffs are side by side; if it is None, the width decides."""
    folds: dict[str, Fold] = field(default_factory=dict)
    """How much the reader wants to see of all entries of a kind."""
    whole_diffs: bool = True
    """Whether a diff shows its unchanged lines, too, where all of an entry is shown."""
    shows_agent_exit: bool = False
    """Whether the screen reports the agent's exit below the document."""
    with_chips: Callable[[str], str] = str
    """Folds the long pastes in a prompt into chips."""

    @property
    def spinner(self) -> str:
        return spinner_at(self.clock())
