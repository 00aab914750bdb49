"""Bytes as lines, for what is no text."""

from textual.strip import Strip

from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.lines.text_lines import StyledSpan, crop, draw


class HexLines:
    """Bytes in hex, with what of them is ASCII beside."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._width = 0
        self._step = 16

    @property
    def height(self) -> int:
        return -(-len(self._data) // self._step)

    def lay_out(self, width: int, until: float) -> bool:  # noqa: ARG002
        self._width = width
        self._step = 16 if width >= 76 else 8
        return True

    def strip(self, y: int, palette: Palette) -> Strip:
        place, digits, text = self._row(y)
        spans = [
            StyledSpan(place, "muted"),
            StyledSpan(digits),
            StyledSpan(text, "token.literal.string"),
        ]
        return draw(crop(spans, self._width), palette)

    def plain(self, y: int) -> str:
        return "".join(self._row(y))

    def source(self, first: int, last: int) -> str:
        return "\n".join(self.plain(y) for y in range(first, last + 1))

    def _row(self, y: int) -> tuple[str, str, str]:
        start = y * self._step
        part = self._data[start : start + self._step]
        text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "·" for byte in part)
        return f"{start:08x}  ", f"{part.hex(' '):<{3 * self._step}} ", text
