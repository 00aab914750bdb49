"""Panels for elicitations: the agent asks the user to fill in a form, or to open a link."""

from collections.abc import Callable, Mapping

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from acp_tui.formatting import counted
from acp_tui.host.session_names import for_subagent, session_name
from acp_tui.protocol.elicitation import Form, Value
from acp_tui.state import elicitations, links
from acp_tui.state.question import Answered, Offer
from acp_tui.text import clean_line, clean_text, clean_title, judged_text
from acp_tui.ui.question import bindings
from acp_tui.ui.question.panel import SCROLLS, AnswerPort, QuestionPanel
from acp_tui.ui.tabs.tabs import AskedElicitation
from acp_tui.ui.toolkit.choice_rows import AnswerChoice
from acp_tui.ui.toolkit.choices import KeyedChoices
from acp_tui.ui.toolkit.dialogs.field import REQUIRED, Field, align_labels
from acp_tui.ui.toolkit.dialogs.option_list import Options
from acp_tui.ui.toolkit.hints import Hint
from acp_tui.ui.window import Pressed


class ElicitationPanel(QuestionPanel):
    """The panel of one elicitation, removed once the state no longer has it."""

    invites = "Write here to decline with words"
    title_words = ""
    """The action in the title, after the agent's name."""
    asked: AskedElicitation

    def __init__(
        self, asked: AskedElicitation, clock: Callable[[], float], answers: AnswerPort
    ) -> None:
        super().__init__(clock)
        self.asked = asked
        self._answers = answers
        self._question = asked.elicitation

    def title(self) -> tuple[str, str]:
        """Return the asking agent's name and action, with its subagent or, if there are several,
        its session.
        """
        state = self.asked.agent.state
        if asker := for_subagent(state, self._question.session_id):
            return f"{self.asked.agent.name} {self.title_words}", f" {asker}"
        session = state.sessions.get(self._question.session_id or "")
        several = len(state.open_sessions()) > 1
        where = f"  in {session_name(state, session)}" if session and several else ""
        return f"{self.asked.agent.name} {self.title_words}", where

    def describe_rejection(self) -> str:
        """Return what Enter does with the text in the prompt."""
        return "declines and sends this"

    def answer(self, action: str, content: Mapping[str, Value] | None = None) -> None:
        """Answer the elicitation; the next key is guarded, as it was meant for something else."""
        self.question.guard(self._clock())
        self._answers.answer_elicitation(self.asked, action, content)

    def action_cancel(self) -> None:
        """Cancel the elicitation, which neither accepts nor declines it."""
        self.answer("cancel")


def scroll_view(view: VerticalScroll, step: int, *, pages: bool) -> bool:
    """Scroll a view; return False if it can't scroll further in that direction."""
    more = view.max_scroll_y - view.scroll_y if step > 0 else view.scroll_y
    if more > 0:
        rows = max(1, view.size.height - 1) if pages else 1
        view.scroll_relative(y=step * rows, animate=False, force=True)
    return more > 0


FORM_FRAME = 2
"""Rows of the frame's edges."""
ACTIONS = ("accept", "decline")
CHOICES = (AnswerChoice("Send", "✓", "$success"), AnswerChoice("Decline to answer", "✗", "$error"))


