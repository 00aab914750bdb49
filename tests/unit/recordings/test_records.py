"""Sequences that read each record when it is asked for."""

import pytest

from acp_tui.recordings.recording import format_record
from acp_tui.recordings.records import Slice, pieces_of, time_of
from tests.unit.debug.scenes import Wire


def test_a_slice_reads_what_it_stands_for() -> None:
    records = Wire().prompted().chunk("a").chunk("b").records
    few = Slice(records, range(1, 4))
    assert len(few) == 3
    assert list(few) == list(records[1:4])
    assert few[-1] == records[3]
    assert few[1:] == list(records[2:4])
    with pytest.raises(IndexError):
        few[3]


def test_any_sequence_is_written_in_pieces_and_tells_times() -> None:
    records = Wire().prompted().records
    for sequence in (records, Slice(records, range(len(records)))):
        assert "".join(pieces_of(sequence, 2)) == format_record(records[2])
        assert time_of(sequence, -1) == records[-1].at


def test_a_slice_knows_where_it_ends() -> None:
    records = Wire().prompted().records
    assert (Slice(records, range(1, 3)).end, len(Slice(records, range(1, 3)))) == (3, 2)
