"""Where the time of a long turn went, told while keys are answered."""

import pytest

from acp_tui.recordings.recording import read_events
from acp_tui.state.entries import TurnEndEntry
from acp_tui.state.fold import replay_events
from acp_tui.ui.transcript.entries import notices
from acp_tui.ui.transcript.entries.context import Context
from tests.unit.debug.scenes import Wire


def test_a_long_turn_is_read_in_slices_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "BUDGET", 0.0)
    wire = Wire().prompted()
    for _ in range(500):
        wire.chunk()
    state = replay_events(read_events(wire.ended().records))
    session = state.sessions["s"]
    entry = session.entries[-1]
    assert isinstance(entry, TurnEndEntry)
    view = notices.TurnEndView(entry, Context(state, session, lambda: 0.0, wire.records))
    view.toggle()
    seen = []
    while not view.lay_out(100, float("inf")):
        seen.append(view.plain(1).strip())
    assert len(seen) > 3
    assert seen[0].startswith("reading the turn: ")
    assert len(set(seen)) == len(seen)
    assert "500 chunks" in view.plain(1)
    view.toggle()
    view.toggle()
    assert view.lay_out(100, float("inf"))
