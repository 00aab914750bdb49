"""What the blocks of a Markdown text come down to: a flat column of small leaves."""

from dataclasses import dataclass
from typing import Literal

LeafKind = Literal["paragraph", "heading", "code", "html", "rule", "table", "empty"]
BOXES = {"task.done": "☑", "task.open": "☐"}
"""How a task is marked, by its role."""


@dataclass(slots=True, eq=False)
class LeafContainer:
    """A quote, a list item or a footnote that is around leaves."""

    kind: Literal["quote", "item", "footnote"]
    indent: int = 0  # columns that belong to the container before its content
    marker: str = ""  # as it is drawn
    role: str = "list.marker"
    bullet: str = ""  # the character that makes list items siblings
    ordinal: int = 0
    sibling: bool = False  # follows another item of the same list
    hollow: bool = False  # an item that has no content yet

    def number(self, ordinal: int) -> None:
        """Number an item of an ordered list; the box of a task stands after the number."""
        self.ordinal = ordinal
        box = BOXES.get(self.role)
        self.marker = f"{ordinal}{self.bullet} {box}" if box else f"{ordinal}{self.bullet}"

    def mark_task(self, done: bool) -> None:
        """Mark an item with the box of a task."""
        self.role = "task.done" if done else "task.open"
        self.marker = BOXES[self.role]


Path = tuple[LeafContainer, ...]


def count_shared(path: Path, other: Path) -> int:
    """Return how many containers at the beginning of two paths are the same."""
    count = 0
    for one, two in zip(path, other, strict=False):
        if one is not two:
            break
        count += 1
    return count


@dataclass(slots=True, eq=False)
class Fence:
    """A block of code, shared by the leaves that it is cut into."""

    language: str = ""
    char: str = ""  # of the fence; empty for indented code
    size: int = 0
    indent: int = 0


@dataclass(slots=True, eq=False)
class LeafTable:
    """What all rows of a table share; the leaf with its first rows decides the widths."""

    header: str
    aligns: tuple[str, ...]
    rows: str = ""  # of the first leaf
    widths: tuple[object, tuple[int, ...]] | None = None  # for what they were made, and they


@dataclass(slots=True, eq=False)
class Leaf:
    """A piece of one block, small enough to be laid out in one go."""

    kind: LeafKind
    text: str
    path: Path
    fresh: int  # the containers from here on begin with this leaf
    gap: int  # blank lines before it
    start: int  # where its source begins, in characters of the whole text
    end: int
    level: int = 0  # of a heading
    block: Fence | LeafTable | None = None
    first: bool = True  # of its block
    last: bool = True
    open: bool = False  # more of its text may come
