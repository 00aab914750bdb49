"""The rows of frames, of which only those on screen are drawn: there may be a million."""

from collections.abc import Callable, Collection, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from acp_tui.debug.columns import excerpt_group, finding_words, worst_finding
from acp_tui.debug.view import Group
from acp_tui.formatting import counted
from acp_tui.text import reveal_escapes
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.inspector.columns import (
    CONTENT_TITLE,
    SEVERITY_STYLES,
    ColumnNeeds,
    FrameColumn,
    column_needs,
    fit_cell,
    fit_content,
    fitting_columns,
    sum_cells,
)
from acp_tui.ui.inspector.log_source import LogSource
from acp_tui.ui.keys import key_name
from acp_tui.ui.lines.text_lines import StyledSpan, draw_spans
from acp_tui.ui.textual_fixes.line_scroll_view import set_virtual_size

REMEMBERED = 2000
"""Rows whose excerpts are cached."""
MARKED = StyledSpan("●", "warning")
PLAYED = StyledSpan("▶", "warning")
LINKED = StyledSpan("▎", "cursor")
UNMARKED = StyledSpan(" ")


def row_mark(
    group: Group, bookmarks: Sequence[int], linked: Sequence[int], played: int | None = None
) -> StyledSpan:
    """Return the sign before a row: the position of a replay, a bookmark, or a frame of the entry
    that was last gone to.
    """
    if played is not None and played - 1 in group:
        return PLAYED
    if any(True for _ in group.among(bookmarks)):
        return MARKED
    return LINKED if any(True for _ in group.among(linked)) else UNMARKED


class RowPainter:
    """Draws rows as strips, in the columns that fit."""

    def __init__(self) -> None:
        self._columns: list[FrameColumn] = []
        self._words: dict[tuple[int, int], str] = {}
        self.shows_findings = False
        """Whether a row with a finding shows it instead of the content."""

    def lay_out(self, width: int, hidden: Collection[str], needs: ColumnNeeds, pinned: str) -> None:
        """Choose the columns for `width` cells, without hidden ones; the column `pinned` is never
        dropped.
        """
        self._columns = fitting_columns(width - 1, hidden, needs, pinned)

    def titles(self, width: int, palette: Palette) -> Strip:
        """Draw the column titles."""
        cells = [fit_cell(column.title, column.width, column.right) for column in self._columns]
        return draw_spans(
            [StyledSpan(fit_cell(" " + " ".join([*cells, CONTENT_TITLE]), width), "table.header")],
            palette,
        )

    def row(self, group: Group, mark: StyledSpan, width: int, palette: Palette) -> Strip:
        """Draw one row, beginning with its mark."""
        spans = [mark]
        for column in self._columns:
            spans += [column.cell(group), StyledSpan(" ")]
        rest = width - 1 - sum_cells(self._columns)
        finding = worst_finding(group) if self.shows_findings else None
        if finding is not None:
            text = fit_cell(reveal_escapes(finding_words(finding)), rest)
            spans.append(StyledSpan(text, SEVERITY_STYLES[finding.severity]))
        else:
            spans.append(StyledSpan(fit_content(self._content(group), rest), "muted"))
        return draw_spans(spans, palette)

    def _content(self, group: Group) -> str:
        """Return a group's content. Cached with the group's length: a message that still grows is
        summarized again.
        """
        key = (group.first.index, min(len(group), 50))
        words = self._words.get(key)
        if words is None:
            if len(self._words) > REMEMBERED:
                self._words.clear()
            words = self._words[key] = excerpt_group(group)
        return words


CURSOR = StyledSpan("▌", "cursor")


