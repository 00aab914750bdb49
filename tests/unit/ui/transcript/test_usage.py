"""What a turn took stands under it."""

from typing import Any

import pytest

from acp_tui.state.entries import TurnEndEntry
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.ui.transcript.entries.context import Context
from acp_tui.ui.transcript.entries.notices import TurnEndView


@pytest.mark.parametrize(
    ("usage", "words"),
    [
        (None, "── 2.0s ──"),
        ({"inputTokens": 12_400, "outputTokens": 80}, "── 2.0s · 12k in, 80 out tokens ──"),
        (
            {"inputTokens": 5, "cachedReadTokens": 9, "outputTokens": 1, "thoughtTokens": 3},
            "── 2.0s · 5 in, 9 cached, 1 out, 3 thought tokens ──",
        ),
        ({"inputTokens": "many", "outputTokens": 0}, "── 2.0s ──"),
    ],
)
def test_tokens_are_told_as_far_as_the_agent_counts(
    usage: dict[str, Any] | None, words: str
) -> None:
    entry = TurnEndEntry(12.0, 10.0, "end_turn", usage=usage, ended=12.0)
    view = TurnEndView(entry, Context(State(), Session("s"), lambda: 0.0))
    view.sync()
    view.lay_out(80, float("inf"))
    assert view.plain(0).strip() == words
