"""One field of a form: its title, what it is filled in with, and what is wrong with that."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from acp_tui.protocol.elicitation import (
    BooleanProperty,
    FormProperty,
    IntegerProperty,
    MultiSelectProperty,
    NumberProperty,
    StringProperty,
    UnknownProperty,
    Value,
)
from acp_tui.session.forms import parse_field
from acp_tui.text import clean, clean_line
from acp_tui.ui.elicitation.options import Option, Options
from acp_tui.ui.line_input import LineInput


class Field(Vertical):
    """Knows its property of the form; `value` is None while nothing is filled in."""

    def __init__(self, key: str, what: FormProperty, value: Value | None, required: bool) -> None:
        super().__init__()
        self.key = key
        self._what = what
        self._required = required
        self._editor = _editor(what, value)
        self._problem = Static(markup=False, classes="problem")
        self._problem.display = False

    def compose(self) -> ComposeResult:
        yield Static(self._label(), markup=False)
        yield self._editor
        yield self._problem

    @property
    def editor(self) -> Widget | None:
        """What takes the keys; None if it can't be filled in here."""
        return self._editor if self._editor.can_focus else None

    @property
    def value(self) -> Value | None:
        """What is filled in; a text that is no number is left to be complained of."""
        if isinstance(self._editor, Options):
            chosen = self._editor.chosen
            if isinstance(self._what, MultiSelectProperty):
                return [str(one) for one in chosen] if chosen or self._required else None
            return chosen[0] if chosen else None
        if not isinstance(self._editor, Input) or not self._editor.value:
            return None
        return parse_field(self._what, self._editor.value)

    def complain(self, words: str | None) -> None:
        """Tell what is wrong with the value; None if nothing is."""
        self._problem.update(Content.styled(f"✖ {clean(words)}", "$error") if words else "")
        self._problem.display = words is not None

    def _label(self) -> Content:
        title = clean_line(self._what.title or self.key)
        mark = " *" if self._required else ""
        description = clean(self._what.description or "")
        return Content.assemble(
            (title, "bold"),
            (mark, "$warning"),
            (f"  {description}" if description else "", "$text-muted"),
        )


def _editor(what: FormProperty, value: Value | None) -> Widget:
    chosen = value if isinstance(value, list) else [value]
    match what:
        case MultiSelectProperty():
            return Options(_options(what), chosen, several=True)
        case BooleanProperty():
            return Options([Option(True, "Yes"), Option(False, "No")], chosen, several=False)
        case StringProperty() if what.choices:
            return Options(_options(what), chosen, several=False)
        case UnknownProperty():
            words = f"a field of the kind {clean_line(what.type) or '?'}: can't be filled in here"
            return Static(Content.styled(words, "$text-muted"), markup=False)
    text = "" if value is None else clean_line(str(value))
    return LineInput(text, placeholder=_placeholder(what), compact=True, select_on_focus=False)


def _options(what: StringProperty | MultiSelectProperty) -> list[Option]:
    return [Option(one.const, one.title, one.description or "") for one in what.choices]


_FORMATS = {
    "email": "name@example.org",
    "uri": "https://example.org",
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
}


def _placeholder(what: FormProperty) -> str:
    match what:
        case StringProperty():
            return _FORMATS.get(what.format or "", "")
        case IntegerProperty() | NumberProperty():
            kind = "whole number" if isinstance(what, IntegerProperty) else "number"
            least = "" if what.minimum is None else f" from {what.minimum:g}"
            most = "" if what.maximum is None else f" to {what.maximum:g}"
            return f"{kind}{least}{most}"
    return ""
