"""The input line for a filter, a position to go to, or a text to find."""

from collections.abc import Callable, Sequence
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from acp_tui.debug.filters.completion import FilterCompletion, complete_filter
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
from acp_tui.ui.toolkit.timers import DeferredWork


class Ask:
    """The purpose of the input line: which texts are valid, and what they do."""

    label = ""
    text = ""
    """The initial text."""
    hint = ""
    """The text of `below`, unless a subclass computes it."""
    keys: Sequence[Hint] = (("enter", "go there"), ("escape", "cancel"))
    """Keys for the last row."""

    @property
    def below(self) -> str:
        """The line below the input while there are no completions."""
        return self.hint

    def check(self, text: str) -> None:
        """Raise FilterError if the text is invalid."""

    def complete(self, text: str, cursor: int) -> Sequence[FilterCompletion]:  # noqa: ARG002
        """Return completions at the cursor."""
        return ()

    def change(self, text: str) -> None:
        """Apply the text as it is typed."""

    def submit(self, text: str) -> None:
        """Apply the text when Enter is pressed."""

    def cancel(self) -> None:
        """Undo what `change` applied."""


class FilterAsk(Ask):
    """Filters the frames as the text is typed."""

    label = "filter"
    keys = (("enter", "keep it"), ("escape", "clear it"))

    def __init__(self, table: FrameTable) -> None:
        self.text = table.source.filter
        self._table = table

    def check(self, text: str) -> None:
        """Raise FilterError if the text isn't a valid filter."""
        compile_filter(text)

    def complete(self, text: str, cursor: int) -> Sequence[FilterCompletion]:
        """Return completions, including values that occur in the frames."""
        return complete_filter(text, cursor, self._table.source.log)

    def change(self, text: str) -> None:
        """Show the matching frames."""
        self._table.source.choose(text)
        self._table.refilter()

    def cancel(self) -> None:
        """Show all frames."""
        self.change("")


class BreakpointAsk(Ask):
    """Sets a breakpoint, which holds the frames that match a filter."""

    label = "break on"
    keys = (("enter", "hold them"), ("escape", "cancel"))

    def __init__(self, text: str, log: Log, hold: Callable[[str], None]) -> None:
        self.text = text
        self._log = log
        self._hold = hold

    def check(self, text: str) -> None:
        """Raise FilterError if the text isn't a valid filter."""
        compile_filter(text)

    def complete(self, text: str, cursor: int) -> Sequence[FilterCompletion]:
        """Return completions, including values that occur in the frames."""
        return complete_filter(text, cursor, self._log)

    def submit(self, text: str) -> None:
        """Set the breakpoint; an empty filter, which would match every frame, sets none."""
        if text.strip():
            self._hold(text.strip())


class SeekAsk(Ask):
    """Goes to a time, a frame, or a percentage of the records."""

    label = "go to"
    hint = "#12 a frame · 1m30 a time · 50% a share"

    def __init__(self, records: Sequence[Record], go: Callable[[int], None]) -> None:
        self._records = records
        self._go = go

    def check(self, text: str) -> None:
        """Raise FilterError if the text is no position in the log."""
        position_of(text, self._records)

    def submit(self, text: str) -> None:
        """Go to the position."""
        index = position_of(text, self._records)
        if index is not None:
            self._go(index)


class FindAsk(Ask):
    """Finds text in the frame that is shown in the detail."""

    label = "find in this frame"
    keys = (("enter", "to the first"), ("escape", "cancel"))

    def __init__(self, detail: Detail) -> None:
        self._detail = detail

    @property
    def below(self) -> str:
        """The current match, and the number of matches."""
        return self._detail.found_words

    def change(self, text: str) -> None:
        """Highlight the matches."""
        self._detail.find(text)

    def submit(self, text: str) -> None:
        """Highlight the matches."""
        self._detail.find(text)

    def cancel(self) -> None:
        """Remove the highlights."""
        self._detail.find("")


REST = 0.1
"""Seconds without a key before the line below is updated, with the result of the text."""


class AskBar(Vertical):
    """The input line, with completions or an error message below it."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")
    BINDINGS = bindings.ASK  # type: ignore[assignment]

    class InputClosed(Message):
        """The input line was closed."""

    def __init__(self, ask: "Ask") -> None:
        super().__init__()
        self._ask = ask
        self._offered: list[FilterCompletion] = []
        self.input = LineInput(ask.text, select_on_focus=False)
        """The input field."""
        self._below = Static(markup=False, id="hint")
        self._checking = DeferredWork(self, lambda: self._update_below(self.input.value), REST)
        """Updates the line below the input once no key was pressed for `REST` seconds."""

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static(f"{self._ask.label} ", markup=False)
            yield self.input
        yield self._below

    def on_mount(self) -> None:
        self.screen.set_focus(self.input)
        self.input.cursor_position = len(self._ask.text)
        self._update_below(self._ask.text)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Apply the text if it is valid. An event that arrives after more was typed is ignored."""
        event.stop()
        if event.value == self.input.value and self._update_below(event.value):
            self._ask.change(event.value)
            self._checking.defer()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Apply the text and close, if it is valid."""
        event.stop()
        if self._update_below(event.value, entered=True):
            self._ask.submit(event.value)
            self._close_bar()

    def action_complete(self) -> None:
        """Insert the first completion."""
        text = self.input.value
        self._update_below(text)  # the change event of the last key may not have arrived yet
        if self._offered:
            chosen, cursor = self._offered[0], self.input.cursor_position
            self.input.value = text[: chosen.start] + chosen.text + text[cursor:]
            self.input.cursor_position = chosen.start + len(chosen.text)

    def action_close(self) -> None:
        """Cancel and close."""
        self._ask.cancel()
        self._close_bar()

    def _close_bar(self) -> None:
        self.post_message(self.InputClosed())
        self.remove()

    def _update_below(self, text: str, *, entered: bool = False) -> bool:
        """Show completions, or what is wrong with the text; return whether it is valid.

        An unfinished text is reported as wrong only if it was `entered`.
        """
        cursor = min(self.input.cursor_position, len(text))
        self._offered = list(self._ask.complete(text, cursor))[:12]
        try:
            self._ask.check(text)
        except FilterError as error:
            begun = self._offered and not entered and error.end >= len(text.rstrip())
            missing = self._offered and error.start >= len(text.rstrip())
            told = self._draw_completions() if begun or missing else self._draw_error(error)
            self._below.update(told)
            return False
        self._below.update(self._draw_completions())
        return True

    def _draw_error(self, error: FilterError) -> Content:
        """Draw carets below the error, with the message next to them."""
        start = len(self._ask.label) + 1 + error.start
        marks = "^" * (error.end - error.start)
        if start + len(marks) + len(error.message) + 1 > self.size.width and start > len(
            error.message
        ):
            return Content.styled(f"{error.message:>{start - 1}} {marks}", "$text-error")
        return Content.styled(f"{' ' * start}{marks} {error.message}", "$text-error")

    def _draw_completions(self) -> Content:
        if not self._offered:
            return Content.styled(self._ask.below, "$text-muted")
        first, *others = [one.text.strip() for one in self._offered]
        rest = "".join(f"  {one}" for one in others)
        return Content.assemble(
            ("Tab ", "bold $primary"), (first, "bold $foreground"), (rest, "$text-muted")
        )
