"""The method of a message, and the methods that have what is written in their names."""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from acp_tui.debug.drafts import DraftKind
from acp_tui.protocol.method_forms import forms
from acp_tui.ui.toolkit.line_input import LineInput

FIRST = "session/prompt"
"""What is offered first where it fits."""
BESIDE = 12
"""Rows that all else needs beside the methods."""
TAB = "Tab "
"""The key that takes the first method."""


class MethodField(Vertical):
    """Lists methods until one is written as it is called; Tab takes the first."""

    def __init__(self) -> None:
        super().__init__(id="of-method")
        self.kind = DraftKind.REQUEST
        self.input = LineInput(select_on_focus=False, id="method")
        self._offered = Static(markup=False, id="offered")

    def compose(self) -> ComposeResult:
        with Horizontal(classes="line"):
            yield Static(" method", markup=False, classes="name")
            yield self.input
        yield self._offered

    @property
    def completions(self) -> list[str]:
        """The methods of this kind that have in their names what is written; none once it is a method."""
        text, wanted = self.input.value, self.kind is DraftKind.REQUEST
        if text in forms():
            return []
        found = [
            one.name
            for one in forms().values()
            if one.is_request is wanted and text.casefold() in one.name.casefold()
        ]
        return sorted(found, key=lambda one: one != FIRST)

    def indent(self, cells: int) -> None:
        """Put the methods below the field, whose label takes so many cells."""
        self._offered.styles.padding = (0, 0, 0, cells - len(TAB))

    def offer(self) -> None:
        """List the completions."""
        found = self.completions
        most = max(1, self.screen.size.height - BESIDE)
        rows = [self._row(one, is_first=at == 0) for at, one in enumerate(found[:most])]
        if len(found) > most:
            more = f"    … {len(found) - most} more: write a part of the name"
            rows.append(Content.styled(more, "$text-muted"))
        self._offered.update(Content("\n").join(rows))
        self._offered.display = bool(rows)

    def _row(self, method: str, *, is_first: bool) -> Content:
        """A method, with what is written of it in bold, and the key that takes the first."""
        at, size = method.casefold().find(self.input.value.casefold()), len(self.input.value)
        style = "$foreground" if is_first else "$text-muted"
        return Content.assemble(
            (TAB if is_first else " " * len(TAB), "bold $primary"),
            (method[:at], style),
            (method[at : at + size], f"bold {style}"),
            (method[at + size :], style),
        )
