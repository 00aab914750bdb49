"""Whose time a turn was."""

import pytest

from acp_tui.debug.turn_times import Share, TurnTimer, TurnTimes, records_between, summarize_times
from acp_tui.protocol.file_events import AccessAnswered, AccessAsked, FileOperation
from acp_tui.protocol.frames import Origin
from tests.unit.debug.scenes import Wire

RUNNING, IDLE = {"state": "running"}, {"state": "idle", "stopReason": "end_turn"}


def turn_of(wire: Wire, end: float | None = None) -> TurnTimes:
    prompt = next(index for index, one in enumerate(wire.records) if b"session/prompt" in one.raw)  # type: ignore[union-attr]
    records = wire.records[prompt:]
    dissection = TurnTimer("s", records[0].at)
    for record in records:
        dissection.add_record(record)
    return dissection.finish(end)


def shares(turn: TurnTimes) -> dict[str, float]:
    return {share.value: pytest.approx(spent, abs=0.001) for share, spent in turn.shares.items()}


def test_what_no_one_else_takes_is_the_models() -> None:
    turn = turn_of(Wire().prompted().later(1).chunk().chunk().later(1).ended())
    assert turn.first_token == pytest.approx(1.01)
    assert turn.chunks == 2
    assert turn.seconds == pytest.approx(2.03)
    assert shares(turn) == {"model": 2.03, "person": 0.0, "client": 0.0, "tools": 0.0}
    (message,) = turn.spans
    assert (message.name, message.end) == ("message", pytest.approx(message.start + 0.01))


def test_the_waits_for_the_first_update_and_the_first_token_are_kept() -> None:
    wire = Wire().prompted().later(1).update("usage_update", used=1, size=2)
    turn = turn_of(wire.later(1).chunk().later(1).chunk().ended())
    update, token = turn.waits
    assert (update.name, update.start, update.place) == (
        "first update: usage_update",
        turn.start,
        1,
    )
    assert (token.name, token.start, token.place) == ("first token: message", turn.start, 2)
    assert update.end == pytest.approx(turn.start + 1.01)
    assert token.end == pytest.approx(turn.start + 2.02)
    assert turn.first_token == pytest.approx(2.02)


def test_a_first_update_that_is_the_first_token_is_one_wait() -> None:
    wire = Wire().prompted().update("tool_call", toolCallId="a").update("plan", entries=[])
    assert [one.name for one in turn_of(wire.ended()).waits] == ["first update: tool_call"]
    assert turn_of(Wire().prompted().ended()).waits == []


def test_each_span_tells_which_record_shows_it_first() -> None:
    wire = Wire().prompted().chunk().chunk().update("tool_call", toolCallId="a", title="Read")
    wire.update("tool_call_update", toolCallId="a", status="completed").ended()
    assert [(one.name, one.place) for one in turn_of(wire).spans] == [("message", 1), ("Read", 3)]


def test_what_is_held_at_a_breakpoint_counts_once_and_as_the_agent_sees_it() -> None:
    held, passed = Origin.BREAKPOINT, 20
    wire = Wire().prompted().later(1).chunk("one")
    wire.records[-1] = wire.records[-1]._replace(stopped=held)  # type: ignore[union-attr]
    wire.later(1).chunk("one")
    wire.records[-1] = wire.records[-1]._replace(by=held, of=passed)  # type: ignore[union-attr]
    wire.ask(9, "fs/read_text_file", path="/a").later(1).out(id=9, result={"content": ""})
    wire.records[-1] = wire.records[-1]._replace(stopped=held)  # type: ignore[union-attr]
    wire.later(3).out(id=9, result={"content": ""})
    wire.records[-1] = wire.records[-1]._replace(by=held, of=passed)  # type: ignore[union-attr]
    turn = turn_of(wire.ended())
    assert turn.chunks == 1
    assert turn.first_token == pytest.approx(1.01)
    assert shares(turn)["client"] == 4.02


def test_a_tool_call_lasts_until_it_is_finished() -> None:
    wire = Wire().prompted().update("tool_call", toolCallId="a", title="Read")
    wire.later(1).update("tool_call_update", toolCallId="a", status="in_progress")
    wire.later(1).update("tool_call_update", toolCallId="a", status="completed").later(1).ended()
    turn = turn_of(wire)
    assert shares(turn)["tools"] == 2.02
    assert turn.spans[0].name == "Read"
    assert turn.first_token == pytest.approx(0.01)


def test_the_persons_time_is_not_the_tools() -> None:
    wire = Wire().prompted().update("tool_call", toolCallId="a")
    wire.ask(9, "session/request_permission", toolCall={"toolCallId": "a", "title": "Write"})
    wire.later(3).out(id=9, result={"outcome": {"outcome": "cancelled"}})
    wire.update("tool_call_update", toolCallId="a", status="failed").ended()
    turn = turn_of(wire)
    assert shares(turn)["person"] == 3.01
    assert shares(turn)["tools"] == 0.02
    assert turn.spans[1].name == "permission: Write"


def test_version_2_names_its_questions_and_ends_its_tool_calls_otherwise() -> None:
    wire = Wire().prompted().update("tool_call_update", toolCallId="a", title="Write")
    wire.ask(9, "session/request_permission", title="May I?", options=[])
    wire.later(3).out(id=9, result={"outcome": {"outcome": "cancelled"}})
    wire.update("tool_call_update", toolCallId="a", status="cancelled").later(1).ended()
    turn = turn_of(wire)
    assert (shares(turn)["person"], shares(turn)["tools"]) == (3.01, 0.02)
    assert turn.spans[1].name == "permission: May I?"


