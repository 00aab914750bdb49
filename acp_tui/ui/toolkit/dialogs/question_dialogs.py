"""Dialogs that ask our own questions: a few answers, yes or no, or a line of text."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from acp_tui.text import clean_line, clean_text, judged_text
from acp_tui.ui.keys import CONFIRM, LINE
from acp_tui.ui.toolkit.boxes import QUESTION, QuestionBox
from acp_tui.ui.toolkit.choice_rows import AnswerChoice
from acp_tui.ui.toolkit.choices import KeyedChoices
from acp_tui.ui.toolkit.line_input import LineInput
from acp_tui.ui.toolkit.screens import OverlayScreen, scroll_page

T = TypeVar("T")
NO = AnswerChoice("No, leave it", "✗")


class AnswersDialog(OverlayScreen[T]):
    """A question with a few answers, below its subject; keys scroll a subject that is too long."""

    DEFAULT_CLASSES = QUESTION
    escape = "cancel"
    """What Esc does, in a word."""

    _subject: Widget | None = None
    """The widget that the keys scroll."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self._box = QuestionBox()
        self._choices = KeyedChoices(clock)

    def offer_answers(self, answers: Sequence[AnswerChoice], subject: Widget | None = None) -> None:
        """Offer the answers and their keys; scroll keys only while the `subject` doesn't fit."""
        self._subject = subject
        if subject is None:
            self._offer_keys(False)
        else:
            self.watch(subject, "show_vertical_scrollbar", self._offer_keys)
        self._choices.show(answers)
        self._choices.focus()

    def _offer_keys(self, scrolls: bool) -> None:
        scroll = [("pagedown", "scroll")] if scrolls else []
        self._box.offer([("enter", "answer"), *scroll, ("escape", self.escape)])

    def on_screen_resume(self) -> None:
        """Guard the choices again: keys may have been meant for the screen that was in front."""
        self._choices.guard()

    def action_scroll(self, pages: int) -> None:
        """Scroll the subject by a page, down if `pages` is positive."""
        if self._subject is not None:
            scroll_page(self._subject, pages)


class ConfirmDialog(AnswersDialog[bool]):
    """Asks a yes-or-no question below some facts. Dismissed with True for yes."""

    CSS_PATH = Path(__file__).with_name("confirm.tcss")
    BINDINGS = CONFIRM  # type: ignore[assignment]

    def __init__(
        self,
        question: str,
        facts: Sequence[str],
        yes: str | AnswerChoice,
        clock: Callable[[], float],
        no: AnswerChoice = NO,
    ) -> None:
        """Create a dialog; `yes` and `no` are the answers, each worded as what it does."""
        super().__init__(clock)
        self._question = question
        self._facts = facts
        self._yes = AnswerChoice(yes, "✓", "$warning") if isinstance(yes, str) else yes
        self._no = no

    def compose(self) -> ComposeResult:
        with self._box:
            if self._facts:
                facts = clean_text("\n".join(map(judged_text, self._facts)))
                yield Static(facts, markup=False, id="facts")
            yield self._choices

    def on_mount(self) -> None:
        self._box.ask(self._question)
        self.offer_answers([self._no, self._yes])

    def on_keyed_choices_chosen(self, event: KeyedChoices.Chosen) -> None:
        """Dismiss with the answer."""
        event.stop()
        self.dismiss(event.index == 1)


class LineDialog(OverlayScreen[str | None]):
    """Asks for a line of text; dismissed with None if canceled. Secrets are shown on demand."""

    DEFAULT_CLASSES = QUESTION
    CSS_PATH = Path(__file__).with_name("line.tcss")
    BINDINGS = LINE  # type: ignore[assignment]

    def __init__(
        self,
        question: str,
        facts: Sequence[str],
        text: str = "",
        *,
        secret: bool = False,
        enter_label: str = "done",
    ) -> None:
        """Create a dialog; `enter_label` is what Enter does, in a word."""
        super().__init__()
        self._box = QuestionBox()
        self._question = question
        self._facts = facts
        self._secret = secret
        self._enter_label = enter_label
        self._input = LineInput(clean_line(text), password=secret, select_on_focus=False)

    def compose(self) -> ComposeResult:
        with self._box:
            for fact in self._facts:
                yield Static(Content.styled(clean_text(fact), "$text-muted"), markup=False)
            yield self._input

    def on_mount(self) -> None:
        self._box.ask(self._question)
        show = [("f2", "show or hide")] if self._secret else []
        self._box.offer([("enter", self._enter_label), *show, ("escape", "cancel")])
        self._input.focus()

    def action_show(self) -> None:
        """Show or hide the secret."""
        self._input.password = self._secret and not self._input.password

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Dismiss with the text."""
        event.stop()
        self.dismiss(event.value)
