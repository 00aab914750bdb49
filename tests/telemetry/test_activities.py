"""Activities that end otherwise than by an answer."""

import json
from typing import Any

import pytest

from acp_tui.protocol.events import Abandoned, LocalEvent, NotSent, Record, TimedOut
from acp_tui.protocol.file_events import AccessAnswered, AccessAsked, FileOperation
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.jsonrpc import Id
from acp_tui.protocol.process_events import Disconnected, ProcessExited, TerminalExited
from acp_tui.recordings.recording import Interpreter
from acp_tui.telemetry.activities import Activities
from acp_tui.telemetry.session_activities import Activity, ActivityKind

CALL = {
    "sessionId": "s",
    "update": {"sessionUpdate": "tool_call", "toolCallId": "t", "name": "curl hush"},
}


ASKED = {"sessionId": "s", "toolCall": {"toolCallId": "t"}, "options": []}


class Followed:
    """A connection whose frames are written down by hand."""

    def __init__(self, *, late: bool = False) -> None:
        self.ended: list[Activity] = []
        self._activities = Activities(str, late=late)
        self._interpreter = Interpreter()
        self._number = 0

    def take(self, record: Record) -> None:
        self.ended += self._activities.follow(self._interpreter.event(record))

    def put(self, direction: Direction, **message: Any) -> None:
        self._number += 1
        raw = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.take(Frame(direction, raw, float(self._number), self._number))

    def update(self, kind: str, /, session: str = "s", **fields: Any) -> None:
        params = {"sessionId": session, "update": {"sessionUpdate": kind, **fields}}
        self.put(Direction.IN, method="session/update", params=params)

    def prompt(self, id: Id = 1) -> None:
        params = {"sessionId": "s", "prompt": []}
        self.put(Direction.OUT, id=id, method="session/prompt", params=params)

    def end_turn(self, id: Id = 1) -> None:
        self.put(Direction.IN, id=id, result={"stopReason": "end_turn"})


def test_names_that_an_agent_chooses_are_masked() -> None:
    ended: list[Activity] = []
    it, activities = Interpreter(), Activities(lambda text: text.replace("hush", "…"))
    messages: list[tuple[Direction, dict[str, Any]]] = [
        (Direction.OUT, {"id": 1, "method": "initialize"}),
        (Direction.IN, {"id": 1, "result": {"agentInfo": {"name": "Tea hush", "version": "hush"}}}),
        (Direction.IN, {"id": 7, "method": "_x/hush"}),
        (Direction.OUT, {"id": 7, "result": {}}),
        (Direction.OUT, {"id": 2, "method": "session/prompt", "params": {"sessionId": "s"}}),
        (Direction.IN, {"method": "session/update", "params": CALL}),
        (Direction.IN, {"id": 2, "result": {"stopReason": "end_turn"}}),
    ]
    for number, (direction, message) in enumerate(messages, 1):
        raw = json.dumps({"jsonrpc": "2.0", **message}).encode()
        ended += activities.follow(it.event(Frame(direction, raw, float(number), number)))
    assert activities.agent == {"name": "Tea …", "version": "…"}
    assert {"_x/…", "curl …"} <= {one.name for one in ended}


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (TimedOut(9.0, 1, 5.0), "no answer in time"),
        (Abandoned(9.0, 1), "canceled, and not answered"),
        (NotSent(9.0, 1, "status 500"), "status 500"),
        (ProcessExited(9.0, 3), "the agent exited with code 3"),
        (Disconnected(9.0, "closed"), "disconnected: closed"),
    ],
)
def test_a_turn_that_gets_no_answer_ends_with_what_is_open_in_it(
    event: LocalEvent, why: str
) -> None:
    it = Followed()
    it.prompt()
    it.update("tool_call", toolCallId="t", title="Work", status="pending")
    it.take(event)
    assert [(one.kind, one.end) for one in it.ended] == [
        (ActivityKind.TOOL_CALL, 9.0),
        (ActivityKind.TURN, 9.0),
    ]
    assert it.ended[1].error == why
    assert it.ended[0].error is not None


