"""What the state takes of what a person sends by hand."""

from typing import Any

import pytest

from acp_tui.protocol.frames import Direction
from acp_tui.state.entries import MessageEntry, TurnEndEntry
from acp_tui.state.peer import Phase
from tests.unit.state.conversation import STARTED, Conversation
from tests.unit.state.test_turns import OPTIONS

PROMPT = {"sessionId": "s", "prompt": [{"type": "text", "text": "Hi"}]}


def prompted(id: str = "by-hand-1", **params: Any) -> Conversation:
    talk = Conversation.opened()
    talk.by_hand(id=id, method="session/prompt", params={**PROMPT, **params})
    return talk


def test_a_prompt_begins_a_turn_that_its_answer_ends() -> None:
    talk = prompted()
    turn = talk.session.turn
    assert turn is not None
    (prompt,) = talk.session.entries
    assert isinstance(prompt, MessageEntry)
    assert prompt.by_hand
    assert talk.state.peer.hand_ids == {"by-hand-1"}
    talk.frame(Direction.IN, {"id": "by-hand-1", "error": {"code": -32000, "message": "no"}})
    assert talk.session.turn is None
    assert isinstance(talk.session.entries[-1], TurnEndEntry)
    assert talk.state.peer.phase is Phase.CONNECTED  # nobody is asked to sign in
    assert not talk.state.calls


@pytest.mark.parametrize("method", ["session/cancel", "$/cancel_request"])
def test_a_cancel_is_taken_as_any_other(method: str) -> None:
    talk = Conversation.opened()
    id = talk.prompt()
    talk.by_hand(method=method, params={"sessionId": "s", "requestId": id})
    assert talk.session.turn is not None
    cancelled = talk.session.turn.cancelled is not None
    assert (cancelled, bool(talk.state.cancelled_calls)) == (
        method == "session/cancel",
        method == "$/cancel_request",
    )


def test_a_prompt_within_a_turn_leaves_that_as_it_is() -> None:
    talk = Conversation.opened()
    id = talk.prompt()
    turn = talk.session.turn
    talk.by_hand(id="mine", method="session/prompt", params=PROMPT)
    talk.frame(Direction.IN, {"id": "mine", "error": {"code": -1, "message": "busy"}})
    assert talk.session.turn is turn
    talk.answer(id, result={"stopReason": "end_turn"})
    assert talk.session.turn is None


def test_the_id_of_a_request_of_ours_stays_its_own() -> None:
    talk = Conversation.opened()
    id = talk.call("session/set_mode", {"sessionId": "s", "modeId": "m"})
    talk.by_hand(id=id, method="session/prompt", params=PROMPT)
    assert talk.session.turn is None
    talk.answer(id, result={})
    assert not talk.state.calls


@pytest.mark.parametrize(
    ("method", "params", "result"),
    [
        ("session/new", {"cwd": "/w", "mcpServers": []}, {"sessionId": "new"}),
        ("session/load", {"sessionId": "s", "cwd": "/w", "mcpServers": []}, {}),
        ("session/close", {"sessionId": "s"}, {}),
        ("session/prompt", {**PROMPT, "sessionId": "unknown"}, {"stopReason": "end_turn"}),
        ("session/prompt", {"sessionId": "s"}, {"stopReason": "end_turn"}),
        ("initialize", {"protocolVersion": 7}, {"protocolVersion": 7}),
        ("authenticate", {"methodId": "m"}, {}),
        ("no/such", {}, {}),
    ],
)
def test_of_all_else_nothing_is_taken_but_the_id(
    method: str, params: dict[str, Any], result: dict[str, Any]
) -> None:
    talk, other = Conversation.opened(), Conversation.opened()
    assert talk.by_hand(id="mine", method=method, params=params) == []
    talk.frame(Direction.IN, {"id": "mine", "result": result})
    other.state.peer.hand_ids.add("mine")
    other.state.last_received = talk.state.last_received
    assert talk.state == other.state


def test_a_cancel_in_a_session_that_is_not_open_makes_none() -> None:
    talk = Conversation.opened()
    talk.by_hand(method="session/cancel", params={"sessionId": "unknown"})
    assert [*talk.state.sessions] == ["s"]


@pytest.mark.parametrize("answer", [{"result": {}}, {"error": {"code": -1, "message": "no"}}])
def test_an_option_is_what_the_agent_has_set(answer: dict[str, Any]) -> None:
    talk = Conversation.opened()
    modes = {"currentModeId": "a", "availableModes": [{"id": one, "name": one} for one in "ab"]}
    talk.call(
        "session/new", {"cwd": "/w", "mcpServers": []}, result={"sessionId": "s", "modes": modes}
    )
    talk.by_hand(id="mine", method="session/set_mode", params={"sessionId": "s", "modeId": "b"})
    talk.frame(Direction.IN, {"id": "mine", **answer})
    assert talk.session.config.mode == ("b" if "result" in answer else "a")
    assert not talk.session.entries
    assert not talk.state.notices


def test_an_answer_to_the_agent_closes_its_question() -> None:
    talk = Conversation.opened()
    talk.prompt()
    call = {"toolCallId": "t", "title": "Delete"}
    id = f"agent-{talk.number}"
    talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    talk.by_hand(id=id, result={"outcome": "nonsense"})
    assert not talk.state.waiting_permissions()


def test_a_new_process_knows_none_of_the_ids() -> None:
    talk = prompted()
    talk.happened(STARTED)
    assert talk.state.peer.hand_ids == set()
