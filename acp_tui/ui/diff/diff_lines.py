"""Draws a diff as lines: unified or side by side, with line numbers, syntax colors and highlighted
words.
"""

from collections.abc import Iterator
from functools import cached_property
from time import perf_counter

from textual.strip import Strip

from acp_tui.edits.line_diff import DiffBlock, DiffBlocks, compare_lines
from acp_tui.protocol.content import Diff
from acp_tui.text import one_line
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.diff.header import (
    NO_PARTS,
    NO_TEXT_LEFT,
    HeaderParts,
    format_file_header,
    is_binary,
)
from acp_tui.ui.diff.row_drawing import NO_NEWLINE, SIGNS, STYLES, TEXT_ONLY, RowDrawing
from acp_tui.ui.diff.rows import (
    CONTEXT,
    WHOLE,
    DiffPlace,
    DiffRow,
    DiffRows,
    DiffStart,
    RowFiller,
    RowKind,
    divide_width,
    find_folded,
    find_places,
)
from acp_tui.ui.diff.side import sides_of
from acp_tui.ui.lines.lines import SPLIT_WIDTH
from acp_tui.ui.lines.text_lines import StyledSpan, draw_spans
from acp_tui.ui.lines.visible import LONGEST_SHOWN_LINE

_CHANGED = (RowKind.REMOVED, RowKind.ADDED, RowKind.PAIR)
_EMPTY = {
    RowKind.REMOVED: (SIGNS[RowKind.REMOVED], STYLES[RowKind.REMOVED]),
    RowKind.ADDED: (SIGNS[RowKind.ADDED], STYLES[RowKind.ADDED]),
    RowKind.PAIR: ("±", "diff.hunk"),
}
"""Sign and style of a row that counts empty lines, by the side that the lines are on."""


class DiffLines:
    """The lines of a diff, with some unchanged lines around changes; side by side if there is room.

    A new or deleted file has only one side. `source` is the old path of a renamed file, `cwd` the
    session's folder. If a diff is `judged`, as in a question, all of it is shown as text. `around`
    adds text to the header, for a diff without a heading of its own; without `head` there is no
    header. Lines are numbered from `start`; None if that isn't known.
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
        self._around = around._replace(deleted_word=NO_TEXT_LEFT) if judged else around
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
        self._begin_layout()

    @property
    def split(self) -> bool:
        """Whether the diff is shown side by side."""
        wanted = self._width >= SPLIT_WIDTH if self._split is None else self._split
        return wanted and self.has_sides

    @property
    def has_sides(self) -> bool:
        """Whether both sides have lines."""
        return bool(self._old.lines) and bool(self._new.lines)

    @property
    def has_folds(self) -> bool:
        """Whether unchanged lines are folded, or empty ones counted."""
        return self._rows.has_folds

    @cached_property
    def is_cut(self) -> bool:
        """Whether some of the new text isn't in any line."""
        return self._binary or any(len(line) > LONGEST_SHOWN_LINE for line in self._new.lines)

    @property
    def changes(self) -> list[DiffBlock]:
        """The changes found so far, while the comparison may still be running."""
        return [one for one in self._blocks or () if not one.same]

    def change_rows(self) -> list[tuple[int, int]]:
        """Return the first and last row of each change that is laid out so far."""
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
        """Return the file's lines shown in a row, the new side last; none for the header or a fold."""
        row = self._rows[y - self._head] if self._head <= y < self.height else None
        return find_places(row, self._old, self._new, self._start) if row is not None else ()

    def folded_at(self, y: int, line: int) -> DiffPlace | None:
        """Return the unchanged line with that number in the file, if it is folded in a row."""
        row = self._rows[y - self._head] if self._head <= y < self.height else None
        return find_folded(row, self._new, self._start, line) if row is not None else None

    def arrange(self, split: bool | None, whole: bool) -> None:
        """Show the diff side by side or in one column (None: the width decides), and all lines or
        only those around changes.
        """
        if (split, whole) != (self._split, self._whole):
            self._split, self._whole = split, whole
            self._begin_layout()

    def begin_at(self, start: DiffStart | None) -> None:
        """Number the lines from `start`; None for no numbers."""
        if start != self._start:
            self._start = start
            self._begin_layout()

    def lead(self, lines: int) -> None:
        """Show at most `lines` unchanged lines before the first change, and a count of the others.

        A value of `lead_for` leaves the others out without a count.
        """
        if lines != self._lead:
            self._lead = lines
            self._begin_layout()

    def end_at(self, lead: int) -> int | None:
        """Return the height with that lead; None if `change_at` returns None."""
        now, then = self.change_at(self._lead), self.change_at(lead)
        return None if now is None or then is None else self.height - now + then

    def change_at(self, lead: int) -> int | None:
        """Return the row of the first change with that lead; None if there is no change, or it
        isn't known yet.
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
            self._begin_layout()
        while self._layout is not None:
            if next(self._layout, self) is self:
                self._layout = None
            if perf_counter() > until:
                break
        return self._layout is None

    def _begin_layout(self) -> None:
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
                    [StyledSpan(self.plain(y), _EMPTY[_side_of(row)][1], {"toggle": True})], palette
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
            return f"{_EMPTY[_side_of(row)][0]} ⋯ {row.pair:,} empty lines"[: self._width]
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


def _side_of(row: DiffRow) -> RowKind:
    """Return the kind of a row that counts empty lines: removed, added, or both if side by side."""
    if row.old >= 0 and row.new >= 0:
        return RowKind.PAIR
    return RowKind.ADDED if row.new >= 0 else RowKind.REMOVED