def test_the_time_of_two_questions_at_once_counts_once() -> None:
    it = Followed()
    it.prompt()
    for id in (7, 8):
        it.put(Direction.IN, id=id, method="session/request_permission", params=ASKED)
    it.put(Direction.IN, id=9, method="fs/read_text_file", params={"sessionId": "s"})
    access = AccessAsked(4.0, 4, "s", FileOperation.READ, "/etc/hosts", "/etc")
    it.take(access)
    it.put(Direction.OUT, id=7, result={"outcome": {"outcome": "cancelled"}})
    it.put(Direction.OUT, id=8, result={"outcome": {"outcome": "cancelled"}})
    it.take(AccessAnswered(6.5, 4, "reject_once"))
    it.update("plan", entries=[])
    it.put(Direction.IN, id=10, method="elicitation/create", params=ASKED)
    it.take(ProcessExited(9.0, 3))
    assert it.ended[-1].kind is ActivityKind.TURN
    assert it.ended[-1].facts["asked_seconds"] == (6.5 - 2.0) + (9.0 - 8.0)


def test_what_is_told_again_of_an_old_session_is_no_work() -> None:
    it = Followed()
    it.put(Direction.OUT, id=1, method="session/load", params={"sessionId": "s"})
    it.update("tool_call", toolCallId="t", title="Work", status="completed")
    it.put(Direction.IN, id=1, result={})
    assert [one.name for one in it.ended] == ["session/load"]


def test_a_turn_costs_what_it_adds() -> None:
    it = Followed()
    it.prompt(1)
    it.update("usage_update", used=1, size=9, cost={"amount": 0.5, "currency": "USD"})
    it.end_turn(1)
    it.prompt(2)
    it.update("usage_update", used=1, size=9, cost={"amount": 0.6, "currency": "USD"})
    it.update("usage_update", used=2, size=9, cost={"amount": 0.75, "currency": "USD"})
    it.end_turn(2)
    assert [one.facts["cost"] for one in it.ended] == pytest.approx([0.5, 0.25])


def test_a_turn_has_the_fullest_limit_of_the_plan_and_the_tokens_of_each_model() -> None:
    it = Followed()
    it.prompt(1)
    five_hours = {"rateLimitType": "five_hour", "utilization": 0.85}
    for report in (five_hours, 7, {}):
        it.update("usage_update", used=1, size=9, _meta={"_claude/rateLimit": report})
    it.update("usage_update", used=1, size=9, _meta=7)
    rows = [{"model": "large", "token_count": {"totalTokens": 40}}]
    result = {"stopReason": "end_turn", "_meta": {"quota": {"model_usage": rows}}}
    it.put(Direction.IN, id=1, result=result)
    facts = it.ended[-1].facts
    assert (facts["quota_used"], facts["quota_window"]) == (85.0, "5-hour limit")
    assert facts["model_tokens"] == {"large": 40}
    it.prompt(2)
    it.update("usage_update", used=1, size=9, _meta={"_claude/rateLimit": {"status": "rejected"}})
    it.end_turn(2)
    assert it.ended[-1].facts["quota_used"] == 100.0
    assert "model_tokens" not in it.ended[-1].facts


def test_what_a_loaded_session_cost_before_is_not_the_next_turn_s() -> None:
    it = Followed()
    it.put(Direction.OUT, id=1, method="session/load", params={"sessionId": "s"})
    it.put(Direction.IN, id=1, result={})
    it.prompt(2)
    it.update("usage_update", used=1, size=9, cost={"amount": 40, "currency": "USD"})
    it.update("usage_update", used=1, size=9, cost={"amount": 41, "currency": "USD"})
    it.end_turn(2)
    assert it.ended[-1].facts["cost"] == 1


