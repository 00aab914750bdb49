"""What a person does to frames on their way, as the state sees it."""

import pytest

from acp_tui.protocol.events import (
    BreakpointSet,
    FaultInjected,
    FaultSet,
    FrameDelayed,
    FrameHeld,
    FrameReleased,
)
from acp_tui.protocol.frames import Direction, Frame, Origin
from acp_tui.state.interception import Switch
from tests.unit.state.conversation import Conversation

IN, OUT = Direction


def held(number: int, session: str = "s") -> FrameHeld:
    return FrameHeld(1.0, number, IN, "fs/read_text_file", "dir:in", session_id=session)


def test_breakpoints_and_faults_are_switched_counted_and_removed() -> None:
    talk = Conversation.opened()
    holding = talk.state.holding
    talk.happened(BreakpointSet(1.0, "dir:in"))
    talk.happened(held(7))
    assert holding.breakpoints_on == 1
    talk.happened(BreakpointSet(1.0, "dir:in", on=False))
    assert holding.breakpoints == {"dir:in": Switch(on=False, count=1)}
    assert holding.breakpoints_on == 0
    talk.happened(FaultSet(1.0, "drop", seed=4))
    talk.happened(FaultInjected(1.0, 8, IN, "drop", "drop", "dropped", "s"))
    talk.happened(FaultInjected(1.0, 8, IN, "removed meanwhile", "delay", "1s later", "t"))
    assert holding.faults == {"drop": Switch(on=True, count=1)}
    assert set(holding.altered) == {"s"}
    talk.happened(BreakpointSet(1.0, "dir:in", removed=True))
    talk.happened(FaultSet(1.0, "drop", removed=True))
    talk.happened(FaultSet(1.0, "drop", removed=True))
    assert (holding.breakpoints, holding.faults) == ({}, {})


def test_a_frame_is_held_until_it_is_released_and_then_both_may_differ() -> None:
    talk = Conversation.opened()
    holding = talk.state.holding
    for number, session in ((7, "s"), (8, "t")):
        talk.happened(held(number, session))
    talk.happened(FrameDelayed(3.0, 7, 2.0))
    talk.happened(FrameDelayed(3.0, 99, 2.0))
    assert [(one.number, one.due) for one in holding.frames.values()] == [(7, 5.0), (8, None)]
    talk.happened(FrameReleased(5.0, 7, "passed"))
    talk.happened(FrameReleased(5.0, 8, "edited"))
    talk.happened(FrameReleased(5.0, 8, "edited"))
    assert holding.frames == {}
    assert set(holding.altered) == {"t"}


def test_what_no_edit_depends_on_alters_none() -> None:
    talk = Conversation.opened()
    chunk = "agent_message_chunk"
    talk.happened(FrameHeld(1.0, 7, IN, chunk, "dir:in", session_id="s"))
    talk.happened(FrameReleased(2.0, 7, "dropped"))
    talk.happened(FaultInjected(3.0, 8, IN, "drop", "drop", "dropped", "s", chunk))
    assert talk.state.holding.altered == {}
    talk.happened(FaultInjected(3.0, 9, IN, "k", "kill-midturn", "killed", "s", chunk))
    assert talk.state.holding.excuses("s", 1.0)


@pytest.mark.parametrize(("about", "later"), [("tool_call", False), ("fs/read_text_file", True)])
def test_edits_are_judged_again_from_the_next_turn_on(about: str, later: bool) -> None:
    talk = Conversation.opened()
    holding = talk.state.holding
    talk.happened(FaultInjected(3.0, 8, IN, "drop", "drop", "dropped", "s", about))
    assert holding.excuses("s", 1.0)  # what had begun before may have been altered
    talk.prompt()
    began = talk.session.entries[-1].at
    assert holding.excuses("s", began - 0.5)  # it may still be at work
    assert holding.excuses("s", began) is later
    assert not holding.excuses("t", 1.0)


def test_what_the_client_does_not_know_changes_nothing_but_is_heard() -> None:
    talk = Conversation.opened()
    chunk = b'{"method":"session/update","params":{"sessionId":"s","update":{}}}'
    frames = [
        Frame(IN, chunk, 9.0, 90, stopped=Origin.BREAKPOINT),
        Frame(OUT, chunk, 9.5, 91, by=Origin.FAULT, of=3),
    ]
    entries = list(talk.session.entries)
    for frame in frames:
        assert talk.happened(talk.connection.receive(frame)) == []
    assert talk.session.entries == entries
    assert talk.state.heard == 9.0
