"""The body of a composed message: its params as a form or as JSON, or raw lines."""

from dataclasses import replace
from typing import Any

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Static, TextArea

from acp_tui.debug.drafts import DraftError, DraftKind, MessageDraft, read_draft_json, write_json
from acp_tui.protocol.elicitation import (
    BooleanProperty,
    IntegerProperty,
    NumberProperty,
    StringProperty,
)
from acp_tui.protocol.method_forms import MethodForm, Param, ParamKind
from acp_tui.text import clean_line
from acp_tui.ui.toolkit.dialogs.field import Field, align_labels

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
"""Added to the description of a required param."""


class JsonArea(TextArea):
    """A multi-line editor for JSON or raw lines; Tab leaves it."""

    def __init__(self, text: str) -> None:
        super().__init__(text, compact=True, show_line_numbers=False, highlight_cursor_line=False)
        self.cursor_blink = False


class JsonField(Field):
    """A param that is written as JSON, in a multi-line editor."""

    def __init__(self, key: str, words: str, text: str) -> None:
        self.area = JsonArea(text)
        what = StringProperty(title=key, description=words)
        super().__init__(key, what, None, required=False, editor=self.area)

    @property
    def value(self) -> Any:
        """The parsed JSON; None if nothing is written. Raises DraftError."""
        return read_draft_json(self.key, self.area.text) if self.area.text.strip() else None


class ParamFields(Vertical):
    """A field for each param of a method, and for each other value in the message."""

    def __init__(self, form: MethodForm, values: dict[str, Any]) -> None:
        super().__init__()
        self._about = {one.name: f"{one.words}. {one.about}" for one in form.params}
        self.fields = [_field(one, values.get(one.name), one.name in values) for one in form.params]
        for name in values.keys() - self._about.keys():
            words = "no param of the method"
            self.fields.append(JsonField(name, words, write_json(values[name])))
        self.label_width = align_labels(self.fields)

    def compose(self) -> ComposeResult:
        yield from self.fields

    def values(self) -> dict[str, Any]:
        """Return the values of the fields. Shows each problem at its field, then raises DraftError."""
        found: dict[str, Any] = {}
        failure: DraftError | None = None
        for field in self.fields:
            try:
                value, wrong = field.value, None
            except DraftError as error:
                value, wrong, failure = None, str(error), error
            field.show_problem(wrong)
            if value is not None or (isinstance(field, JsonField) and field.area.text.strip()):
                found[field.key] = value
        if failure is not None:
            raise failure
        return found

    def about(self, widget: Widget) -> str:
        """Return the schema's description of the param whose field contains a widget."""
        key = next((one.key for one in self.fields if one in widget.ancestors), "")
        return self._about.get(key, "")


def _field(param: Param, value: Any, given: bool) -> Field:
    """Return a field that can show the value: JSON, if the value isn't of the param's type."""
    words = f"{param.words}{REQUIRED if param.required else ''}"
    wanted = _TYPES.get(param.kind)
    if wanted is None or (given and not _fits_field(value, wanted)):
        text = write_json(value) if given else ""
        return JsonField(param.name, words, text)
    what = _PROPERTIES[param.kind](title=param.name, description=words)
    return Field(param.name, what, value, required=False)


def _fits_field(value: Any, wanted: type) -> bool:
    """Return whether a field for text, a number or a boolean keeps the value unchanged."""
    if wanted is str:
        return isinstance(value, str) and value != "" and value == clean_line(value)
    return isinstance(value, wanted) and isinstance(value, bool) == (wanted is bool)


LABEL = 9
"""Least width of a label, in cells."""


class MessageBody(VerticalScroll):
    """Edits the params of a message: a field for each, or one text area for all."""

    def __init__(self) -> None:
        super().__init__(can_focus=False, id="body")

    async def show(self, draft: MessageDraft, form: MethodForm | None) -> int:
        """Show a draft, as a form if there is one for its params. Return the width of the labels in
        cells.
        """
        await self.remove_children()
        if draft.kind is DraftKind.RAW:
            await self.mount(JsonArea(draft.raw))
            return LABEL
        values = _values(draft) if form is not None else None
        if form is not None and values is not None:
            fields = ParamFields(form, values)
            await self.mount(fields)
            return max(LABEL, fields.label_width)
        label = Static(" params", markup=False, classes="name")
        await self.mount(Horizontal(label, JsonArea(draft.params), classes="line"))
        return LABEL

    def focus_area(self) -> None:
        """Focus the text area."""
        self.query_one(JsonArea).focus()

    @property
    def _fields(self) -> ParamFields | None:
        return next(iter(self.query(ParamFields)), None)

    @property
    def is_form(self) -> bool:
        """Whether the params are shown as a form."""
        return self._fields is not None

    def about(self, widget: Widget) -> str:
        """Return the schema's description of the param whose field contains a widget."""
        return self._fields.about(widget) if self._fields is not None else ""

    def write_into(self, draft: MessageDraft) -> MessageDraft:
        """Return the draft with the text that was edited here. Raises DraftError if it can't be
        parsed.
        """
        fields, area = self._fields, next(iter(self.query(JsonArea)), None)
        if draft.kind is DraftKind.RAW:
            return draft if area is None else replace(draft, raw=area.text)
        if fields is not None:
            values = fields.values()
            had = bool(draft.params.strip())
            return replace(draft, params=write_json(values) if values or had else "")
        return draft if area is None else replace(draft, params=area.text)


def _values(draft: MessageDraft) -> dict[str, object] | None:
    """Return the params as an object; None if they aren't one."""
    try:
        value = read_draft_json("params", draft.params) if draft.params.strip() else {}
    except DraftError:
        return None
    return value if isinstance(value, dict) else None
