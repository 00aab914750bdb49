"""What can be asked for in the line below: a filter, a place to go to, a text in a frame."""

from collections.abc import Callable, Sequence

from acp_tui.debug.filters.completion import FilterCompletion, complete
from acp_tui.debug.filters.predicates import compile_filter
from acp_tui.debug.log import Log
from acp_tui.protocol.events import Record
from acp_tui.ui.inspector.detail import Detail
from acp_tui.ui.inspector.positions import position_of
from acp_tui.ui.inspector.table import FrameTable
from acp_tui.ui.toolkit.hints import Hint


class Ask:
    """What the line is for: each kind says what can be written, and does what follows."""

    label = ""
    text = ""
    """What stands there at first."""
    hint = ""
    """What can be written, where nothing can be completed."""
    keys: Sequence[Hint] = (("enter", "go there"), ("escape", "cancel"))
    """Those that are none of the text."""

    @property
    def told(self) -> str:
        """What is said below while nothing can be completed."""
        return self.hint

    def check(self, text: str) -> None:
        """Raise FilterError if this can't be used."""

    def complete(self, text: str, cursor: int) -> Sequence[FilterCompletion]:  # noqa: ARG002
        """Return what can come next."""
        return ()

    def change(self, text: str) -> None:
        """Use what is written so far."""

    def submit(self, text: str) -> None:
        """Use what was entered."""

    def cancel(self) -> None:
        """Take back what was done for it."""


class FilterAsk(Ask):
    """Filters the frames while one types."""

    label = "filter"
    keys = (("enter", "keep it"), ("escape", "take it away"))

    def __init__(self, table: FrameTable) -> None:
        self.text = table.source.filter
        self._table = table

    def check(self, text: str) -> None:
        """Raise FilterError if this is no filter."""
        compile_filter(text)

    def complete(self, text: str, cursor: int) -> Sequence[FilterCompletion]:
        """Return what can come next, with the values that the frames have."""
        return complete(text, cursor, self._table.source.log)

    def change(self, text: str) -> None:
        """Show what passes."""
        self._table.source.choose(text)
        self._table.refilter()

    def cancel(self) -> None:
        """Show all frames."""
        self.change("")


class BreakpointAsk(Ask):
    """Holds the frames that pass a filter."""

    label = "break on"
    keys = (("enter", "hold them"), ("escape", "cancel"))

    def __init__(self, text: str, log: Log, hold: Callable[[str], None]) -> None:
        self.text = text
        self._log = log
        self._hold = hold

    def check(self, text: str) -> None:
        """Raise FilterError if this is no filter."""
        compile_filter(text)

    def complete(self, text: str, cursor: int) -> Sequence[FilterCompletion]:
        """Return what can come next, with the values that the frames have."""
        return complete(text, cursor, self._log)

    def submit(self, text: str) -> None:
        """Hold them from now on; without a filter nothing is held."""
        if text.strip():
            self._hold(text.strip())


class SeekAsk(Ask):
    """Goes to a time, a frame or a share of the records."""

    label = "go to"
    hint = "#12 a frame · 1m30 a time · 50% a share"

    def __init__(self, records: Sequence[Record], go: Callable[[int], None]) -> None:
        self._records = records
        self._go = go

    def check(self, text: str) -> None:
        """Raise FilterError if this is no place."""
        position_of(text, self._records)

    def submit(self, text: str) -> None:
        """Go there."""
        index = position_of(text, self._records)
        if index is not None:
            self._go(index)


class FindAsk(Ask):
    """Finds a text in the frame that is shown in full."""

    label = "find in this frame"
    keys = (("enter", "to the first"), ("escape", "cancel"))

    def __init__(self, detail: Detail) -> None:
        self._detail = detail

    @property
    def told(self) -> str:
        """Which of the lines with it is shown."""
        return self._detail.found_words

    def change(self, text: str) -> None:
        """Mark it."""
        self._detail.find(text)

    def submit(self, text: str) -> None:
        """Mark it."""
        self._detail.find(text)

    def cancel(self) -> None:
        """Mark nothing anymore."""
        self._detail.find("")
