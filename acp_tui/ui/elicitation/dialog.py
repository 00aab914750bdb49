"""The agent asks something: a form to fill in, or a link to open."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from acp_tui.protocol.elicitation import Form, Value
from acp_tui.session import forms, links
from acp_tui.text import clean, clean_line, reveal_escapes
from acp_tui.ui import bindings
from acp_tui.ui.choices import Choice, Choices
from acp_tui.ui.conversation.status import loud
from acp_tui.ui.elicitation.field import Field
from acp_tui.ui.elicitation.options import Options
from acp_tui.ui.frame import Frame
from acp_tui.ui.leaving import Dialog
from acp_tui.ui.sessions.desk import AskedElicitation
from acp_tui.ui.sessions.names import session_name

FRAME = 4
"""Rows of the dialog beside its body and its choices."""


class ElicitationDialog(Dialog[None]):
    """One question; it closes when the question no longer waits, whoever settled it."""

    CSS_PATH = Path(__file__).with_name("dialog.tcss")
    BINDINGS = bindings.ELICITATION  # type: ignore[assignment]

    class Answered(Message):
        """A person accepted, declined or cancelled."""

        def __init__(
            self,
            asked: AskedElicitation,
            action: str,
            content: Mapping[str, Value] | None = None,
        ) -> None:
            super().__init__()
            self.asked = asked
            self.action = action
            self.content = content

    class Wanted(Message):
        """A person agreed to a link, to be opened or else copied; that answers the question."""

        def __init__(self, asked: AskedElicitation, url: str, open_it: bool) -> None:
            super().__init__()
            self.asked = asked
            self.url = url
            self.open_it = open_it

    def __init__(
        self,
        asked: AskedElicitation,
        waiting: Callable[[], Sequence[AskedElicitation]],
        clock: Callable[[], float],
    ) -> None:
        """Show what was `asked`, and how many are `waiting` by now."""
        super().__init__()
        self._asked = asked
        self._waiting = waiting
        self._state = asked.agent.state
        self._question = question = asked.elicitation
        self._form = question.form or Form()
        self._fields = _fields(self._form)
        self._frame = Frame()
        self._choices = Choices(clock)
        self._actions: list[str] = []

    def compose(self) -> ComposeResult:
        with self._frame:
            with VerticalScroll(can_focus=False):
                if self._form.title:
                    yield Static(clean_line(self._form.title), markup=False, id="title")
                yield Static(clean(self._question.message), markup=False, id="message")
                yield from self._link() if self._question.url is not None else self._fields
            yield self._choices

    def on_mount(self) -> None:
        url = self._question.url
        offered = _form_choices() if url is None else _link_choices(url)
        self._actions = [action for action, _ in offered]
        self._choices.show([choice for _, choice in offered])
        self._choices.focus()
        self._frame.offer(self._keys())
        self.on_resize()
        self.show()

    def on_resize(self) -> None:
        """Leave the body what the rest does not need."""
        rows = self.size.height - FRAME - len(self._actions)
        self.query_one(VerticalScroll).styles.max_height = max(3, rows)

    def show(self) -> None:
        """Tell how many there are; close when the question no longer waits."""
        self._frame.ask(*self._title(), loud(self._state))
        waiting = self._state.elicitation(self._question.number) is not None
        if not waiting and self.is_active:
            self.dismiss()

    def on_screen_resume(self) -> None:
        """What was above is gone: much may have happened meanwhile."""
        self._choices.guard()
        self.show()

    # Going through the form

    def on_choices_armed(self) -> None:
        """Keys count from now on: begin with the first field."""
        if self.focused is self._choices:
            self._focus_from(0)

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
            self._answer("accept", content)
        else:
            self._focus_from(bad)

    def _answer(self, action: str, content: Mapping[str, Value] | None = None) -> None:
        self.post_message(self.Answered(self._asked, action, content))

    def on_choices_chosen(self, event: Choices.Chosen) -> None:
        """Do what was chosen at the end of the form."""
        event.stop()
        action, url = self._actions[event.index], self._question.url
        if action == "accept":
            self._accept()
        elif action == "decline" or url is None:
            self._answer(action)
        else:
            self.post_message(self.Wanted(self._asked, url, action == "open"))

    def action_cancel(self) -> None:
        """Neither yes nor no."""
        self._answer("cancel")

    # What is shown

    def _title(self) -> tuple[str, str]:
        asks = "asks you to open a link" if self._question.url is not None else "asks"
        session = self._state.sessions.get(self._question.session_id or "")
        several = len(self._state.open_sessions()) > 1
        where = f"  in {session_name(session)}" if session and several else ""
        count = len(self._waiting())
        more = f"  1 of {count}" if count > 1 else ""
        return f"{self._asked.agent.name} {asks}", more + where

    def _link(self) -> ComposeResult:
        url = self._question.url or ""
        yield Static(Content.assemble("Host: ", (clean_line(links.host(url)) or "?", "bold")))
        yield Static(
            Content.styled(clean_line(reveal_escapes(url)), "$primary"), markup=False, id="url"
        )
        for words in links.warnings(url):
            yield Static(Content.styled(f"⚠ {clean(words)}", "$warning"), markup=False)

    def _keys(self) -> list[tuple[str, str]]:
        keys = [("1-3", "choose"), ("escape", "cancel the question")]
        if self._question.url is None:
            keys[:1] = [("enter", "go on"), ("space", "choose"), ("tab", "next field")]
        return keys


def _fields(form: Form) -> list[Field]:
    values, required = forms.initial(form), form.required or []
    return [
        Field(key, what, values.get(key), key in required) for key, what in form.properties.items()
    ]


def _form_choices() -> list[tuple[str, Choice]]:
    return [
        ("accept", Choice("Send", "✔", "$success")),
        ("decline", Choice("Decline to answer", "✖", "$error")),
    ]


def _link_choices(url: str) -> list[tuple[str, Choice]]:
    opening = Choice("Open it in the browser", "▸", "$success", offered=links.can_open(url))
    return [
        ("open", opening),
        ("copy", Choice("Copy it, to be opened elsewhere", "⧉", "$success")),
        ("decline", Choice("Decline", "✖", "$error")),
    ]
