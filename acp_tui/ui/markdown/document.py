"""A Markdown text that grows: finished blocks are laid out once, the open end in every frame."""

import zlib
from collections.abc import Iterator
from functools import lru_cache
from itertools import count
from time import perf_counter

from rich.segment import Segment
from textual.strip import Strip

from acp_tui.text import Cleaner
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.lines.cells import width_of
from acp_tui.ui.lines.lines import Wrap, measure
from acp_tui.ui.markdown.blocks import BlockReader
from acp_tui.ui.markdown.code import CodeRow, code_row
from acp_tui.ui.markdown.column import LeafColumn
from acp_tui.ui.markdown.incomplete import shown_part
from acp_tui.ui.markdown.layout import LEAF_CACHE, DrawnLeaf, draw_leaf, find_wraps, measure_code
from acp_tui.ui.markdown.leaves import Fence, Leaf
from acp_tui.ui.markdown.styled_text import Line, TextLook, plain_text, style_of

PAGE = 1 << 14
"""Characters per page: packing takes a tenth of a millisecond, unpacking half of that."""
FRAGMENT = 4096
"""Characters after which a line is read even though its end hasn't arrived."""
CONTEXT = 16
"""Lines of code above the drawn ones that are lexed to highlight these correctly."""
_SLICE_LINES = 64
"""Lines parsed between two checks of the clock."""
_RULE = 2  # lines between text and footnotes
_NUMBERS = count()


class Pages:
    """A text that grows at its end, at a cost that doesn't depend on its length.

    Full pages are compressed: the session has the same text, which would be in memory twice.
    """

    def __init__(self) -> None:
        self._full: list[bytes] = []
        self._last = ""
        self.size = 0

    def append(self, text: str) -> None:
        """Append a piece of text."""
        self.size += len(text)
        text = self._last + text
        at = 0
        while len(text) - at > PAGE:
            self._full.append(zlib.compress(text[at : at + PAGE].encode(), 1))
            at += PAGE
        self._last = text[at:]

    def _page(self, index: int) -> str:
        return _unpacked(self._full[index]) if index < len(self._full) else self._last

    def slice(self, start: int, end: int) -> str:
        """Return the characters from `start` to `end`."""
        end = min(end, self.size)
        parts = []
        while start < end:
            index, at = divmod(start, PAGE)
            part = self._page(index)[at : at + end - start]
            parts.append(part)
            start += len(part)
        return parts[0] if len(parts) == 1 else "".join(parts)

    def read_line(self, start: int, most: int) -> tuple[str, bool]:
        """Return at most `most` characters of the line at `start`, and whether it ends there."""
        if start >= self.size:
            return "", False
        index, at = divmod(start, PAGE)
        page = self._page(index)
        end = page.find("\n", at, at + most + 1)
        if end >= 0:
            return page[at:end], True
        if at + most < len(page):
            return page[at : at + most], False
        text = self.slice(start, start + most + 1)
        end = text.find("\n")
        return (text[:end], True) if end >= 0 else (text[:most], False)


@lru_cache(maxsize=8)
def _unpacked(page: bytes) -> str:
    return zlib.decompress(page).decode()


