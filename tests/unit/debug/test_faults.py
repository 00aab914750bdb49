"""Faults on purpose: what a person can ask for, and that the same seed does the same."""

import json
from typing import Any

import pytest

from acp_tui.debug.faults import (
    GARBAGE,
    Fate,
    Fault,
    FaultError,
    FaultKind,
    FaultPlan,
    read_fault,
)
from acp_tui.debug.log import LiveRows
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.frames import Direction, Frame
from tests.unit.debug.scenes import Wire

SCENE = Wire().prompted().chunk("one").chunk("two").chunk("three").ended().records
PROMPT, CHUNK, END = 4, 5, 8
"""Where these are among the frames."""


def plan(*specs: str, seed: int = 0) -> FaultPlan:
    made = FaultPlan(seed)
    for spec in specs:
        made.set(read_fault(spec))
    return made


def fates(*specs: str, seed: int = 0, in_pieces: bool = True) -> list[Fate | None]:
    """What becomes of each frame of the scene."""
    made, rows = plan(*specs, seed=seed), LiveRows()
    found = []
    for frame in SCENE:
        assert isinstance(frame, Frame)
        row = rows.row(frame)
        in_turn = rows.in_turn
        found.append(made.decide(row, frame.raw, in_turn=in_turn, in_pieces=in_pieces))
    return found


def hit(*specs: str, **more: Any) -> list[int]:
    return [index for index, fate in enumerate(fates(*specs, **more)) if fate is not None]


def fate_of(index: int, *specs: str) -> Fate:
    fate = fates(*specs)[index]
    assert fate is not None
    return fate


def raw(index: int) -> bytes:
    frame = SCENE[index]
    assert isinstance(frame, Frame)
    return frame.raw


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ("drop", Fault("drop", FaultKind.DROP, share=0.1)),
        ("drop:id:4", Fault("drop:id:4", FaultKind.DROP, filter="id:4", share=1.0)),
        ("in:drop=25%", Fault("in:drop=25%", FaultKind.DROP, Direction.IN, share=0.25)),
        ("wrong-id=#3", Fault("wrong-id=#3", FaultKind.WRONG_ID, number=3)),
        ("fragment", Fault("fragment", FaultKind.FRAGMENT, share=1.0)),
        (" delay ", Fault("delay", FaultKind.DELAY, shortest=0.2, longest=0.2, share=1.0)),
        (
            "out:delay=50ms-2s, 10%:kind:plan",
            Fault(
                "out:delay=50ms-2s, 10%:kind:plan",
                FaultKind.DELAY,
                Direction.OUT,
                "kind:plan",
                0.05,
                2.0,
                0.1,
            ),
        ),
        ("stall-stdin", Fault("stall-stdin", FaultKind.STALL, Direction.OUT, "", 5, 5, None, 1)),
        ("kill-midturn", Fault("kill-midturn", FaultKind.KILL)),
        (
            "kill-midturn:kind:plan",
            Fault("kill-midturn:kind:plan", FaultKind.KILL, filter="kind:plan", number=1),
        ),
    ],
)
def test_what_can_be_asked_for(spec: str, fault: Fault) -> None:
    assert read_fault(spec) == fault


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("", "is not a fault: write"),
        ("dorp", "did you mean drop?"),
        ("xyzzy", "there are: fragment, delay"),
        ("drop=2s", "has no value '2s'; it takes how many are hit"),
        ("delay=fast", "it takes a time"),
        ("delay=1s-2s-3s", "has no value"),
        ("delay=2s-1s", "the shorter time comes first"),
        ("delay=90m", "an hour is the most"),
        ("drop=0%", "more than 0%"),
        ("drop=101%", "at most 100%"),
        ("drop=#0", "the first frame is #1"),
        ("drop=", "has no value ''"),
        ("drop:dir:inn", "      ^^^\ndir has no value"),
    ],
)
def test_what_is_refused_and_why(spec: str, said: str) -> None:
    with pytest.raises(FaultError) as refused:
        read_fault(spec)
    assert said in str(refused.value)


def test_the_same_seed_does_the_same_whatever_comes_from_the_other_side() -> None:
    specs = ("drop=50%", "delay=1s-9s,50%", "fragment=50%")
    assert fates(*specs, seed=4) == fates(*specs, seed=4)
    assert any(fates(*specs, seed=4) != fates(*specs, seed=seed) for seed in range(5))
    only_in = [one for one in SCENE if isinstance(one, Frame) and one.direction is Direction.IN]
    rows, made = LiveRows(), plan(*specs, seed=4)
    alone = [made.decide(rows.row(one), one.raw, in_turn=False) for one in only_in]
    among = [
        fate
        for fate, one in zip(fates(*specs, seed=4), SCENE, strict=True)
        if isinstance(one, Frame) and one.direction is Direction.IN
    ]
    assert alone == among


