"""The agent asks a person to fill in a form."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input, Static, TextArea

from acp_tui.protocol.elicitation import Form
from acp_tui.session import forms
from acp_tui.text import clean, clean_line
from acp_tui.ui import bindings
from acp_tui.ui.choice_rows import Choice
from acp_tui.ui.choices import Choices
from acp_tui.ui.elicitation.field import Field
from acp_tui.ui.elicitation.options import Options
from acp_tui.ui.elicitation.panel import ElicitationPanel, scrolled
from acp_tui.ui.question.panel import SCROLLS, Hint
from acp_tui.ui.sessions.asked import AskedElicitation

if TYPE_CHECKING:
    from acp_tui.ui.controllers.questions import QuestionController

FRAME = 3
"""Rows of the frame, and an empty one above the choices."""
ACTIONS = ("accept", "decline")
CHOICES = (Choice("Send", "✔", "$success"), Choice("Decline to answer", "✖", "$error"))


class FormPanel(ElicitationPanel):
    """Its fields have the focus, one after the other; what stands in the prompt stays there."""

    BINDINGS = bindings.ELICITATION  # type: ignore[assignment]
    asks = "asks"

    def __init__(
        self,
        asked: AskedElicitation,
        clock: Callable[[], float],
        questions: "QuestionController",
    ) -> None:
        super().__init__(asked, clock, questions, led=False)
        self._form = form = asked.elicitation.form or Form()
        values, required = forms.initial_values(form), form.required or []
        self._fields = [
            Field(key, what, values.get(key), key in required)
            for key, what in form.properties.items()
        ]

    def compose(self) -> ComposeResult:
        with self._box:
            with VerticalScroll(can_focus=False, id="subject"):
                if self._form.title:
                    yield Static(clean_line(self._form.title), markup=False, id="title")
                yield Static(clean(self._question.message), markup=False, id="message")
                if self._form.description:
                    yield Static(clean(self._form.description), markup=False, id="description")
                yield from self._fields
            yield self._choices

    def on_mount(self) -> None:
        self._choices.show(CHOICES)

    def fit(self, most: int) -> None:
        """Leave the fields what the choices do not need."""
        super().fit(most)
        self.query_one("#subject").styles.max_height = max(1, most - FRAME - len(CHOICES))

    # Going through the form

    def begin(self) -> None:
        """Go to the first field, or what follows them."""
        if not self._focus_from(0):
            self._choices.focus()

    def on_choices_armed(self) -> None:
        """Keys count from now on: begin with the first field, unless something is written."""
        in_prompt = isinstance(self.screen.focused, TextArea)
        if in_prompt and self.display and not self.is_beside:
            self.begin()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter goes on."""
        event.stop()
        self._go_on(event.input.parent)

    def on_options_done(self, event: Options.Done) -> None:
        """Enter goes on."""
        event.stop()
        self._go_on(event.options.parent)

    def _go_on(self, field: object) -> None:
        at = self._fields.index(field) + 1 if isinstance(field, Field) else 0
        if not self._focus_from(at):
            self._accept()

    def _focus_from(self, at: int) -> bool:
        """Go to the first field from `at` on that takes keys; false if there is none."""
        editor = next((one.editor for one in self._fields[at:] if one.editor), None)
        if editor is not None:
            editor.focus()
        return editor is not None

    def _accept(self) -> None:
        """Send what is filled in, unless something is wrong with it: then go there."""
        content = {field.key: value for field in self._fields if (value := field.value) is not None}
        wrong = forms.problems(self._form, content)
        for field in self._fields:
            field.complain(wrong.get(field.key))
        bad = next((at for at, field in enumerate(self._fields) if field.key in wrong), None)
        if bad is None:
            self.answer("accept", content)
        else:
            self._focus_from(bad)

    def on_choices_chosen(self, event: Choices.Chosen) -> None:
        """Do what was chosen at the end of the form."""
        event.stop()
        action = ACTIONS[event.index]
        if action == "accept":
            self._accept()
        else:
            self.answer(action)

    # Keys

    def answers(self) -> list[Hint]:
        """What keys do while nothing is written."""
        if not self.has_focus_within:
            return [("tab", "to the form"), ("escape", "cancel the question")]
        keys = [("enter", "go on"), ("space", "choose"), ("tab", "next field")]
        return [*keys, ("escape", "cancel the question")]

    def wants(self, key: str) -> bool:
        return key in SCROLLS or key in ("enter", "escape", "tab")

    def takes(self, event: events.Key) -> bool:
        """Tab leads to the form, and so does Enter while nothing is written."""
        if event.key == "tab":
            return self._answers(event)
        return super().takes(event)

    def _answers(self, event: events.Key) -> bool:
        leads = event.key in ("enter", "tab")
        if leads and not self._choices.early(event):
            self.begin()
        return leads

    def scroll_subject(self, step: int, *, pages: bool) -> bool:
        """Scroll the fields."""
        return scrolled(self.query_one("#subject", VerticalScroll), step, pages=pages)
