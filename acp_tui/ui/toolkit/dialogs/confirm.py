"""A question of our own before something that can't be undone, or that somebody else proposed."""

from collections.abc import Callable, Sequence
from pathlib import Path

from textual.app import ComposeResult
from textual.widgets import Static

from acp_tui.text import clean, judged
from acp_tui.ui.keys import CONFIRM
from acp_tui.ui.toolkit.boxes import QUESTION, QuestionBox
from acp_tui.ui.toolkit.choice_rows import AnswerChoice
from acp_tui.ui.toolkit.choices import KeyedChoices
from acp_tui.ui.toolkit.screens import OverlayScreen

NO = AnswerChoice("No, leave it", "✗")


class ConfirmDialog(OverlayScreen[bool]):
    """What is asked, what to judge it by, and yes or no."""

    DEFAULT_CLASSES = QUESTION
    CSS_PATH = Path(__file__).with_name("confirm.tcss")
    BINDINGS = CONFIRM  # type: ignore[assignment]
    escape = "cancel"
    """What Esc does, in words."""

    def __init__(
        self,
        question: str,
        facts: Sequence[str],
        yes: str | AnswerChoice,
        clock: Callable[[], float],
        no: AnswerChoice = NO,
    ) -> None:
        """`yes` says what is done then, and `no` what else."""
        super().__init__()
        self._box = QuestionBox()
        self._question = question
        self._facts = facts
        self._yes = AnswerChoice(yes, "✓", "$warning") if isinstance(yes, str) else yes
        self._no = no
        self._choices = KeyedChoices(clock)

    def compose(self) -> ComposeResult:
        with self._box:
            if self._facts:
                facts = clean("\n".join(map(judged, self._facts)))
                yield Static(facts, markup=False, id="facts")
            yield self._choices

    def on_mount(self) -> None:
        self._box.ask(self._question)
        self._box.offer([("enter", "answer"), ("escape", self.escape)])
        self._choices.show([self._no, self._yes])
        self._choices.focus()

    def on_screen_resume(self) -> None:
        """Guard the choices again, as what was above is gone."""
        self._choices.guard()

    def on_keyed_choices_chosen(self, event: KeyedChoices.Chosen) -> None:
        """Close with the answer."""
        event.stop()
        self.dismiss(event.index == 1)

    def action_close(self) -> None:
        """No."""
        self.dismiss(False)
