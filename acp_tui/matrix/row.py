"""A row of a matrix."""

from collections.abc import Callable
from dataclasses import dataclass

from acp_tui.matrix.model import Cell
from acp_tui.matrix.observations import Seen

Read = Callable[[Seen], Cell]


@dataclass(frozen=True, slots=True)
class Row:
    """One fact, and how it is read. `id` stays from version to version: what is kept is compared by it."""

    id: str
    group: str
    title: str
    read: Read
