"""Lays lines out as the transcript does, and looks at what would be on the screen."""

import unicodedata
from time import perf_counter, thread_time

from rich.style import Style
from textual.theme import BUILTIN_THEMES

from acp_tui.ui.transcript.lines import Lines
from acp_tui.ui.transcript.palette import Palette

PALETTE = Palette.from_variables(BUILTIN_THEMES["textual-dark"].to_color_system().generate())
ANSI = Palette.from_variables({}, ansi=True)


def laid_out(lines: Lines, width: int) -> list[str]:
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


def longest_slice(lines: Lines, width: int, budget: float = 0.01) -> float:
    """Lay out in slices; how many seconds of CPU the longest one took."""
    longest, done = 0.0, False
    while not done:
        start = thread_time()
        done = lines.lay_out(width, perf_counter() + budget)
        longest = max(longest, thread_time() - start)
    return longest


def styles_of(lines: Lines, y: int, text: str, palette: Palette = PALETTE) -> list[Style]:
    """The styles of the segments of a line that have this text in them."""
    return [
        segment.style or Style.null() for segment in lines.strip(y, palette) if text in segment.text
    ]