class FormPanel(ElicitationPanel):
    """The panel of a form. Its fields get the focus in turn, and the text in the prompt stays
    there.

    If not all fields fit, the one with the focus is kept in view.
    """

    BINDINGS = bindings.ELICITATION  # type: ignore[assignment]
    title_words = "asks"
    topic = "Form of the agent"
    needs_all = True

    def __init__(
        self, asked: AskedElicitation, clock: Callable[[], float], answers: AnswerPort
    ) -> None:
        super().__init__(asked, clock, answers)
        self._ends = KeyedChoices(clock)
        """The choices at the end of the form."""
        self._form = form = asked.elicitation.form or Form()
        values, required = elicitations.default_values(form), form.required or []
        self._fields = [
            Field(key, what, values.get(key), key in required)
            for key, what in form.properties.items()
        ]
        align_labels(self._fields)
        self._ends.show(CHOICES, guarded=False)
        self._ends.pair(True)
        self._ends.number(False)
        self._subject = VerticalScroll(can_focus=False, id="subject")

    def compose(self) -> ComposeResult:
        with self._box:
            with self._subject:
                if self._form.title:
                    yield Static(clean_title(self._form.title), markup=False, id="title")
                yield Static(clean_text(self._question.message), markup=False, id="message")
                if self._form.description:
                    yield Static(clean_text(self._form.description), markup=False, id="description")
                yield from self._fields
            yield self._ends

    def on_mount(self) -> None:
        self.watch(self._subject, "virtual_size", self._refit, init=False)

    def title(self) -> tuple[str, str]:
        """Return the title with the number of the focused field, and the sign of required fields."""
        who, where = super().title()
        count, at = len(self._fields), self._at
        facts = [counted(count, "field") if at is None else f"field {at + 1} of {count}"]
        if self._form.required:
            facts.append(f"{REQUIRED} required")
        return who, f"{where}  {' · '.join(facts)}" if count else where

    # Room

    def fit(self, most: int) -> None:
        """Give the fields the rows that the choices leave; drop empty rows unless all fields are in
        view.
        """
        super().fit(most)
        room = most - FORM_FRAME - self._ends.rows_in(self._ends.size.width or self.size.width)
        tight = self.has_class("-tight")
        gaps = len(self._fields) + 1
        needed = self._subject.virtual_size.height + (gaps if tight else 1)
        self.set_class(needed > room, "-tight")
        self._subject.styles.max_height = max(1, room - (needed <= room))
        self.call_after_refresh(self._reveal)

    def _refit(self) -> None:
        if self._most:
            self.fit(self._most)

    def _reveal(self) -> None:
        """Scroll to the focused field or, if that is too high, to its marked option."""
        if self._at is None:
            return
        field = self._fields[self._at]
        self._subject.scroll_to_widget(field, animate=False, force=True)
        if field.options is not None and field.size.height > self._subject.size.height:
            top = self._subject.scroll_offset - self._subject.region.offset
            row = field.options.marked.translate(top)
            self._subject.scroll_to_region(row, animate=False, force=True)

    def on_options_option_marked(self, event: Options.OptionMarked) -> None:
        """Keep the marked option in view."""
        event.stop()
        self._reveal()

    def on_descendant_focus(self) -> None:
        """Update the title, and scroll to the field that got the focus."""
        self._ends.number(self._ends.has_focus)
        self.refresh_title()
        self.call_after_refresh(self._reveal)

    def on_descendant_blur(self) -> None:
        """Update the title, as a field has lost the focus."""
        self._ends.number(self._ends.has_focus)
        self.refresh_title()

    @property
    def _at(self) -> int | None:
        """The index of the field that has the focus."""
        focused = (at for at, field in enumerate(self._fields) if field.has_focus_within)
        return next(focused, None)

    # Moving through the form

    def focus_first_field(self) -> None:
        """Focus the first field, or the final choices if there are no fields."""
        if not self._focus_from(0):
            self._ends.focus()

    def come_into_view(self, text: str, waiting: int | None = None) -> None:
        """Guard the final choices, too."""
        super().come_into_view(text, waiting)
        self._ends.guard()

    def _follow_reply(self) -> None:
        super()._follow_reply()
        self._ends.set_class(self.has_prompt_text, "-aside")
        if self.has_prompt_text:
            self._ends.mark(None)

    def on_armed(self) -> None:
        """Focus the first field, unless there is text in the prompt."""
        in_prompt = isinstance(self.screen.focused, TextArea)
        if in_prompt and self.display and not self.has_prompt_text:
            self.focus_first_field()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the next field."""
        event.stop()
        self._focus_next(event.input)

    def on_options_submitted(self, event: Options.Submitted) -> None:
        """Go to the next field."""
        event.stop()
        self._focus_next(event.options)

    def _focus_next(self, editor: Widget) -> None:
        at = next(at for at, field in enumerate(self._fields) if field.editor is editor)
        if not self._focus_from(at + 1):
            self._accept()

    def _focus_from(self, at: int) -> bool:
        """Focus the first editable field from `at` on; return False if there is none."""
        editor = next((one.editor for one in self._fields[at:] if one.editor), None)
        if editor is not None:
            editor.focus()
        return editor is not None

    def _accept(self) -> None:
        """Send the form; if a field is invalid, focus it instead."""
        content = {field.key: value for field in self._fields if (value := field.value) is not None}
        wrong = elicitations.find_problems(self._form, content)
        for field in self._fields:
            field.show_problem(wrong.get(field.key))
        bad = next((at for at, field in enumerate(self._fields) if field.key in wrong), None)
        if bad is None:
            self.answer("accept", content)
        else:
            self._focus_from(bad)

    def on_keyed_choices_chosen(self, event: KeyedChoices.Chosen) -> None:
        """Send or decline the form."""
        event.stop()
        action = ACTIONS[event.index]
        if action == "accept":
            self._accept()
        else:
            self.answer(action)

    # Keys

    def answers(self) -> list[Hint]:
        """Return the hints for the keys that work while the prompt is empty."""
        cancel = ("escape", "cancel the question")
        if self._ends.has_focus:
            return [("1-2", "answer"), ("enter", "choose"), ("tab", "prompt"), cancel]
        if self._at is None:
            return [("tab", "to the form"), cancel]
        field, after = self._fields[self._at], self._fields[self._at + 1 :]
        is_last = not any(one.editor for one in after)
        on, following = ("send", "answers") if is_last else ("go on", "next field")
        if field.options is None:
            return [("enter", on), ("tab", following), cancel]
        enter = on if field.options.several else f"choose, {on}"
        return [("enter", enter), ("space", "choose"), ("tab", following), cancel]

    def means(self, key: str) -> bool:
        """Return whether a key is for the form, rather than being text."""
        return key in SCROLLS or key in ("enter", "escape", "tab")

    def press(self, event: events.Key) -> Pressed:
        """Handle a key pressed in the prompt: Tab focuses the form, and so does Enter in an empty
        prompt.
        """
        if event.key != "tab" and (event.key != "enter" or self.has_prompt_text):
            return super().press(event)
        at = self._time_of(event.time)
        if self.question.is_ready(at):
            self.focus_first_field()
        else:
            self.question.type_elsewhere(at)
        return Pressed("", True)

    def scroll_subject(self, step: int, *, pages: bool) -> bool:
        """Scroll the fields."""
        return scroll_view(self._subject, step, pages=pages)


LINK_FRAME = 3
"""Rows of the frame's edges, and of the gap above the choices."""