class MarkdownDocument:
    """Markdown, appended in pieces and laid out in time slices; it implements `Lines`.

    After a change of the width, parts that aren't laid out again yet keep their old height, but are
    drawn for the new width.

    With `keep_lines`, each line of a paragraph stays a line and keeps its indentation: the text is
    output rather than prose.
    """

    def __init__(self, text: str = "", *, keep_lines: bool = False) -> None:
        self._keep_lines = keep_lines
        self._chunks: list[str] = [text] if text else []
        self._cleaner = Cleaner()
        self._pages = Pages()
        self._read = 0  # characters that the block reader has read
        self._resting = self._finished = self._closed = False
        self._blocks = BlockReader(keep_lines)
        self._body, self._notes = LeafColumn(), LeafColumn()
        self._width = 0
        self._form = measure.form(0)
        self._tail: object = None  # the state for which the tail was made
        self._env = self._blocks.definitions.env(keep_lines=keep_lines)
        self._number = next(_NUMBERS)  # distinguishes documents in the cache

    def append(self, text: str) -> None:
        """Append text; it is only processed by the next layout."""
        self._chunks.append(text)

    def set_resting(self, resting: bool = True) -> None:
        """Show possible markup at the end as text, while no more text is expected soon."""
        self._resting = resting

    def finish(self) -> None:
        """Mark the text as complete."""
        self._finished = True

    @property
    def height(self) -> int:
        """Number of lines laid out so far."""
        notes = self._notes.height
        return self._body.height + (notes + _RULE if notes else 0)

    def lay_out(self, width: int, until: float) -> bool:
        """Lay out for `width` cells until `perf_counter` reaches `until`; return whether done."""
        self._set_width(width)
        self._append_chunks()
        while True:
            more = all(self._feed_line() for _ in range(_SLICE_LINES))
            self._place_leaves()
            for column in (self._body, self._notes):
                column.step(self._measure, until)
            if not more and self._body.done and self._notes.done:
                break
            if perf_counter() >= until:
                return False
        self._show_tail()
        return True

    def strip(self, y: int, palette: Palette) -> Strip:
        """Draw line `y`, not wider than the layout and not padded."""
        place = self._place_of(y)
        if place is None:
            return self._to_strip(self._line(y), palette)
        drawn, offset = self._drawn_at(*place)
        if offset >= len(drawn.lines):
            return Strip([], 0)
        return drawn.strip(offset, palette, self._to_strip)

    def plain(self, y: int) -> str:
        """Return the text of line `y` as it is drawn."""
        return plain_text(self._line(y))

    def source(self, first: int, last: int) -> str:
        """Return the Markdown source of the blocks on lines `first` to `last`."""
        ranges: list[tuple[int, int]] = []
        for leaf in self._leaves_between(first, last):
            if ranges and ranges[-1][1] >= leaf.start:
                ranges[-1] = (min(ranges[-1][0], leaf.start), max(ranges[-1][1], leaf.end))
            else:
                ranges.append((leaf.start, leaf.end))
        return "\n".join(self._pages.slice(start, end) for start, end in ranges)

    def wrap_at(self, y: int) -> Wrap | None:
        """Return the wrap between line `y` and the one above; None if `y` begins a line of text."""
        place = self._place_of(y)
        if place is None:
            return None
        _, leaf, _, offset = place
        if leaf.kind == "code":
            row = code_row(self._line(y))
            return Wrap(row.start, self._end_of_code(y - 1)) if row and row.continued else None
        if leaf.kind not in ("paragraph", "heading") or offset <= leaf.gap:
            return None
        return self._drawn_at(*place)[0].wrap(
            offset, lambda: find_wraps(leaf, self._width, self._env)
        )

    def _end_of_code(self, y: int) -> str:
        """Return the trailing spaces of a code row that continues in the next row."""
        row, text = code_row(self._line(y)), self.plain(y)
        code = text[: row.end] if row else text
        return code[len(code.rstrip(" ")) :]

    def code_row_at(self, y: int) -> CodeRow | None:
        """Return where the code in line `y` is; None if it has none."""
        return code_row(self._line(y))

    def code_block_at(self, y: int) -> str | None:
        """Return the exact text of the code block at line `y`; None if there is none."""
        place = self._place_of(y)
        if place is None:
            return None
        column, leaf, index, _ = place
        if leaf.kind != "code":
            return None
        while not leaf.first and (above := column.at(index - 1)) is not None:
            leaf, index = above, index - 1
        parts = [leaf.text]
        while not leaf.last and (below := column.at(index + 1)) is not None and not below.first:
            leaf, index = below, index + 1
            parts.append(leaf.text)
        return "".join(parts)

    # -- reading

    def _set_width(self, width: int) -> None:
        if measure.form(width) != self._form:
            self._width, self._form = width, measure.form(width)
            self._tail = None
            self._body.restart()
            self._notes.restart()

    def _append_chunks(self) -> None:
        if self._chunks:
            text = "".join(self._chunks)
            self._chunks.clear()
            self._pages.append(self._cleaner.feed(text))
        if self._finished and not self._closed:
            self._pages.append(self._cleaner.finish())

    def _feed_line(self) -> bool:
        """Pass a line to the block reader; return whether there may be more."""
        if self._closed:
            return False
        start = self._read
        line, ended = self._pages.read_line(start, FRAGMENT)
        if ended:
            self._blocks.read_line(line, start, start + len(line) + 1)
            self._read = start + len(line) + 1
        elif len(line) == FRAGMENT:
            self._blocks.read_line(line, start, start + len(line), whole=False)
            self._read = start + len(line)
        elif self._finished:
            if line or self._blocks.partial:
                self._blocks.read_line(line, start, start + len(line))
            self._read = start + len(line)
            self._blocks.close()
            self._closed = True
            return False
        else:
            return False
        return True

    def _place_leaves(self) -> None:
        """Move new leaves to their columns."""
        for leaf in self._blocks.leaves:
            self._column(leaf).leaves.append(leaf)
        self._blocks.leaves.clear()

    def _column(self, leaf: Leaf) -> LeafColumn:
        return self._notes if leaf.path and leaf.path[0].kind == "footnote" else self._body

    # -- layout

    def _measure(self, leaf: Leaf) -> int:
        if leaf.kind == "code":
            return measure_code(leaf, self._width)
        return len(self._drawn(leaf, "").lines)

    def _show_tail(self) -> None:
        rest = "" if self._closed else self._pages.slice(self._read, self._pages.size)
        state = (self._read, rest, self._form, self._closed, self._resting)
        if state == self._tail:
            return
        self._tail = state
        leaves = []
        if not self._closed:
            blocks, shown = self._blocks, rest
            if not self._resting:
                in_fence = blocks.fence is not None
                shown = shown_part(rest, going_on=blocks.partial, in_fence=in_fence)
            leaves = blocks.peek(shown, self._read, whole=self._resting)
        for column in (self._body, self._notes):
            mine = [leaf for leaf in leaves if self._column(leaf) is column]
            column.show_tail(mine, self._measure)

    # -- drawing

    def _place_of(self, y: int) -> tuple[LeafColumn, Leaf, int, int] | None:
        """Return column, leaf, leaf index and line within it at `y`; None before footnotes."""
        body = self._body.height
        if y < body:
            return (self._body, *self._body.find(y))
        if y < body + _RULE:
            return None
        return (self._notes, *self._notes.find(y - body - _RULE))

    def _leaves_between(self, first: int, last: int) -> Iterator[Leaf]:
        y = first
        while y <= min(last, self.height - 1):
            place = self._place_of(y)
            if place is None:
                y += 1
                continue
            column, leaf, index, offset = place
            yield leaf
            y += column.height_at(index) - offset

    def _line(self, y: int) -> Line:
        place = self._place_of(y)
        if place is None:
            gap = y == self._body.height
            return [] if gap else [("─" * min(self._width, 12), TextLook(("rule",)))]
        drawn, offset = self._drawn_at(*place)
        return drawn.lines[offset] if offset < len(drawn.lines) else []

    def _drawn_at(
        self, column: LeafColumn, leaf: Leaf, index: int, offset: int
    ) -> tuple[DrawnLeaf, int]:
        """Return the lines of a leaf at its place in the column, and the index of one line."""
        return self._drawn(leaf, _code_above(column, leaf, index)), offset

    def _drawn(self, leaf: Leaf, before: str) -> DrawnLeaf:
        """Return a leaf's lines for the current width, from the cache if possible."""
        version = self._blocks.definitions.version
        key = (self._number, leaf.start, leaf.kind)
        state = (leaf.text, self._form, version, before, leaf.last, leaf.open)
        drawn = LEAF_CACHE.find(key, state)
        if drawn is None:
            drawn = DrawnLeaf(state, draw_leaf(leaf, self._width, self._env, version, before))
            LEAF_CACHE.add(key, drawn)
        return drawn

    def _to_strip(self, line: Line, palette: Palette) -> Strip:
        segments = [Segment(text, style_of(look, palette)) for text, look in line if text]
        strip = Strip(segments, sum([width_of(text) for text, _ in line]))
        return strip.crop(0, self._width) if strip.cell_length > self._width else strip


def _code_above(column: LeafColumn, leaf: Leaf, index: int) -> str:
    """Return the last lines of code above a leaf in the same block, as context for the lexer."""
    if leaf.kind != "code" or leaf.first or not isinstance(leaf.block, Fence):
        return ""
    above = column.at(index - 1)
    if above is None or not above.text.endswith("\n"):
        return ""
    return "".join(above.text.splitlines(keepends=True)[-CONTEXT:])
