"""The params of a message as fields: one for each that the schema has, and for all others."""

from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static, TextArea

from acp_tui.protocol.elicitation import (
    BooleanProperty,
    IntegerProperty,
    NumberProperty,
    StringProperty,
)
from acp_tui.protocol.method_forms import MethodForm, Param, ParamKind
from acp_tui.text import clean, clean_line
from acp_tui.ui.elicitation.field import Field
from acp_tui.wire.composer.draft import DraftError, read_json, write_json

_PROPERTIES: dict[
    ParamKind, type[StringProperty | IntegerProperty | NumberProperty | BooleanProperty]
] = {
    ParamKind.TEXT: StringProperty,
    ParamKind.INTEGER: IntegerProperty,
    ParamKind.NUMBER: NumberProperty,
    ParamKind.BOOLEAN: BooleanProperty,
}
_TYPES: dict[ParamKind, type] = {
    ParamKind.TEXT: str,
    ParamKind.INTEGER: int,
    ParamKind.NUMBER: int,
    ParamKind.BOOLEAN: bool,
}

REQUIRED = ", required"
"""What is said of a param that has to be there."""


class JsonArea(TextArea):
    """Several lines of JSON, or of anything; Tab leaves them."""

    def __init__(self, text: str) -> None:
        super().__init__(text, compact=True, show_line_numbers=False, highlight_cursor_line=False)
        self.cursor_blink = False


class JsonField(Vertical):
    """A param that is written as JSON."""

    def __init__(self, key: str, words: str, text: str, required: bool) -> None:
        super().__init__()
        self.key = key
        self._words = words
        self._required = required
        self.editor = JsonArea(text)
        self._problem = Static(markup=False, classes="problem")
        self._problem.display = False

    def compose(self) -> ComposeResult:
        label = Content.assemble(
            (clean_line(self.key), "bold"),
            (f"  {self._words}", "$text-muted"),
            (REQUIRED if self._required else "", "$warning"),
        )
        yield Static(label, markup=False)
        yield self.editor
        yield self._problem

    @property
    def value(self) -> Any:
        """What is written; None while nothing is. Raises DraftError."""
        return read_json(self.key, self.editor.text) if self.editor.text.strip() else None

    def complain(self, words: str | None) -> None:
        """Tell what is wrong with the value; None if nothing is."""
        self._problem.update(Content.styled(f"✗ {clean(words)}", "$error") if words else "")
        self._problem.display = words is not None


class ParamFields(Vertical):
    """A field for each param of a method, and for what else there is."""

    def __init__(self, form: MethodForm, values: dict[str, Any]) -> None:
        super().__init__()
        self._about = {one.name: f"{one.words}. {one.about}" for one in form.params}
        self.fields: list[Field | JsonField] = [
            _field(one, values.get(one.name), one.name in values) for one in form.params
        ]
        for name in values.keys() - self._about.keys():
            words = "no param of the method"
            self.fields.append(JsonField(name, words, write_json(values[name]), False))

    def compose(self) -> ComposeResult:
        yield from self.fields

    def values(self) -> dict[str, Any]:
        """Return what is filled in. Raises DraftError, after it was told at its field."""
        found: dict[str, Any] = {}
        failure: DraftError | None = None
        for field in self.fields:
            try:
                value, wrong = field.value, None
            except DraftError as error:
                value, wrong, failure = None, str(error), error
            field.complain(wrong)
            if value is not None or (isinstance(field, JsonField) and field.editor.text.strip()):
                found[field.key] = value
        if failure is not None:
            raise failure
        return found

    def about(self, widget: Widget) -> str:
        """What the schema says of the param whose field has a widget."""
        key = next((one.key for one in self.fields if one in widget.ancestors), "")
        return self._about.get(key, "")


def _field(param: Param, value: Any, given: bool) -> Field | JsonField:
    """A field that can show the value: JSON, where it is no value of the param."""
    wanted = _TYPES.get(param.kind)
    if wanted is None or (given and not _fits(value, wanted)):
        text = write_json(value) if given else ""
        return JsonField(param.name, param.words, text, param.required)
    words = f"{param.words}{REQUIRED if param.required else ''}"
    what = _PROPERTIES[param.kind](title=param.name, description=words)
    return Field(param.name, what, value, required=False)


def _fits(value: Any, wanted: type) -> bool:
    """Whether a value survives in a field for a line of text, a number, or yes and no."""
    if wanted is str:
        return isinstance(value, str) and value != "" and value == clean_line(value)
    return isinstance(value, wanted) and isinstance(value, bool) == (wanted is bool)
