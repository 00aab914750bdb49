"""Marks on strips: styles for some of their characters."""

from collections.abc import Iterable
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip


class Mark(NamedTuple):
    """A style for the characters from `start` to before `end`."""

    start: int
    end: int
    style: Style


def marked(strip: Strip, marks: Iterable[Mark]) -> Strip:
    """A strip with marks on it; later marks cover earlier ones."""
    for mark in marks:
        strip = Strip(_marked(strip, mark), strip.cell_length)
    return strip


def _marked(strip: Strip, mark: Mark) -> list[Segment]:
    segments = []
    at = 0
    for text, style, _ in strip:
        start = min(max(mark.start - at, 0), len(text))
        end = min(max(mark.end - at, start), len(text))
        for piece, its in ((text[:start], style), (text[start:end], None), (text[end:], style)):
            if piece:
                segments.append(
                    Segment(piece, its if its is not None else _over(style, mark.style))
                )
        at += len(text)
    return segments


def _over(style: Style | None, mark: Style) -> Style:
    return style + mark if style is not None else mark
