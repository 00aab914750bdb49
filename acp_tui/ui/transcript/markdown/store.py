"""Many leaves in little memory: their text is found again in the pages of the whole text."""

from array import array
from dataclasses import replace

from acp_tui.ui.transcript.markdown.leaves import Container, Fence, Leaf, Path
from acp_tui.ui.transcript.markdown.pages import Pages

_NUMBERS = 5  # per leaf: its shape, where its source starts and ends, where its text is, how long


class LeafStore:
    """A list of leaves that are made anew when they are asked for.

    Leaves are many and alike, so each is a few numbers and a shape that it shares with others.
    """

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._numbers = array("I")
        self._shapes: list[Leaf] = []
        self._known: dict[object, int] = {}
        self._texts: dict[int, str] = {}  # those that do not stand in the source as they are

    def __len__(self) -> int:
        return len(self._numbers) // _NUMBERS

    def __getitem__(self, index: int) -> Leaf:
        shape, start, end, at, size = self._numbers[index * _NUMBERS : (index + 1) * _NUMBERS]
        text = self._texts.get(index)
        if text is None:
            text = self._pages.slice(at, at + size)
        return replace(self._shapes[shape], text=text, start=start, end=end)

    def append(self, leaf: Leaf) -> None:
        """Add a leaf that no longer changes."""
        at = self._pages.slice(leaf.start, leaf.end).find(leaf.text)
        if at < 0:
            self._texts[len(self)] = leaf.text
            at = 0
        numbers = (self._shape(leaf), leaf.start, leaf.end, leaf.start + at, len(leaf.text))
        self._numbers.extend(numbers)

    def _shape(self, leaf: Leaf) -> int:
        marks = tuple((one.kind, one.marker, one.role) for one in leaf.path)
        block = leaf.block.language if isinstance(leaf.block, Fence) else id(leaf.block)
        key = (
            leaf.kind, marks, leaf.fresh, leaf.gap, leaf.level, block, leaf.first, leaf.last
        )  # fmt: skip
        shape = self._known.get(key)
        if shape is None:
            shape = self._known[key] = len(self._shapes)
            self._shapes.append(replace(leaf, text="", path=_bare(leaf.path), start=0, end=0))
        return shape


def _bare(path: Path) -> Path:
    return tuple(Container(one.kind, marker=one.marker, role=one.role) for one in path)
