"""What the keys copy: the selection, else an entry, or a block of code; in slices."""

from dataclasses import dataclass
from time import perf_counter

from textual.message import Message

from acp_tui.ui.steps import Steps
from acp_tui.ui.transcript.document import Place
from acp_tui.ui.transcript.document_view import BUDGET, PAUSE
from acp_tui.ui.transcript.entry_markdown import markdown_steps
from acp_tui.ui.transcript.search_cursor import SearchingView
from acp_tui.ui.transcript.selected_text import code_blocks, selected_text_steps


class CopyingView(SearchingView):
    """Puts together what is copied without holding up the screen, however much it is."""

    _copied_code: tuple[object, int, int] | None = None
    """The view, the top of the screen and the number of the block that was copied last."""
    _being_copied: Steps[str] | None = None

    @dataclass
    class Copied(Message, namespace="transcript"):
        """What is to be copied, and what to say of it."""

        text: str
        said: str = "copied"

    @dataclass
    class Said(Message, namespace="transcript"):
        """Why a key did nothing."""

        words: str

    def action_copy(self) -> None:
        """Copy what is selected as it reads, else the entry as Markdown."""
        selection = self.text_selection
        if selection is None:
            self._copy_entry()
        else:
            self._begin_copying(selected_text_steps(self._document, selection))

    def action_copy_markdown(self) -> None:
        """Copy the Markdown of what is selected, else of the entry."""
        selected = self.selected_markdown()
        if selected:
            self.post_message(self.Copied(selected))
            self.screen.clear_selection()
        else:
            self._copy_entry()

    def _copy_entry(self) -> None:
        if self.current is not None:
            entry, state = self._document.entries[self.current], self._document.context.state
            self._begin_copying(markdown_steps(entry, state))

    def _begin_copying(self, steps: Steps[str]) -> None:
        """Copy this instead of what is still being put together, if anything is."""
        self._being_copied = steps
        self._go_on_copying(steps)

    def _go_on_copying(self, steps: Steps[str]) -> None:
        if steps is not self._being_copied:
            return
        until = perf_counter() + BUDGET
        try:
            while perf_counter() < until:
                next(steps)
        except StopIteration as end:
            self._being_copied = None
            self.post_message(self.Copied(end.value))
            self.screen.clear_selection()
        else:
            self.set_timer(PAUSE, lambda: self._go_on_copying(steps))

    def action_copy_code(self) -> None:
        """Copy the first code block from the top of the screen on; if that was just done, the next."""
        if self.current is None:
            return
        view, top = self._document.view(self.current), self.scroll_offset.y
        first = max(0, top - self._document.offset(Place(self.current, 0)))
        blocks, number = code_blocks(view, first)
        if not blocks:
            self.post_message(self.Said("no code to copy in this entry"))
            return
        if self._copied_code is not None and self._copied_code[:2] == (view, top):
            number = (self._copied_code[2] + 1) % len(blocks)
        self._copied_code = (view, top, number)
        said = f"copied block {number + 1} of {len(blocks)}" if len(blocks) > 1 else "copied"
        self.post_message(self.Copied(blocks[number], said))
