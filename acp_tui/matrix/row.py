"""A row of a matrix."""

from collections.abc import Callable
from dataclasses import dataclass

from acp_tui.matrix.model import MatrixCell
from acp_tui.matrix.observations import Observations

Read = Callable[[Observations], MatrixCell]


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One fact, and how it is read. `id` stays from version to version: what is kept is compared by it."""

    id: str
    group: str
    title: str
    read: Read
