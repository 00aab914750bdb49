"""Finding one's way in the rows of a log."""

import pytest

from acp_tui.debug.rows import RowIds
from acp_tui.protocol.jsonrpc import Id
from tests.unit.debug.scenes import Wire


def test_a_row_that_is_not_there_is_an_index_error() -> None:
    log = Wire().chunk().chunk().log()
    assert log[-1].index == 1
    for index in (2, -3):
        with pytest.raises(IndexError):
            log[index]


def test_the_prompt_before_a_row_is_that_of_its_own_session() -> None:
    wire = Wire().prompted().ended()
    wire.out(id=3, method="session/prompt", params={"sessionId": "other", "prompt": []})
    log = wire.chunk().log()
    assert log.prompt_before(7) == 6
    assert log.prompt_before(7, "s") == 4
    assert log.prompt_before(7, "third") is None
    assert log.prompt_before(3) is None


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
