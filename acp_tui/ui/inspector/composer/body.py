"""Where the body of a message is written: the params as a form or as JSON, or raw lines."""

from dataclasses import replace

from textual.containers import Horizontal, VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from acp_tui.debug.drafts import DraftError, DraftKind, MessageDraft, read_json, write_json
from acp_tui.protocol.method_forms import MethodForm
from acp_tui.ui.inspector.composer.params import JsonArea, ParamFields

LABEL = 9
"""Cells of a label, where no param needs more."""


class MessageBody(VerticalScroll):
    """Fields for the params that the method has, or one area for all."""

    def __init__(self) -> None:
        super().__init__(can_focus=False, id="body")

    async def show(self, draft: MessageDraft, form: MethodForm | None) -> int:
        """Show what a draft has, in a form if there is one and it fits; return the cells of labels."""
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
        """Go to where all is written."""
        self.query_one(JsonArea).focus()

    @property
    def _fields(self) -> ParamFields | None:
        return next(iter(self.query(ParamFields)), None)

    @property
    def is_form(self) -> bool:
        """Whether each param has a field."""
        return self._fields is not None

    def about(self, widget: Widget) -> str:
        """Return what the schema says of the param whose field has a widget."""
        return self._fields.about(widget) if self._fields is not None else ""

    def taken_into(self, draft: MessageDraft) -> MessageDraft:
        """Return a draft with what is written here. Raises DraftError."""
        fields, area = self._fields, next(iter(self.query(JsonArea)), None)
        if draft.kind is DraftKind.RAW:
            return draft if area is None else replace(draft, raw=area.text)
        if fields is not None:
            values = fields.values()
            had = bool(draft.params.strip())
            return replace(draft, params=write_json(values) if values or had else "")
        return draft if area is None else replace(draft, params=area.text)


def _values(draft: MessageDraft) -> dict[str, object] | None:
    """The params as an object; None if they are something else."""
    try:
        value = read_json("params", draft.params) if draft.params.strip() else {}
    except DraftError:
        return None
    return value if isinstance(value, dict) else None
