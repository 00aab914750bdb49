"""Lays lines out as the transcript does, and looks at what would be on the screen."""

import sys
import tracemalloc
import unicodedata
from collections.abc import Callable
from time import perf_counter
from unittest import mock

from rich.style import Style
from textual.theme import BUILTIN_THEMES

from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.lines.lines import LineColumn

PALETTE = Palette.from_variables(BUILTIN_THEMES["textual-dark"].to_color_system().generate())
ANSI = Palette.from_variables({}, ansi=True)


def laid_out(lines: LineColumn, width: int) -> list[str]:
    """Lay out to the end; the text of each line, of which nothing may be unsafe or too wide."""
    while not lines.lay_out(width, perf_counter() + 0.01):
        pass
    texts = []
    for y in range(lines.height):
        strip = lines.strip(y, PALETTE)
        assert strip.cell_length <= width
        assert not [char for char in strip.text if unicodedata.category(char) in ("Cc", "Cs")]
        assert lines.plain(y).rstrip() == strip.text.rstrip()
        texts.append(strip.text.rstrip())
    return texts


def assert_little_at_once(lines: LineColumn, width: int) -> None:
    """Lay out to the end; however fast the machine is, no long work goes without looks at the clock.

    So many calls take a few hundredths of a second where nothing else is done.
    """
    calls = [0]

    def count(*_: object) -> None:
        calls[-1] += 1

    sys.setprofile(count)
    try:
        _lay_out(lines, width, lambda: calls.append(0))
    finally:
        sys.setprofile(None)
    assert max(calls) < 150_000


def assert_little_taken(lines: LineColumn, width: int) -> None:
    """Lay out to the end; at no time as much memory is taken as a copy of something huge would."""
    tracemalloc.start()
    try:
        _lay_out(lines, width, lambda: None)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 << 20


def _lay_out(lines: LineColumn, width: int, look: Callable[[], None]) -> None:
    """Lay out by a clock that stands still, and that tells of each look at it."""

    def now() -> float:
        look()
        return 0.0

    module = type(lines).lay_out.__module__  # that of a base, where it is laid out there
    with mock.patch(f"{module}.perf_counter", now):
        while not lines.lay_out(width, 1.0):
            pass


def styles_of(lines: LineColumn, y: int, text: str, palette: Palette = PALETTE) -> list[Style]:
    """The styles of the segments of a line that have this text in them."""
    return [
        segment.style or Style.null() for segment in lines.strip(y, palette) if text in segment.text
    ]
