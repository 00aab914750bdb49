"""What differs between two turns, or two frames."""

from collections.abc import Iterator
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from acp_tui.ui import bindings
from acp_tui.ui.textual_fixes.screens import OverlayScreen
from acp_tui.wire.compare.comparison import Comparison, Kind
from acp_tui.wire.compare.report import comparison_text

MOST = 1000
"""How many lines are shown."""
_STYLES = {
    Kind.NEW: "$success",
    Kind.GONE: "$error",
    Kind.CHANGED: "$warning",
    Kind.SLOWER: "$accent",
}


class DifferencesScreen(OverlayScreen[None]):
    """In the order of the turn; the last line counts them."""

    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.DIFFERENCES  # type: ignore[assignment]

    def __init__(self, found: Comparison, title: str) -> None:
        super().__init__()
        self._found = found
        self._title = title

    def compose(self) -> ComposeResult:
        with VerticalScroll() as page:
            page.border_title = self._title
            page.border_subtitle = bindings.hints([("escape", "close")])
            yield Static(Content("\n").join(self._rows()), markup=False)

    def action_close(self) -> None:
        """Close."""
        self.dismiss()

    def _rows(self) -> Iterator[Content]:
        lines = list(comparison_text(self._found))
        yield from map(_styled, lines[1:MOST] if self._found.differences else lines)
        if len(lines) > MOST:
            yield Content.styled("and more: acp-tui diff shows all", "$text-muted")


def _styled(line: str) -> Content:
    """Color the word that says how it differs."""
    kind = line.strip().partition(" ")[0]
    for one, style in _STYLES.items():
        if kind == one and line.startswith("  ") and not line.startswith("   "):
            return Content.assemble("  ", (kind, style), line[2 + len(kind) :])
    return Content(line)
