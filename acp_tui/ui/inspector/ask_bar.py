"""The line in which a filter, a place to go to or a text to find is written."""

from collections.abc import Callable, Sequence
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from acp_tui.debug.filters.completion import FilterCompletion, complete
from acp_tui.debug.filters.language import FilterError
from acp_tui.debug.filters.predicates import compile_filter
from acp_tui.debug.log import Log
from acp_tui.protocol.events import Record
from acp_tui.ui.inspector import bindings
from acp_tui.ui.inspector.detail import Detail
from acp_tui.ui.inspector.positions import position_of
from acp_tui.ui.inspector.table import FrameTable
from acp_tui.ui.toolkit.hints import Hint
from acp_tui.ui.toolkit.line_input import LineInput


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


REST = 0.1
"""Seconds without a key after which it is told what came of what is written."""


class AskBar(Vertical):
    """Below what is written stands what can come next, or why it can't be used."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")
    BINDINGS = bindings.ASK  # type: ignore[assignment]

    class Closed(Message):
        """The line is no longer needed."""

    def __init__(self, ask: "Ask") -> None:
        super().__init__()
        self._ask = ask
        self._offered: list[FilterCompletion] = []
        self.input = LineInput(ask.text, select_on_focus=False)
        """Where one writes."""
        self._told = Static(markup=False, id="hint")
        self._resting: Timer | None = None

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static(f"{self._ask.label} ", markup=False)
            yield self.input
        yield self._told

    def on_mount(self) -> None:
        self.screen.set_focus(self.input)
        self.input.cursor_position = len(self._ask.text)
        self._hint(self._ask.text)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Use it at once if it can be used, and unless more was typed meanwhile."""
        event.stop()
        if event.value == self.input.value and self._hint(event.value):
            self._ask.change(event.value)
            self._tell_soon()

    def _tell_soon(self) -> None:
        """Tell what came of it once keys rest."""
        if self._resting is not None:
            self._resting.stop()
        self._resting = self.set_timer(REST, lambda: self._hint(self.input.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take it if it can be used."""
        event.stop()
        if self._hint(event.value, entered=True):
            self._ask.submit(event.value)
            self._close()

    def action_complete(self) -> None:
        """Take the first completion; the next key offers what can follow it."""
        text = self.input.value
        self._hint(text)  # what was typed just now has not been looked at
        if self._offered:
            chosen, cursor = self._offered[0], self.input.cursor_position
            self.input.value = text[: chosen.start] + chosen.text + text[cursor:]
            self.input.cursor_position = chosen.start + len(chosen.text)

    def action_close(self) -> None:
        """Take it back."""
        self._ask.cancel()
        self._close()

    def _close(self) -> None:
        self.post_message(self.Closed())
        self.remove()

    def _hint(self, text: str, *, entered: bool = False) -> bool:
        """Tell what can come next, or what is wrong; whether it can be used. What can still become
        right by what is typed on is wrong only where it is `entered`.
        """
        cursor = min(self.input.cursor_position, len(text))
        self._offered = list(self._ask.complete(text, cursor))[:12]
        try:
            self._ask.check(text)
        except FilterError as error:
            begun = self._offered and not entered and error.end >= len(text.rstrip())
            missing = self._offered and error.start >= len(text.rstrip())
            told = self._offer() if begun or missing else self._pointed(error)
            self._told.update(told)
            return False
        self._told.update(self._offer())
        return True

    def _pointed(self, error: FilterError) -> Content:
        """Marks under what is wrong, and the reason beside them."""
        start = len(self._ask.label) + 1 + error.start
        marks = "^" * (error.end - error.start)
        if start + len(marks) + len(error.message) + 1 > self.size.width and start > len(
            error.message
        ):
            return Content.styled(f"{error.message:>{start - 1}} {marks}", "$text-error")
        return Content.styled(f"{' ' * start}{marks} {error.message}", "$text-error")

    def _offer(self) -> Content:
        if not self._offered:
            return Content.styled(self._ask.told, "$text-muted")
        first, *others = [one.text.strip() for one in self._offered]
        rest = "".join(f"  {one}" for one in others)
        return Content.assemble(
            ("Tab ", "bold $primary"), (first, "bold $foreground"), (rest, "$text-muted")
        )
