"""Many leaves in little memory: their text is found again in the pages of the whole text."""

from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from dataclasses import replace

from acp_tui.ui.markdown.leaves import Container, Fence, Leaf, Path, Table
from acp_tui.ui.markdown.pages import Pages

TABLES = 16
"""Tables that are kept as they were made, with the widths of their columns."""
SHORT = 1 << 16
"""What the lengths of a leaf are less than, unless it is an odd one."""


class LeafStore:
    """A list of leaves that are made anew when they are asked for.

    Leaves are many and alike: each is a shape that it shares with others, and 14 bytes that say
    where its source begins, where in that its text does, how long that is, and what follows it.
    """

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._shapes: list[Leaf] = []
        self._known: dict[object, int] = {}
        self._shape_of = array("I")
        self._starts = array("I")
        self._lengths = array("H")  # three of a leaf: before its text, of its text, behind it
        self._odd: dict[int, tuple[int, str]] = {}  # end and text of those that don't fit in there
        self._numbered = array("I")  # leaves in numbered items, and where their numbers are
        self._number_at = array("I")
        self._numbers = array("I")
        self._table_leaves = array("I")  # the first leaf of each table, and where its header is
        self._headers = array("I")
        self._odd_headers: dict[int, str] = {}
        self._tables: OrderedDict[int, Table] = OrderedDict()
        self._made: tuple[int, Leaf] | None = None  # the last that was asked for, for its next line

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, index: int) -> Leaf:
        if self._made is None or self._made[0] != index:
            self._made = (index, self._make(index))
        return self._made[1]

    def _make(self, index: int) -> Leaf:
        shape, start = self._shapes[self._shape_of[index]], self._starts[index]
        odd = self._odd.get(index)
        if odd is None:
            before, size, behind = self._lengths[3 * index : 3 * index + 3]
            text = self._pages.slice(start + before, start + before + size)
            end = start + before + size + behind
        else:
            end, text = odd
        path = self._with_numbers(shape.path, index)
        block = shape.block
        if isinstance(block, Table):
            block = self._table(index, block)
        return replace(shape, text=text, start=start, end=end, path=path, block=block)

    def append(self, leaf: Leaf) -> None:
        """Add a leaf that no longer changes."""
        index = len(self)
        before = self._pages.slice(leaf.start, leaf.end).find(leaf.text)
        lengths = (before, len(leaf.text), leaf.end - leaf.start - before - len(leaf.text))
        if before < 0 or not all(0 <= length < SHORT for length in lengths):
            self._odd[index] = (leaf.end, leaf.text)
            lengths = (0, 0, 0)
        if isinstance(leaf.block, Table):
            self._note_table(index, leaf, leaf.block)
        numbers = [one.ordinal for one in leaf.path if one.ordinal]
        if numbers:
            self._numbered.append(index)
            self._number_at.append(len(self._numbers))
            self._numbers.extend(numbers)
        self._shape_of.append(self._shape(leaf))
        self._starts.append(leaf.start)
        self._lengths.extend(lengths)

    def _shape(self, leaf: Leaf) -> int:
        path = tuple(_bare(one) for one in leaf.path)
        block: object = leaf.block
        if isinstance(leaf.block, Fence):
            block = leaf.block.language
        elif isinstance(leaf.block, Table):
            block = leaf.block.aligns
        marks = tuple((one.kind, one.marker, one.role, one.bullet) for one in path)
        key = (
            leaf.kind, marks, leaf.fresh, leaf.gap, leaf.level, block, leaf.first, leaf.last
        )  # fmt: skip
        shape = self._known.get(key)
        if shape is None:
            shape = self._known[key] = len(self._shapes)
            self._shapes.append(replace(leaf, text="", path=path, block=_empty(leaf.block)))
        return shape

    def _with_numbers(self, path: Path, index: int) -> Path:
        """The path of a leaf with the numbers of its own items."""
        if not any(one.ordinal for one in path):
            return path
        at = self._number_at[bisect_left(self._numbered, index)]
        numbers = iter(self._numbers[at : at + len(path)])
        return tuple(_numbered(one, next(numbers)) if one.ordinal else one for one in path)

    def _note_table(self, index: int, leaf: Leaf, table: Table) -> None:
        if not leaf.first:
            return
        at = self._pages.slice(leaf.start, leaf.end).find(table.header)
        if at < 0:
            self._odd_headers[index] = table.header
        self._table_leaves.append(index)
        self._headers.extend((leaf.start + max(0, at), len(table.header)))

    def _table(self, index: int, shape: Table) -> Table:
        """The table that a leaf belongs to, the same for all of its leaves."""
        place = bisect_right(self._table_leaves, index) - 1
        first = self._table_leaves[place]
        table = self._tables.get(first)
        if table is None:
            at, size = self._headers[2 * place : 2 * place + 2]
            header = self._odd_headers.get(first) or self._pages.slice(at, at + size)
            table = self._tables[first] = Table(header, shape.aligns)
            if len(self._tables) > TABLES:
                self._tables.popitem(last=False)
            table.rows = self[first].text
        return table


def _bare(one: Container) -> Container:
    """What is drawn of a container; the number of an item is kept apart."""
    marker = "" if one.ordinal else one.marker
    bullet = one.bullet if one.ordinal else ""
    return Container(
        one.kind, marker=marker, role=one.role, bullet=bullet, ordinal=min(one.ordinal, 1)
    )


def _numbered(one: Container, number: int) -> Container:
    numbered = replace(one)
    numbered.number(number)
    return numbered


def _empty(block: Fence | Table | None) -> Fence | Table | None:
    return Table("", block.aligns) if isinstance(block, Table) else block
