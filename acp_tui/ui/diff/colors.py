"""The colors of code in a diff: those of its tokens, readable on what is added and removed."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from pygments.token import _TokenType as TokenType
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from acp_tui.ui.colors.palette import READABLE, Palette, contrast
from acp_tui.ui.diff.side import Piece


def styled(
    pieces: list[Piece],
    marks: list[tuple[int, int]],
    start: int,
    end: int,
    name: str,
    palette: Palette,
) -> Iterator[Segment]:
    """Yield the part of a line from `start` to `end`, in its colors, its marked words on top."""
    base, word = palette[name], palette[f"{name}.word"] if marks else Style.null()
    cuts = sorted({cut for mark in marks for cut in mark if start < cut < end})
    at = 0
    for text, kind in pieces:
        first, last = max(at, start), min(at + len(text), end)
        if first < last:
            style = _token_on(palette, name, kind)
            borders = [first, *[cut for cut in cuts if first < cut < last], last]
            for a, b in pairwise(borders):
                marked = any(low <= a < high for low, high in marks)
                yield Segment(text[a - at : b - at], base + word if marked else style)
        at += len(text)


@lru_cache(maxsize=2048)
def _token_on(palette: Palette, name: str, kind: TokenType) -> Style:
    """Return the style of a token on the background of a role."""
    base = palette[name]
    if palette.ansi and name != "text":
        return base  # its color is all that tells what it is
    style = base + palette.token(kind)
    if base.bgcolor is None or base.color is None or style.color is None:
        return style
    ground, text = Color.from_rich_color(base.bgcolor), Color.from_rich_color(base.color)
    color = Color.from_rich_color(style.color)
    for step in range(11):
        mixed = color.blend(text, step / 10, 1.0)
        if contrast(mixed, ground) >= READABLE:
            return style + Style(color=mixed.rich_color)
    return base
