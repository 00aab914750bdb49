"""JSON as it was written, in the colors of JSON."""

import re
from array import array
from bisect import bisect_right

from textual.strip import Strip

from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.json.json_text import KEY, NUMBER, STRING, WORD
from acp_tui.ui.lines.text_lines import StyledSpan, TextLines, draw

_TOKEN = re.compile(
    r'(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+"?(?P<colon>\s*+:)?)'
    r"|(?P<number>-?\d[\d.eE+-]*+)|(?P<word>\w++)|(?P<comma>,\s*+)|(?P<other>.)",
    re.DOTALL,
)
_STYLES = (KEY, STRING, NUMBER, WORD)
_STYLE_OF = {"colon": 0, "string": 1, "number": 2, "word": 3, "other": 0}


class JsonSource(TextLines):
    """Text that is JSON, or its beginning: wrapped as it is, and colored as far as it is wrapped."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._tokens = _TOKEN.finditer(self._text)
        self._colored = array("Q")
        """Where each color ends."""
        self._styles = bytearray()

    def _wrap_some(self) -> None:
        super()._wrap_some()
        while self._ends and self._ends[-1] > (self._colored[-1] if self._colored else 0):
            self._color()

    def _color(self) -> None:
        """Color one token more; a comma as what it follows."""
        token = next(self._tokens)
        name = "colon" if token["colon"] else token.lastgroup
        style = _STYLE_OF.get(name or "", self._styles[-1] if self._styles else 0)
        if self._styles and self._styles[-1] == style:
            self._colored[-1] = token.end()
        else:
            self._colored.append(token.end())
            self._styles.append(style)

    def strip(self, y: int, palette: Palette) -> Strip:
        start, end = self._starts[y], self._ends[y]
        spans = []
        for at in range(bisect_right(self._colored, start), len(self._colored)):
            if start >= end:
                break
            stop = min(end, self._colored[at])
            spans.append(StyledSpan(self._text[start:stop], _STYLES[self._styles[at]]))
            start = stop
        return draw(spans, palette)
