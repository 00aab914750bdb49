"""The styles that terminals know (SGR), as Rich styles."""

from collections.abc import Iterator
from functools import lru_cache

from rich.ansi import SGR_STYLE_MAP
from rich.color import Color
from rich.style import Style

PLAIN = Style.null()

_UNWANTED = {5, 6, 8}
"""Attributes that are ignored: those of text that blinks or is hidden."""


@lru_cache(maxsize=4096)
def selected(style: Style, parameters: str) -> Style:
    """Return the style that an SGR sequence with these parameters makes of a style."""
    codes = _codes(parameters)
    for code in codes:
        if code == 0:
            style = PLAIN
        elif code in (38, 48, 58):
            color = _color(codes)
            if color is not None and code != 58:
                style += Style(color=color) if code == 38 else Style(bgcolor=color)
        elif code in SGR_STYLE_MAP and code not in _UNWANTED:
            style += Style.parse(SGR_STYLE_MAP[code])
    return style


def _codes(parameters: str) -> Iterator[int]:
    """Yield the numbers of an SGR sequence; those with colons written as those with semicolons."""
    for group in parameters.split(";"):
        first, *others = [number(part) for part in group.split(":")]
        if first == 4 and others:
            yield 4 if others[0] else 24
        elif others[:1] == [2] and len(others) > 4:
            yield from (first, 2, *others[2:5])  # without the color space
        elif others or group:
            yield from (first, *others)
        else:
            yield 0


def _color(codes: Iterator[int]) -> Color | None:
    match next(codes, None):
        case 5:
            return Color.from_ansi(min(next(codes, 0), 255))
        case 2:
            red, green, blue = (min(next(codes, 0), 255) for _ in range(3))
            return Color.from_rgb(red, green, blue)
    return None


def number(text: str) -> int:
    """Return a parameter of a sequence; 0 if there is none, or no number."""
    return min(int(text[:5]), 9999) if text.isascii() and text.isdigit() else 0
