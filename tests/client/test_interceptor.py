"""Frames held at breakpoints, and faults on purpose, between the client and a real agent.

Each test also holds that a replay of the recording gives the state that there was (tests.hosting).
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_tui.client.launch import GateOptions
from acp_tui.config.limits import Limits
from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.log import Log
from acp_tui.protocol.events import LocalEvent
from acp_tui.protocol.frames import Direction, Frame, Origin
from acp_tui.protocol.gate_events import BreakpointSet, FaultInjected, FaultSet, FrameReleased
from acp_tui.proxy.interceptor import Interceptor
from acp_tui.state.commands import (
    AnswerFrame,
    AnswerPermission,
    Cancel,
    Command,
    DelayFrame,
    DropFrame,
    ListSessions,
    ReleaseFrame,
    RemoveBreakpoint,
    RemoveFault,
    SetBreakpoint,
    SetFault,
)
from acp_tui.state.entries import NoticeEntry, ToolCallEntry
from acp_tui.state.interception import HeldFrame
from tests.client.test_deadlines import OFFERED
from tests.fake_agent.script import Played, Script
from tests.hosting import Host, eventually, hosting

pytestmark = pytest.mark.anyio
CHUNKS = "kind:agent_message_chunk"
ANSWER = "dir:in method:session/prompt"


def said(texts: str) -> Script:
    script = Script().handshake().prompt()
    for text in texts:
        script.chunk(text)
    return script.end_turn()


async def held(host: Host, count: int = 1) -> list[HeldFrame]:
    """Wait until so many frames are held."""
    await host.until(lambda: len(host.state.holding.frames) >= count)
    return list(host.state.holding.frames.values())


def frames(host: Host, **wanted: Any) -> list[Frame]:
    """The recorded frames whose fields are these."""
    found = [one for one in host.records if isinstance(one, Frame)]
    return [one for one in found if all(getattr(one, k) == v for k, v in wanted.items())]


def _failed(message: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": 1, "message": "no"}}


def findings(host: Host) -> list[str]:
    log = Log(host.records, Linter())
    log.catch_up()
    log.finish()
    return [finding.rule.id for finding in log.findings]


def done(host: Host) -> list[str]:
    return [one.done for one in host.events if isinstance(one, FrameReleased)]


async def test_what_is_held_waits_while_all_else_runs_and_is_passed_on_as_it_was(
    tmp_path: Path,
) -> None:
    async with hosting(said("ab").argv(tmp_path), tmp_path) as host:
        await host.opened()
        host.do(SetBreakpoint("params.update.content.text:a"))
        await host.turn()
        (one,) = await held(host)
        assert (host.said, one.direction, one.name) == ("b", Direction.IN, "agent_message_chunk")
        (original,) = frames(host, stopped=Origin.BREAKPOINT)
        host.do(ReleaseFrame(one.number))
        (passed,) = frames(host, by=Origin.BREAKPOINT)
        assert (passed.raw, passed.of) == (original.raw, original.number)
        assert sorted(host.said) == ["\n", "a", "b"]
        assert host.state.holding.breakpoints["params.update.content.text:a"].count == 1
        assert done(host) == ["passed"]
        assert findings(host) == []
        host.do(RemoveBreakpoint("params.update.content.text:a"))
        assert not host.state.holding.breakpoints


@pytest.mark.parametrize(
    ("release", "text", "how"),
    [
        (lambda raw: {"raw": raw.replace(b'"a"', b'"A"')}, "Ab", "edited"),
        (lambda raw: {"times": 2}, "aab", "doubled"),
        (lambda raw: {"raw": raw + b"\n\n" + raw.replace(b'"a"', b'"A"') + b"\n"}, "aAb", "edited"),
    ],
)
async def test_what_is_held_is_edited_or_doubled(
    tmp_path: Path, release: Any, text: str, how: str
) -> None:
    script = Script().handshake().prompt().chunk("a").expect("session/cancel").chunk("b").end_turn()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.opened()
        host.do(SetBreakpoint("params.update.content.text:a"))
        host.do(SetBreakpoint("method:session/cancel"))
        host.prompt()
        (one,) = await held(host)
        (original,) = frames(host, number=one.number)
        host.do(ReleaseFrame(one.number, **release(original.raw)))
        host.do(Cancel(host.session.session_id))
        (cancel,) = await held(host)
        assert cancel.direction is Direction.OUT
        host.do(ReleaseFrame(cancel.number))
        await host.turn_ended()
        assert host.said == text
        assert done(host) == [how, "passed"]


async def test_a_request_of_ours_waits_with_its_clock_and_is_changed_on_its_way(
    tmp_path: Path,
) -> None:
    script = Script().handshake(OFFERED).expect("session/list", {"cursor": "x"})
    script.reply("list", {"sessions": []}).prompt().end_turn()
    async with hosting(script.argv(tmp_path), tmp_path, limits=Limits(list=0.05)) as host:
        await host.opened()
        host.do(SetBreakpoint("dir:out method:session/list"))
        host.do(ListSessions())
        (one,) = await held(host)
        (call,) = host.state.calls.values()
        await eventually(lambda: host.client._core.clock() - call.at > 0.3)
        assert host.state.calls
        (original,) = frames(host, number=one.number)
        edited = json.loads(original.raw) | {"params": {"cursor": "x"}}
        host.do(ReleaseFrame(one.number, json.dumps(edited).encode()))
        await host.until(lambda: not host.state.calls)
        assert host.state.catalogue.answered
        assert findings(host) == []
        await host.turn()
    Played(tmp_path).check()


async def test_a_request_is_answered_by_a_person_in_the_place_of_whom_it_is_for(
    tmp_path: Path,
) -> None:
    """The agent gets the answer of a person for what the client never saw, and the client one for what
    the agent never saw.
    """
    script = Script().handshake(OFFERED).prompt().tool_call().ask_permission()
    script.expect_answer("ask", result={"outcome": "by hand"})
    script.tool_call_update(status="completed").end_turn()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.opened()
        host.do(SetBreakpoint("method:session/request_permission"))
        host.do(SetBreakpoint("method:session/list"))
        host.prompt()
        (asked,) = await held(host)
        assert not host.state.waiting_permissions()
        id = json.loads(frames(host, number=asked.number)[0].raw)["id"]
        answer = {"jsonrpc": "2.0", "id": id, "result": {"outcome": "by hand"}}
        host.do(AnswerFrame(asked.number, json.dumps(answer).encode()))
        await host.turn_ended()
        host.do(ListSessions())
        (listed,) = await held(host)
        id = json.loads(frames(host, number=listed.number)[0].raw)["id"]
        answer = {"jsonrpc": "2.0", "id": id, "result": {"sessions": []}}
        host.do(AnswerFrame(listed.number, json.dumps(answer).encode()))
        assert host.state.catalogue.answered
        assert [one.of for one in frames(host, by=Origin.HAND)] == [asked.number, listed.number]
        assert done(host) == ["answered", "answered"]
        assert findings(host) == []
    Played(tmp_path).check()
    assert Played(tmp_path).calls("session/list") == []


async def answer_held(host: Host) -> HeldFrame:
    """Allow the tool call of a turn, with a breakpoint that holds our answer."""
    await host.opened()
    host.do(SetBreakpoint("dir:out method:session/request_permission"))
    host.prompt()
    (question,) = await host.permission()
    host.do(AnswerPermission(question.number, question.options[0].option_id))
    (answer,) = await held(host)
    return answer


async def test_an_answer_of_ours_is_held_and_the_question_is_not_asked_again(
    tmp_path: Path,
) -> None:
    script = Script().handshake().prompt().tool_call().ask_permission().expect_answer("ask")
    script.tool_call_update(status="completed").end_turn()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        one = await answer_held(host)
        assert one.is_answer
        assert not host.state.waiting_permissions()
        host.do(DelayFrame(one.number, 0.01))
        assert host.state.holding.frames[one.number].due is not None
        await host.turn_ended()
        assert findings(host) == []
    Played(tmp_path).check()


def answered(outcome: object) -> Callable[[bytes], list[Command]]:
    """Release what is held with another result."""

    def commands(raw: bytes, number: int = 0) -> list[Command]:
        line = json.dumps(json.loads(raw) | {"result": outcome}).encode()
        return [ReleaseFrame(number, line)]

    return commands


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (lambda _: [ReleaseFrame(0)], "Allow once"),
        (lambda _: [ReleaseFrame(0, times=2)], "Allow once"),
        (lambda _: [DropFrame(0)], "Allow once (the agent didn't get this)"),
        (answered({"outcome": {"outcome": "cancelled"}}), "Allow once (the agent got: cancelled)"),
        (
            answered({"outcome": {"outcome": "selected", "optionId": "no"}}),
            "Allow once (the agent got: Reject)",
        ),
        (
            answered({"outcome": {"outcome": "selected", "optionId": "x"}}),
            "Allow once (the agent got: x)",
        ),
        (answered(3), "Allow once (the agent got: what is no answer)"),
        (
            lambda raw: [
                ReleaseFrame(0, json.dumps(_failed(json.loads(raw))).encode() + b"\n" + raw)
            ],
            "Allow once (the agent got: an error)",
        ),
        (lambda raw: [ReleaseFrame(0, b"garbage")], "Allow once (the agent didn't get this)"),
    ],
)
async def test_the_transcript_says_which_answer_the_agent_really_got(
    tmp_path: Path, act: Callable[[bytes], list[Command]], told: str
) -> None:
    script = Script().handshake().prompt().tool_call().ask_permission().expect_eof()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        one = await answer_held(host)
        (call,) = [one for one in host.session.entries if isinstance(one, ToolCallEntry)]
        assert call.consent.decisions == ["Allow once (the agent didn't get this)"]
        (frame,) = frames(host, number=one.number)
        for command in act(frame.raw):
            host.do(replace(command, frame=one.number))
        assert call.consent.decisions == [told]


async def test_an_answer_that_a_fault_stops_is_not_said_to_have_arrived(tmp_path: Path) -> None:
    script = Script().handshake().prompt().tool_call().ask_permission().ask_permission()
    script.expect_eof()
    fault = "drop=#1:dir:out method:session/request_permission"
    async with hosting(script.argv(tmp_path), tmp_path, gate=GateOptions(faults=(fault,))) as host:
        await host.opened()
        host.prompt()
        first, second = await host.permission(2)
        host.do(AnswerPermission(first.number, first.options[0].option_id))
        host.do(SetFault("out:delay=1ms"))
        host.do(AnswerPermission(second.number, second.options[0].option_id))
        (call,) = [one for one in host.session.entries if isinstance(one, ToolCallEntry)]
        not_got = "Allow once (the agent didn't get this)"
        assert call.consent.decisions == [not_got, not_got]
        await host.until(lambda: call.consent.decisions == [not_got, "Allow once"])


async def test_a_prompt_that_was_edited_on_its_way_is_said_to_be_another(tmp_path: Path) -> None:
    async with hosting(said("a").argv(tmp_path), tmp_path) as host:
        await host.opened()
        host.do(SetBreakpoint("dir:out method:session/prompt"))
        host.prompt()
        (one,) = await held(host)
        (frame,) = frames(host, number=one.number)
        host.do(ReleaseFrame(one.number, frame.raw.replace(b'"text"', b'"text" ')))
        await host.turn_ended()
        notes = [one for one in host.session.entries if isinstance(one, NoticeEntry)]
        assert [(one.title, one.description) for one in notes] == [
            (
                "This prompt did not reach the agent as shown here",
                f"It was edited at a breakpoint: frame {one.number}",
            )
        ]


@pytest.mark.parametrize("spec", ["dir:out method:session/prompt", ANSWER])
async def test_a_prompt_that_is_dropped_or_whose_answer_is_ends_its_turn(
    tmp_path: Path, spec: str
) -> None:
    async with hosting(said("a").argv(tmp_path), tmp_path) as host:
        await host.opened()
        host.do(SetBreakpoint(spec))
        host.prompt()
        (one,) = await held(host)
        host.do(DropFrame(one.number))
        end = await host.turn_ended()
        assert end.unsent
        assert "was lost on purpose, at a breakpoint" in str(end.error)
        assert set(host.state.holding.altered) == {host.session.session_id}
        assert findings(host) == []


async def test_what_is_held_at_the_end_is_recorded_and_hangs_nothing(tmp_path: Path) -> None:
    host: Host
    async with hosting(
        said("ab").argv(tmp_path), tmp_path, gate=GateOptions(breakpoints=("dir:in",))
    ) as host:
        await held(host)
        commands: list[Command] = [DropFrame(99), ReleaseFrame(99), DelayFrame(99, 0.0)]
        for command in [*commands, AnswerFrame(99, b"{}")]:
            host.do(command)
        assert done(host) == []
    assert done(host) == ["left"]
    assert host.state.holding.frames == {}
    for command in [*commands, AnswerFrame(99, b"{}")]:
        host.do(command)


async def test_the_clock_of_a_delayed_frame_is_set_again_and_stopped(tmp_path: Path) -> None:
    async with hosting(said("ab").argv(tmp_path), tmp_path) as host:
        await host.opened()
        host.do(SetBreakpoint("kind:agent_message_chunk"))
        await host.turn()
        first, second = await held(host, 2)
        host.do(DelayFrame(first.number, 0.0))
        host.do(DelayFrame(first.number, None))
        host.do(DelayFrame(second.number, 60.0))
        assert host.state.holding.frames[second.number].due is not None
        host.do(DelayFrame(second.number, 0.0))
        await host.until(lambda: second.number not in host.state.holding.frames)
        assert host.state.holding.frames[first.number].due is None
        host.do(ReleaseFrame(first.number))
        assert done(host) == ["passed", "passed"]


async def test_what_comes_too_late_for_a_held_frame_is_told(tmp_path: Path) -> None:
    async with hosting(said("a").argv(tmp_path), tmp_path) as host:
        await host.opened()
        host.do(SetBreakpoint(CHUNKS))
        await host.turn()
        (one,) = await held(host)
        number = one.number
        commands: list[Command] = [DropFrame(number), AnswerFrame(number, b"{}")]
        commands += [ReleaseFrame(number, b"{}"), ReleaseFrame(number), DelayFrame(number, 1.0)]
        for command in [ReleaseFrame(number), *commands]:
            host.do(command)
        told = [one.description for one in host.state.notices]
        assert told == [
            f"it was passed on as it was before, and is not {what}"
            for what in (
                "dropped",
                "answered by hand",
                "passed on as it was edited",
                "passed on later",
            )
        ]


async def test_a_breakpoint_of_nonsense_and_such_a_fault_are_refused(tmp_path: Path) -> None:
    async with hosting(said("a").argv(tmp_path), tmp_path) as host:
        await host.opened()
        host.do(SetBreakpoint("dir:inn"))
        host.do(SetFault("dorp"))
        assert [one.title for one in host.state.notices] == ["No breakpoint", "No fault"]
        await host.turn()
        assert not frames(host, stopped=Origin.BREAKPOINT)


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (f"drop=#2:{CHUNKS}", "ac"),
        (f"duplicate=#2:{CHUNKS}", "abbc"),
        (f"reorder=#2:{CHUNKS}", "acb"),
        (f"delay=20ms:{CHUNKS}", "abc"),
        (f"garbage:{CHUNKS}", "abc"),
        (f"in:truncate=#2:{CHUNKS}", "ac"),
        ("out:fragment", "abc"),
        ("late-answer=20ms:method:session/prompt", "abc"),
        ("in:stall-stdin=20ms", "abc"),
        ("out:stall-stdin=20ms", "abc"),
        ("out:reorder=#2", "abc"),
    ],
)
async def test_a_fault_is_done_and_named_and_nobody_is_blamed(
    tmp_path: Path, fault: str, text: str
) -> None:
    argv = said("abc").argv(tmp_path)
    async with hosting(argv, tmp_path, gate=GateOptions(faults=(fault,), seed=7)) as host:
        await host.turn()
        assert host.said == text
        named = [one for one in host.events if isinstance(one, FaultInjected)]
        assert named
        assert {one.fault for one in named} == {fault}
        assert host.state.holding.faults[fault].count == len(named)
        assert findings(host) == []
        host.do(SetFault(fault, on=False))
        assert not host.state.holding.faults[fault].on
        host.do(RemoveFault(fault))
        assert not host.state.holding.faults
    Played(tmp_path).check()


async def test_a_fault_that_hits_nothing_is_told_once(tmp_path: Path) -> None:
    faults = ("drop:method:nothing/of/the/kind", "garbage=#1:dir:in")
    async with hosting(said("a").argv(tmp_path), tmp_path, gate=GateOptions(faults=faults)) as host:
        await host.turn()
        host.do(SetFault("drop=#99"))
        host.do(SetFault("drop=#99", on=False))
    told = [(one.title, one.description) for one in host.state.notices]
    assert told == [("A fault never hit anything", "drop:method:nothing/of/the/kind")]


async def test_frames_behind_a_delayed_one_keep_their_order(tmp_path: Path) -> None:
    argv = said("abcdef").argv(tmp_path)
    fault = f"delay=0ms-30ms,50%:{CHUNKS}"
    async with hosting(argv, tmp_path, gate=GateOptions(faults=(fault,), seed=1)) as host:
        await host.turn()
        assert host.said == "abcdef"
        assert frames(host, stopped=Origin.FAULT)


@pytest.mark.parametrize("fault", ["in:wrong-id:method:session/prompt", f"in:truncate:{ANSWER}"])
async def test_an_answer_that_is_spoiled_ends_what_waits_for_it(tmp_path: Path, fault: str) -> None:
    async with hosting(
        said("a").argv(tmp_path), tmp_path, gate=GateOptions(faults=(fault,))
    ) as host:
        end = await host.turn()
        assert end.unsent
        assert fault in str(end.error)
        assert len(host.problems) == 1
        assert findings(host) == []


async def test_a_request_that_comes_twice_is_served_twice_and_nobody_is_blamed(
    tmp_path: Path,
) -> None:
    (tmp_path / "tea").write_text("oolong")
    script = Script().handshake().prompt()
    script.request(
        "fs/read_text_file", {"sessionId": "s1", "path": str(tmp_path / "tea")}, save="r"
    )
    script.expect_answer("r", result={"content": "oolong"})
    script.expect_answer("r", result={"content": "oolong"}).end_turn()
    fault = "duplicate:dir:in method:fs/read_text_file"
    async with hosting(script.argv(tmp_path), tmp_path, gate=GateOptions(faults=(fault,))) as host:
        await host.turn()
        assert findings(host) == []
    Played(tmp_path).check()


def test_what_a_screen_set_ends_with_it_and_the_faults_of_the_command_line_stay() -> None:
    said: list[LocalEvent] = []
    holding = Interceptor(lambda: 1.0, said.append, lambda *_: None)
    holding.begin(["drop=1%"])
    holding.commands[SetFault](SetFault("garbage"))
    holding.commands[SetBreakpoint](SetBreakpoint("dir:in"))
    said.clear()
    holding.reset()
    holding.reset()
    assert said == [
        BreakpointSet(1.0, "dir:in", on=False, removed=True),
        FaultSet(1.0, "garbage", on=False, removed=True),
    ]


async def test_an_agent_killed_on_purpose_is_not_blamed(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("a").expect_eof()
    fault = f"kill-midturn:{CHUNKS}"
    async with hosting(script.argv(tmp_path), tmp_path, gate=GateOptions(faults=(fault,))) as host:
        await host.opened()
        host.prompt()
        end = await host.turn_ended()
        assert end.lost == "the agent was killed by SIGKILL"
        assert findings(host) == []
