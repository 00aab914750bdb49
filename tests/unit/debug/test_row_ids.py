"""The column of ids."""

import pytest

from acp_tui.debug.row_ids import RowIds
from acp_tui.protocol.jsonrpc import Id


@pytest.mark.parametrize("id", [0, 7, -7, "7", None, 7.5, 2**62, -(2**70), 2**63 - 1])
def test_an_id_is_what_it_was(id: Id) -> None:
    ids = RowIds()
    ids[2] = 1
    ids[5] = id
    assert (ids.get(2), ids.get(5), type(ids.get(5))) == (1, id, type(id))
    assert [row for row in range(8) if row in ids] == [2, 5]
    assert [ids.get(row) for row in (0, 1, 3, 4, 6)] == [None] * 5
    ids[2] = "late"
    assert ids.get(2) == "late"