def test_who_comes_late_takes_what_was_spent_before_for_no_turn_s_but_knows_new_sessions() -> None:
    it = Followed(late=True)
    it.prompt(1)
    it.update("usage_update", used=1, size=9, cost={"amount": 40, "currency": "USD"})
    it.update("usage_update", used=1, size=9, cost={"amount": 41, "currency": "USD"})
    it.end_turn(1)
    assert it.ended[-1].facts["cost"] == 1
    new = Followed(late=True)
    new.put(Direction.OUT, id=1, method="session/new", params={"cwd": "/w"})
    new.put(Direction.IN, id=1, result={"sessionId": "s"})
    new.prompt(2)
    new.update("usage_update", used=1, size=9, cost={"amount": 0.5, "currency": "USD"})
    new.end_turn(2)
    assert new.ended[-1].facts["cost"] == 0.5


def test_nonsense_is_no_activity_and_no_error() -> None:
    it = Followed()
    it.put(Direction.IN, id=7, method="session/request_permission", params=[1])
    it.put(Direction.OUT, id=7, result={"outcome": "selected"})
    it.prompt()
    it.update("tool_call", toolCallId=5)
    it.update("usage_update", used="x", cost={"amount": True})
    it.put(Direction.IN, id=1, result="done")
    assert [(one.kind, one.facts.get("outcome")) for one in it.ended] == [
        (ActivityKind.PERMISSION, "error"),
        (ActivityKind.TURN, None),
    ]


def test_a_command_lasts_until_it_ends() -> None:
    it = Followed()
    params = {"sessionId": "s", "command": "make"}
    it.put(Direction.IN, id=7, method="terminal/create", params=params)
    it.put(Direction.OUT, id=7, result={"terminalId": "one"})
    assert it.ended == []
    it.take(TerminalExited(8.0, "one", 2, None))
    (ran,) = it.ended
    assert (ran.kind, ran.seconds, ran.error) == (ActivityKind.TERMINAL, 7.0, "exit code 2")


def test_a_turn_of_version_2_lasts_until_its_session_is_idle() -> None:
    it = Followed()
    it.put(
        Direction.OUT,
        id=0,
        method="initialize",
        params={"protocolVersion": 2, "info": {"name": "c"}, "capabilities": {}},
    )
    it.put(
        Direction.IN,
        id=0,
        result={
            "protocolVersion": 2,
            "info": {"name": "a", "version": "1"},
            "capabilities": {"session": {}},
        },
    )
    it.prompt()
    it.put(Direction.IN, id=1, result={"messageId": "m"})
    it.update("state_update", state="running")
    it.update("tool_call_update", toolCallId="t", title="Run", status="cancelled")
    it.update(
        "state_update", state="idle", stopReason="error", error={"code": 1, "message": "burnt"}
    )
    it.update("state_update", state="idle")
    turns = [one for one in it.ended if one.kind is ActivityKind.TURN]
    assert [(one.facts["stop_reason"], one.error) for one in turns] == [("error", "burnt")]
    assert turns[0].end is not None
    assert turns[0].end - turns[0].start > 3
    assert [one.facts["status"] for one in it.ended if one.kind is ActivityKind.TOOL_CALL] == [
        "cancelled"
    ]


@pytest.mark.parametrize(("severity", "error"), [("error", "No credit"), ("warning", None)])
@pytest.mark.parametrize("version", [1, 2])
def test_a_turn_that_fails_in_meta_alone_has_failed(
    version: int, severity: str, error: str | None
) -> None:
    it = Followed()
    failure = {"id": "f", "title": "No credit", "severity": severity}
    ending = {
        "stopReason": "end_turn",
        "_meta": {"jetbrains": {"air": {"sessionFailure": failure}}},
    }
    it.prompt()
    if version == 1:
        it.put(Direction.IN, id=1, result=ending)
    else:
        it.put(Direction.IN, id=1, result={"messageId": "m"})
        it.update("state_update", state="idle", **ending)
    assert [one.error for one in it.ended if one.kind is ActivityKind.TURN] == [error]


RUNNING, IDLE = {"state": "running"}, {"state": "idle", "stopReason": "end_turn"}


