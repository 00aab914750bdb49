"""A watched tool call knows when an update adds to the question that a person is looking at."""

from typing import Any

import pytest

from acp_tui.client.files.watched_call import TurnEdits, WatchedCall
from acp_tui.protocol.content import Diff
from acp_tui.protocol.updates import ToolCallUpdate
from acp_tui.state.entries import ToolCallEntry

DIFF = {"content": [Diff(path="/w/a", old_text="a", new_text="b")]}
INPUT = {"raw_input": {"path": "/w/a"}}


def told(**fields: Any) -> ToolCallUpdate:
    return ToolCallUpdate(tool_call_id="t", **fields)


def asked(**fields: Any) -> WatchedCall:
    watch = WatchedCall("s", ToolCallEntry("t", 1.0), TurnEdits(), 1.0)
    watch.record_question(7, told(**fields))
    return watch


@pytest.mark.parametrize(
    ("question", "update", "adds"),
    [
        ({}, DIFF, True),
        ({}, INPUT, True),
        (DIFF, INPUT, True),
        (INPUT, DIFF, True),
        ({}, {"status": "pending"}, False),
        (DIFF, DIFF, False),
        (INPUT, INPUT, False),
        (DIFF | INPUT, DIFF | INPUT, False),
    ],
)
def test_only_what_the_question_lacks_is_added_to_it(
    question: dict[str, Any], update: dict[str, Any], adds: bool
) -> None:
    watch = asked(**question)
    assert watch.shows(told(**update)) is adds
    watch.answered = True
    assert not watch.shows(told(**update))


def test_nothing_is_added_where_nobody_is_asked() -> None:
    watch = WatchedCall("s", ToolCallEntry("t", 1.0), TurnEdits(), 1.0)
    assert not watch.shows(told(**DIFF, **INPUT))
