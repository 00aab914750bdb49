"""Lays out a leaf as lines of a width, prefixed by its containers' markers; caches the newest."""

from collections import OrderedDict
from collections.abc import Callable
from itertools import pairwise

from textual.strip import Strip

from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.lines.cells import code_breaks, fitting_count, line_breaks, row_of_spaces, width_of
from acp_tui.ui.lines.lines import Wrap, measure
from acp_tui.ui.markdown.code import BLOCK, code_rows, draw_code, draw_label, pad_code
from acp_tui.ui.markdown.incomplete import close_open_marks
from acp_tui.ui.markdown.inline import parse_inline
from acp_tui.ui.markdown.leaves import Fence, Leaf, LeafTable, Path
from acp_tui.ui.markdown.references import InlineEnv
from acp_tui.ui.markdown.styled_text import PLAIN, Line, TextLook, plain_text, slice_line, wrap_line
from acp_tui.ui.markdown.tables import draw_table

LEAST = 8
"""Minimum cells for content, if the width allows: nested containers would leave none."""


def measure_code(leaf: Leaf, width: int) -> int:
    """Return the lines of a code leaf, with the blank line before it, without highlighting it."""
    rows = len(code_rows(leaf.text, _inner(leaf, width)[2])) if leaf.text else 0
    label = leaf.first and isinstance(leaf.block, Fence) and bool(leaf.block.language)
    return leaf.gap + max(1, rows + label)


def draw_leaf(leaf: Leaf, width: int, env: InlineEnv, version: int, before: str = "") -> list[Line]:
    """Draw a leaf at a width; `before` is the code above it in the same block."""
    first, other, inner = _inner(leaf, width)
    drawn: list[Line] = []
    if leaf.gap:
        drawn.append(_blank(leaf.path[: leaf.fresh], width))
    for index, line in enumerate(_content(leaf, inner, env, version, before)):
        drawn.append([*(other if index else first), *line])
    return drawn


def find_wraps(leaf: Leaf, width: int, env: InlineEnv) -> list[Wrap | None]:
    """Return the wrap of each line of a paragraph or heading; None where a text line begins."""
    _, other, inner = _inner(leaf, width)
    start = len(plain_text(other))
    wraps: list[Wrap | None] = [None] * leaf.gap
    for line in _inline(leaf, env, PLAIN):
        text = plain_text(line)
        cuts = line_breaks(text, measure.within(inner))
        glues = [text[end:begin] for (_, end), (begin, _) in pairwise(cuts)]
        wraps += [None, *(Wrap(start, glue[:1]) for glue in glues)]
    return wraps


def _inner(leaf: Leaf, width: int) -> tuple[Line, Line, int]:
    """Return the prefixes of a leaf's first and other lines, and the cells left for text."""
    first, other = _prefix(leaf.path, leaf.fresh, width), _prefix(leaf.path, len(leaf.path), width)
    if not first:
        return first, other, width
    used = max(width_of(plain_text(first)), width_of(plain_text(other)))
    return first, other, max(1, width - used)


def _prefix(path: Path, fresh: int, width: int) -> Line:
    """Return the markers of a line's containers; those of items begun before `fresh` are blank."""
    if not path:
        return []
    line: Line = [
        (one.marker + " ", TextLook((one.role,)))
        if index >= fresh or one.kind == "quote"
        else (row_of_spaces(width_of(one.marker) + 1), PLAIN)
        for index, one in enumerate(path)
    ]
    most, text = max(0, width - LEAST), plain_text(line)
    if width_of(text) > most:
        return slice_line(line, [(0, fitting_count(text, most))])[0] if most else []
    return line


def _blank(path: Path, width: int) -> Line:
    """Return a blank line, with the bars of the quotes around it."""
    line = _prefix(path, len(path), width)
    while line and not line[-1][0].strip():
        line.pop()
    return line


