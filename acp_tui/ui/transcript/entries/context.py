"""The context in which entries are shown, and how much of each is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from acp_tui.protocol.events import Record
from acp_tui.state.entries import Entry
from acp_tui.state.state import Session, State

if TYPE_CHECKING:
    from acp_tui.ui.transcript.entries.entry_view import EntryView

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
SPINS = 10
"""Steps of the spinner in a second."""


@dataclass(slots=True)
class Context:
    """What entries are shown with: all that is true, their session, and the time.

    `records` is what the state was made of, where that is known. `split` is whether the sides of
    diffs stand side by side; if it is None, the width decides. `folds` is what the reader wants of
    all entries of a kind. `whole_diffs` is whether they show
    their unchanged lines, too, where all of an entry is shown. `with_chips` folds what was pasted into a prompt. `tells_end` is whether what stands below
    tells of the agent's end.
    """

    state: State
    session: Session
    clock: Callable[[], float]
    records: Sequence[Record] = ()
    split: bool | None = None
    folds: "dict[str, Fold]" = field(default_factory=dict)
    whole_diffs: bool = True
    tells_end: bool = False
    with_chips: Callable[[str], str] = str

    @property
    def spinner(self) -> str:
        return SPINNER[int(self.clock() * SPINS) % len(SPINNER)]


class Fold(IntEnum):
    """How much of an entry is shown."""

    FOLDED = 0
    OPEN = 1
    FULL = 2


ViewOf = Callable[[Entry, Context], "EntryView[Any]"]
"""Makes the view of an entry."""
