"""Whatever is in a log, what shows it never fails: a slice of `make fuzz`."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_tui.config.themes import load_theme
from acp_tui.debug import columns
from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.log import Log
from acp_tui.debug.turn_times import TurnTimer, summarize_times
from acp_tui.debug.view import LogView
from acp_tui.masking.redactor import Redactor
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.recordings.recording import read_events
from acp_tui.state.fold import replay_events
from acp_tui.ui.colors.theme import to_textual
from acp_tui.ui.export.about import heading_of
from acp_tui.ui.export.drawing import Drawing
from acp_tui.ui.export.html import html_page
from acp_tui.ui.export.markdown import markdown_page
from acp_tui.ui.export.masking import masked_at_once
from acp_tui.ui.replay.player import ReplayPlayer
from acp_tui.ui.transcript.entries.views import document_of
from tests.properties.test_fuzz import fuzz, lines, updates
from tests.security.attacks import FORBIDDEN

few = settings(fuzz, max_examples=max(10, fuzz.max_examples // 4))
"""Each example is a whole log."""
THEME = to_textual("night", load_theme("night"))
WHEN = datetime(2026, 1, 1, tzinfo=UTC)
said = updates.map(
    lambda update: json.dumps(
        {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {"sessionId": "s", "update": update},
        }
    ).encode()
)
sent = st.tuples(st.sampled_from(Direction), lines) | st.tuples(st.just(Direction.IN), said)
logs = st.lists(sent, max_size=14).map(
    lambda frames: [
        Frame(direction, raw, number / 2, number)
        for number, (direction, raw) in enumerate(frames, 1)
    ]
)


@pytest.mark.slow
@few
@given(logs)
def test_the_inspector(records: list[Frame]) -> None:
    log = Log(records, Linter())
    view = LogView(log)
    log.catch_up()
    view.catch_up()
    log.finish()
    log.latencies()
    for at in range(len(view)):
        group = view[at]
        assert isinstance(columns.summarize_group(group), str)
        assert isinstance(columns.excerpt_group(group), str)
    for session in log.prompts or [0]:
        turn = TurnTimer("s", 0.0)
        for record in records[session:]:
            turn.add_record(record)
        assert isinstance(summarize_times(turn.finish()), str)


@pytest.mark.slow
@few
@given(logs, st.integers(1, 60))
def test_an_export(records: list[Frame], width: int) -> None:
    state = replay_events(read_events(records))
    for session in state.sessions.values():
        copy, its_copy = masked_at_once(state, session, Redactor())
        facts = heading_of(copy, its_copy, WHEN)
        page = "".join(markdown_page(copy, its_copy, facts))
        assert not FORBIDDEN.search(page.replace("\n", ""))
        drawing = Drawing(document_of(copy, its_copy, lambda: 200.0), THEME, width)
        assert not FORBIDDEN.search("".join(html_page(drawing, facts)).replace("\n", ""))


@pytest.mark.slow
@few
@given(logs, st.lists(st.integers(0, 14), max_size=5))
def test_a_replay_goes_anywhere(records: list[Frame], places: list[int]) -> None:
    player = ReplayPlayer(records, lambda: 0.0)
    for place in places:
        player.seek(min(place, len(records)))
        while player.goal is not None:
            player.play()
        expected = replay_events(read_events(records[: player.position]))
        assert repr(player.history.state) == repr(expected)
