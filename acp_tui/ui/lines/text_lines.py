"""Plain text as lines: wrapped at words, or a single cropped line; highlights in lines."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from acp_tui.text import clean_line, clean_text
from acp_tui.ui.lines.cells import fitting_count
from acp_tui.ui.lines.lines import Wrap, measure

if TYPE_CHECKING:
    from acp_tui.ui.colors.palette import Palette

LONGEST_ROW_TEXT = 2000
"""Most characters of a text that a single line shows."""
SLICE_ROWS = 64
"""Rows that are wrapped between two checks of the clock."""


class StyledSpan(NamedTuple):
    """Text in one style of the palette; `meta` is the metadata for clicks on it."""

    text: str
    style: str = "text"
    meta: Mapping[str, Any] | None = None


def draw_spans(spans: Sequence[StyledSpan], palette: "Palette") -> Strip:
    """Make a strip of spans; their text must be clean."""
    return Strip([Segment(span.text, _style(span, palette)) for span in spans if span.text])


def _style(span: StyledSpan, palette: "Palette") -> Style:
    style = palette[span.style]
    return style + Style(meta=dict(span.meta)) if span.meta else style


def crop_spans(spans: Sequence[StyledSpan], width: int) -> list[StyledSpan]:
    """Return the spans that fit into `width` cells, with an ellipsis if some don't."""
    if sum(cell_len(span.text) for span in spans) <= width:
        return list(spans)
    kept: list[StyledSpan] = []
    left = width - 1
    for span in spans:
        size = cell_len(span.text)
        if size > left:
            kept.append(span._replace(text=set_cell_size(span.text, max(left, 0)) + "…"))
            break
        kept.append(span)
        left -= size
    return kept if width > 0 else []


def part_of(line: Sequence[StyledSpan], start: int, end: int) -> Iterator[StyledSpan]:
    """Yield the spans of a line from character `start` to `end`."""
    at = 0
    for span in line:
        text = span.text[max(start - at, 0) : max(end - at, 0)]
        if text:
            yield span._replace(text=text)
        at += len(span.text)


class LineHead:
    """A single line, whose start is cropped to leave room for its end.

    Both are created when the line is drawn, so that they can show a running clock.
    """

    height = 1

    def __init__(
        self,
        start: Callable[[], list[StyledSpan]],
        end: Callable[[], list[StyledSpan]] | None = None,
    ) -> None:
        self._start = start
        self._end = end
        self._width = 0

    def lay_out(self, width: int, until: float) -> bool:  # noqa: ARG002
        self._width = width
        return True

    def strip(self, y: int, palette: "Palette") -> Strip:  # noqa: ARG002
        return draw_spans(self._spans(), palette)

    def plain(self, y: int) -> str:  # noqa: ARG002
        return "".join(span.text for span in self._spans())

    def source(self, first: int, last: int) -> str:  # noqa: ARG002
        return self.plain(0)

    def _spans(self) -> list[StyledSpan]:
        start = _cleaned(self._start())
        end = _cleaned(self._end()) if self._end else []
        end = crop_spans(end, max(0, self._width * 2 // 3))
        room = self._width - sum(cell_len(span.text) for span in end)
        return crop_spans(start, room) + end


def _cleaned(spans: list[StyledSpan]) -> list[StyledSpan]:
    return [span._replace(text=clean_line(span.text[:LONGEST_ROW_TEXT])) for span in spans]


class TextLines:
    """Text in one style, wrapped at words, to the right of its mark if it has one."""

    def __init__(
        self,
        text: str,
        style: str = "text",
        meta: Mapping[str, Any] | None = None,
        *,
        mark: str = "",
    ) -> None:
        self._text = clean_text(text).rstrip("\n").expandtabs(4)
        self._style = style
        self._meta = meta
        self._mark = mark
        self._form = measure.form(0)
        self._starts = array("Q")
        self._ends = array("Q")
        self._rows: Iterator[tuple[int, int]] = iter(())
        self._done = False

    @property
    def height(self) -> int:
        return len(self._starts)

    def lay_out(self, width: int, until: float) -> bool:
        width = max(width, 1)
        if measure.form(width) != self._form:
            self._form = measure.form(width)
            self._starts, self._ends = array("Q"), array("Q")
            self._rows = wrapped_rows(self._text, max(1, measure.within(width) - len(self._mark)))
            self._done = False
        while not self._done:
            self._wrap_some()
            if perf_counter() > until:
                break
        return self._done

    def _wrap_some(self) -> None:
        for _ in range(SLICE_ROWS):
            row = next(self._rows, None)
            if row is None:
                self._done = True
                return
            self._starts.append(row[0])
            self._ends.append(row[1])

    def wrap_at(self, y: int) -> Wrap | None:
        """Return the wrap between row `y` and the row above; None if `y` begins a line."""
        glue = self._text[self._ends[y - 1] : self._starts[y]] if y else "\n"
        return None if "\n" in glue else Wrap(len(self._mark), glue)

    def strip(self, y: int, palette: "Palette") -> Strip:
        return draw_spans([StyledSpan(self.plain(y), self._style, self._meta)], palette)

    def plain(self, y: int) -> str:
        margin = " " * len(self._mark) if y else self._mark
        return margin + self._text[self._starts[y] : self._ends[y]]

    def source(self, first: int, last: int) -> str:
        if not self._starts:
            return ""
        return ("" if first else self._mark) + self._text[self._starts[first] : self._ends[last]]


def wrapped_rows(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each row of wrapped text. A word is only split if it doesn't fit
    in a row, a grapheme never.
    """
    line_start = 0
    while line_start <= len(text):
        line_end = text.find("\n", line_start)
        if line_end < 0:
            line_end = len(text)
        yield from _wrapped(text, line_start, line_end, width)
        line_start = line_end + 1


def _wrapped(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    while True:
        stop = _row_end(text, start, end, width)
        if stop >= end:
            yield start, end
            return
        space = text.rfind(" ", start + 1, stop + 1)
        if space < 0 or not 0 < cell_len(text[start:space].lstrip(" ")) <= width:
            yield start, stop
            start = stop
        else:
            yield start, space
            start = space + 1


def _row_end(text: str, start: int, end: int, width: int) -> int:
    """Return where a row from `start` ends that is at most `width` cells wide."""
    window = text[start : min(end, start + width + 1)]
    if window.isascii():
        return start + min(len(window), width)
    stop = start + fitting_count(text[start : min(end, start + 4 * width)], width)
    while stop > start + 1 and cell_len(text[start:stop]) > width:
        stop -= 1  # a leading joiner counts differently than between graphemes
    return stop


class ClientNote(TextLines):
    """A note by acp-tui within an agent's text. The transcript marks it in its gutter, where an
    agent's text can't reach.
    """


class Highlight(NamedTuple):
    """A style for the characters from `start` to before `end`."""

    start: int
    end: int
    style: Style


def highlight_strip(strip: Strip, highlights: Iterable[Highlight]) -> Strip:
    """Apply highlights to a strip; later ones cover earlier ones."""
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
