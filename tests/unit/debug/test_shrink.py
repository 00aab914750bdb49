"""A recording cut to the smallest that still shows a finding."""

import json
from typing import Any

import pytest

from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.shrink import Shrinker, Shrunk, ddmin
from acp_tui.protocol.events import TimedOut
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.recordings.recording import RecordingError
from tests.unit.debug.scenes import Wire, read

CUSTOM = "custom-field"


def shrunk(wire: Wire, rule: str, tries: int = 10_000) -> Shrunk:
    return Shrinker(wire.records, rule, Linter, lambda tried, _: tried < tries).shrink()


def messages(found: Shrunk) -> list[Any]:
    return [json.loads(one.raw) for one in found.records if isinstance(one, Frame)]


def long_talk() -> Wire:
    """Many turns, in one of which a field is wrong."""
    wire = Wire().started().opened()
    for id in range(10, 17):
        wire.prompt(id).chunk(f"a long answer {id}").update("plan", entries=[])
        if id == 13:
            wire.chunk("x" * 500, mood={"is": ["bad", "very bad"]})
        wire.ended(id)
    return wire.raw(Direction.IN, b"noise")


def test_what_is_left_shows_the_finding_and_no_other_and_is_the_same_each_time() -> None:
    found = shrunk(long_talk(), CUSTOM)
    assert shrunk(long_talk(), CUSTOM).records == found.records
    assert found.whole
    assert (found.finding.rule.id, found.finding.where) == (CUSTOM, "params.update.mood")
    assert [one.rule.id for one in read(found.records).findings] == [CUSTOM]
    *_, said = messages(found)
    assert said["params"]["update"]["mood"] in ({}, {"is": []})
    assert len(json.dumps(said)) < 220
    assert len(found.records) < 9


@pytest.mark.parametrize("again", [False, True])
def test_a_request_that_timed_out_stays_with_its_time_out(again: bool) -> None:
    wire = Wire().started().opened().prompt(2).chunk("hello").ended(2)
    wire.out(id=3, method="session/set_mode", params={"sessionId": "s", "modeId": "code"})
    wire.happened(TimedOut(wire.at + 60, 3, 60.0)).prompt(4).chunk("more").ended(4)
    if again:
        wire.out(id=3, method="session/list", params={})
    found = shrunk(wire, "timed-out")
    assert [one["method"] for one in messages(found) if one["id"] == 3] == ["session/set_mode"]
    assert found.finding.message == "no answer to session/set_mode within 60 s"
    assert len(messages(found)) < 6


def test_once_no_more_may_be_tried_the_best_so_far_is_left() -> None:
    found = shrunk(long_talk(), CUSTOM, tries=9)
    assert not found.whole
    assert found.tries == 9
    assert len(found.records) < len(long_talk().records)


def test_a_line_that_is_no_message_needs_nothing_else() -> None:
    (start, noise) = shrunk(long_talk(), "stdout-noise").records
    assert type(start).__name__ == "ProcessStarted"
    assert isinstance(noise, Frame)
    assert noise.raw == b"noise"


def test_a_rule_that_nothing_breaks_is_told_with_those_that_are_broken() -> None:
    with pytest.raises(
        RecordingError, match="breaks the rule no-such; there is: custom-field, stdout-noise"
    ):
        shrunk(long_talk(), "no-such")
    with pytest.raises(RecordingError, match="there is: nothing"):
        shrunk(Wire(), "no-such")


def test_of_many_fields_many_are_cut_at_once() -> None:
    extra = {f"field {at}": [f"value {at}"] * 3 for at in range(500)}
    found = shrunk(Wire().opened().prompt(2).chunk("x", mood={"is": extra}).ended(2), CUSTOM)
    assert found.whole
    assert messages(found)[-1]["params"]["update"]["mood"] == {}
    assert found.tries < 200


def test_what_is_nested_deep_is_cut_too() -> None:
    deep: Any = "it"
    for _ in range(90):
        deep = {"in": [deep]}
    params = {"sessionUpdate": "plan", "entries": [], "mood": deep}
    said = {"jsonrpc": "2.0", "method": "session/update", "params": {"update": params}}
    line = json.dumps(said).encode()
    found = shrunk(Wire().initialized().raw(Direction.IN, line), CUSTOM)
    assert messages(found)[-1]["params"]["update"]["mood"] == {}


def test_what_is_nested_too_deep_is_left_as_it_is() -> None:
    wire = Wire().raw(
        Direction.IN,
        b'{"jsonrpc":"2.0","method":"_x","params":' + b"[" * 10_001 + b"]" * 10_001 + b"}",
    )
    rule = read(wire.records).findings.__iter__().__next__().rule.id
    assert shrunk(wire, rule).records == wire.records


@pytest.mark.parametrize(
    ("units", "needed"),
    [(range(50), {7}), (range(50), {0, 49}), (range(9), set()), ([], set()), (range(3), {0, 1, 2})],
)
def test_no_unit_is_left_that_is_not_needed(units: Any, needed: set[int]) -> None:
    assert set(ddmin(list(units), lambda some: needed <= set(some))) == needed
