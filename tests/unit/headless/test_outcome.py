"""How a turn without a screen ends, in words and as an exit code."""

import pytest

from acp_tui.headless.outcome import ExitCode, judge_end
from acp_tui.protocol.jsonrpc import Error
from acp_tui.state.entries import TurnEndEntry

NO = Error(-32603, "no such method")


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (
            TurnEndEntry(2.0, 1.0, error=NO, canceled=True),
            "the turn was canceled, and the agent answered with an error: no such method",
        ),
        (TurnEndEntry(2.0, 1.0, error=NO), "the agent answered with an error: no such method"),
        (TurnEndEntry(2.0, 1.0, "end_turn", canceled=True), "the turn was canceled"),
        (TurnEndEntry(2.0, 1.0, "max_tokens", canceled=True), "the turn was canceled"),
    ],
)
def test_a_canceled_turn_says_so_whatever_the_agent_answered(end: TurnEndEntry, words: str) -> None:
    ended = judge_end(end)
    assert ended.code is ExitCode.ERROR
    assert ended.why.startswith(words)
