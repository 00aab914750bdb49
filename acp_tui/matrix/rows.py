"""The rows of a matrix, in their order."""

from functools import cache

from acp_tui.matrix import behavior, offers, traffic
from acp_tui.matrix.model import MatrixCell
from acp_tui.matrix.observations import MatrixRow, Observations


@cache
def rows() -> tuple[MatrixRow, ...]:
    """List all rows."""
    return (*offers.rows(), *traffic.rows(), *behavior.rows())


def cells(seen: Observations) -> dict[str, MatrixCell]:
    """Return what was found, by the ids of the rows."""
    return {row.id: row.read(seen) for row in rows()}
