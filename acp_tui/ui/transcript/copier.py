"""Copies text in slices: it may be long, and the screen must not wait."""

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from textual.selection import Selection

from acp_tui.edits.steps import Steps
from acp_tui.ui.lines.lines import BUDGET
from acp_tui.ui.transcript.document import LinePlace
from acp_tui.ui.transcript.entry_cursor import EntryCursor
from acp_tui.ui.transcript.entry_markdown import markdown_steps
from acp_tui.ui.transcript.frames import PAUSE
from acp_tui.ui.transcript.selected_text import code_blocks, selected_source, selected_text_steps
from acp_tui.ui.transcript.viewport import Viewport

if TYPE_CHECKING:
    from acp_tui.ui.transcript.entries.entry_view import EntryView


class Copier:
    """Copies the selection, else the entry under the cursor.

    It works in slices: `copied` gets the text, `later` schedules the next slice after some seconds.
    """

    def __init__(
        self,
        view: Viewport,
        cursor: EntryCursor,
        copied: Callable[[str], object],
        later: Callable[[float, Callable[[], None]], object],
    ) -> None:
        self._view = view
        self._cursor = cursor
        self._copied = copied
        self._later = later
        self._steps: Steps[str] | None = None
        self._last_code: tuple[EntryView[Any], int, int] | None = None
        """The view, the top of the screen and the number of the block that was copied last."""

    def copy_text(self, selection: Selection | None) -> None:
        """Copy the selection as it is drawn, else the entry as Markdown."""
        if selection is None:
            self._copy_entry()
        else:
            self._start_copying(selected_text_steps(self._view.document, selection))

    def copy_markdown(self, selection: Selection | None) -> None:
        """Copy the Markdown of the selection, else of the entry."""
        source = selected_source(self._view.document, selection) if selection is not None else ""
        if source:
            self._copied(source)
        else:
            self._copy_entry()

    def _copy_entry(self) -> None:
        if self._cursor.current is not None:
            document = self._view.document
            entry = document.entries[self._cursor.current]
            self._start_copying(markdown_steps(entry, document.context.state))

    def _start_copying(self, steps: Steps[str]) -> None:
        """Copy the text that these steps make, instead of one that is still being made."""
        self._steps = steps
        self._copy_slice(steps)

    def _copy_slice(self, steps: Steps[str]) -> None:
        if steps is not self._steps:
            return
        until = perf_counter() + BUDGET
        try:
            while perf_counter() < until:
                next(steps)
        except StopIteration as end:
            self._steps = None
            self._copied(end.value)
        else:
            self._later(PAUSE, lambda: self._copy_slice(steps))

    def next_code(self) -> tuple[str, str] | None:
        """Return the entry's first code block below the top of the screen, and words to confirm its copy;
        or the block after the one that was just copied.
        """
        if self._cursor.current is None:
            return None
        document, top = self._view.document, self._view.top
        view = document.view(self._cursor.current)
        first = max(0, top - document.offset(LinePlace(self._cursor.current, 0)))
        blocks, number = code_blocks(view, first)
        if not blocks:
            return None
        if self._last_code is not None and self._last_code[:2] == (view, top):
            number = (self._last_code[2] + 1) % len(blocks)
        self._last_code = (view, top, number)
        words = f"copied block {number + 1} of {len(blocks)}" if len(blocks) > 1 else "copied"
        return blocks[number], words