class LinkPanel(ElicitationPanel):
    """The panel of a link, shown whole and with its host: it can be opened, copied or declined."""

    title_words = "asks you to open a link"

    def __init__(
        self, asked: AskedElicitation, clock: Callable[[], float], answers: AnswerPort
    ) -> None:
        super().__init__(asked, clock, answers)
        self._url = asked.elicitation.url or ""
        offered = _choices(self._url)
        self._actions = [action for action, _ in offered]
        choices = [choice for _, choice in offered]
        self._choices.offer(choices)
        offers = [Offer(one != "decline", offered=choice.offered) for one, choice in offered]
        self.question.offer(offers, mark=next(at for at, one in enumerate(choices) if one.offered))

    def compose(self) -> ComposeResult:
        url = self._url
        with self._box:
            with VerticalScroll(can_focus=False, id="subject"):
                # Our own text comes first: no text from the agent can push it away, or imitate it.
                host = clean_line(links.host_of(url)) or "?"
                yield Static(Content.assemble("Host: ", (host, "bold")))
                for words in links.link_warnings(url):
                    yield Static(Content.styled(f"⚠ {clean_text(words)}", "$warning"), markup=False)
                yield Static(clean_text(self._question.message), markup=False, id="message")
                shown = Content.styled(clean_line(judged_text(url)), "$primary")
                yield Static(shown, markup=False, id="url")
            yield self._choices

    def fit(self, most: int) -> None:
        """Give the message and the link the rows that the choices leave."""
        super().fit(most)
        rows = most - LINK_FRAME - self._choices.count
        self.query_one("#subject").styles.max_height = max(1, rows)

    def answers(self) -> list[Hint]:
        """Return the hints for the keys that work while the prompt is empty."""
        numbers = "1-3" if links.can_open(self._url) else "2-3"
        return [(numbers, "answer"), ("enter", "choose"), ("escape", "cancel the question")]

    def choose(self, answer: Answered) -> None:
        """Open or copy the link, or decline."""
        action = self._actions[answer.index]
        if action == "decline":
            self.answer(action)
        elif action == "open":
            self._answers.open_link(self.asked, self._url)
        else:
            self._answers.copy_link(self.asked, self._url)

    def scroll_subject(self, step: int, *, pages: bool) -> bool:
        """Scroll the message and the link."""
        return scroll_view(self.query_one("#subject", VerticalScroll), step, pages=pages)


def _choices(url: str) -> list[tuple[str, AnswerChoice]]:
    opening = AnswerChoice("Open it in the browser", "▸", "$success", offered=links.can_open(url))
    return [
        ("open", opening),
        ("copy", AnswerChoice("Copy it, to be opened elsewhere", "⧉", "$success")),
        ("decline", AnswerChoice("Decline", "✗", "$error")),
    ]
