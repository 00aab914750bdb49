"""Draws the rows of a diff: signs, line numbers, syntax colors and highlighted words."""

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from pygments.token import _TokenType as TokenType
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.strip import Strip

from acp_tui.ui.colors.contrast import TEXT, contrast_of
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.diff.rows import (
    DiffColumns,
    DiffRow,
    DiffStart,
    RowKind,
    measure_indent,
    wrap_code_line,
)
from acp_tui.ui.diff.side import (
    ColoredPiece,
    DiffSide,
    dot_last_spaces,
    find_changed_words,
    replace_text,
)

SIGNS = {RowKind.REMOVED: "-", RowKind.ADDED: "+", RowKind.PAIR: " ", RowKind.SAME: " "}
STYLES = {RowKind.REMOVED: "diff.removed", RowKind.ADDED: "diff.added", RowKind.SAME: "text"}
CONTINUED = "↪"
"""The sign of a row that continues a wrapped line."""
NO_NEWLINE = "\\ No newline at end of file"
TEXT_ONLY = Palette(defaultdict(Style.null))
"""The palette for rows whose text alone is needed."""


class RowDrawing:
    """Draws the rows of a diff, side by side if `split`."""

    def __init__(
        self,
        old: DiffSide,
        new: DiffSide,
        room: DiffColumns,
        start: DiffStart | None,
        *,
        split: bool,
        width: int,
    ) -> None:
        self._old = old
        self._new = new
        self._room = room
        self._start = start
        self._split = split
        self._width = width

    def strip(self, row: DiffRow, palette: Palette) -> Strip:
        """Draw a row of lines, or the note that a line has no newline at its end."""
        if self._split and row.kind in (RowKind.PAIR, RowKind.SAME, RowKind.NO_NEWLINE):
            left = self._cell(row, palette, old=True, new=False)
            right = self._cell(row, palette, old=False, new=True)
            segments = [*left, Segment(" │ ", palette["muted"]), *right]
        else:
            segments = self._cell(row, palette, old=row.old >= 0, new=row.new >= 0)
        strip = Strip(segments)
        return strip if strip.cell_length <= self._width else strip.crop(0, self._width)

    def _cell(self, row: DiffRow, palette: Palette, *, old: bool, new: bool) -> list[Segment]:
        """Draw a row of a unified diff, or one half of a row side by side."""
        side, index = (self._new, row.new) if new else (self._old, row.old)
        kind = _kind(row.kind, index, new)
        style = palette[STYLES.get(kind, "muted")]
        segments = [Segment(self._numbers(row, old, new), palette["muted"])]
        if row.kind is RowKind.NO_NEWLINE:
            note = NO_NEWLINE[: self._room.text + 2] if index >= 0 else ""
            return self._padded([*segments, Segment(note, palette["muted"])], palette["muted"])
        other = row.pair if row.kind is not RowKind.PAIR else (row.old if new else row.new)
        text = self._text(side, index, row.part, kind, other, palette) if index >= 0 else None
        if text is None:
            return self._padded(segments, palette["muted"])
        sign = CONTINUED if row.part else SIGNS[kind]
        begun = measure_indent(side.shown(index), self._room.text) if row.part else 0
        segments += [Segment(f"{sign} " + " " * begun, style), *text]
        return self._padded(segments, style)

    def _numbers(self, row: DiffRow, old: bool, new: bool) -> str:
        size, start = self._room.number, self._start
        if not size or start is None:
            return ""
        hidden = row.part > 0 or row.kind is RowKind.NO_NEWLINE
        left = "" if hidden or not old or row.old < 0 else str(row.old + start.old)
        right = "" if hidden or not new or row.new < 0 else str(row.new + start.new)
        if self._room.both:
            return f"{left:>{size}} {right:>{size}} "
        return f"{right or left:>{size}} "

    def _text(
        self, side: DiffSide, index: int, part: int, kind: RowKind, other: int, palette: Palette
    ) -> list[Segment] | None:
        """Draw one row of a wrapped line; None if this line has no such row, but the one beside it
        does.
        """
        shown = side.shown(index)
        rows = wrap_code_line(shown, self._room.text)
        if part >= len(rows):
            return None
        start, end = rows[part]
        against = self._other(kind, other)
        drawn = shown if against is None else dot_last_spaces(shown, against)
        base = Segment(drawn[start:end], palette[STYLES[kind]])
        if palette is TEXT_ONLY:
            return [base]
        marks: list[tuple[int, int]] = []
        if against is not None and kind is RowKind.REMOVED:
            marks = find_changed_words(shown, against).old
        elif against is not None:
            marks = find_changed_words(against, shown).new
        pieces = replace_text(side.colored(index), drawn)
        segments = list(style_segments(pieces, marks, start, end, STYLES[kind], palette))
        # Color changes must not split what is drawn as one character, such as joined emoji.
        size = sum(segment.cell_length for segment in segments)
        return segments if size == base.cell_length else [base]

    def _other(self, kind: RowKind, index: int) -> str | None:
        """Return the line that replaces a removed line, or that an added line replaces; None if
        there is none.
        """
        if index < 0 or kind not in (RowKind.REMOVED, RowKind.ADDED):
            return None
        return (self._new if kind is RowKind.REMOVED else self._old).shown(index)

    def _padded(self, segments: list[Segment], style: Style) -> list[Segment]:
        """Pad half a row to its width; pad a whole row only if it has a background."""
        width = (self._width - 3) // 2 if self._split else self._width
        free = width - sum(segment.cell_length for segment in segments)
        if free > 0 and (self._split or style.bgcolor is not None):
            segments.append(Segment(" " * free, style))
        return segments


def _kind(kind: RowKind, index: int, new: bool) -> RowKind:
    """Return the kind of one side: a side of a pair is removed or added."""
    if kind is RowKind.PAIR and index >= 0:
        return RowKind.ADDED if new else RowKind.REMOVED
    return kind


def style_segments(
    pieces: list[ColoredPiece],
    marks: list[tuple[int, int]],
    start: int,
    end: int,
    name: str,
    palette: Palette,
) -> Iterator[Segment]:
    """Yield the part of a line from `start` to `end` in its syntax colors, with marked words
    highlighted.
    """
    base, word = palette[name], palette[f"{name}.word"] if marks else Style.null()
    cuts = sorted({cut for mark in marks for cut in mark if start < cut < end})
    at = 0
    for text, kind in pieces:
        first, last = max(at, start), min(at + len(text), end)
        if first < last:
            style = _token_on(palette, name, kind)
            borders = [first, *[cut for cut in cuts if first < cut < last], last]
            for a, b in pairwise(borders):
                marked = any(low <= a < high for low, high in marks)
                yield Segment(text[a - at : b - at], base + word if marked else style)
        at += len(text)


@lru_cache(maxsize=2048)
def _token_on(palette: Palette, name: str, kind: TokenType) -> Style:
    """Return a token's style, with enough contrast on the background of a role."""
    base = palette[name]
    if palette.ansi and name != "text":
        return base  # only its color shows the kind of line
    style = base + palette.token(kind)
    if base.bgcolor is None or base.color is None or style.color is None:
        return style
    ground, text = Color.from_rich_color(base.bgcolor), Color.from_rich_color(base.color)
    color = Color.from_rich_color(style.color)
    for step in range(11):
        mixed = color.blend(text, step / 10, 1.0)
        if contrast_of(mixed.rgb, ground.rgb) >= TEXT:
            return style + Style(color=mixed.rich_color)
    return base
