"""A question of our own: is a write of the agent's to be undone?"""

from collections.abc import Callable, Iterator
from pathlib import Path

from textual.app import ComposeResult
from textual.widgets import Static

from acp_tui.edits.line_diff import ends_note
from acp_tui.protocol.content import Diff
from acp_tui.state.state import FileWrite
from acp_tui.text import clean, judged
from acp_tui.ui.diff.diff_lines import DiffLines
from acp_tui.ui.diff.header import stats
from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.lines.paths import shown_path
from acp_tui.ui.lines.text_lines import rows
from acp_tui.ui.review import bindings
from acp_tui.ui.toolkit.boxes import QUESTION, QUESTION_WIDTH, QuestionBox
from acp_tui.ui.toolkit.choice_rows import AnswerChoice
from acp_tui.ui.toolkit.choices import KeyedChoices
from acp_tui.ui.toolkit.screens import OverlayScreen

AROUND = 4
"""Cells beside what is shown, and rows that the edges and the gap below the diff take with its last note."""


class UndoDialog(OverlayScreen[bool]):
    """Shows what the write changed, as far as there is room, and yes or no."""

    DEFAULT_CLASSES = QUESTION
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.UNDO  # type: ignore[assignment]

    def __init__(self, write: FileWrite, cwd: str, clock: Callable[[], float]) -> None:
        super().__init__()
        self._write = write
        self._cwd = cwd
        self._box = QuestionBox()
        self._facts = Static(self._told(), markup=False, id="facts")
        self._diff = LinesView()
        self._note = Static("Nothing is done if it has changed since.", id="note")
        self._choices = KeyedChoices(clock)

    def compose(self) -> ComposeResult:
        with self._box:
            yield self._facts
            yield self._diff
            yield self._note
            yield self._choices

    def on_mount(self) -> None:
        self._box.ask("Undo this write?")
        write = self._write
        self._diff.display = bool(write.text)
        if write.text:
            diff = Diff(path=write.path, old_text=write.old_text, new_text=write.text)
            self._diff.show(DiffLines(diff, cwd=self._cwd, judged=True, head=False))
        self.watch(self._diff, "show_vertical_scrollbar", self._offer_keys)
        self._choices.show(
            [AnswerChoice("No, leave it", "✗"), AnswerChoice("Undo it", "✓", "$warning")]
        )
        self._choices.focus()

    def _offer_keys(self, scrolls: bool) -> None:
        scroll = [("pagedown", "scroll")] if scrolls else []
        self._box.offer([("enter", "answer"), *scroll, ("escape", "cancel")])

    def on_screen_resume(self) -> None:
        """Guard the choices again, as what was above is gone."""
        self._choices.guard()

    def on_resize(self) -> None:
        """Leave the diff the rows that the rest doesn't need."""
        width, height = max(1, min(self.size.width, QUESTION_WIDTH) - AROUND), self.size.height
        facts = sum(1 for _ in rows(self._told(), width))
        taken = facts + AROUND + self._choices.rows_in(width)
        self._diff.styles.max_height = max(1, height - taken)

    def _told(self) -> str:
        return clean("\n".join(map(judged, self._lines())))

    def _lines(self) -> Iterator[str]:
        write = self._write
        yield shown_path(write.path, self._cwd)
        if write.created:
            yield "The agent made it: it is deleted."
        elif write.text is None:
            yield "What the agent changed is too long to be shown here."
        else:
            diff = Diff(path=write.path, old_text=write.old_text, new_text=write.text)
            added, removed = stats(diff)
            yield f"The agent's +{added} −{removed} are undone:"
            if note := ends_note(diff.old_text, diff.new_text):
                yield f"So is this: {note}"

    def on_keyed_choices_chosen(self, event: KeyedChoices.Chosen) -> None:
        """Close with the answer."""
        event.stop()
        self.dismiss(event.index == 1)

    def action_scroll(self, pages: int) -> None:
        """Scroll the diff by pages."""
        if pages > 0:
            self._diff.scroll_page_down(animate=False)
        else:
            self._diff.scroll_page_up(animate=False)

    def action_close(self) -> None:
        """No."""
        self.dismiss(False)
