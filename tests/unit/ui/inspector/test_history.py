"""The session as it was: whatever way one goes there, it is what a replay gives."""

from time import perf_counter

import pytest

from acp_tui.recordings.recording import read_events
from acp_tui.state.changes import EntryChanged
from acp_tui.state.fold import replay_events
from acp_tui.ui.inspector import history
from acp_tui.ui.inspector.history import History, StateCheckpoints
from tests.unit.debug.scenes import Wire
from tests.unit.ui.inspector.scene import talk


def go(it: History, position: int, budget: float = 0.01) -> None:
    while not it.seek(position, perf_counter() + budget):
        pass


def counted(it: History, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The positions from which each step of `it` is going to be made."""
    steps: list[int] = []
    step = it.step
    monkeypatch.setattr(it, "step", lambda: (steps.append(it.position), step()))
    return steps


def test_the_state_at_every_record_is_a_replay_up_to_it() -> None:
    records = talk().records
    it = History(records, StateCheckpoints())
    state = it.state
    forth = range(len(records) + 1)
    for position in [*forth, *reversed(forth), 3, 17, 5, len(records), 0]:
        go(it, position)
        assert it.state == replay_events(read_events(records[:position]))
    assert it.state is state


def test_a_way_back_says_that_all_is_new() -> None:
    it = History(talk().records, StateCheckpoints())
    go(it, 9)
    assert it.moved()
    go(it, 8)
    assert it.moved() is None
    go(it, 8)
    assert it.moved() == []


def test_what_moved_on_a_long_way_is_told_once() -> None:
    wire = Wire().prompted()
    for number in range(500):
        wire.chunk(str(number))
    it = History(wire.records, StateCheckpoints())
    go(it, 10)
    it.moved()
    go(it, len(wire.records))
    assert it.moved() == [EntryChanged("s", 1)]


def test_a_long_way_is_gone_in_slices() -> None:
    it = History(talk().records, StateCheckpoints())
    assert it.seek(9, 0.0) is False
    assert it.position == 1


def test_a_step_back_in_a_long_log_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    wire = Wire().prompted()
    for number in range(1500):
        wire.chunk(str(number))
    it = History(wire.records, StateCheckpoints())
    go(it, 1400)
    steps = counted(it, monkeypatch)
    go(it, 1399)
    assert len(steps) < history.NEAR
    assert it.state == replay_events(read_events(wire.records[:1399]))


def test_checkpoints_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "APART", 2)
    monkeypatch.setattr(history, "MOST_CHECKPOINTS", 5)
    records = talk().records
    it = History(records, StateCheckpoints())
    go(it, len(records))
    assert len(it._checkpoints) <= 5
    go(it, 2)
    assert it.state == replay_events(read_events(records[:2]))


def test_checkpoints_are_made_and_used_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "APART", 4)
    monkeypatch.setattr(history, "SLICE", 1)
    records = talk().records
    it = History(records, StateCheckpoints())
    go(it, len(records), budget=0.0)
    assert it.seek(len(records) - 1, 0.0) is False
    assert it.position == len(records)
    for position in (len(records) - 1, 18, 11, 12, 3, len(records), 0):
        go(it, position, budget=0.0)
        assert it.state == replay_events(read_events(records[:position]))


def test_the_memory_of_checkpoints_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "APART", 2)
    monkeypatch.setattr(history, "MOST_BYTES", 20_000)
    records = talk().records
    it = History(records, StateCheckpoints())
    go(it, len(records))
    assert it._checkpoints.size <= 20_000 or len(it._checkpoints) == 2
    go(it, 9)
    assert it.state == replay_events(read_events(records[:9]))


def test_checkpoints_of_one_history_spare_another_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "APART", 4)
    records, kept = talk().records, StateCheckpoints()
    go(History(records, kept), len(records))
    it = History(records, kept)
    steps = counted(it, monkeypatch)
    go(it, len(records))
    assert len(steps) < 4
    assert it.state == replay_events(read_events(records))
