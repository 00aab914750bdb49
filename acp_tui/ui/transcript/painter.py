"""Draws a line of the document as a row of the screen: gutter, background, highlights."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from acp_tui.ui.lines.text_lines import Highlight, highlight_strip
from acp_tui.ui.textual_fixes.line_scroll_view import DrawnRow
from acp_tui.ui.transcript.document import GUTTER, Document, LinePlace
from acp_tui.ui.transcript.entries.context import Fold

if TYPE_CHECKING:
    from acp_tui.ui.colors.palette import Palette
    from acp_tui.ui.transcript.entries.entry_view import EntryView

BELOW = " ↓ new below "
SIGNS = {Fold.FOLDED: "▸", Fold.OPEN: "▾", Fold.FULL: "⊟"}
"""Gutter signs for how much of an entry is shown: its first line, most of it, or all."""
CLIENT_NOTE = "⇒"
"""The sign before a note by acp-tui within the agent's text."""
STATES = ("error", "warning", "success", "accent")
"""Styles whose foreground color has a meaning."""
DIFFS = ("diff.added", "diff.removed", "diff.added.word", "diff.removed.word")
"""Styles whose background color has a meaning."""
MOST_CACHED = 512
"""Most drawn lines in the cache: those on screen, and some to scroll back to."""
Filter = Callable[[list[Segment]], list[Segment]]
"""Converts the segments of a line for a terminal with fewer colors."""


class PaintedLine(NamedTuple):
    """A cached line: its entry's layout version, the view's strip, and the drawn row."""

    version: int
    strip: Strip
    drawn: DrawnRow


class Painter:
    """Draws the lines of one document, with one palette, at one width."""

    def __init__(
        self,
        document: Document,
        palette: "Palette",
        base: Style,
        width: int,
        filters: Sequence[Filter] = (),
    ) -> None:
        self._document = document
        self._palette = palette
        self._base = base
        self._width = width
        self._filters = filters
        self._diffs = {palette[name].bgcolor for name in DIFFS}
        self._states = {palette[name].color for name in STATES} - {palette["text"].color}
        self._cache: OrderedDict[tuple[int, int, Fold, bool, bool], PaintedLine] = OrderedDict()
        self.blank = self.finish([Segment(" " * width, base)])
        """An empty row."""

    def row(self, place: LinePlace, cursor: bool, grounded: bool = False) -> DrawnRow:
        """Draw a line with its gutter at full width; if `grounded`, on the background of the marked
        entry.

        An unchanged line is the same object, which isn't sent to the terminal again.
        """
        view = self._document.view(place.entry)
        if not 0 <= place.line < view.height:
            return self.blank
        if view.live and place.line in view.clock_lines:
            strip = view.strip(place.line, self._palette)
            return self._draw(view, strip, place.line, cursor, grounded)
        return self._drawn(view, place, cursor, grounded)

    def matched(self, row: DrawnRow, parts: Iterable[tuple[int, int, bool]]) -> DrawnRow:
        """Highlight search matches in a row: start, end, and whether it is the current one."""
        styles = self._palette["search.match"], self._palette["search.current"]
        highlights = [
            Highlight(start + GUTTER, end + GUTTER, styles[is_current])
            for start, end, is_current in parts
        ]
        return self.finish(highlight_strip(row, highlights))

    def selected(self, row: DrawnRow, span: tuple[int, int]) -> DrawnRow:
        """Highlight the selected part of a row from start to end; -1 is the end of the row."""
        start, end = span
        end = len(row.text.rstrip()) if end < 0 else end
        mark = Highlight(max(start, GUTTER), end, self._palette["selection"])
        return self.finish(highlight_strip(row, [mark]))

    def with_new_below(self, row: DrawnRow) -> DrawnRow:
        """Add a note about new output below to the end of a row; a click on it goes to the end."""
        label = BELOW if row.cell_length > 2 * len(BELOW) else " ↓ "
        style = self._palette["below"] + Style(meta={"end": True})
        rest = row.crop(0, row.cell_length - len(label))
        return self.finish([*rest, Segment(label, style)])

    def finish(self, segments: Iterable[Segment]) -> DrawnRow:
        """Return a row of the full width, in colors that the terminal supports."""
        line = list(segments)
        for one in self._filters:
            line = one(line)
        return DrawnRow(line, self._width)

    def _drawn(
        self, view: "EntryView[Any]", place: LinePlace, cursor: bool, grounded: bool
    ) -> DrawnRow:
        """Return the cached row if its view still returns the same strip; else draw it."""
        version = self._document.version(place.entry)
        key = (place.entry, place.line, view.fold, cursor, grounded)
        cached = self._cache.get(key)
        if cached is not None:
            self._cache.move_to_end(key)
            if cached.version == version:
                return cached.drawn
        strip = view.strip(place.line, self._palette)
        if cached is not None and cached.strip == strip:
            drawn = cached.drawn
        else:
            drawn = self._draw(view, strip, place.line, cursor, grounded)
        self._cache[key] = PaintedLine(version, strip, drawn)
        if len(self._cache) > MOST_CACHED:
            self._cache.popitem(last=False)
        return drawn

    def _draw(
        self, view: "EntryView[Any]", strip: Strip, line: int, cursor: bool, grounded: bool
    ) -> DrawnRow:
        mark, *parts = *self._gutter(view, line, cursor), *strip
        fill = self._base + self._palette[view.tint] if view.tint else self._base
        # The gutter mark changes with keys: on the marked background it would cost one more color.
        segments = [_fill_segment(fill, mark)]
        if grounded:
            fill = self._marked(fill)
            parts = [Segment(text, self._marked(style or fill)) for text, style, _ in parts]
        segments += [_fill_segment(fill, one) for one in parts]
        room = self._width - GUTTER - strip.cell_length
        if room >= 0:
            return self.finish([*segments, Segment(" " * room, fill)])
        return self.finish(Strip(segments, self._width - room).crop(0, self._width))

    def _marked(self, style: Style) -> Style:
        """Return a style on the background of the marked entry.

        State colors and diff backgrounds are preserved; everything else gets one color, as each
        color costs bytes.
        """
        if style.bgcolor is not None and style.bgcolor in self._diffs:
            return style
        color = style.color if style.color in self._states else None
        return self._palette["row.shown"] + Style(
            color=color, bold=style.bold, meta=style.meta or None
        )

    def _gutter(self, view: "EntryView[Any]", line: int, cursor: bool) -> list[Segment]:
        """Return the gutter: the fold sign, the sign of a note, the cursor, or the entry's bar."""
        style = self._palette["cursor" if cursor else "muted"]
        if view.foldable and line == 0 and (cursor or not view.bar):
            return [Segment(SIGNS[view.fold], style + Style(meta={"toggle": True})), Segment(" ")]
        if view.is_client_note(line):
            return [Segment(CLIENT_NOTE, style), Segment(" ")]
        if cursor:
            return [Segment("❯" if line == 0 else "│", style), Segment(" ")]
        if view.bar:
            return [Segment("▌", self._palette[view.bar]), Segment(" ")]
        return [Segment(" "), Segment(" ")]


def _fill_segment(fill: Style, segment: Segment) -> Segment:
    text, style, _ = segment
    return Segment(text, fill if style is None else fill + style)
