"""Sequences that read each record when it is asked for."""

import pytest

from acp_tui.wire.records import Slice
from tests.unit.wire.scenes import Wire


def test_a_slice_reads_what_it_stands_for() -> None:
    records = Wire().prompted().chunk("a").chunk("b").records
    few = Slice(records, range(1, 4))
    assert len(few) == 3
    assert list(few) == list(records[1:4])
    assert few[-1] == records[3]
    assert few[1:] == list(records[2:4])
    with pytest.raises(IndexError):
        few[3]
