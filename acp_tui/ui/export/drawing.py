"""Draws a session without a screen, at any width: as strips, and as an SVG that loads nothing."""

import io
import re
from collections.abc import Iterator, Sequence
from time import perf_counter

from rich.console import Console
from rich.segment import Segment, Segments
from rich.style import Style
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, MONOKAI, TerminalTheme
from textual.color import Color
from textual.strip import Strip
from textual.theme import Theme

from acp_tui.state.session import Session
from acp_tui.ui.colors import theme as themes
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.transcript.document import GUTTER, Document, LinePlace
from acp_tui.ui.transcript.painter import Painter

SLICE = 0.008
"""Seconds of layout between two steps."""
NARROWEST = 20
INDENT = 2
"""Cells by which a subagent's conversation is indented."""
_FONTS = re.compile(r"@font-face\s*\{.*?\}\s*", re.DOTALL)


class Drawing:
    """Draws all entries of a session as lines in a theme's colors, after they are laid out."""

    def __init__(self, document: Document, theme: Theme, width: int) -> None:
        self.width = max(width, NARROWEST)
        self.base = _base(theme)
        self.terminal = _terminal(theme)
        self.document = document
        self.document.grow()
        self.document.resize(self.width - GUTTER)
        self._theme = theme
        self._painter = Painter(self.document, _palette(theme), self.base, self.width)

    def of_subagent(self, child: Session) -> "Drawing":
        """Return a drawing of a subagent's session, for use within its parent's."""
        return Drawing(self.document.of_session(child), self._theme, self.width - INDENT)

    def lay_out(self) -> Iterator[None]:
        """Lay out all entries, in steps."""
        while not self.document.lay_out(perf_counter() + SLICE):
            yield

    def line(self, place: LinePlace) -> Strip:
        """Draw a line as on the screen."""
        return self._painter.row(place, False)

    def last_lines(self, count: int) -> list[Strip]:
        """Draw the last lines, as on a screen scrolled to the end."""
        height = self.document.height
        places = (self.document.locate(y) for y in range(max(0, height - count), height))
        return [self.line(place) for place in places]


def _palette(theme: Theme) -> Palette:
    variables = themes.DEFAULTS | theme.to_color_system().generate() | theme.variables
    return Palette.from_variables(variables, theme.dark, theme.ansi)


def _base(theme: Theme) -> Style:
    foreground = Color.parse(theme.foreground or "ansi_default")
    background = Color.parse(theme.background or "ansi_default")
    return Style(color=foreground.rich_color, bgcolor=background.rich_color)


def _terminal(theme: Theme) -> TerminalTheme:
    """Return the 16 colors of a terminal on the theme's background."""
    stock = MONOKAI if theme.dark else DEFAULT_TERMINAL_THEME
    base = _base(theme)
    assert base.color is not None
    assert base.bgcolor is not None
    ground = base.bgcolor.get_truecolor(stock, foreground=False)
    return TerminalTheme(
        ground, base.color.get_truecolor(stock), [stock.ansi_colors[at] for at in range(16)]
    )


def draw_svg(strips: Sequence[Strip], drawing: Drawing, title: str) -> str:
    """Draw lines as an SVG picture."""
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
    return portable_svg(console.export_svg(title=title, theme=drawing.terminal))


def portable_svg(picture: str) -> str:
    """Return an SVG by Rich or Textual in a form that all programs draw alike.

    That is without the fonts that it would load from the network, and with leading blanks, which
    librsvg would drop.
    """
    return _FONTS.sub("", picture).replace("<svg ", '<svg xml:space="preserve" ', 1)