def test_filters_directions_and_numbers_choose_the_frames() -> None:
    assert hit("drop:kind:agent_message_chunk") == [CHUNK, CHUNK + 1, CHUNK + 2]
    assert hit("drop=#2:kind:agent_message_chunk") == [CHUNK + 1]
    assert hit("out:drop=100%") == [0, 2, PROMPT]
    assert hit("late-answer=100%") == hit("wrong-id=100%") == [1, 3, END]
    assert hit("stall-stdin") == [0]
    assert len(hit("kill-midturn")) == 1
    assert hit("kill-midturn:kind:agent_message_chunk") == [CHUNK]
    assert hit("kill-midturn:method:initialize") == []
    assert hit("fragment", in_pieces=False) == []


def test_one_that_is_switched_off_hits_nothing_and_changes_no_other() -> None:
    made, rows = plan("drop=50%", "garbage=50%", seed=2), LiveRows()
    made.set(read_fault("drop=50%"), on=False)
    decided = []
    for frame in SCENE:
        assert isinstance(frame, Frame)
        decided.append(made.decide(rows.row(frame), frame.raw, in_turn=False))
    assert [fate is not None for fate in decided] == [
        fate is not None for fate in fates("garbage=50%", seed=2)
    ]
    assert made
    made.remove("garbage=50%")
    made.remove("no such fault")
    assert not made


def test_what_is_done() -> None:
    chunk = raw(CHUNK)
    assert fate_of(CHUNK, "drop=100%").lines == []
    assert fate_of(CHUNK, "duplicate=100%").lines == [chunk, chunk]
    assert fate_of(CHUNK, "reorder=100%").swapped
    assert fate_of(CHUNK, "delay=2s").seconds == 2
    assert not fate_of(END, "late-answer=2s,100%").in_order
    assert fate_of(0, "stall-stdin=3s").stall == 3
    assert fate_of(CHUNK, "kill-midturn:kind:agent_message_chunk").kill
    line, garbage = fate_of(CHUNK, "garbage=100%").lines
    assert line == chunk
    assert garbage in GARBAGE
    (cut,) = fate_of(CHUNK, "truncate=100%").lines
    assert chunk.startswith(cut)
    assert 0 < len(cut) < len(chunk)
    pieces = fate_of(CHUNK, "fragment")
    assert pieces.lines == [chunk]
    assert list(pieces.cuts) == sorted(set(pieces.cuts))
    assert all(0 < place < len(chunk) for place in pieces.cuts)
    (wrong,) = fate_of(END, "wrong-id=100%").lines
    assert json.loads(wrong)["result"] == json.loads(raw(END))["result"]
    assert json.loads(wrong)["id"] != json.loads(raw(END))["id"]


def test_a_dropped_frame_has_no_other_fault_and_others_add_up() -> None:
    assert [one.fault for one in fate_of(CHUNK, "drop=100%", "garbage=100%").injections] == [
        "drop=100%"
    ]
    both = fate_of(CHUNK, "fragment", "truncate=100%", "delay=1s", "delay=2s,100%")
    assert len(both.injections) == 4
    assert both.seconds == 3
    assert all(cut < len(both.lines[0]) for cut in both.cuts)
    assert (
        fate_of(END, "truncate=#1:id:2", "wrong-id=100%").injections[-1].fault == "truncate=#1:id:2"
    )


@pytest.mark.parametrize("kind", ["fragment", "truncate"])
def test_a_line_of_one_byte_has_no_pieces(kind: str) -> None:
    frame = Frame(Direction.IN, b"1", 0.0)
    assert plan(f"{kind}=100%").decide(LiveRows().row(frame), b"1", in_turn=False) is None


def test_the_wrong_id_of_a_text_is_a_text() -> None:
    rows = LiveRows()
    rows.row(Frame(Direction.OUT, b'{"jsonrpc":"2.0","id":"a","method":"m"}', 0.0))
    answer = b'{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"no"}}'
    row = rows.row(Frame(Direction.IN, answer, 1.0))
    fate = plan("wrong-id=100%").decide(row, answer, in_turn=False)
    assert fate is not None
    message = jsonrpc.parse(fate.lines[0])
    assert isinstance(message, jsonrpc.Failure)
    assert str(message.id).startswith("a-")


@pytest.mark.parametrize(
    ("spec", "stopped"),
    [("drop=100%", True), ("delay=1s", True), ("reorder=100%", True), ("duplicate=100%", False)],
)
def test_whether_the_frame_itself_is_passed_on(spec: str, stopped: bool) -> None:
    assert fate_of(CHUNK, spec).is_stopped(raw(CHUNK)) is stopped


def test_what_is_on_and_has_hit_nothing_is_known() -> None:
    made, rows = plan("drop=#1", "drop=#99", "garbage=#99"), LiveRows()
    made.set(read_fault("garbage=#99"), on=False)
    for frame in SCENE:
        assert isinstance(frame, Frame)
        made.decide(rows.row(frame), frame.raw, in_turn=rows.in_turn)
    assert made.faults == ["drop=#1", "drop=#99", "garbage=#99"]
    assert made.missed == ["drop=#99"]
