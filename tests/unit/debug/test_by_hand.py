"""What is sent by hand is marked as such in the log, and nobody is judged for it."""

from typing import Any

import pytest

from acp_tui.debug.columns import summary
from acp_tui.debug.filters.completion import complete
from acp_tui.debug.filters.language import FilterError
from acp_tui.debug.filters.predicates import compile_filter
from acp_tui.debug.view import LogView
from acp_tui.protocol.connection import WireConnection
from acp_tui.protocol.frames import Direction, Frame, Origin
from acp_tui.protocol.setup import SessionParams
from tests.unit.debug.scenes import Wire

INVALID = {"code": -32602, "message": "Invalid params"}
PROMPT = {"sessionId": "s", "prompt": [{"type": "text", "text": "hi"}]}


def test_it_has_a_sign_and_a_filter() -> None:
    log = Wire().opened().by_hand(id="by-hand-1", method="x/y").log()
    assert [
        row.number
        for row in map(log.__getitem__, range(len(log)))
        if compile_filter("by:hand")(row)
    ] == [5]
    view = LogView(log)
    view.catch_up()
    assert summary(view[len(view) - 1]) == "✎ x/y"
    assert [one.text for one in complete("by:h", 4, log)] == ["hand"]
    with pytest.raises(FilterError, match="did you mean hand"):
        compile_filter("by:hands")


def test_the_client_s_own_ids_leave_those_out() -> None:
    connection = WireConnection()
    for id in (0, 1.0, "x"):
        raw = f'{{"id": {id!r}, "method": "m"}}'.replace("'", '"').encode()
        connection.receive(Frame(Direction.OUT, raw, 0.0, 1, by=Origin.HAND))
    request = connection.request("session/close", SessionParams(session_id="s"))
    assert request.id == 2


@pytest.mark.parametrize(
    "sent",
    [
        Wire().by_hand(id=1, method="session/prompt", params={"prompt": 7}),
        Wire().by_hand(method="session/cancel", params={}),
        Wire().by_hand(id=None, method="session/list", params={}),
        Wire().raw(Direction.OUT, b"no JSON", Origin.HAND),
        Wire().by_hand(id=77, result={}),
    ],
)
def test_nobody_is_blamed_for_what_is_wrong_with_it(sent: Wire) -> None:
    wire = Wire().opened()
    (frame,) = sent.records
    assert isinstance(frame, Frame)
    wire.raw(frame.direction, frame.raw, frame.by)
    assert wire.log().findings.of(len(wire.records) - 1) == []


@pytest.mark.parametrize(
    ("request_", "answer", "found"),
    [
        ({"method": "session/prompt", "params": {}}, {"error": INVALID}, []),
        (
            {"method": "session/prompt", "params": {}},
            {"error": {"code": "?"}},
            ["schema", "schema"],
        ),
        ({"method": "session/new", "params": {}}, {"result": {"sessionId": "s"}}, []),
        (
            {"method": "session/new", "params": {"cwd": "/", "mcpServers": []}},
            {"result": {"sessionId": "s"}},
            ["session-id-reuse"],
        ),
    ],
)
def test_the_agent_may_answer_what_is_broken_as_it_likes_if_it_is_an_answer(
    request_: dict[str, Any], answer: dict[str, Any], found: list[str]
) -> None:
    wire = Wire().opened().by_hand(id="by-hand-1", **request_).got(id="by-hand-1", **answer)
    assert wire.found() == found


def test_a_prompt_within_a_turn_may_be_refused_though_the_turn_is_canceled() -> None:
    wire = Wire().prompted().by_hand(id="x", method="session/prompt", params=PROMPT).cancel()
    wire.later(1).got(id="x", error=INVALID).ended(reason="cancelled")
    assert wire.found() == []


def test_a_broken_request_may_be_left_without_an_answer() -> None:
    wire = Wire().started().opened().by_hand(id="x", method="session/prompt", params={})
    assert wire.died().found() == ["agent-exited"]


def test_a_line_that_is_not_understood_is_no_wonder() -> None:
    wire = Wire().opened().by_hand(id="x", method="session/prompt", jsonrpc="1.0")
    refused = {"code": -32600, "message": "Invalid Request"}
    assert wire.got(id=None, error=refused).found() == []


def test_a_text_put_in_by_hand_is_no_pattern_for_those_that_follow() -> None:
    """A finding of the chunk before is repeated without a look: not from one that has none."""
    wire = Wire().prompted()
    bad = b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","x":1,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%d"}}}}'
    for number, by in enumerate((Origin.HAND, None, Origin.HAND, None)):
        wire.raw(Direction.IN, bad % number, by)
    log = wire.log()
    marked = [bool(log.findings.of(index)) for index in range(len(log) - 4, len(log))]
    assert marked == [False, True, False, True]
