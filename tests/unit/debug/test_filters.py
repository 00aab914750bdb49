"""What a filter lets pass."""

from time import process_time

import pytest

from acp_tui.debug.filters.predicates import compile_filter
from acp_tui.protocol.process_events import StderrLine, StdoutClosed, TerminalOutput
from tests.unit.debug.scenes import Wire


def passed(expression: str) -> list[int]:
    wire = Wire().chunk("Green tea").happened(StderrLine(101.0, "warning: no tea"))
    wire.happened(TerminalOutput(102.0, "t1", b"caf\xc3\xa9 \xff tea"))
    log = wire.happened(StdoutClosed(103.0)).log()
    test = compile_filter(expression)
    return [index for index in range(len(log)) if test(log[index])]


def test_text_is_found_in_frames_stderr_and_terminal_output_alike() -> None:
    assert passed("text:TEA") == [0, 1, 2]


def test_terminal_output_is_searched_as_the_text_that_it_is() -> None:
    assert passed("text:CAFÉ") == [2]


def test_text_of_other_events_is_looked_for_in_what_is_recorded() -> None:
    assert passed("text:103") == [3]


def test_either_side_of_an_or_is_enough() -> None:
    assert passed("text:warning or text:green") == [0, 1]
    assert passed("not (text:warning or text:green)") == [2, 3]


@pytest.mark.parametrize(
    ("expression", "rows"),
    [
        ("time<=1", [0, 1]),
        ("time>1", [2, 3]),
        ("delta=1", [2, 3]),
        ("size>=1000000", []),
        ("size<1000000", [0, 1, 2, 3]),
        ("latency<1", []),
        ("params.time>=0", []),
    ],
)
def test_numbers_are_compared(expression: str, rows: list[int]) -> None:
    assert passed(expression) == rows


def test_no_pattern_takes_long() -> None:
    log = Wire().chunk("a" * 50_000).log()
    before = process_time()
    for expression in (
        "text:/(a+)+!/",
        "text:/(a|a)*!/",
        f"kind:{'*a' * 40}*!",
        "text:/a*a*a*a*!/",
    ):
        assert not compile_filter(expression)(log[0])
    assert process_time() - before < 1


def test_a_pattern_with_i_looks_at_no_case() -> None:
    assert passed("text:/GREEN|WARNING/") == []
    assert passed("text:/GREEN|WARNING/i") == [0, 1]


def test_a_pattern_finds_what_stands_beside_half_a_character() -> None:
    log = Wire().happened(StderrLine(101.0, "\ud800 tea")).log()
    assert compile_filter("text:/t.a$/")(log[0])


def test_a_kind_of_somebody_s_own_may_be_filtered_for() -> None:
    assert compile_filter("kind:_mine")(Wire().prompted().log()[0]) is False
