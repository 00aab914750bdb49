"""All keys, on one page."""

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from acp_tui.ui import bindings

COLUMN = 34
"""Where the words begin."""


class HelpScreen(ModalScreen[None]):
    """Scrolls; made from the same table as the bindings themselves."""

    CSS_PATH = "screen.tcss"
    BINDINGS = bindings.HELP  # type: ignore[assignment]

    def compose(self) -> ComposeResult:
        with VerticalScroll() as page:
            page.border_title = "Keys"
            page.border_subtitle = "Esc closes"
            yield Static(Content("\n").join(_page()), markup=False)

    def action_close(self) -> None:
        """Close."""
        self.dismiss()


def _page() -> Iterator[Content]:
    for index, section in enumerate(bindings.sections()):
        if index:
            yield Content()
        yield Content.styled(section.title, "bold $accent")
        for keys, words in bindings.rows(section.bindings):
            yield Content.assemble((f"  {keys}".ljust(COLUMN), "$primary"), words)
