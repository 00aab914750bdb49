"""Breakpoints: which frames they hold."""

import pytest

from acp_tui.debug.filters.language import FilterError
from acp_tui.debug.filters.predicates import Breakpoints, compile_filter, filter_for
from acp_tui.debug.log import LiveRows
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.process_events import StderrLine
from tests.unit.debug.scenes import Wire

ASKED = Frame(Direction.OUT, b'{"jsonrpc":"2.0","id":7,"method":"session/close"}', 1.0)
ANSWER = Frame(Direction.IN, b'{"jsonrpc":"2.0","id":7,"result":{}}', 3.0)


def test_the_first_that_is_on_and_passes_a_frame_holds_it() -> None:
    breakpoints = Breakpoints()
    assert not breakpoints
    for text in ("dir:out", "method:session/close", "dir:in"):
        breakpoints.set(text)
    rows = LiveRows()
    assert breakpoints.matching(rows.row(ASKED)) == "dir:out"
    assert breakpoints.matching(rows.row(ANSWER)) == "method:session/close"
    breakpoints.set("method:session/close", on=False)
    assert breakpoints.matching(rows.row(ANSWER)) == "dir:in"
    breakpoints.remove("dir:in")
    breakpoints.remove("dir:in")
    assert breakpoints.matching(rows.row(ANSWER)) is None
    breakpoints.set("dir:out", on=False)
    assert not breakpoints
    assert breakpoints.filters == ["dir:out", "method:session/close"]
    with pytest.raises(FilterError):
        breakpoints.set("dir:inn")


def test_a_turn_of_version_2_goes_on_after_its_prompt_is_accepted() -> None:
    wire = Wire().running_2().chunk("a").state("requires_action").idle().chunk("late")
    rows, found = LiveRows(), []
    for frame in wire.records:
        assert isinstance(frame, Frame)
        row = rows.row(frame)
        found.append((row.kind, rows.in_turn))
    assert found[-6:] == [
        ("user_message", False),
        ("state_update", True),
        ("agent_message_chunk", True),
        ("state_update", True),
        ("state_update", False),
        ("agent_message_chunk", False),
    ]


def test_an_answer_has_the_method_and_the_latency_of_a_request_from_before() -> None:
    row = LiveRows([ASKED]).row(ANSWER)
    assert compile_filter("method:session/close latency>1s")(row)


def test_a_turn_runs_from_its_prompt_to_the_response() -> None:
    rows, found = LiveRows(), []
    for frame in Wire().prompted().chunk().ended().records:
        assert isinstance(frame, Frame)
        rows.row(frame)
        found.append(rows.in_turn)
    assert found == [False] * 4 + [True, True, False]


@pytest.mark.parametrize(
    ("wire", "text"),
    [
        (Wire().opened().chunk(), "dir:in kind:agent_message_chunk"),
        (Wire().prompted(), "dir:out method:session/prompt"),
        (Wire().prompted().ended(), "dir:in method:session/prompt"),
        (Wire().got(method='my "own" (x)'), 'dir:in method:"my \\"own\\" (x)"'),
        (Wire().got(method="/x/"), 'dir:in method:"/x/"'),
        (Wire().raw(Direction.IN, b"noise"), "dir:in"),
        (Wire().happened(StderrLine(1.0, "x")), ""),
    ],
)
def test_a_filter_for_all_frames_of_a_kind(wire: Wire, text: str) -> None:
    log = wire.log()
    assert filter_for(log[len(log) - 1]) == text
    assert compile_filter(text)(log[len(log) - 1])
