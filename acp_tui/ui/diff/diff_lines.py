"""A diff as lines: unified or side by side, with line numbers, colors and marked words."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import pairwise
from time import perf_counter

from pygments.token import _TokenType as TokenType
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.strip import Strip

from acp_tui.edits.line_diff import DiffBlock, DiffBlocks, compare_lines
from acp_tui.protocol.content import Diff
from acp_tui.text import one_line
from acp_tui.ui.colors.palette import READABLE, Palette, contrast_ratio
from acp_tui.ui.diff.header import NO_PARTS, HeaderParts, format_file_header, is_binary
from acp_tui.ui.diff.rows import (
    CONTEXT,
    WHOLE,
    DiffColumns,
    DiffPlace,
    DiffRow,
    DiffRows,
    DiffStart,
    RowFiller,
    RowKind,
    divide_width,
    find_folded,
    find_places,
    measure_indent,
    wrap_code_line,
)
from acp_tui.ui.diff.side import (
    ColoredPiece,
    DiffSide,
    dot_last_spaces,
    find_changed_words,
    replace_text,
    sides_of,
)
from acp_tui.ui.lines.measure import SPLIT_WIDTH
from acp_tui.ui.lines.text_lines import StyledSpan, draw_spans
from acp_tui.ui.lines.visible import LONGEST_SHOWN_LINE

SIGNS = {RowKind.REMOVED: "-", RowKind.ADDED: "+", RowKind.PAIR: " ", RowKind.SAME: " "}
STYLES = {RowKind.REMOVED: "diff.removed", RowKind.ADDED: "diff.added", RowKind.SAME: "text"}
CONTINUED = "↪"
"""The sign of a row that goes on with the line above."""
NO_NEWLINE = "\\ No newline at end of file"
TEXT_ONLY = Palette(defaultdict(Style.null))
"""What rows are drawn with if only their text is wanted."""
_CHANGED = (RowKind.REMOVED, RowKind.ADDED, RowKind.PAIR)


class RowDrawing:
    """Draws rows of both sides of a diff, side by side if it is `split`."""

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
        """Draw a row that has lines of the sides, or says that one has no newline."""
        if self._split and row.kind in (RowKind.PAIR, RowKind.SAME, RowKind.NO_NEWLINE):
            left = self._cell(row, palette, old=True, new=False)
            right = self._cell(row, palette, old=False, new=True)
            segments = [*left, Segment(" │ ", palette["muted"]), *right]
        else:
            segments = self._cell(row, palette, old=row.old >= 0, new=row.new >= 0)
        strip = Strip(segments)
        return strip if strip.cell_length <= self._width else strip.crop(0, self._width)

    def _cell(self, row: DiffRow, palette: Palette, *, old: bool, new: bool) -> list[Segment]:
        """Return a row of a unified diff, or half a row of one side by side."""
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
        """Return a part of a line; None if the line beside it wraps to more parts than it does."""
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
        # Colors must not come between what is drawn as one, such as joined emoji.
        size = sum(segment.cell_length for segment in segments)
        return segments if size == base.cell_length else [base]

    def _other(self, kind: RowKind, index: int) -> str | None:
        """Return the line on the other side that a changed line stands against, if there is one."""
        if index < 0 or kind not in (RowKind.REMOVED, RowKind.ADDED):
            return None
        return (self._new if kind is RowKind.REMOVED else self._old).shown(index)

    def _padded(self, segments: list[Segment], style: Style) -> list[Segment]:
        """Fill a half of a row; and a whole one, if its background shows what it is."""
        width = (self._width - 3) // 2 if self._split else self._width
        free = width - sum(segment.cell_length for segment in segments)
        if free > 0 and (self._split or style.bgcolor is not None):
            segments.append(Segment(" " * free, style))
        return segments


def _kind(kind: RowKind, index: int, new: bool) -> RowKind:
    """Return what one side of a row is."""
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
    """Yield the part of a line from `start` to `end`, in its colors, its marked words on top."""
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
    """Return the style of a token on the background of a role."""
    base = palette[name]
    if palette.ansi and name != "text":
        return base  # its color is all that tells what it is
    style = base + palette.token(kind)
    if base.bgcolor is None or base.color is None or style.color is None:
        return style
    ground, text = Color.from_rich_color(base.bgcolor), Color.from_rich_color(base.color)
    color = Color.from_rich_color(style.color)
    for step in range(11):
        mixed = color.blend(text, step / 10, 1.0)
        if contrast_ratio(mixed, ground) >= READABLE:
            return style + Style(color=mixed.rich_color)
    return base


class DiffLines:
    """A diff: what changed, with some lines around it, side by side if the width allows that.

    A new or deleted file has only one side to show. `source` is the path that a renamed file had
    before, `cwd` the session's folder. Of what is to be `judged` all is shown as text. What the header
    says `around` the path is for who shows nothing else above it; who tells all of that elsewhere has no `head`.
    Lines have numbers where it is known at which the diff has its `start`.
    """

    def __init__(
        self,
        diff: Diff,
        *,
        source: str | None = None,
        cwd: str | None = None,
        start: DiffStart | None = WHOLE,
        judged: bool = False,
        around: HeaderParts = NO_PARTS,
        head: bool = True,
    ) -> None:
        self._diff = diff
        self._head = int(head)
        self._around = around
        self._start = start
        self._binary = is_binary(diff) and not judged
        self._cwd = cwd
        self._split: bool | None = None
        self._whole = False
        self._lead = CONTEXT
        self._source_path = source
        self._old, self._new = sides_of(diff, source)
        self._comparing = compare_lines(self._old.keys, self._new.keys)
        self._blocks: DiffBlocks | None = DiffBlocks() if self._binary else None
        self._width = 0
        self._rows = DiffRows()
        self._layout: Iterator[None] | None = None
        self._begin()

    @property
    def split(self) -> bool:
        """Whether the sides stand side by side."""
        wanted = self._width >= SPLIT_WIDTH if self._split is None else self._split
        return wanted and self.has_sides

    @property
    def has_sides(self) -> bool:
        """Whether there are lines on both sides."""
        return bool(self._old.lines) and bool(self._new.lines)

    @property
    def has_folds(self) -> bool:
        """Whether unchanged lines are left out, or empty ones counted."""
        return self._rows.has_folds

    @cached_property
    def is_cut(self) -> bool:
        """Whether some of what is written is in none of the lines."""
        return self._binary or any(len(line) > LONGEST_SHOWN_LINE for line in self._new.lines)

    @property
    def changes(self) -> list[DiffBlock]:
        """The changes that are known by now: comparing may still go on."""
        return [one for one in self._blocks or () if not one.same]

    def change_rows(self) -> list[tuple[int, int]]:
        """Return the first and the last row of each change that is laid out by now."""
        found: list[tuple[int, int]] = []
        inside = False
        for at in range(len(self._rows)):
            row = self._rows[at]
            if row.kind is RowKind.NO_NEWLINE:
                continue
            one_side = (row.old < 0) != (row.new < 0)
            changed = one_side if row.kind is RowKind.EMPTY else row.kind in _CHANGED
            if changed:
                y = at + self._head
                found[-1:] = [(found[-1][0], y)] if inside else [*found[-1:], (y, y)]
            inside = changed
        return found

    def places_at(self, y: int) -> tuple[DiffPlace, ...]:
        """Return which lines stand in a row, that of the new side last; none of the header and of what is
        folded.
        """
        row = self._rows[y - self._head] if self._head <= y < self.height else None
        return find_places(row, self._old, self._new, self._start) if row is not None else ()

    def folded_at(self, y: int, line: int) -> DiffPlace | None:
        """Return the unchanged line of that number in the file, if it is folded in a row."""
        row = self._rows[y - self._head] if self._head <= y < self.height else None
        return find_folded(row, self._new, self._start, line) if row is not None else None

    def arrange(self, split: bool | None, whole: bool) -> None:
        """Put the sides beside each other or not; show all lines, or only some around changes.

        If `split` is None, the width decides.
        """
        if (split, whole) != (self._split, self._whole):
            self._split, self._whole = split, whole
            self._begin()

    def begin_at(self, start: DiffStart | None) -> None:
        """Number the lines from there on, or not at all."""
        if start != self._start:
            self._start = start
            self._begin()

    def lead(self, lines: int) -> None:
        """Show at most `lines` unchanged lines before the first change, and count the rest; a lead of
        `lead_for` leaves them out uncounted.
        """
        if lines != self._lead:
            self._lead = lines
            self._begin()

    def end_at(self, lead: int) -> int | None:
        """Return how many lines there would be with such a lead; None as for `change_at`."""
        now, then = self.change_at(self._lead), self.change_at(lead)
        return None if now is None or then is None else self.height - now + then

    def change_at(self, lead: int) -> int | None:
        """Return the line that the first change would stand in with such a lead; None if there is
        none, or it is not known yet.
        """
        if not self._blocks or not self._width:
            return None
        before = self._filler().rows_before(self._blocks, lead)
        return None if before is None else self._head + before

    @property
    def height(self) -> int:
        return self._head + len(self._rows)

    def lay_out(self, width: int, until: float) -> bool:
        if width != self._width:
            self._width = width
            self._begin()
        while self._layout is not None:
            if next(self._layout, self) is self:
                self._layout = None
            if perf_counter() > until:
                break
        return self._layout is None

    def _begin(self) -> None:
        self._rows = DiffRows()
        start, most = self._start, 0
        if start is not None:
            ends = len(self._old.lines) + start.old, len(self._new.lines) + start.new
            most = max(*ends, 2) - 1
        self._room = divide_width(self._width, self.split, most)
        sides = (self._old, self._new)
        self._drawing = RowDrawing(*sides, self._room, start, split=self.split, width=self._width)
        self._layout = self._steps()

    def _steps(self) -> Iterator[None]:
        while self._blocks is None:
            try:
                next(self._comparing)
            except StopIteration as end:
                self._blocks = end.value
            yield
        if self._source_path is not None and not self._blocks.added + self._blocks.removed:
            return
        yield from self._filler().fill(self._blocks)

    def _filler(self) -> RowFiller:
        sides, width = (self._old, self._new), self._room.text
        split, whole = self.split, self._whole
        return RowFiller(self._rows, *sides, width, split=split, whole=whole, lead=self._lead)

    def strip(self, y: int, palette: Palette) -> Strip:
        if y < self._head:
            return draw_spans(self._header(), palette)
        row = self._rows[y - self._head]
        match row.kind:
            case RowKind.FOLD:
                return draw_spans(
                    [StyledSpan(self.plain(y), "diff.hunk", {"toggle": True})], palette
                )
            case RowKind.EMPTY:
                return draw_spans(
                    [StyledSpan(self.plain(y), _style(row), {"toggle": True})], palette
                )
            case _:
                return self._drawing.strip(row, palette)

    def plain(self, y: int) -> str:
        if y < self._head:
            return "".join(span.text for span in self._header())
        row = self._rows[y - self._head]
        if row.kind is RowKind.FOLD:
            return f"⋯ {row.old:,} unchanged lines"[: self._width]
        if row.kind is RowKind.EMPTY:
            return f"{_sign(row)} ⋯ {row.pair:,} empty lines"[: self._width]
        return self._drawing.strip(row, TEXT_ONLY).text.rstrip()

    def source(self, first: int, last: int) -> str:
        """Return the lines as in a unified diff: each with its sign, without numbers, not wrapped."""
        return "\n".join(
            text for y in range(first, min(last + 1, self.height)) for text in self._source(y)
        )

    def _source(self, y: int) -> Iterator[str]:
        if y < self._head:
            path = one_line(self._diff.path)
            before = path if self._source_path is None else one_line(self._source_path)
            yield f"--- {before if self._diff.old_text else '/dev/null'}"
            yield f"+++ {path if self._diff.new_text else '/dev/null'}"
            return
        row = self._rows[y - self._head]
        if row.part:
            return
        match row.kind:
            case RowKind.FOLD | RowKind.EMPTY:
                yield self.plain(y)
            case RowKind.NO_NEWLINE:
                yield NO_NEWLINE
            case RowKind.SAME:
                yield " " + self._new.shown(row.new)
            case _:
                if row.old >= 0:
                    yield "-" + self._old.shown(row.old)
                if row.new >= 0:
                    yield "+" + self._new.shown(row.new)

    def _header(self) -> list[StyledSpan]:
        diff, source = self._diff, self._source_path
        part = self._start is not None and self._start.part
        known = (self._cwd, self._blocks, self._width, self._binary)
        return format_file_header(diff, source, *known, part=part, around=self._around)


def _sign(row: DiffRow) -> str:
    """Return what counted lines are: removed, added, or both, side by side."""
    if row.old >= 0 and row.new >= 0:
        return "±"
    return SIGNS[RowKind.ADDED if row.new >= 0 else RowKind.REMOVED]


def _style(row: DiffRow) -> str:
    if row.old >= 0 and row.new >= 0:
        return "diff.hunk"
    return STYLES[RowKind.ADDED if row.new >= 0 else RowKind.REMOVED]
