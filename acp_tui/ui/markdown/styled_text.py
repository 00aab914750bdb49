"""Styled text, and its wrapping into lines of a given width."""

from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.style import Style

from acp_tui.ui.lines.cells import graphemes, is_plain_text, line_breaks

if TYPE_CHECKING:
    from acp_tui.ui.colors.palette import Palette


class TextLook(NamedTuple):
    """The look of a piece of text: palette roles (or Pygments tokens), and a link."""

    roles: tuple[Any, ...] = ()
    link: str = ""

    def also(self, role: str) -> "TextLook":
        """Return the look with one more role on top."""
        return self if role in self.roles else TextLook((*self.roles, role), self.link)


PLAIN = TextLook()
Line = list[tuple[str, TextLook]]
"""Pieces of text, each with its look."""


def style_of(look: TextLook, palette: "Palette") -> Style:
    """Return the style of a look; its link can be opened by the terminal and by the app."""
    style = palette.combined(look.roles)
    return style + Style(link=look.link, meta={"link": look.link}) if look.link else style


def plain_text(line: Line) -> str:
    """Return the text of a line without its looks."""
    return "".join([text for text, _ in line])


def align_to_graphemes(line: Line) -> Line:
    """Move span boundaries to grapheme boundaries: a grapheme has only one look."""
    text = plain_text(line)
    if len(line) < 2 or is_plain_text(text):
        return line
    starts = [start for start, _, _ in graphemes(text)] + [len(text)]
    ends = [starts[bisect_left(starts, end)] for end in _span_ends(line)]
    parts = zip([0, *ends[:-1]], ends, line, strict=True)
    return [(text[start:end], look) for start, end, (_, look) in parts if end > start]


def _span_ends(line: Line) -> list[int]:
    return list(accumulate(len(text) for text, _ in line))


def wrap_line(line: Line, width: int) -> list[Line]:
    """Wrap a line to at most `width` cells, at spaces, or within long words between graphemes."""
    text = plain_text(line)
    cuts = line_breaks(text, width)
    if len(cuts) == 1 and cuts[0] == (0, len(text)):
        return [line]
    return slice_line(line, cuts)


def slice_line(line: Line, cuts: list[tuple[int, int]]) -> list[Line]:
    """Return the parts of a line given by their start and end, in order."""
    if len(line) == 1:
        text, look = line[0]
        return [[(text[start:end], look)] for start, end in cuts]
    ends = _span_ends(line)
    return [_slice(line, ends, start, end) for start, end in cuts]


def _slice(line: Line, ends: list[int], start: int, end: int) -> Line:
    part: Line = []
    index = bisect_right(ends, start)
    while start < end:
        text, look = line[index]
        begin = ends[index] - len(text)
        part.append((text[start - begin : end - begin], look))
        start, index = ends[index], index + 1
    return part
