"""The method of a message, and the methods that have what is written in their names."""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from acp_tui.protocol.method_forms import forms
from acp_tui.ui.line_input import LineInput

MOST, FEWER = 8, 4
"""How many methods are listed on a screen, and on a low one."""
HIGH = 30
"""Rows of a screen that isn't low."""


class MethodField(Vertical):
    """Lists methods until one is written as it is called; Tab takes the first."""

    def __init__(self) -> None:
        super().__init__(id="of-method")
        self.input = LineInput(compact=True, select_on_focus=False, id="method")
        self._offered = Static(markup=False, id="offered")

    def compose(self) -> ComposeResult:
        with Horizontal(classes="line"):
            yield Static("method", markup=False, classes="name")
            yield self.input
        yield self._offered

    @property
    def completions(self) -> list[str]:
        """The methods that have in their names what is written; none once it is a method."""
        text = self.input.value
        if text in forms():
            return []
        return [one for one in forms() if text.casefold() in one.casefold()]

    def offer(self) -> None:
        """List the completions."""
        found = self.completions
        most = MOST if self.screen.size.height >= HIGH else FEWER
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
            ("Tab " if is_first else "    ", "bold $primary"),
            (method[:at], style),
            (method[at : at + size], f"bold {style}"),
            (method[at + size :], style),
        )