def test_what_a_subagent_does_is_part_of_its_work_and_that_of_the_call_that_links_to_it() -> None:
    it = Followed()
    it.prompt()
    it.update("tool_call", toolCallId="t", name="Task")
    it.update("subagent_update", sessionId="c", title="Ada", state=RUNNING)
    link = [{"type": "session", "sessionId": "c"}]
    it.update("tool_call_update", toolCallId="t", content=link)
    it.update("tool_call", "c", toolCallId="t", name="Sip")
    it.update("subagent_update", "c", sessionId="d", title="Dee", state=RUNNING)
    it.put(Direction.IN, id=7, method="fs/read_text_file", params={"sessionId": "c", "path": "/a"})
    it.put(Direction.OUT, id=7, result={"content": ""})
    it.update("tool_call_update", "c", toolCallId="t", status="completed")
    it.update("usage_update", "c", used=7, size=9, cost={"amount": 0.5, "currency": "USD"})
    it.update("subagent_update", "c", sessionId="d", state=IDLE)
    it.update("subagent_update", sessionId="c", state={**IDLE, "usage": {"totalTokens": 70}})
    it.update("tool_call_update", toolCallId="t", status="completed")
    it.end_turn()
    read, sip, dee, ada, task, turn = it.ended
    assert [one.name for one in it.ended[1:5]] == ["Sip", "Dee", "Ada", "Task"]
    assert [sip.parent, read.parent, dee.parent, ada.parent, task.parent] == [
        *[ada] * 3,
        task,
        turn,
    ]
    assert {id(one.turn) for one in (read, sip, dee, ada, task)} == {id(turn)}
    assert ada.facts == {
        "parent_session": "s",
        "tool_calls": 1,
        "context_used": 7,
        "cost": 0.5,
        "currency": "USD",
        "stop_reason": "end_turn",
        "totalTokens": 70,
    }
    assert (turn.facts["tool_calls"], "cost" in turn.facts) == (1, False)


def test_a_subagent_that_fails_works_again_or_ends_with_its_agent() -> None:
    it = Followed()
    it.prompt()
    it.update("subagent_update", sessionId="c")
    it.update("state_update", "c", state="running")
    error = {"code": -32603, "message": "too hot"}
    it.update("state_update", "c", state="idle", stopReason="error", error=error)
    it.update("subagent_update", sessionId="c", title="Ada", state={**IDLE})
    it.update("subagent_update", sessionId="s", state=RUNNING)
    it.update("state_update", "c", state="running")
    it.update("tool_call", "c", toolCallId="t", name="Sip")
    it.end_turn()
    it.take(ProcessExited(20.0, 3))
    found = [(one.name, one.error) for one in it.ended if one.kind is not ActivityKind.TURN]
    gone = "the agent exited with code 3"
    assert found == [("subagent", "too hot"), ("Sip", gone), ("Ada", gone)]


def test_a_subagent_of_a_restarted_agent_is_a_new_one() -> None:
    it = Followed()
    it.prompt()
    it.update("subagent_update", sessionId="c", title="Ada", state=RUNNING)
    it.take(ProcessExited(20.0, 3))
    it.prompt()
    it.update("subagent_update", sessionId="c")
    it.update("state_update", "c", state="idle")
    found = [one.name for one in it.ended if one.kind is not ActivityKind.TURN]
    assert found == ["Ada", "subagent"]


def test_the_calls_of_a_subagent_that_is_idle_are_over() -> None:
    it = Followed()
    it.prompt()
    it.update("subagent_update", sessionId="c", state=RUNNING)
    it.update("tool_call", "c", toolCallId="t", name="Sip")
    it.update("subagent_update", sessionId="c", state=IDLE)
    assert [(one.name, one.error) for one in it.ended] == [
        ("Sip", "not finished when the subagent ended"),
        ("subagent", None),
    ]


def test_a_subagent_that_is_told_again_without_a_turn_is_no_work() -> None:
    it = Followed()
    it.update("subagent_update", sessionId="c", title="Ada", state=RUNNING)
    it.update("tool_call", "c", toolCallId="t", status="completed")
    it.update("subagent_update", sessionId="c", state=IDLE)
    assert it.ended == []
