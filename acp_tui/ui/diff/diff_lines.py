"""A diff as lines: unified or side by side, with line numbers, colors and marked words."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from time import perf_counter

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from acp_tui.protocol.content import Diff
from acp_tui.session.subject import one_line
from acp_tui.ui.diff.colors import styled
from acp_tui.ui.diff.header import header, is_binary
from acp_tui.ui.diff.line_diff import Blocks, compare, estimated
from acp_tui.ui.diff.rows import (
    CONTEXT,
    WHOLE,
    Filler,
    Kind,
    Room,
    Row,
    Rows,
    Start,
    parts,
    room,
)
from acp_tui.ui.diff.side import Side, changed_words, is_dos, redrawn, with_dots
from acp_tui.ui.lines.text_lines import Span, draw
from acp_tui.ui.lines.visible import LONGEST
from acp_tui.ui.palette import Palette
from acp_tui.ui.steps import finish

SPLIT_WIDTH = 120
"""From how many cells on the two sides stand side by side, unless told otherwise."""
EXACT = 2000
"""Up to how many lines `stats` compares them; above that it counts which are new and gone."""

SIGNS = {Kind.REMOVED: "-", Kind.ADDED: "+", Kind.PAIR: " ", Kind.SAME: " "}
STYLES = {Kind.REMOVED: "diff.removed", Kind.ADDED: "diff.added", Kind.SAME: "text"}
NO_NEWLINE = "\\ No newline at end of file"

_TEXT_ONLY = Palette(defaultdict(Style.null))


def stats(diff: Diff) -> tuple[int, int]:
    """Return how many lines a diff adds and removes; of a large one, without lines that only moved."""
    old, new = Side(diff.old_text or "", diff.path), Side(diff.new_text, diff.path)
    if len(old.lines) + len(new.lines) > EXACT:
        return estimated(old.keys, new.keys)
    blocks = finish(compare(old.keys, new.keys))
    return blocks.added, blocks.removed


class DiffLines:
    """A diff: what changed, with some lines around it, side by side if the width allows that.

    A new or deleted file has only one side to show. `source` is the path that a renamed file had
    before, `cwd` the session's folder. Of what is to be `judged` all is shown as text.
    Lines have numbers where it is known at which the diff has its `start`.
    """

    def __init__(
        self,
        diff: Diff,
        *,
        source: str | None = None,
        cwd: str | None = None,
        start: Start | None = WHOLE,
        judged: bool = False,
    ) -> None:
        self._diff = diff
        self._start = start
        self._binary = is_binary(diff) and not judged
        self._cwd = cwd
        self._split: bool | None = None
        self._whole = False
        self._lead = CONTEXT
        self._source_path = source
        dos = is_dos(diff.old_text or "") and is_dos(diff.new_text)
        self._old = Side(diff.old_text or "", source or diff.path, dos=dos)
        self._new = Side(diff.new_text, diff.path, dos=dos)
        self._comparing = compare(self._old.keys, self._new.keys)
        self._blocks: Blocks | None = Blocks() if self._binary else None
        self._width = 0
        self._rows = Rows()
        self._room = Room(1, 1, True)
        self._layout: Iterator[None] | None = None

    @property
    def split(self) -> bool:
        """Whether the sides stand side by side."""
        both = bool(self._old.lines) and bool(self._new.lines)
        return both and (self._width >= SPLIT_WIDTH if self._split is None else self._split)

    @property
    def has_folds(self) -> bool:
        """Whether unchanged lines are left out, or empty ones counted."""
        return self._rows.has_folds

    @cached_property
    def is_cut(self) -> bool:
        """Whether some of what is written is in none of the lines."""
        return self._binary or any(len(line) > LONGEST for line in self._new.lines)

    def arrange(self, split: bool | None, whole: bool) -> None:
        """Put the sides beside each other or not; show all lines, or only some around changes.

        If `split` is None, the width decides.
        """
        if (split, whole) != (self._split, self._whole):
            self._split, self._whole = split, whole
            self._begin()

    def begin_at(self, start: Start | None) -> None:
        """Number the lines from there on, or not at all."""
        if start != self._start:
            self._start = start
            self._begin()

    def lead(self, lines: int) -> None:
        """Show so many unchanged lines before the first change; below 0 without counting the rest."""
        if lines != self._lead:
            self._lead = lines
            self._begin()

    def change_at(self, lead: int) -> int | None:
        """Return the line that the first change would stand in with such a lead; None if there is
        none, or it is not known yet.
        """
        if not self._blocks or not self._width:
            return None
        before = self._filler().rows_before(self._blocks, lead)
        return None if before is None else 1 + before

    @property
    def height(self) -> int:
        return 1 + len(self._rows)

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
        self._rows = Rows()
        start, most = self._start, 0
        if start is not None:
            ends = len(self._old.lines) + start.old, len(self._new.lines) + start.new
            most = max(*ends, 2) - 1
        self._room = room(self._width, self.split, most)
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

    def _filler(self) -> Filler:
        sides, width = (self._old, self._new), self._room.text
        split, whole = self.split, self._whole
        return Filler(self._rows, *sides, width, split=split, whole=whole, lead=self._lead)

    def strip(self, y: int, palette: Palette) -> Strip:
        if y == 0:
            return draw(self._header(), palette)
        row = self._rows[y - 1]
        match row.kind:
            case Kind.FOLD:
                return draw([Span(self.plain(y), "diff.hunk", {"toggle": True})], palette)
            case Kind.EMPTY:
                return draw([Span(self.plain(y), _style(row), {"toggle": True})], palette)
            case Kind.PAIR | Kind.SAME | Kind.NO_NEWLINE if self.split:
                left = self._cell(row, palette, old=True, new=False)
                right = self._cell(row, palette, old=False, new=True)
                segments = [*left, Segment(" │ ", palette["muted"]), *right]
            case _:
                segments = self._cell(row, palette, old=row.old >= 0, new=row.new >= 0)
        strip = Strip(segments)
        return strip if strip.cell_length <= self._width else strip.crop(0, self._width)

    def plain(self, y: int) -> str:
        if y == 0:
            return "".join(span.text for span in self._header())
        row = self._rows[y - 1]
        if row.kind is Kind.FOLD:
            return f"⋯ {row.old:,} unchanged lines"[: self._width]
        if row.kind is Kind.EMPTY:
            return f"{_sign(row)} ⋯ {row.pair:,} empty lines"[: self._width]
        return self.strip(y, _TEXT_ONLY).text.rstrip()

    def source(self, first: int, last: int) -> str:
        """Return the lines as in a unified diff: each with its sign, without numbers, not wrapped."""
        return "\n".join(
            text for y in range(first, min(last + 1, self.height)) for text in self._source(y)
        )

    def _source(self, y: int) -> Iterator[str]:
        if y == 0:
            path = one_line(self._diff.path)
            before = path if self._source_path is None else one_line(self._source_path)
            yield f"--- {before if self._diff.old_text else '/dev/null'}"
            yield f"+++ {path if self._diff.new_text else '/dev/null'}"
            return
        row = self._rows[y - 1]
        if row.part:
            return
        match row.kind:
            case Kind.FOLD | Kind.EMPTY:
                yield self.plain(y)
            case Kind.NO_NEWLINE:
                yield NO_NEWLINE
            case Kind.SAME:
                yield " " + self._new.shown(row.new)
            case _:
                if row.old >= 0:
                    yield "-" + self._old.shown(row.old)
                if row.new >= 0:
                    yield "+" + self._new.shown(row.new)

    def _header(self) -> list[Span]:
        diff, source = self._diff, self._source_path
        part = self._start is not None and self._start.part
        known = (self._cwd, self._blocks, self._width, self._binary)
        return header(diff, source, *known, part=part)

    def _cell(self, row: Row, palette: Palette, *, old: bool, new: bool) -> list[Segment]:
        """Return a row of a unified diff, or half a row of one side by side."""
        side, index = (self._new, row.new) if new else (self._old, row.old)
        kind = _kind(row.kind, index, new)
        style = palette[STYLES.get(kind, "muted")]
        segments = [Segment(self._numbers(row, old, new), palette["muted"])]
        if row.kind is Kind.NO_NEWLINE:
            note = NO_NEWLINE[: self._room.text + 2] if index >= 0 else ""
            return self._padded([*segments, Segment(note, palette["muted"])], palette["muted"])
        other = row.pair if row.kind is not Kind.PAIR else (row.old if new else row.new)
        text = self._text(side, index, row.part, kind, other, palette) if index >= 0 else None
        if text is None:
            return self._padded(segments, palette["muted"])
        segments += [Segment(f"{SIGNS[kind]} ", style), *text]
        return self._padded(segments, style)

    def _numbers(self, row: Row, old: bool, new: bool) -> str:
        size, start = self._room.number, self._start
        if not size or start is None:
            return ""
        hidden = row.part > 0 or row.kind is Kind.NO_NEWLINE
        left = "" if hidden or not old or row.old < 0 else str(row.old + start.old)
        right = "" if hidden or not new or row.new < 0 else str(row.new + start.new)
        if self._room.both:
            return f"{left:>{size}} {right:>{size}} "
        return f"{right or left:>{size}} "

    def _text(
        self, side: Side, index: int, part: int, kind: Kind, other: int, palette: Palette
    ) -> list[Segment] | None:
        """Return a part of a line; None if the line beside it wraps to more parts than it does."""
        shown = side.shown(index)
        rows = parts(shown, self._room.text)
        if part >= len(rows):
            return None
        start, end = rows[part]
        against = self._other(kind, other)
        drawn = shown if against is None else with_dots(shown, against)
        base = Segment(drawn[start:end], palette[STYLES[kind]])
        if palette is _TEXT_ONLY:
            return [base]
        marks: list[tuple[int, int]] = []
        if against is not None and kind is Kind.REMOVED:
            marks = changed_words(shown, against).old
        elif against is not None:
            marks = changed_words(against, shown).new
        pieces = redrawn(side.colored(index), drawn)
        segments = list(styled(pieces, marks, start, end, STYLES[kind], palette))
        # Colors must not come between what is drawn as one, such as joined emoji.
        size = sum(segment.cell_length for segment in segments)
        return segments if size == base.cell_length else [base]

    def _other(self, kind: Kind, index: int) -> str | None:
        """Return the line on the other side that a changed line stands against, if there is one."""
        if index < 0 or kind not in (Kind.REMOVED, Kind.ADDED):
            return None
        return (self._new if kind is Kind.REMOVED else self._old).shown(index)

    def _padded(self, segments: list[Segment], style: Style) -> list[Segment]:
        """Fill a half of a row; and a whole one, if its background shows what it is."""
        width = (self._width - 3) // 2 if self.split else self._width
        free = width - sum(segment.cell_length for segment in segments)
        if free > 0 and (self.split or style.bgcolor is not None):
            segments.append(Segment(" " * free, style))
        return segments


def _sign(row: Row) -> str:
    """Return what counted lines are: removed, added, or both, side by side."""
    if row.old >= 0 and row.new >= 0:
        return "±"
    return SIGNS[Kind.ADDED if row.new >= 0 else Kind.REMOVED]


def _style(row: Row) -> str:
    if row.old >= 0 and row.new >= 0:
        return "diff.hunk"
    return STYLES[Kind.ADDED if row.new >= 0 else Kind.REMOVED]


def _kind(kind: Kind, index: int, new: bool) -> Kind:
    """Return what one side of a row is."""
    if kind is Kind.PAIR and index >= 0:
        return Kind.ADDED if new else Kind.REMOVED
    return kind