def test_what_the_client_does_for_the_agent_is_its_time() -> None:
    wire = Wire().prompted().ask(9, "fs/read_text_file", path="/a").later(0.5)
    wire.out(id=9, error={"code": -32603, "message": "no"}).ended()
    turn = turn_of(wire)
    assert shares(turn)["client"] == 0.51
    assert turn.spans[0].name == "fs/read_text_file /a"


def test_while_a_command_is_waited_for_it_works() -> None:
    wire = Wire().prompted().ask(9, "terminal/wait_for_exit", terminalId="t").later(2)
    wire.out(id=9, result={"exitCode": 0}).ended()
    assert shares(turn_of(wire))["tools"] == 2.01


def test_a_question_of_the_clients_own_is_the_persons_time() -> None:
    wire = Wire().prompted()
    at = wire.at
    asked = AccessAsked(at, 5, "s", FileOperation.READ, "/etc/hosts", "/etc")
    wire.happened(asked).happened(AccessAnswered(at + 2, 5, "allow_once"))
    wire.happened(AccessAnswered(at + 2, 6, "allow_once")).later(2).ended()
    assert shares(turn_of(wire))["person"] == 2.0


def test_what_has_no_end_goes_on_to_the_turns() -> None:
    wire = Wire().prompted().update("tool_call", toolCallId="a").later(1)
    turn = turn_of(wire, wire.at)
    assert turn.spans[0].end is None
    assert shares(turn)["tools"] == 1.0


def test_other_sessions_and_other_messages_do_not_count() -> None:
    wire = Wire().prompted().update("tool_call", session="other", toolCallId="b")
    wire.got(id=4, method="fs/read_text_file", params={"sessionId": "other", "path": "/b"})
    wire.update("usage_update", used=1).got(method="_x/y", params=[]).out(id=77, result={})
    wire.chunk("not here", "user_message_chunk")
    turn = turn_of(wire.ended())
    assert turn.spans == []
    assert turn.chunks == 0
    assert turn.first_token is None
    assert turn.received > 0


def test_a_message_ends_where_something_else_begins() -> None:
    wire = Wire().prompted().chunk().chunk("hm", "agent_thought_chunk").chunk()
    names = [span.name for span in turn_of(wire.ended()).spans]
    assert names == ["message", "thought", "message"]


def test_a_slice_by_time() -> None:
    records = Wire().prompted().chunk().ended().records
    assert records_between(records, records[4].at, records[6].at) == range(4, 7)
    assert records_between(records, 0.0, 1.0) == range(0)


def test_in_one_line() -> None:
    wire = Wire().prompted().later(1).chunk().ended()
    line = summarize_times(turn_of(wire))
    assert line.startswith("first token 1.01s · model 1.02s · person 0.0ms")
    assert " · 1 chunk · " in line
    assert summarize_times(turn_of(Wire().prompted().ended())).startswith("model")
    assert Share.PERSON.value == "person"


def test_what_subagents_do_follows_the_call_that_began_them() -> None:
    wire = Wire().prompted().update("tool_call", toolCallId="t", title="Taste")
    for child in ("ada", "bo"):
        wire.update("subagent_update", sessionId=child, title=child.title(), state=RUNNING)
    links = [{"type": "session", "sessionId": one} for one in ("ada", "bo", "s")]
    wire.update("tool_call_update", toolCallId="t", content=[*links, "odd"])
    wire.update("tool_call", "ada", toolCallId="t", title="Sip")
    wire.update("subagent_update", "ada", sessionId="dee", state=RUNNING)
    wire.update("subagent_update", "ada", sessionId="ada")
    wire.update("tool_call", "bo", toolCallId="t", title="Pour", content=links[1:])
    wire.update("tool_call", "stranger", toolCallId="t", title="Not of this turn")
    wire.update("agent_message_chunk", "bo", content={"type": "text", "text": "Hot."})
    call = {"toolCallId": "t", "title": "Sip"}
    asked = {"sessionId": "ada", "toolCall": call, "options": []}
    wire.got(id=7, method="session/request_permission", params=asked)
    wire.later(1).out(id=7, result={"outcome": {"outcome": "cancelled"}})
    wire.update("tool_call_update", "ada", toolCallId="t", status="completed")
    wire.update("subagent_update", sessionId="ada", state=IDLE).later(1)
    wire.update("subagent_update", sessionId="ada", state=IDLE)
    wire.update("state_update", "bo", state="idle")
    wire.update("state_update", "bo", state="running")
    turn = turn_of(wire.update("tool_call_update", toolCallId="t", status="completed").ended())
    assert [(one.depth, one.name) for one in turn.spans] == [
        (0, "Taste"),
        (1, "↪ Ada"),
        (2, "Sip"),
        (2, "↪ dee"),
        (2, "permission: Sip"),
        (1, "↪ Bo"),
        (2, "Pour"),
        (1, "↪ Bo"),
    ]
    assert shares(turn)["person"] == pytest.approx(1.01)
    assert sum(turn.shares.values()) == pytest.approx(turn.seconds)
    ada = turn.spans[1]
    assert (ada.end or 0) < turn.end - 1
    assert turn.chunks == 0


def test_a_subagent_of_a_call_that_is_known_before_it_follows_that_call() -> None:
    link = [{"type": "session", "sessionId": "c"}]
    wire = Wire().prompted().update("tool_call", toolCallId="t", title="Taste", content=link)
    wire.update("tool_call", toolCallId="u", title="Else").update("subagent_update", sessionId="c")
    turn = turn_of(wire.update("subagent_update", sessionId=7).ended())
    assert [one.name for one in turn.spans] == ["Taste", "↪ c", "Else"]
