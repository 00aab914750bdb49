"""A field of a form: its title, its editor, and a problem with its value."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
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
from acp_tui.state.elicitations import parse_field
from acp_tui.text import clean_line, clean_text, clean_title
from acp_tui.ui.toolkit.dialogs.option_list import Option, Options
from acp_tui.ui.toolkit.line_input import LineInput

REQUIRED = "*"
"""The mark after the title of a required field."""
GAP = 2
"""Cells between the longest title and the editors."""
FORMATS = {
    "email": "name@example.org",
    "uri": "https://example.org",
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
}
"""An example of each string format."""


class Field(Vertical):
    """A form's property and its editor; `value` is None while nothing is filled in."""

    DEFAULT_CSS = """
    Field {
        height: auto;
        & Horizontal, & .filled {
            height: auto;
        }
        & .label {
            max-width: 35%;
            padding: 0 2 0 0;
        }
        & .small {
            color: $text-muted;
            padding: 0 1;
        }
        & .-number > .small {
            width: 1fr;
            padding: 0;
        }
    }
    """

    def __init__(
        self,
        key: str,
        form_property: FormProperty,
        value: Value | None,
        required: bool,
        editor: Widget | None = None,
    ) -> None:
        """Create a field with this `editor`, or with one that suits the property."""
        super().__init__()
        self.key = key
        self._property = form_property
        self._required = required
        self._editor = _editor(form_property, value) if editor is None else editor
        label = self._label()
        self.label = Static(label, markup=False, classes="label")
        self.label_width = label.cell_length
        self._problem = Static(markup=False, classes="problem")
        self._problem.display = False

    def compose(self) -> ComposeResult:
        number = isinstance(self._property, IntegerProperty | NumberProperty)
        with Horizontal():
            yield self.label
            with Vertical(classes="filled"):
                with Horizontal(classes="-number" if number else ""):
                    yield self._editor
                    if number:
                        yield Static(_range(self._property), markup=False, classes="small")
                if self._property.description:
                    words = clean_text(self._property.description)
                    yield Static(words, markup=False, classes="small")
                yield self._problem

    def on_descendant_focus(self) -> None:
        """Mark the field that has the focus, unless its options have a mark of their own."""
        self.label.update(self._label("▌" if self.options is None else " "))

    def on_descendant_blur(self) -> None:
        """Remove the mark."""
        self.label.update(self._label())

    @property
    def editor(self) -> Widget | None:
        """The widget that handles keys; None if the field can't be filled in here."""
        return self._editor if self._editor.can_focus else None

    @property
    def options(self) -> Options | None:
        """The options of the field, if it has any."""
        return self._editor if isinstance(self._editor, Options) else None

    @property
    def value(self) -> Value | None:
        """The value filled in. Text that isn't a number is kept; validation rejects it."""
        if isinstance(self._editor, Options):
            chosen = self._editor.chosen
            if isinstance(self._property, MultiSelectProperty):
                return [str(one) for one in chosen] if chosen or self._required else None
            return chosen[0] if chosen else None
        if not isinstance(self._editor, Input) or not self._editor.value:
            return None
        return parse_field(self._property, self._editor.value)

    def show_problem(self, words: str | None) -> None:
        """Show what is wrong with the value; None if nothing is."""
        self._problem.update(Content.styled(f"✗ {clean_text(words)}", "$error") if words else "")
        self._problem.display = words is not None

    def _label(self, mark: str = " ") -> Content:
        title = clean_title(self._property.title or self.key)
        star = f" {REQUIRED}" if self._required else ""
        return Content.assemble((mark, "$primary"), (title, "bold"), (star, "$warning"))


def align_labels(fields: Sequence[Field]) -> int:
    """Make all labels as wide as the longest; return that width in cells."""
    width = max((field.label_width for field in fields), default=0) + GAP
    for field in fields:
        field.label.styles.width = width
    return width


def _editor(form_property: FormProperty, value: Value | None) -> Widget:
    chosen = value if isinstance(value, list) else [value]
    match form_property:
        case MultiSelectProperty():
            return Options(_options(form_property), chosen, several=True)
        case BooleanProperty():
            return Options([Option(True, "Yes"), Option(False, "No")], chosen, several=False)
        case StringProperty() if form_property.choices:
            return Options(_options(form_property), chosen, several=False)
        case UnknownProperty():
            kind = clean_line(form_property.type) or "?"
            words = f"a field of the kind {kind}: can't be filled in here"
            return Static(Content.styled(words, "$text-muted"), markup=False)
    text = "" if value is None else clean_line(str(value))
    hint = (
        FORMATS.get(form_property.format or "", "")
        if isinstance(form_property, StringProperty)
        else ""
    )
    return LineInput(text, placeholder=hint, select_on_focus=False)


def _options(form_property: StringProperty | MultiSelectProperty) -> list[Option]:
    return [Option(one.const, one.title, one.description or "") for one in form_property.choices]


def _range(form_property: FormProperty) -> str:
    """Describe the numbers that a property accepts."""
    if not isinstance(form_property, IntegerProperty | NumberProperty):
        return ""
    kind = "whole number" if isinstance(form_property, IntegerProperty) else "number"
    least = "" if form_property.minimum is None else f" from {form_property.minimum:g}"
    most = "" if form_property.maximum is None else f" to {form_property.maximum:g}"
    return f"{kind}{least}{most}"
