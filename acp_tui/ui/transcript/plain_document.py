"""Text that grows, shown as it is."""

from textual.strip import Strip

from acp_tui.ui.transcript.palette import Palette
from acp_tui.ui.transcript.text_lines import TextLines


class MarkdownDocument:
    """Stands where Markdown will be rendered."""

    def __init__(self) -> None:
        self._text = ""
        self._lines = TextLines("")

    def append(self, text: str) -> None:
        self._text += text
        self._lines = TextLines(self._text)

    def finish(self) -> None:
        """No more text comes."""

    @property
    def height(self) -> int:
        return self._lines.height

    def lay_out(self, width: int, until: float) -> bool:
        return self._lines.lay_out(width, until)

    def strip(self, y: int, palette: Palette) -> Strip:
        return self._lines.strip(y, palette)

    def plain(self, y: int) -> str:
        return self._lines.plain(y)

    def source(self, first: int, last: int) -> str:
        return self._lines.source(first, last)

    def code_block_at(self, y: int) -> str | None:  # noqa: ARG002
        return None
