"""Lines of the screen as a picture: an SVG that loads nothing."""

import io
import re
from collections.abc import Sequence

from rich.console import Console
from rich.segment import Segment, Segments
from textual.strip import Strip

from acp_tui.ui.export.drawing import Drawing

_FONTS = re.compile(r"@font-face\s*\{.*?\}\s*", re.DOTALL)


def svg(strips: Sequence[Strip], drawing: Drawing, title: str) -> str:
    """A picture of some lines."""
    console = Console(
        width=drawing.width,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        record=True,
        legacy_windows=False,
    )
    lines = [segment for strip in strips for segment in (*strip, Segment.line())]
    console.print(Segments(lines), end="")
    return self_contained(console.export_svg(title=title, theme=drawing.terminal))


def self_contained(picture: str) -> str:
    """An SVG of Rich's or Textual's without the fonts that it would load from the network."""
    return _FONTS.sub("", picture)
