"""Enforces a minimum contrast between text and its background, in any theme and in every state of a
widget.

A theme's colors are chosen for its own backgrounds; on a selection, a hover or a dialog they meet
others. WCAG 2.2 requires 4.5:1 for text (1.4.3) and 3:1 for lines and bars (1.4.11).
"""

from collections.abc import Iterable
from functools import lru_cache

from rich.color import Color as RichColor
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

TEXT = 4.5
LINES = 3.0
_LINES = frozenset(map(chr, range(0x2500, 0x25A0)))
"""Box drawing characters and block elements."""
_BLANK = frozenset(" \N{NO-BREAK SPACE}\t\n")
_STEPS = 16
"""Number of steps toward black or white that are tried; finer steps look the same."""


class EnoughContrast(LineFilter):
    """Moves colors with too little contrast toward black or white, by as little as needed."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        ground = background.rich_color.triplet
        return [
            segment
            if segment.style is None or (least := least_contrast(segment.text)) is None
            else Segment(segment.text, _seen(segment.style, ground, least))
            for segment in segments
        ]


@lru_cache(4096)
def least_contrast(text: str) -> float | None:
    """Return the contrast that a text needs; None for blanks."""
    drawn = set(text) - _BLANK
    if not drawn:
        return None
    return LINES if drawn <= _LINES else TEXT


@lru_cache(4096)
def _seen(style: Style, ground: ColorTriplet | None, least: float) -> Style:
    color = style.color.triplet if style.color is not None else None
    on = style.bgcolor.triplet if style.bgcolor is not None else ground
    if style.reverse:
        color, on = on, color
    if color is None or on is None or contrast_of(color, on) >= least:
        return style
    moved = RichColor.from_triplet(_move_color(color, on, least))
    return style + (Style(bgcolor=moved) if style.reverse else Style(color=moved))


def _move_color(color: ColorTriplet, on: ColorTriplet, least: float) -> ColorTriplet:
    """Return the first color with enough contrast on another, on the way to black or white."""
    ends = (ColorTriplet(255, 255, 255), ColorTriplet(0, 0, 0))
    end = max(ends, key=lambda one: contrast_of(one, on))
    ways: Iterable[ColorTriplet] = (
        ColorTriplet(*(round(a + (b - a) * step / _STEPS) for a, b in zip(color, end, strict=True)))
        for step in range(1, _STEPS)
    )
    return next((one for one in ways if contrast_of(one, on) >= least), end)


def contrast_of(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    """Return the WCAG contrast of two colors, from 1 (equal) to 21 (black on white)."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@lru_cache(4096)
def _luminance(color: tuple[int, int, int]) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (level / 255 for level in color)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