def _content(leaf: Leaf, width: int, env: InlineEnv, version: int, before: str) -> list[Line]:
    look = TextLook(("quote",)) if any(one.kind == "quote" for one in leaf.path) else PLAIN
    if leaf.kind == "paragraph":
        return _wrapped(leaf, width, env, look)
    if leaf.kind == "heading":
        return _wrapped(leaf, width, env, TextLook((f"heading{leaf.level}",)))
    if leaf.kind == "code" and isinstance(leaf.block, Fence):
        return _code(leaf, leaf.block, width, before)
    if leaf.kind == "table" and isinstance(leaf.block, LeafTable):
        return draw_table(
            leaf, leaf.block, width, lambda text, own: parse_inline(text, env, own), version
        )
    if leaf.kind == "html":
        return _html(leaf.text, width)
    if leaf.kind == "rule":
        return [[("─" * width, TextLook(("rule",)))]]
    return [[]]


def _wrapped(leaf: Leaf, width: int, env: InlineEnv, look: TextLook) -> list[Line]:
    return [
        part for line in _inline(leaf, env, look) for part in wrap_line(line, measure.within(width))
    ]


def _inline(leaf: Leaf, env: InlineEnv, look: TextLook) -> list[Line]:
    return parse_inline(close_open_marks(leaf.text) if leaf.open else leaf.text, env, look)


def _code(leaf: Leaf, fence: Fence, width: int, before: str) -> list[Line]:
    lines = [draw_label(fence.language, width)] if leaf.first and fence.language else []
    if leaf.text:
        lines += draw_code(leaf.text, width, fence.language, before)
    return lines or [pad_code([(" ", BLOCK)], width)]


def _html(text: str, width: int) -> list[Line]:
    look = TextLook(("html",))
    return [
        [(line[start:end], look)]
        for line in text.expandtabs(4).splitlines()
        for start, end in code_breaks(line, width)
    ]


CACHED_LINES = 1024
"""Most lines in the cache; the newest leaf stays even if it has more."""


class DrawnLeaf:
    """A leaf's drawn lines, with cached strips and wraps."""

    __slots__ = ("_palette", "_strips", "_wraps", "lines", "state")

    def __init__(self, state: object, lines: list[Line]) -> None:
        self.state = state
        self.lines = lines
        self._palette: Palette | None = None
        self._strips: dict[int, Strip] = {}
        self._wraps: list[Wrap | None] | None = None

    def strip(self, index: int, palette: Palette, make: Callable[[Line, Palette], Strip]) -> Strip:
        """Return the strip of a line, creating it if needed; the same object each time."""
        if palette is not self._palette:
            self._palette, self._strips = palette, {}
        found = self._strips.get(index)
        if found is None:
            found = self._strips[index] = make(self.lines[index], palette)
        return found

    def wrap(self, index: int, make: Callable[[], list[Wrap | None]]) -> Wrap | None:
        """Return the wrap between a line and the one above; `make` returns all wraps, once."""
        if self._wraps is None:
            self._wraps = make()
        return self._wraps[index] if index < len(self._wraps) else None


class LeafCache:
    """Caches drawn leaves of all documents; the least recently used are dropped."""

    def __init__(self) -> None:
        self._leaves: OrderedDict[object, DrawnLeaf] = OrderedDict()
        self._count = 0

    def find(self, key: object, state: object) -> DrawnLeaf | None:
        """Return a cached leaf if it was drawn in this state."""
        found = self._leaves.get(key)
        if found is None or found.state != state:
            return None
        self._leaves.move_to_end(key)
        return found

    def add(self, key: object, leaf: DrawnLeaf) -> None:
        """Add a leaf, and drop the least recently used ones."""
        before = self._leaves.pop(key, None)
        if before is not None:
            self._count -= len(before.lines)
        self._leaves[key] = leaf
        self._count += len(leaf.lines)
        while self._count > CACHED_LINES and len(self._leaves) > 1:
            _, dropped = self._leaves.popitem(last=False)
            self._count -= len(dropped.lines)


LEAF_CACHE = LeafCache()
