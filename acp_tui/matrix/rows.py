"""The rows of a matrix, in their order."""

from functools import cache

from acp_tui.matrix import manners, offers, traffic
from acp_tui.matrix.model import Cell
from acp_tui.matrix.row import Row
from acp_tui.matrix.seen import Seen


@cache
def rows() -> tuple[Row, ...]:
    """List all rows."""
    return (*offers.rows(), *traffic.rows(), *manners.rows())


def cells(seen: Seen) -> dict[str, Cell]:
    """Return what was found, by the ids of the rows."""
    return {row.id: row.read(seen) for row in rows()}
