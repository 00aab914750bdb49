"""All keys, on one page."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from acp_tui.ui import bindings
from acp_tui.ui.textual_fixes.screens import OverlayScreen

COLUMN = 34
"""Where the words begin."""
LEAST = 20
"""Cells that the words get at least."""


class HelpScreen(OverlayScreen[None]):
    """Scrolls; made from the same table as the bindings themselves."""

    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.HELP  # type: ignore[assignment]

    def __init__(self, topic: str) -> None:
        super().__init__()
        self._topic = topic

    def compose(self) -> ComposeResult:
        with VerticalScroll() as page:
            page.border_title = "Keys"
            page.border_subtitle = "Esc closes"
            yield _Keys(bindings.sections(self._topic))

    def action_close(self) -> None:
        """Close."""
        self.dismiss()


class _Keys(Static):
    """The page; words wrap beside their keys, not below them."""

    def __init__(self, sections: list[bindings.Section]) -> None:
        super().__init__(markup=False)
        self._sections = sections

    def on_mount(self) -> None:
        self.show(self.app.size.width)

    def on_resize(self, event: events.Resize) -> None:
        """Wrap all lines again."""
        self.show(event.size.width)

    def show(self, width: int) -> None:
        """Show all keys in so many cells."""
        self.update(Content("\n").join(_page(self._sections, width)))


def _page(sections: list[bindings.Section], width: int) -> Iterator[Content]:
    for index, section in enumerate(sections):
        if index:
            yield Content()
        yield Content.styled(section.title, "bold $accent")
        for keys, words in bindings.rows(section.bindings):
            first, *rest = wrap(words, max(LEAST, width - COLUMN))
            yield Content.assemble((f"  {keys}".ljust(COLUMN), "$primary"), first)
            for part in rest:
                yield Content(" " * COLUMN + part)