class RowsView(ScrollView):
    """Draws the rows of a source below the column titles."""

    def __init__(self, source: LogSource) -> None:
        super().__init__()
        self.source = source
        self.hidden: set[str] = set()
        self.bookmarks: list[int] = []
        self.linked: Sequence[int] = ()
        """The indexes of the records of the entry that was last gone to, oldest first."""
        self.played: Callable[[], int] | None = None
        """Returns the number of records played so far; None if this isn't a replay."""
        self.pinned = ""
        """The title of a column that is never dropped for lack of room."""
        self._at: int | None = None
        self._shown: int | None = None
        self._painter = RowPainter()
        self._laid_out: tuple[int, ColumnNeeds, str] | None = None
        """The width, needs and `pinned` that the columns were chosen for."""
        self._palette: Palette | None = None
        self._style: Style | None = None

    @property
    def width(self) -> int:
        """The width of a row in cells."""
        return self.scrollable_content_region.width

    def set_height(self, height: int) -> None:
        """Set the height of all rows, without laying out the screen."""
        size = Size(self.scrollable_content_region.width, height)
        if size != self.virtual_size:
            set_virtual_size(self, size)

    def on_resize(self) -> None:
        self._laid_out = None

    def choose_columns(self, hidden: set[str]) -> None:
        """Hide these columns from now on."""
        self.hidden = hidden
        self._laid_out = None
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._palette = self._style = None

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if self._style is None:
            self._style = self.rich_style
        palette = self._colors()
        if y == 0 or self._laid_out is None:
            self._lay_out(width)
        if y == 0:
            strip = self._painter.titles(width, palette)
        else:
            position = self.scroll_offset.y + y - 1
            if position < len(self.source.view):
                strip = self._row(position, width, palette)
            else:
                words = self._explain_empty() if position == 0 else ""
                strip = draw_spans([StyledSpan(fit_cell(f" {words}", width), "muted")], palette)
        return strip.apply_style(self._style).adjust_cell_length(width, self._style)

    def _lay_out(self, width: int) -> None:
        wanted = (width, column_needs(self.source.log), self.pinned)
        if self._laid_out != wanted:
            self._laid_out = wanted
            self._painter.lay_out(width, self.hidden, *wanted[1:])

    def show(self, group: Group | None) -> None:
        """Tint the row whose frame is shown in the detail."""
        shown = None if group is None else group.first.index
        if shown != self._shown:
            self._shown = shown
            self.refresh()

    @property
    def position(self) -> int:
        """The position of the row under the cursor; -1 if there is none."""
        if self._at is None or not len(self.source.view):
            return -1
        return self.source.view.position_of(self._at)

    def _explain_empty(self) -> str:
        """Return why the table is empty, and the key that helps."""
        log = self.source.log
        if len(log.records) and self.source.share < 1:
            return ""
        if not self.source.filter.strip():
            return "No messages yet. They appear here as they go over the wire."
        some, away = counted(len(log), "record"), key_name("escape")
        return f"None of {some} passes {self.source.filter.strip()}: {away} clears it."

    def _row(self, position: int, width: int, palette: Palette) -> Strip:
        group = self.source.view[position]
        self._painter.shows_findings = self.source.filters_findings
        played = None if self.played is None else self.played()
        sign = row_mark(group, self.bookmarks, self.linked, played)
        strip = self._painter.row(group, sign, width, palette)
        if played is not None and group.first.index >= played:
            strip = Strip([Segment(strip.text, palette["muted"])])
        is_shown = group.first.index == self._shown
        is_cursor = self.has_focus and position == self.position
        if not is_shown and not is_cursor:
            return strip
        # A key press redraws only the first cells of two rows; the tint follows once no key was
        # pressed for a moment.
        first, rest = strip.divide([1, strip.cell_length])
        if is_cursor:
            first = _draw_cursor(first, palette)
        row = Strip.join([first, rest])
        return row.apply_style(_tint_of(palette)) if is_shown else row

    def _colors(self) -> Palette:
        if self._palette is None:
            self._palette = Palette.of(self.app)
        return self._palette


def _draw_cursor(sign: Strip, palette: Palette) -> Strip:
    """Draw the cursor over a row's sign: a bar, or the sign in reverse video."""
    if not sign.text.strip():
        return draw_spans([CURSOR], palette)
    return sign.apply_style(Style(reverse=True))


def _tint_of(palette: Palette) -> Style:
    """Return the background style of the row shown in the detail; its text keeps its colors."""
    shown = palette["row.shown"]
    return shown.without_color + Style(bgcolor=shown.bgcolor)
