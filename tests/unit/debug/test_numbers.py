"""What a log says about its turns."""

import pytest

from acp_tui.debug.numbers import sparkline, turn_numbers
from tests.unit.debug.scenes import Wire


def test_turns_are_measured_each_in_its_session() -> None:
    wire = (
        Wire()
        .opened()
        .prompt(2)
        .chunk("a", session="other")
        .later(0.97)
        .chunk("b")
        .later(0.98)
        .chunk("c")
    )
    wire.ended(2).prompt(3).chunk("alone").prompt(4).ended(4).prompt(5)
    first, second, third, fourth = turn_numbers(wire.log())
    assert first.first_chunk == pytest.approx(1.0, abs=0.02)
    assert first.rate == pytest.approx(1.0, abs=0.02)
    assert first.seconds == pytest.approx(2.0, abs=0.02)
    assert (second.seconds, second.rate) == (None, None)
    assert second.first_chunk == pytest.approx(0.01)
    assert (third.first_chunk, fourth) == (None, (None, None, None, 0.0))


def test_a_turn_of_version_2_is_measured_until_its_session_is_idle() -> None:
    wire = Wire().running_2().later(0.96).chunk("a").later(0.98).chunk("b").later(0.97)
    wire.update("state_update", "other", state="idle").idle().later(60).accepted_2(3, "u2")
    wire.state("running").chunk("c").later(60).accepted_2(4, "u3")
    first, second, third = turn_numbers(wire.log())
    assert first.first_chunk == pytest.approx(1.0, abs=0.02)
    assert first.rate == pytest.approx(1.0, abs=0.02)
    assert first.seconds == pytest.approx(3.0, abs=0.02)
    assert second.first_chunk == pytest.approx(0.04, abs=0.02)
    assert (second.seconds, third.first_chunk, third.seconds) == (None, None, None)


def test_what_the_person_takes_to_answer_is_not_the_agents() -> None:
    wire = Wire().opened().prompt(2).ask(7, "session/request_permission", sessionId="s")
    wire.later(10.0).ask(8, "elicitation/create", sessionId="s").later(10.0)
    wire.ask(6, "session/request_permission", sessionId="s").out(id=6, result={})
    wire.out(id=7, result={}).later(5.0).out(id=8, result={}).later(0.97)
    wire.chunk("a").later(0.47).ask(9, "session/request_permission", sessionId="s").later(30.0)
    wire.out(id=9, result={}).later(0.47).chunk("b").ended(2)
    (turn,) = turn_numbers(wire.log())
    assert turn.first_chunk == pytest.approx(1.0, abs=0.05)
    assert turn.rate == pytest.approx(1.0, abs=0.05)
    assert turn.seconds == pytest.approx(2.0, abs=0.1)
    assert turn.waited == pytest.approx(55.0, abs=0.1)


def test_bars_show_the_last_values_beside_the_largest() -> None:
    assert sparkline([1, 2, 4, 8], 10) == "▂▃▅█"
    assert sparkline([8, 1, 8], 2) == "▂█"
    assert sparkline([0, 0], 5) == "▁▁"
    assert sparkline([], 5) == ""
