"""A question of our own: what is to be as it was before a turn?"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from acp_tui.checkpoints.checkpoint import Kind, Plan
from acp_tui.formatting import counted
from acp_tui.text import clean_line
from acp_tui.ui import bindings
from acp_tui.ui.choice_rows import Choice
from acp_tui.ui.choices import Choices
from acp_tui.ui.dialogs.file_change_rows import PLANNED, file_rows
from acp_tui.ui.lines.visible import visible
from acp_tui.ui.question_box import QuestionBox
from acp_tui.ui.textual_fixes.screens import OverlayScreen
from acp_tui.ui.words import cropped

KEYS = (("enter", "answer"), ("pagedown", "scroll"), ("escape", "cancel"))
BESIDE = 8
"""Rows of the dialog beside the list of files."""
NAMED = 5
"""How many files outside are named."""
ANSWERS = ("", "files", "conversation", "both")
"""What is answered by each choice."""


class GoBackDialog(OverlayScreen[str]):
    """Lists what would be written before anything is; the answer is one of `ANSWERS`."""

    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.GO_BACK  # type: ignore[assignment]

    def __init__(
        self,
        plan: Plan,
        told: str | None,
        outside: Sequence[str],
        clock: Callable[[], float],
    ) -> None:
        """`told` is what a new session is told; None where there is no conversation to go back to.
        `outside` are files that the agent wrote elsewhere.
        """
        super().__init__()
        self._plan = plan
        self._told = told
        self._outside = outside
        self._box = QuestionBox()
        self._choices = Choices(clock)

    def compose(self) -> ComposeResult:
        with self._box:
            with VerticalScroll(can_focus=False):
                yield Static("\n".join(self._facts()), markup=False)
            yield self._choices

    def on_mount(self) -> None:
        reason = self._plan.target.reason
        words = cropped(" ".join(clean_line(reason.words).split()), 40)
        taken_back = "Take back that you went back to before" if reason.kind is Kind.RETURN else ""
        self._box.ask(f"{taken_back or 'Go back to before'} “{words}”?")
        self._box.offer(KEYS)
        self._choices.show(self._offered())
        self._choices.focus()

    def on_screen_resume(self) -> None:
        """What was above is gone."""
        super().on_screen_resume()
        self._choices.guard()

    def on_resize(self) -> None:
        """Leave the list what the rest does not need."""
        self.query_one(VerticalScroll).styles.max_height = max(1, self.size.height - BESIDE)

    def _facts(self) -> Iterator[str]:
        """What one should know; what is special stands above the files, which may be many."""
        changes = self._plan.changes
        remarks = list(self._remarks())
        yield from [*remarks, ""] if remarks else []
        if changes:
            yield f"Going back to the files changes {counted(len(changes), 'file')}:"
            yield from file_rows(changes, PLANNED)
        else:
            yield "All files are as they were then."
        yield ""
        yield "What is there now is kept before: that can be taken back."
        yield "Not brought back: what git ignores, empty folders, and what was done elsewhere."
        if self._told is not None:
            yield "The conversation goes on in a new session: you see what it is told before it is sent."

    def _remarks(self) -> Iterator[str]:
        left_out, spared = self._plan.left_out.names, self._plan.spared
        if self._plan.target.late:
            yield "The files were kept only after that turn had begun: it may have changed some."
        if self._outside:
            named = ", ".join(self._outside[:NAMED])
            yield f"Left as they are, outside of this folder: {named}{_more(len(self._outside))}"
        if left_out:
            named = ", ".join(f"{visible(name)} ({why})" for name, why in left_out[:NAMED])
            yield f"Left as they are, for they can't be kept: {named}{_more(len(left_out))}"
        if spared:
            named = ", ".join(visible(one.shown) for one in spared[:NAMED])
            yield f"Not deleted, for they were not kept then: {named}{_more(len(spared))}"

    def _offered(self) -> list[Choice]:
        files, talk = bool(self._plan.changes), self._told is not None
        return [
            Choice("No, leave all as it is", "✗"),
            Choice("The files; the agent isn't told", "✓", "$warning", offered=files),
            Choice("The conversation, in a new session", "✓", "$warning", offered=talk),
            Choice("Both", "✓", "$warning", offered=files and talk),
        ]

    def on_choices_chosen(self, event: Choices.Chosen) -> None:
        """Close with the answer."""
        event.stop()
        self.dismiss(ANSWERS[event.index])

    def action_scroll(self, pages: int) -> None:
        """Scroll the list by pages."""
        content = self.query_one(VerticalScroll)
        if pages > 0:
            content.scroll_page_down(animate=False)
        else:
            content.scroll_page_up(animate=False)

    def action_close(self) -> None:
        """Leave all as it is."""
        self.dismiss("")


def _more(count: int) -> str:
    return f" and {count - NAMED} more" if count > NAMED else ""
