"""The rows of a matrix, in their order."""

from functools import cache

from acp_tui.matrix import behavior, offers, traffic
from acp_tui.matrix.model import Cell
from acp_tui.matrix.observations import Seen
from acp_tui.matrix.row import Row


@cache
def rows() -> tuple[Row, ...]:
    """List all rows."""
    return (*offers.rows(), *traffic.rows(), *behavior.rows())


def cells(seen: Seen) -> dict[str, Cell]:
    """Return what was found, by the ids of the rows."""
    return {row.id: row.read(seen) for row in rows()}
