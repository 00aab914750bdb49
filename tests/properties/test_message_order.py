"""In whatever order requests, answers and updates come, the rules of the protocol judge them and never fail."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_tui.protocol.process_events import ProcessStarted
from tests.unit.debug.scenes import Wire

FROM_CLIENT = [
    *("session/new", "session/load", "session/resume", "session/fork", "session/close"),
    *("session/prompt", "session/cancel", "session/set_mode", "session/set_config_option"),
]
FROM_AGENT = ["session/request_permission", "fs/read_text_file", "terminal/create"]
KINDS = [
    *("user_message_chunk", "agent_message_chunk", "tool_call", "tool_call_update", "plan"),
    *("state_update", "user_message", "cursor_update", "subagent_update", "current_mode_update"),
]
FIELDS: dict[str, Any] = {
    "cwd": "/w",
    "mcpServers": [],
    "prompt": [],
    "toolCall": {"toolCallId": "t"},
    "options": [{"optionId": "no", "name": "No", "kind": "reject_once"}],
    "replayFrom": {"type": "start"},
    "path": "/w/a",
    "command": "true",
}
RESULT = {
    "sessionId": "s",
    "stopReason": "end_turn",
    "outcome": {"outcome": "selected", "optionId": "no"},
}
CANCELED = {"code": -32800, "message": "canceled"}
ids, sessions = st.integers(2, 4), st.sampled_from("st")
statuses = st.sampled_from(["pending", "in_progress", "completed"])
steps = st.one_of(
    st.tuples(st.just("client asks"), ids, st.sampled_from(FROM_CLIENT), sessions),
    st.tuples(st.just("agent asks"), ids, st.sampled_from(FROM_AGENT), sessions),
    st.tuples(st.just("client withdraws"), ids),
    st.tuples(st.just("agent withdraws"), ids),
    st.tuples(st.just("client answers"), ids, st.booleans()),
    st.tuples(st.just("agent answers"), ids, st.booleans()),
    st.tuples(st.just("update"), st.sampled_from(KINDS), sessions, statuses),
    st.tuples(st.just("restart")),
)
Step = tuple[object, ...]


def play(wire: Wire, steps: list[Step]) -> None:
    for step in steps:
        match step:
            case ("client asks", int(id), str(method), str(session)):
                wire.out(id=id, method=method, params={"sessionId": session, **FIELDS})
            case ("agent asks", int(id), str(method), str(session)):
                wire.got(id=id, method=method, params={"sessionId": session, **FIELDS})
            case ("client withdraws", int(id)):
                wire.out(method="$/cancel_request", params={"requestId": id})
            case ("agent withdraws", int(id)):
                wire.got(method="$/cancel_request", params={"requestId": id})
            case ("client answers", int(id), bool(fails)):
                wire.out(id=id, **({"error": CANCELED} if fails else {"result": RESULT}))
            case ("agent answers", int(id), bool(fails)):
                wire.got(id=id, **({"error": CANCELED} if fails else {"result": RESULT}))
            case ("update", str(kind), str(session), str(status)):
                wire.update(kind, session, toolCallId="t", status=status, state="idle")
            case ("restart",):
                wire.happened(ProcessStarted(wire.at, ("a",), "/", 1))


@pytest.mark.parametrize("opened", [Wire.opened, Wire.opened_2])
@example([("client asks", 2, "session/load", "s"), ("client asks", 3, "session/prompt", "s"), ("agent answers", 2, False)])  # fmt: skip
@example([("client asks", 2, "session/prompt", "s"), ("client asks", 3, "session/load", "s"), ("client withdraws", 2)])  # fmt: skip
@given(st.lists(steps, max_size=20))
def test_every_order_of_messages_can_be_judged(opened: Any, steps: list[Step]) -> None:
    wire = opened(Wire())
    play(wire, steps)
    assert all(one.index < len(wire.records) for one in wire.log().findings)
