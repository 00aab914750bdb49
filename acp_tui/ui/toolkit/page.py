"""A page of lines that lies over everything for a moment."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from acp_tui.ui import keys
from acp_tui.ui.toolkit.boxes import PAGE, BoxFrame
from acp_tui.ui.toolkit.screens import OverlayScreen


class Page(OverlayScreen[None]):
    """Lines to read, in a frame; keys scroll it, and Esc closes it."""

    DEFAULT_CLASSES = PAGE
    CSS_PATH = Path(__file__).with_name("page.tcss")
    BINDINGS = keys.PAGE  # type: ignore[assignment]
    PLACE: ClassVar = "page"
    KEYS: ClassVar[Sequence[tuple[str, str]]] = ()

    def __init__(self, title: str, lines: Iterable[Content] = (), count: str = "") -> None:
        """`count` says how many there are."""
        super().__init__()
        self.lines = list(lines)
        self._frame = BoxFrame(title=title, count=count)
        self._shown = Static(Content("\n").join(self.lines), markup=False)

    def compose(self) -> ComposeResult:
        with self._frame, VerticalScroll():
            yield self._shown

    def on_mount(self) -> None:
        """Show the keys."""
        self._frame.offer([*self.KEYS, ("escape", "back")], self.PLACE)

    def show_lines(self, lines: Iterable[Content]) -> None:
        """Show other lines."""
        self.lines = list(lines)
        self._shown.update(Content("\n").join(self.lines))

    def action_close(self) -> None:
        """Close."""
        self.dismiss()
