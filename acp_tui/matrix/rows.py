"""The rows of a matrix, in their order."""

from functools import cache

from acp_tui.matrix import behavior, offers, traffic
from acp_tui.matrix.model import MatrixCell
from acp_tui.matrix.observations import MatrixRow, Observations


@cache
def matrix_rows() -> tuple[MatrixRow, ...]:
    """List all rows."""
    return (*offers.offer_rows(), *traffic.traffic_rows(), *behavior.behavior_rows())


def cells(seen: Observations) -> dict[str, MatrixCell]:
    """Return what was found, by the ids of the rows."""
    return {row.id: row.read(seen) for row in matrix_rows()}
