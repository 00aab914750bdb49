"""Finding one's way in the rows of a log."""

import pytest

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
