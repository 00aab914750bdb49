"""Highlights on strips: styles for some of their characters."""

from collections.abc import Iterable
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip


class Highlight(NamedTuple):
    """A style for the characters from `start` to before `end`."""

    start: int
    end: int
    style: Style


def highlighted(strip: Strip, highlights: Iterable[Highlight]) -> Strip:
    """Put highlights on a strip; later ones cover earlier ones."""
    for highlight in highlights:
        strip = Strip(_segments(strip, highlight), strip.cell_length)
    return strip


def _segments(strip: Strip, highlight: Highlight) -> list[Segment]:
    segments = []
    at = 0
    for text, style, _ in strip:
        start = min(max(highlight.start - at, 0), len(text))
        end = min(max(highlight.end - at, start), len(text))
        over = style + highlight.style if style is not None else highlight.style
        for piece, its in ((text[:start], style), (text[start:end], over), (text[end:], style)):
            if piece:
                segments.append(Segment(piece, its))
        at += len(text)
    return segments
