"""Data model of parsed Markdown: a flat list of small leaves, and the containers around them."""

from dataclasses import dataclass
from typing import Literal

LeafKind = Literal["paragraph", "heading", "code", "html", "rule", "table", "empty"]
BOXES = {"task.done": "☑", "task.open": "☐"}
"""The checkbox of a task, by its role."""


@dataclass(slots=True, eq=False)
class LeafContainer:
    """A quote, list item or footnote around leaves."""

    kind: Literal["quote", "item", "footnote"]
    indent: int = 0  # columns removed from lines inside the container
    marker: str = ""  # as it is drawn
    role: str = "list.marker"
    bullet: str = ""  # the delimiter that makes list items siblings
    ordinal: int = 0
    sibling: bool = False  # follows another item of the same list
    hollow: bool = False  # an item without content so far

    def number(self, ordinal: int) -> None:
        """Number an item of an ordered list; a task's checkbox is put after the number."""
        self.ordinal = ordinal
        box = BOXES.get(self.role)
        self.marker = f"{ordinal}{self.bullet} {box}" if box else f"{ordinal}{self.bullet}"

    def mark_task(self, done: bool) -> None:
        """Mark an item with a task's checkbox."""
        self.role = "task.done" if done else "task.open"
        self.marker = BOXES[self.role]


Path = tuple[LeafContainer, ...]


def count_shared(path: Path, other: Path) -> int:
    """Return the number of leading containers that two paths share."""
    count = 0
    for one, two in zip(path, other, strict=False):
        if one is not two:
            break
        count += 1
    return count


@dataclass(slots=True, eq=False)
class Fence:
    """A code block, shared by the leaves into which it is split."""

    language: str = ""
    char: str = ""  # of the fence; "" for indented code
    size: int = 0
    indent: int = 0


@dataclass(slots=True, eq=False)
class LeafTable:
    """The data shared by all rows of a table; the leaf with the first rows sets the widths."""

    header: str
    aligns: tuple[str, ...]
    rows: str = ""  # of the first leaf
    widths: tuple[object, tuple[int, ...]] | None = None  # cache key, and the widths


@dataclass(slots=True, eq=False)
class Leaf:
    """A piece of one block, small enough to be laid out in one go."""

    kind: LeafKind
    text: str
    path: Path
    fresh: int  # index of the first container that begins with this leaf
    gap: int  # blank lines before it
    start: int  # offset of its source, in characters of the whole text
    end: int
    level: int = 0  # of a heading
    block: Fence | LeafTable | None = None
    first: bool = True  # first leaf of its block
    last: bool = True
    open: bool = False  # more text of it may arrive
