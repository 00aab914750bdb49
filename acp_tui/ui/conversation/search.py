"""The bar of the search in the transcript."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from acp_tui.formatting import counted
from acp_tui.ui.conversation import bindings
from acp_tui.ui.toolkit.line_input import LineInput

GLANCE = 0.25
"""Seconds between updates of the number of matches: most searches end sooner."""


class SearchBar(Horizontal):
    """Searches while the user types; the arrows go from match to match, Enter to the transcript."""

    BINDINGS = bindings.SEARCH  # type: ignore[assignment]

    class SearchTextChanged(Message):
        """The text to find changed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Stepped(Message):
        """The user went to the next or previous match."""

        def __init__(self, forward: bool) -> None:
            super().__init__()
            self.forward = forward

    class Accepted(Message):
        """The user went to the transcript, at the match."""

    class SearchClosed(Message):
        """The user closed the search."""

    def __init__(self) -> None:
        super().__init__()
        self._label = Static(Content.styled("⌕ Search", "bold $accent"))
        self._input = LineInput(placeholder="Search the conversation")
        self._found = Static(markup=False)
        self._words = ""
        self._telling: Timer | None = None

    def compose(self) -> ComposeResult:
        yield self._label
        yield self._input
        yield self._found

    def on_mount(self) -> None:
        self.write()

    def write(self) -> None:
        """Focus the input."""
        self.screen.set_focus(self._input)

    def show(self, count: int | None, number: int | None = None, complete: bool = True) -> None:
        """Show the number of matches, and the number of the current one, from 1.

        A count of None means that there is no text to find. A count that isn't `complete` may still
        grow.
        """
        words = "" if count is None else counted(count, "match", "matches") if count else "no match"
        if number is not None:
            words = f"{number:,} of {count:,}"
        if not complete:
            words = f"searching… {words}" if count else "searching…"
        self._words = words
        if complete:
            self._show_found()
        elif self._telling is None:
            self._telling = self.set_timer(GLANCE, self._show_found)

    def _show_found(self) -> None:
        if self._telling is not None:
            self._telling.stop()
            self._telling = None
        self._found.update(self._words)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search while the user types."""
        event.stop()
        self.post_message(self.SearchTextChanged(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the transcript, at the match."""
        event.stop()
        self.action_accept()

    def action_accept(self) -> None:
        """Go to the transcript, at the match."""
        self.post_message(self.Accepted())

    def action_next(self) -> None:
        """Go to the next match."""
        self.post_message(self.Stepped(forward=True))

    def action_previous(self) -> None:
        """Go to the previous match."""
        self.post_message(self.Stepped(forward=False))

    def action_close(self) -> None:
        """Close the search."""
        self.post_message(self.SearchClosed())
