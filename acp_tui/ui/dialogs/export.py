"""Asks for the format of an export."""

from pathlib import Path

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from acp_tui.text import clean_line
from acp_tui.ui import bindings
from acp_tui.ui.frame import Frame
from acp_tui.ui.textual_fixes.screens import OverlayScreen
from acp_tui.ui.words import from_home, path_end

LONGEST = 55
"""Characters of the folder's path that have room in a row."""


class ExportDialog(OverlayScreen[str]):
    """One key for each format; the result is the format's suffix."""

    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.EXPORT  # type: ignore[assignment]

    def __init__(self, folder: Path) -> None:
        """`folder` is where it goes."""
        super().__init__()
        self._folder = folder
        self._frame = Frame(title="Export this session")

    def compose(self) -> ComposeResult:
        with self._frame:
            yield Static(_content(self._folder), markup=False)

    def on_mount(self) -> None:
        self._frame.offer([("escape", "back")], "export")

    def action_choose(self, suffix: str) -> None:
        """Take a format."""
        self.dismiss(suffix)

    def action_close(self) -> None:
        """Export nothing."""
        self.dismiss()


def _content(into: Path) -> Content:
    rows = [
        Content.assemble((f"  {keys.partition(',')[0]:<5}", "bold $primary"), words)
        for keys, words in bindings.rows(bindings.EXPORT[:-1])
    ]
    where = path_end(clean_line(from_home(str(into))), LONGEST)
    folder = Content.styled(f"into {where}", "$text-muted")
    return Content("\n").join([folder, Content(), *rows])
