"""What a person does to frames on their way, as the state sees it."""

import json
from typing import Any

import pytest

from acp_tui.policy.rules import Rule, RuleAnswer
from acp_tui.protocol.events import Ruled, RulesChanged
from acp_tui.protocol.frames import Direction, Frame, Origin
from acp_tui.protocol.gate_events import (
    BreakpointSet,
    FaultInjected,
    FaultSet,
    FrameDelayed,
    FrameHeld,
    FrameReleased,
)
from acp_tui.state.entries import NoticeEntry, ToolCallEntry
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
    assert talk.state.last_received == 9.0


OPTIONS = [{"optionId": "yes", "name": "Allow, by me", "kind": "allow_once"}]
YES = {"outcome": {"outcome": "selected", "optionId": "yes"}}
NO = {"outcome": {"outcome": "cancelled"}}


class Stopping(Conversation):
    """A conversation in which answers are stopped."""

    def ask(self) -> int:
        return self.asks(
            "session/request_permission", toolCall={"toolCallId": "t"}, options=OPTIONS
        )

    def stop(self, asked: int, **body: Any) -> int:
        """Answer the request of a frame, and stop that; give its number."""
        return self._pass(asked, {"stopped": Origin.FAULT}, **body)

    def give(self, asked: int, of: int, **body: Any) -> None:
        """Give the agent something in the place of an answer."""
        self._pass(asked, {"by": Origin.BREAKPOINT, "of": of}, **body)

    def _pass(self, asked: int, mark: dict[str, Any], **body: Any) -> int:
        self.number += 1
        raw = json.dumps({"id": f"agent-{asked - 1}", **body}).encode()
        frame = Frame(OUT, raw, float(self.number), self.number, **mark)
        self._fold(self.connection.receive(frame))
        return self.number

    @property
    def told(self) -> list[str]:
        (call,) = (one for one in self.session.entries if isinstance(one, ToolCallEntry))
        return [*call.consent.rulings, *call.consent.decisions]


@pytest.fixture
def talk() -> Stopping:
    talk = Stopping.opened()
    assert isinstance(talk, Stopping)
    return talk


def test_the_agent_has_what_was_passed_on_first(talk: Stopping) -> None:
    asked = talk.ask()
    number = talk.stop(asked, result=YES)
    assert talk.told == ["Allow, by me (the agent didn't get this)"]
    talk.give(asked + 5, number, result=NO)  # of another id
    talk.give(asked, number, method="x")
    assert talk.told == ["Allow, by me (the agent didn't get this)"]
    talk.give(asked, number, result=YES)
    talk.give(asked, number, result=NO)
    assert talk.told == ["Allow, by me"]


def test_an_error_of_ours_is_one_still(talk: Stopping) -> None:
    asked = talk.ask()
    error = {"code": 1, "message": "no"}
    number = talk.stop(asked, error=error)
    talk.give(asked, number, error=error | {"code": 2})
    assert talk.told == ["cancelled"]


def test_what_is_no_answer_is_named(talk: Stopping) -> None:
    asked = talk.ask()
    talk.give(asked, talk.stop(asked, result=YES), result=3)
    assert talk.told == ["Allow, by me (the agent got: what is no answer)"]


def test_what_a_rule_answered_is_told_before_its_rule(talk: Stopping) -> None:
    talk.happened(RulesChanged(1.0, (Rule(RuleAnswer.ALLOW),)))
    asked = talk.ask()
    talk.happened(Ruled(5.0, asked, "s", "allow", "a rule"))
    number = talk.stop(asked, result=YES)
    assert talk.told == ["Allowed (the agent didn't get this): a rule"]
    talk.give(asked, number, result=NO)
    assert talk.told == ["Allowed (the agent got: cancelled): a rule"]


def test_a_load_clears_what_it_was_about(talk: Stopping) -> None:
    asked = talk.ask()
    number = talk.stop(asked, result=YES)
    other = talk.stop(talk.ask(), result=YES)
    talk.call("session/load", {"sessionId": "s", "cwd": "/work"})
    talk.give(asked, number, result=NO)
    talk.update("tool_call", toolCallId="t", title="Again")
    talk.give(asked + 2, other, result=NO)
    assert talk.told == []


@pytest.mark.parametrize(
    ("facts", "done", "what"),
    [
        (("session/prompt", False), "edited", "prompt"),
        (("session/prompt", False), "dropped", None),
        (("session/prompt", False), "passed", None),
        (("elicitation/create", True), "left", "answer"),
        (("elicitation/create", True), "doubled", None),
        (("fs/read_text_file", True), "edited", None),
    ],
)
def test_what_stands_in_the_transcript_and_did_not_arrive_so_is_told(
    talk: Stopping, facts: tuple[str, bool], done: str, what: str | None
) -> None:
    name, is_answer = facts
    for number, side, session in ((7, OUT, "s"), (8, IN, "s"), (9, OUT, "gone")):
        talk.happened(FrameHeld(1.0, number, side, name, "x", is_answer, session))
        talk.happened(FrameReleased(2.0, number, done))
    told = [one.title for one in talk.session.entries if isinstance(one, NoticeEntry)]
    assert told == ([f"This {what} did not reach the agent as shown here"] if what else [])
