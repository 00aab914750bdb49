"""How long a tool call worked: the person's time to answer is not its own."""

import pytest

from acp_tui.protocol.file_events import AccessAnswered, AccessAsked, FileOperation
from acp_tui.state.changes import EntryChanged
from acp_tui.state.entries import ToolCallEntry
from tests.unit.state.conversation import Conversation

OPTIONS = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
YES = {"result": {"outcome": {"outcome": "selected", "optionId": "y"}}}


def calling(*ids: str) -> Conversation:
    talk = Conversation.opened()
    talk.prompt()
    for one in ids:
        talk.update("tool_call", toolCallId=one, title="Work", status="pending")
    return talk


def call_of(talk: Conversation, id: str = "t") -> ToolCallEntry:
    entry = talk.session.tool_call(id)
    assert entry is not None
    return entry


def ask(talk: Conversation, id: str = "t") -> int:
    call = {"toolCallId": id}
    return talk.asks("session/request_permission", toolCall=call, options=OPTIONS)


def test_the_time_until_the_answer_is_not_the_tools() -> None:
    talk = calling("t")
    number = ask(talk)
    asked = talk.number
    for _ in range(5):
        talk.say("meanwhile")
    assert call_of(talk).worked(talk.number) == asked - call_of(talk).at
    talk.settle(number, **YES)
    talk.update("tool_call_update", toolCallId="t", status="completed")
    call = call_of(talk)
    assert call.ended is not None
    assert call.consent.waiting.seconds == 6
    assert call.worked(999) == call.ended - call.at - 6


def test_two_questions_at_once_are_one_wait() -> None:
    talk = calling("t")
    first, second = ask(talk), ask(talk)
    start = talk.number - 1
    talk.settle(first, **YES)
    assert call_of(talk).consent.waiting.seconds == 0
    talk.settle(second, **YES)
    assert call_of(talk).consent.waiting.seconds == talk.number - start


def test_a_call_that_ends_before_its_answer_waited_until_then() -> None:
    talk = calling("t")
    number = ask(talk)
    asked = talk.number
    talk.update("tool_call_update", toolCallId="t", status="failed")
    ended = talk.number
    talk.say("later")
    assert call_of(talk).worked(talk.number) == asked - call_of(talk).at
    talk.settle(number, **YES)
    assert call_of(talk).consent.waiting.seconds == ended - asked


@pytest.mark.parametrize(("ids", "waited"), [(["t"], 1.5), (["t", "u"], 0), ([], None)])
def test_a_question_of_ours_holds_the_only_tool_that_runs(
    ids: list[str], waited: float | None
) -> None:
    talk = calling(*ids)
    number = talk.asks("fs/read_text_file", path="/etc/hosts")
    at = float(talk.number)
    talk.happened(AccessAsked(at, number, "s", FileOperation.READ, "/etc/hosts", "/etc"))
    talk.happened(AccessAnswered(at + 1.5, number, "reject_once"))
    assert talk.session.permissions == []
    if waited is not None:
        assert call_of(talk).consent.waiting.seconds == waited


ASKS = {
    "elicitation/create": {"message": "Which?", "mode": "form", "requestedSchema": {}},
    "_agentao.cn/ask_user": {"question": "Which?"},
}
ANSWERS = {
    "elicitation/create": {"action": "decline"},
    "_agentao.cn/ask_user": {"outcome": "cancelled"},
}


@pytest.mark.parametrize("method", ASKS)
@pytest.mark.parametrize(("ids", "held"), [(["t"], True), (["t", "u"], False)])
def test_the_time_until_another_question_is_answered_is_not_the_tools(
    method: str, ids: list[str], held: bool
) -> None:
    talk = calling(*ids)
    number = talk.asks(method, **ASKS[method])
    asked = talk.number
    talk.say("meanwhile")
    changes = talk.settle(number, result=ANSWERS[method])
    assert call_of(talk).consent.waiting.seconds == (talk.number - asked if held else 0)
    moved = any(isinstance(one, EntryChanged) and one.index == 1 for one in changes)
    assert moved is held


@pytest.mark.parametrize(("named", "waited"), [("u", 1), ("unknown", 0)])
def test_of_several_tools_the_one_that_is_named_waits(named: str, waited: float) -> None:
    talk = calling("t", "u")
    number = talk.asks("elicitation/create", **ASKS["elicitation/create"], toolCallId=named)
    talk.settle(number, result=ANSWERS["elicitation/create"])
    assert call_of(talk).consent.waiting.seconds == 0
    assert call_of(talk, "u").consent.waiting.seconds == waited


def test_a_load_that_makes_a_call_anew_begins_its_time_anew() -> None:
    talk = calling("t")
    number = ask(talk)
    talk.session.entries[talk.session.indexes.tool_calls["t"]] = ToolCallEntry("t", 1.0)
    talk.settle(number, **YES)
    assert call_of(talk).consent.waiting.seconds == 0
